package page

import (
	"bytes"
	"encoding/json"
	"strings"
)

// maxInline is the maximum length of a nested array or object on one line.
const maxInline = 48

// layout formats a JSON text with one line for each member and element, and short nested arrays
// and objects on one line.
func layout(raw json.RawMessage) string {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return ""
	}
	p := &printer{text: compact.String()}
	p.value(0)
	return p.out.String()
}

// printer formats a compact JSON text.
type printer struct {
	text string
	pos  int
	out  strings.Builder
}

// value writes the value at the position. depth is the number of containing values.
func (p *printer) value(depth int) {
	start := p.pos
	end := p.end()
	open := p.text[start]
	if open != '{' && open != '[' || end-start == 2 {
		p.out.WriteString(p.text[start:end])
		p.pos = end
		return
	}
	between, last := "\n"+strings.Repeat("  ", depth+1), "\n"+strings.Repeat("  ", depth)
	if depth > 0 && end-start <= maxInline {
		between, last = " ", " "
		if open == '[' {
			between, last = "", ""
		}
	}
	p.out.WriteByte(open)
	for p.pos++; p.pos < end-1; {
		p.out.WriteString(between)
		if open == '{' {
			name := p.pos
			p.pos = p.end()
			p.out.WriteString(p.text[name:p.pos] + ": ")
			p.pos++
		}
		p.value(depth + 1)
		if p.text[p.pos] == ',' {
			p.out.WriteByte(',')
			p.pos++
			if between == "" {
				p.out.WriteByte(' ')
			}
		}
	}
	p.out.WriteString(last)
	p.out.WriteByte(p.text[end-1])
	p.pos = end
}

// end returns the end of the value, or of the member's name, at the position.
func (p *printer) end() int {
	depth, quoted := 0, false
	for i := p.pos; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
			if !quoted && depth == 0 {
				return i + 1
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case depth == 0 && (c == ',' || c == ':'):
			return i
		}
	}
	return len(p.text)
}

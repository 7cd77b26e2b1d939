package page

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/gen/report"
)

// span is a piece of a sentence. Code is set in a monospaced font.
type span struct {
	Text string
	Code bool
}

// phrase is a sentence or a part of one.
type phrase []span

// code is an argument of say that is a name or a value.
type code string

// say replaces each % in a text by an argument, which is a string, a code or a phrase.
func say(format string, args ...any) phrase {
	var p phrase
	for i, part := range strings.Split(format, "%") {
		if i > 0 {
			p = p.add(args[i-1])
		}
		p = p.add(part)
	}
	return p
}

func (p phrase) add(arg any) phrase {
	switch arg := arg.(type) {
	case string:
		if arg != "" {
			p = append(p, span{Text: visible(arg)})
		}
	case code:
		p = append(p, span{Text: visible(string(arg)), Code: true})
	case phrase:
		p = append(p, arg...)
	}
	return p
}

// String returns the text without markup.
func (p phrase) String() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteString(s.Text)
	}
	return b.String()
}

// visible escapes invisible characters and characters that change the display of others:
// controls, marks of text direction and other format characters. It keeps the two joiners,
// which many scripts and emoji need.
func visible(s string) string {
	hidden := func(r rune) bool {
		return r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d'
	}
	return report.Escape(s, hidden)
}

// slug converts a text to a URL fragment of letters, digits, dots, underscores and hyphens.
func slug(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r) {
			b.WriteRune(r)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}

// ids assigns unique URL fragments.
type ids map[string]int

// take returns the fragment, with a number appended if it is taken.
func (seen ids) take(id string) string {
	for {
		seen[id]++
		n := seen[id]
		if n == 1 {
			return id
		}
		id = fmt.Sprintf("%s-%d", id, n)
	}
}

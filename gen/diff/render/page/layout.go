package page

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
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
	return indented(wire.Raw(compact.String()), 0)
}

// indented formats a value without white space that is in a number of others.
func indented(raw wire.Raw, depth int) string {
	var parts []string
	switch raw.Kind() {
	case wire.KindObject:
		for name, value := range wire.Object(raw).All() {
			quoted, _ := wire.AppendString(nil, name) // it was read, so it is UTF-8
			parts = append(parts, string(quoted)+": "+indented(value, depth+1))
		}
	case wire.KindArray:
		for _, element := range raw.Elements() {
			parts = append(parts, indented(element, depth+1))
		}
	}
	first, last := raw[:1], raw[len(raw)-1:]
	switch {
	case parts == nil:
		return string(raw)
	case depth > 0 && len(raw) <= maxInline && first == "{":
		return "{ " + strings.Join(parts, ", ") + " }"
	case depth > 0 && len(raw) <= maxInline:
		return "[" + strings.Join(parts, ", ") + "]"
	}
	end := "\n" + strings.Repeat("  ", depth)
	return string(first) + end + "  " + strings.Join(parts, ","+end+"  ") + end + string(last)
}

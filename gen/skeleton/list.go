package skeleton

import (
	"bytes"
	"encoding/json"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/tools"
)

// Read parses a tool list in JSON or YAML. Name is the name of its file, see
// [catalog.IsYAML].
func Read(name string, text []byte) (*tools.List, error) {
	if catalog.IsYAML(name, text) {
		var err error
		if text, err = catalog.FromYAML(text); err != nil {
			return nil, err
		}
	}
	return tools.Read(text)
}

// Canonical returns the text of a list in its canonical form: definitions and members in
// their original order, indented, with tokens unchanged.
func Canonical(list *tools.List) []byte {
	compact := append([]byte(`{"tools":`), compactList(list)...)
	var text bytes.Buffer
	// The definitions were parsed as JSON, so the text is valid.
	_ = json.Indent(&text, append(compact, '}'), "", "  ")
	text.WriteByte('\n')
	return text.Bytes()
}

// compactList returns the array of definitions without white space between tokens.
func compactList(list *tools.List) []byte {
	text := []byte{'['}
	for i, t := range list.Tools {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, t.Definition...)
	}
	return append(text, ']')
}

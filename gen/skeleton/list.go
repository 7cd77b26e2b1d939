package skeleton

import (
	"bytes"
	"encoding/json"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/tools"
)

// Read reads a tool list that is JSON or YAML. Name is that of its file, see
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

// Canonical returns the text of a list as it is kept in a file: the definitions in their
// order, each with its members in theirs, indented. Tokens are as they were.
func Canonical(list *tools.List) []byte {
	compact := append([]byte(`{"tools":`), compactList(list)...)
	var text bytes.Buffer
	// The definitions have been read as JSON, so that nothing is wrong with the text.
	_ = json.Indent(&text, append(compact, '}'), "", "  ")
	text.WriteByte('\n')
	return text.Bytes()
}

// compactList is the array of definitions without white space between tokens.
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

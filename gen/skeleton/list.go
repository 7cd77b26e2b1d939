package skeleton

import (
	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Read parses a tool list in JSON or YAML. Name is the name of its file, see
// [catalog.IsYAML].
func Read(name string, text []byte) (*tools.List, error) {
	text, err := catalog.JSON(name, text)
	if err != nil {
		return nil, err
	}
	return tools.Read(text)
}

// Canonical returns the tools of a list in their canonical form: definitions and members in
// their original order, indented, with tokens unchanged.
func Canonical(list *tools.List) []byte {
	compact := append([]byte(`{"tools":`), array(list, func(t *tools.Tool) wire.Object { return t.Source })...)
	return report.Indented(append(compact, '}'), nil)
}

// array returns the array of the definitions of a list, without white space between tokens.
func array(list *tools.List, definition func(*tools.Tool) wire.Object) []byte {
	var all []wire.Object
	for _, t := range list.Tools {
		all = append(all, definition(t))
	}
	return []byte(wire.ArrayOf(all))
}

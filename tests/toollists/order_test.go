package toollists

import (
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/generated/mcp20241105"
	"github.com/mcpgen/mcpgen/generated/mcp20250326"
	"github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ordered checks that the type Tool of each revision preserves the order of a tool's
// parameters, in which models and people read them.
func ordered(t *testing.T, path string, list *tools.List) {
	t.Helper()
	for _, tool := range list.Tools {
		want := parameters(tool.Definition)
		if want == nil {
			continue
		}
		for revision, value := range map[string]wire.Value{
			"2024-11-05": new(mcp20241105.Tool),
			"2025-03-26": new(mcp20250326.Tool),
			"2025-06-18": new(mcp20250618.Tool),
			"2025-11-25": new(mcp20251125.Tool),
		} {
			listed := convert.PlainSchemas(new(convert.Conversion), wire.Raw(tool.Definition))
			if err := wire.UnmarshalString(string(listed), value); err != nil {
				t.Errorf("%s: %s: %s: %v", path, tool.Name, revision, err)
				continue
			}
			encoded, err := wire.Marshal(value)
			if err != nil {
				t.Errorf("%s: %s: %s: %v", path, tool.Name, revision, err)
				continue
			}
			if got := parameters(wire.Object(encoded)); !slices.Equal(got, want) {
				t.Errorf("%s: %s: %s: the order of the parameters is %q, not %q", path, tool.Name, revision, got, want)
			}
		}
	}
}

// parameters returns the names of a tool's parameters; nil if one of them has a boolean as
// its schema, which the types of the revisions do not allow.
func parameters(definition wire.Object) []string {
	schema, _ := definition.Get("inputSchema")
	properties, _ := wire.Object(schema).Get("properties")
	names := []string{}
	for name, parameter := range wire.Object(properties).All() {
		if parameter.Kind() != wire.KindObject {
			return nil
		}
		names = append(names, name)
	}
	return names
}

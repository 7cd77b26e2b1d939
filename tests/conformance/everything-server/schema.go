package main

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// addSchemaTools adds the tools that are about their schemas.
func addSchemaTools(c *catalog.Catalog) error {
	return c.Add(
		catalog.Tool{
			Definition: wire.Object(`{
				"name": "json_schema_2020_12_tool",
				"description": "Has a schema with all that JSON Schema 2020-12 has.",
				"inputSchema": {
					"$schema": "https://json-schema.org/draft/2020-12/schema",
					"type": "object",
					"$defs": {
						"address": {
							"$anchor": "addressDef",
							"type": "object",
							"properties": {"street": {"type": "string"}, "city": {"type": "string"}}
						}
					},
					"properties": {
						"name": {"type": "string"},
						"address": {"$ref": "#/$defs/address"},
						"contactMethod": {"type": "string", "enum": ["phone", "email"]},
						"phone": {"type": "string"},
						"email": {"type": "string"}
					},
					"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
					"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
					"then": {"required": ["phone"]},
					"else": {"required": ["email"]},
					"additionalProperties": false
				}
			}`),
			Call: func(_ context.Context, arguments wire.Object) (wire.Appender, error) {
				return text("JSON Schema 2020-12 tool called with: " + string(arguments)), nil
			},
		},
		catalog.Tool{
			Definition: wire.Object(`{
				"name": "test_structured_output",
				"description": "Adds two numbers.",
				"inputSchema": {
					"type": "object",
					"properties": {"a": {"type": "number"}, "b": {"type": "number"}},
					"required": ["a", "b"]
				},
				"outputSchema": {
					"type": "object",
					"properties": {"sum": {"type": "number"}},
					"required": ["sum"]
				}
			}`),
			Call: sum,
		},
	)
}

// sum answers with data, and with the same as text for clients that read no data.
func sum(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
	var a, b float64
	r := wire.NewStringReader(string(arguments))
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "a":
			r.Once(&seen[0], 0)
			a = r.ReadFloat64()
		case "b":
			r.Once(&seen[0], 1)
			b = r.ReadFloat64()
		default:
			r.Skip()
		}
	}
	if seen[0] != 3 {
		r.Missing(seen[:], "a", "b")
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	data, err := wire.ObjectOf(map[string]float64{"sum": a + b})
	if err != nil {
		return nil, err
	}
	result := text(string(data))
	if runtime.CallOf(ctx).Revision() >= revisionElicitation {
		result.StructuredContent = data
	}
	return result, nil
}

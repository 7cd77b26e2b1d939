package main

import (
	"encoding/json"
	"io"

	"github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/gen/diff/render"
)

// printOutputSchema writes the JSON Schema of the output of diff --format json.
func printOutputSchema(w io.Writer) error {
	reflector := &jsonschema.Reflector{Anonymous: true}
	schema := reflector.Reflect(&render.Output{})
	schema.Title = "The output of mcpgen diff --format json"
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(schema)
}

package main

import (
	"io"

	"github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/gen/diff/render"
	"github.com/mcpgen/mcpgen/gen/report"
)

// printOutputSchema writes the JSON Schema of the output of diff --format json.
func printOutputSchema(w io.Writer) error {
	reflector := &jsonschema.Reflector{Anonymous: true}
	schema := reflector.Reflect(&render.Output{})
	schema.Title = "The output of mcpgen diff --format json"
	p := report.Printer{W: w}
	p.JSON(schema)
	return p.Err
}

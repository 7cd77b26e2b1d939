package authoring

import (
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Schema returns the JSON Schema of the file, an object. It is of draft 07, which editors support best. It
// comes from the tables that the reader uses.
func Schema() []byte {
	tool := objectOf(ofTool, "name", "inputSchema")
	members, _ := wire.Object(tool).Get("properties")
	members = jsonschema.With(members, "name", `{"type":"string","pattern":"^[A-Za-z0-9_.-]{1,128}$","description":`+jsonschema.Text(ofTool[0].about)+`}`)
	for name, words := range map[string][]word{"annotations": ofAnnotations, "execution": ofExecution} {
		members = jsonschema.With(members, name, wire.Raw(wire.Object(objectOf(words)).Without("additionalProperties")))
	}

	file := objectOf(topLevel)
	file = jsonschema.With(file, "anyOf", `[{"required":["tools"]},{"required":["prompts"]},{"required":["resources"]},{"required":["resourceTemplates"]}]`)
	file = jsonschema.With(file, "$schema", `"http://json-schema.org/draft-07/schema#"`)
	file = jsonschema.With(file, "title", `"Tools, prompts and resources of a server (mcpgen)"`)
	definitions := []byte{'{'}
	for _, d := range []struct {
		name   string
		schema wire.Raw
	}{
		{"tool", jsonschema.With(tool, "properties", members)},
		{"prompt", objectOf(ofPrompt, "name")},
		{"argument", objectOf(ofArgument, "name")},
		{"resource", objectOf(ofResource, "uri", "name")},
		{"template", objectOf(ofTemplate, "uriTemplate", "name")},
		{"variable", objectOf(ofVariable, "name")},
		{"schema", `{"anyOf":[{"type":"boolean"},` + objectOf(keywords) + `]}`},
	} {
		definitions = append(wire.AppendName(definitions, d.name), d.schema...)
	}
	file = jsonschema.With(file, "definitions", wire.Raw(append(definitions, '}')))
	return report.Indented([]byte(file), nil)
}

// entry has the definition of the elements of each member with entries.
var entry = map[string]wire.Raw{
	"tools": "tool", "prompts": "prompt", "resources": "resource", "resourceTemplates": "template", "arguments": "argument", tools.MemberVariables: "variable",
}

// objectOf returns the schema of an object with the members of a table. Members that begin with
// x- are allowed everywhere.
func objectOf(words []word, required ...string) wire.Raw {
	properties := []byte{'{'}
	for _, w := range words {
		s := wire.Raw(schemaOf[w.shape])
		if w.about != "" {
			s = jsonschema.With(s, "description", jsonschema.Text(w.about))
		}
		if w.shape == entries {
			s = jsonschema.With(s, "items", `{"$ref":"#/definitions/`+entry[w.name]+`"}`)
		}
		properties = append(wire.AppendName(properties, w.name), s...)
	}
	o := `{"type":"object","properties":` + wire.Raw(append(properties, '}'))
	if len(required) > 0 {
		o += `,"required":` + jsonschema.Texts(required)
	}
	return o + `,"patternProperties":{"^x-":{}},"additionalProperties":false}`
}

// schemaOf has the schema of each shape.
var schemaOf = map[shape]string{
	anyValue:                `{}`,
	text:                    `{"type":"string"}`,
	flag:                    `{"type":"boolean"}`,
	number:                  `{"type":"number"}`,
	count:                   `{"type":"integer","minimum":0}`,
	texts:                   `{"type":"array","items":{"type":"string"}}`,
	values:                  `{"type":"array"}`,
	entries:                 `{"type":"array","items":{"type":"object"}}`,
	object:                  `{"type":"object"}`,
	jsonschema.TypesForm:    `{"anyOf":[{"enum":["string","number","integer","boolean","object","array","null"]},{"type":"array","items":{"enum":["string","number","integer","boolean","object","array","null"]}}]}`,
	subschema:               `{"allOf":[{"$ref":"#/definitions/schema"}]}`, // beside $ref, draft 07 ignores a description
	jsonschema.SchemasForm:  `{"type":"array","items":{"$ref":"#/definitions/schema"}}`,
	named:                   `{"type":"object","additionalProperties":{"$ref":"#/definitions/schema"}}`,
	jsonschema.ElementsForm: `{"anyOf":[{"$ref":"#/definitions/schema"},{"type":"array","items":{"$ref":"#/definitions/schema"}}]}`,
	jsonschema.DependsForm:  `{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#/definitions/schema"},{"type":"array","items":{"type":"string"}}]}}`,
}

package authoring

import (
	"strings"

	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Schema returns the JSON Schema of the file, an object. It is of draft 07, which editors support best. It
// comes from the tables that the reader uses.
func Schema() []byte {
	tool := objectOf(ofTool, "name", "inputSchema")
	properties, _ := tool.Get("properties")
	members := wire.Object(properties)
	members = with(members, "name", `{"type":"string","pattern":"^[A-Za-z0-9_.-]{1,128}$","description":`+quoted(ofTool[0].about)+`}`)
	members = with(members, "annotations", string(objectOf(ofAnnotations).Without("additionalProperties")))
	members = with(members, "execution", string(objectOf(ofExecution).Without("additionalProperties")))
	tool = with(tool, "properties", string(members))

	file := objectOf(topLevel)
	properties, _ = file.Get("properties")
	members = wire.Object(properties)
	anyOf := []byte{'['}
	for _, list := range []struct{ member, definition string }{
		{"tools", "tool"}, {"prompts", "prompt"}, {"resources", "resource"}, {"resourceTemplates", "template"},
	} {
		members = arrayOf(members, list.member, list.definition)
		anyOf = append(wire.AppendComma(anyOf), `{"required":[`+quoted(list.member)+`]}`...)
	}
	file = with(file, "properties", string(members))
	file = with(file, "anyOf", string(append(anyOf, ']')))

	file = with(file, "$schema", `"http://json-schema.org/draft-07/schema#"`)
	file = with(file, "title", `"Tools, prompts and resources of a server (mcpgen)"`)
	definitions := with("{}", "tool", string(tool))
	definitions = with(definitions, "prompt", string(withArray(objectOf(ofPrompt, "name"), "arguments", "argument")))
	definitions = with(definitions, "argument", string(objectOf(ofArgument, "name")))
	definitions = with(definitions, "resource", string(objectOf(ofResource, "uri", "name")))
	definitions = with(definitions, "template", string(withArray(objectOf(ofTemplate, "uriTemplate", "name"), tools.MemberVariables, "variable")))
	definitions = with(definitions, "variable", string(objectOf(ofVariable, "name")))
	definitions = with(definitions, "schema", `{"anyOf":[{"type":"boolean"},`+string(objectOf(keywords))+`]}`)
	file = with(file, "definitions", string(definitions))
	return report.Indented([]byte(file), nil)
}

// arrayOf returns properties of which one is an array of objects that a definition describes.
func arrayOf(properties wire.Object, member, definition string) wire.Object {
	array, _ := properties.Get(member)
	items := with(wire.Object(array), "items", `{"$ref":"#/definitions/`+definition+`"}`)
	return with(properties, member, string(items))
}

// withArray returns the schema of an object with a property of [arrayOf].
func withArray(schema wire.Object, member, definition string) wire.Object {
	properties, _ := schema.Get("properties")
	return with(schema, "properties", string(arrayOf(wire.Object(properties), member, definition)))
}

// objectOf returns the schema of an object with the members of a table. Members that begin with
// x- are allowed everywhere.
func objectOf(words []word, required ...string) wire.Object {
	properties := []byte{'{'}
	for _, w := range words {
		s := wire.Object(schemaOf[w.shape])
		if w.about != "" {
			s = with(s, "description", quoted(w.about))
		}
		properties = append(wire.AppendName(properties, w.name), s...)
	}
	o := with(`{"type":"object"}`, "properties", string(append(properties, '}')))
	if len(required) > 0 {
		o = with(o, "required", `["`+strings.Join(required, `","`)+`"]`)
	}
	return with(with(o, "patternProperties", `{"^x-":{}}`), "additionalProperties", "false")
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

// with returns an object with a member.
func with(o wire.Object, name, value string) wire.Object {
	changed, err := o.With(name, wire.Raw(value))
	if err != nil {
		panic(err) // the tables of this package are wrong
	}
	return changed
}

func quoted(s string) string {
	text, err := wire.AppendString(nil, s)
	if err != nil {
		panic(err) // the tables of this package are wrong
	}
	return string(text)
}

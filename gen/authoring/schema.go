package authoring

import (
	"bytes"
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Schema returns the JSON Schema (draft 07, which editors know best) of the file of tools, an
// object. It comes from the tables that the reader uses.
func Schema() []byte {
	tool := objectOf(ofTool)
	tool = with(tool, "required", `["name","inputSchema"]`)
	properties, _ := tool.Get("properties")
	members := wire.Object(properties)
	members = with(members, "name", `{"type":"string","pattern":"^[A-Za-z0-9_.-]{1,128}$","description":`+quoted(ofTool[0].about)+`}`)
	members = with(members, "annotations", string(objectOf(ofAnnotations).Without("additionalProperties")))
	members = with(members, "execution", string(objectOf(ofExecution).Without("additionalProperties")))
	tool = with(tool, "properties", string(members))

	file := objectOf(topLevel)
	properties, _ = file.Get("properties")
	entries := `{"type":"array","items":{"type":"object"}}`
	members = with(wire.Object(properties), "tools", `{"type":"array","items":{"$ref":"#/definitions/tool"}}`)
	for _, name := range []string{"prompts", "resources", "resourceTemplates"} {
		members = with(members, name, entries)
	}
	file = with(file, "properties", string(members))
	file = with(file, "required", `["tools"]`)

	file = with(file, "$schema", `"http://json-schema.org/draft-07/schema#"`)
	file = with(file, "title", `"Tools of a server (mcpgen)"`)
	file = with(file, "definitions", `{"tool":`+string(tool)+`,"schema":{"anyOf":[{"type":"boolean"},`+string(objectOf(keywords))+`]}}`)
	var out bytes.Buffer
	// The text was assembled from valid JSON.
	_ = json.Indent(&out, []byte(file), "", "  ")
	out.WriteByte('\n')
	return out.Bytes()
}

// objectOf returns the schema of an object with the members of a table. Members that begin with
// x- are allowed everywhere.
func objectOf(words []word) wire.Object {
	properties := []byte{'{'}
	for _, w := range words {
		s := wire.Object(schemaOf[w.shape])
		if w.about != "" {
			s = with(s, "description", quoted(w.about))
		}
		properties = append(wire.AppendName(properties, w.name), s...)
	}
	o := with(`{"type":"object"}`, "properties", string(append(properties, '}')))
	return with(with(o, "patternProperties", `{"^x-":{}}`), "additionalProperties", "false")
}

// schemaOf has the schema of each shape.
var schemaOf = map[shape]string{
	anyValue:  `{}`,
	text:      `{"type":"string"}`,
	flag:      `{"type":"boolean"}`,
	number:    `{"type":"number"}`,
	count:     `{"type":"integer","minimum":0}`,
	texts:     `{"type":"array","items":{"type":"string"}}`,
	values:    `{"type":"array"}`,
	object:    `{"type":"object"}`,
	types:     `{"anyOf":[{"enum":["string","number","integer","boolean","object","array","null"]},{"type":"array","items":{"enum":["string","number","integer","boolean","object","array","null"]}}]}`,
	subschema: `{"allOf":[{"$ref":"#/definitions/schema"}]}`, // beside $ref, draft 07 ignores a description
	schemas:   `{"type":"array","items":{"$ref":"#/definitions/schema"}}`,
	named:     `{"type":"object","additionalProperties":{"$ref":"#/definitions/schema"}}`,
	elements:  `{"anyOf":[{"$ref":"#/definitions/schema"},{"type":"array","items":{"$ref":"#/definitions/schema"}}]}`,
	depends:   `{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#/definitions/schema"},{"type":"array","items":{"type":"string"}}]}}`,
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

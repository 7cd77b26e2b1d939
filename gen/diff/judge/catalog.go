package judge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Catalog returns a judge of everything that a server offers. It refuses requests for
// anything else.
func Catalog(c *catalog.Catalog) diff.Judge {
	o := &offers{tools: Tools(c.Tools), schemas: map[string]any{}}
	o.others = newSchemas(func(of string) (*santhosh.Schema, error) { return compiled(of, o.schemas[of]) })
	for _, e := range c.Prompts {
		o.schemas[diff.OfPrompt(e.Key)] = promptSchema(e)
	}
	var uris []any
	for _, e := range c.Resources {
		uris = append(uris, map[string]any{"const": e.Key})
	}
	for _, e := range c.Templates {
		if parsed, err := uritemplate.New(e.Key); err == nil {
			uris = append(uris, map[string]any{"type": "string", "pattern": parsed.Regexp().String()})
		} else {
			uris = append(uris, map[string]any{"const": e.Key})
		}
	}
	if len(uris) > 0 {
		o.schemas[diff.OfURI] = map[string]any{"anyOf": uris}
	}
	var paths []any
	for _, path := range slices.Sorted(maps.Keys(diff.Declared(c.Capabilities))) {
		paths = append(paths, map[string]any{"const": path})
	}
	if len(paths) > 0 {
		o.schemas[diff.OfCapability] = map[string]any{"anyOf": paths}
	}
	return o
}

// promptSchema returns a schema for the params of prompts/get.
func promptSchema(e *catalog.Entry) any {
	properties, required := map[string]any{}, []any{}
	list, _ := e.Definition.Get("arguments")
	var arguments []struct {
		Name     string `json:"name"`
		Required bool   `json:"required"`
	}
	if json.Unmarshal([]byte(list), &arguments) == nil {
		for _, a := range arguments {
			if properties[a.Name] = map[string]any{"type": "string"}; a.Required {
				required = append(required, a.Name)
			}
		}
	}
	object := map[string]any{"type": "object", "properties": properties, "required": required}
	return map[string]any{
		"type": "object", "required": []any{"name", "arguments"},
		"properties": map[string]any{"name": map[string]any{"const": e.Key}, "arguments": object},
	}
}

// callSchema returns a schema for the params of tools/call without the arguments. It checks
// the name of the tool, and whether the member "task" is allowed or required.
func callSchema(name string, definition wire.Object) string {
	required, task := `["name"]`, "true"
	switch diff.TaskSupport(definition) {
	case "required":
		required = `["name","task"]`
	case "optional":
	default:
		task = "false"
	}
	text, err := json.Marshal(name)
	if err != nil {
		return "false" // cannot happen: every string has a JSON form
	}
	return fmt.Sprintf(`{"type":"object","required":%s,"properties":{"name":{"const":%s},"task":%s}}`, required, text, task)
}

// offers judges tools by their own schemas, and everything else by the schema in schemas.
type offers struct {
	tools   diff.Judge
	schemas map[string]any
	others  *schemas
}

// Accepts implements [diff.Judge].
func (o *offers) Accepts(of string, text []byte) (bool, error) {
	if _, ok := o.schemas[of]; ok {
		return o.others.Accepts(of, text)
	}
	return o.tools.Accepts(of, text)
}

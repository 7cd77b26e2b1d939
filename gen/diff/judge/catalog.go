package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Catalog judges by all that a server offers: what is not offered is refused.
func Catalog(c *catalog.Catalog) diff.Judge {
	o := &offers{tools: Tools(c.Tools), schemas: map[string]any{}, compiled: map[string]*jsonschema.Schema{}}
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

// promptSchema is a schema of the params of prompts/get.
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

// callSchema is a schema of the params of tools/call, but for the arguments: the name
// of the tool, and whether a task may be there, and must.
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
		return "false" // a name that was read can be written
	}
	return fmt.Sprintf(`{"type":"object","required":%s,"properties":{"name":{"const":%s},"task":%s}}`, required, text, task)
}

// offers judges by a schema for each thing, and tools by theirs.
type offers struct {
	tools    diff.Judge
	schemas  map[string]any
	compiled map[string]*jsonschema.Schema
}

// Accepts implements [diff.Judge].
func (o *offers) Accepts(of string, text []byte) (bool, error) {
	schema, ok := o.schemas[of]
	if !ok {
		return o.tools.Accepts(of, text)
	}
	if o.compiled[of] == nil {
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(url, schema); err != nil {
			return false, fmt.Errorf("%s: %w", of, err)
		}
		compiled, err := compiler.Compile(url)
		if err != nil {
			return false, fmt.Errorf("%s: %w", of, err)
		}
		o.compiled[of] = compiled
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	return err == nil && o.compiled[of].Validate(value) == nil, err
}

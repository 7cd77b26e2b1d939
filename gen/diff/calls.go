package diff

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ofCall returns the [Witness.Of] of a tool's call params without the arguments.
func ofCall(tool string) string { return "tool " + strconv.Quote(tool) + " call" }

// taskSupportOf returns whether a tool can be called as a task: "forbidden", which is the
// default, "optional" or "required".
func taskSupportOf(definition wire.Object) string {
	execution, _ := definition.Get("execution")
	support, _ := execution.Child("taskSupport")
	if text, _ := support.Str(); text == "optional" || text == "required" {
		return text
	}
	return "forbidden"
}

// taskSupport compares whether a tool can be called as a task and without one.
func (t *toolLists) taskSupport(old, new *tools.Tool) {
	was, is := taskSupportOf(old.Definition), taskSupportOf(new.Definition)
	for _, one := range []struct {
		removed, without string
		params           map[string]any
	}{
		{"task-call-removed", "forbidden", map[string]any{"task": map[string]any{}}},
		{"plain-call-removed", "required", map[string]any{}},
	} {
		had, has := was != one.without, is != one.without
		if had == has {
			continue
		}
		way := narrows
		ch := &change{subject: new.Name, old: placeOfTool(old), new: placeOfTool(new)}
		one.params["name"] = old.Name // a renamed tool is called by either name
		if has {
			way, ch.guard, one.params["name"] = widens, guardListed, new.Name
		}
		ch.rule = toward(one.removed, way)
		values := [2][]any{}
		values[way] = []any{one.params}
		t.direct(ch, values[narrows], values[widens], &root{use: "tools/call " + new.Name, direction: ToServer,
			judged: [2][]string{{ofCall(old.Name)}, {ofCall(new.Name)}}})
	}
}

// dialects compares $schema in a tool's schemas.
func dialects(old, new *tools.Tool, tell func(rule string, args ...string)) {
	for _, s := range []struct {
		name     string
		old, new *jsonschema.Schema
	}{{"input", old.Input, new.Input}, {"output", old.Output, new.Output}} {
		if s.old == nil || s.new == nil {
			continue
		}
		was, is := dialect(s.old), dialect(s.new)
		switch {
		case was == is:
		case was == "":
			tell("schema-dialect-named", s.name, is)
		case is == "":
			tell("schema-dialect-unnamed", s.name, was)
		default:
			tell("schema-dialect-changed", s.name, was, is)
		}
	}
}

// dialect returns $schema in a normal form, or "".
func dialect(s *jsonschema.Schema) string {
	raw, _ := s.Source.Child("$schema")
	uri, _ := raw.Str()
	return strings.Replace(strings.TrimSuffix(uri, "#"), "http://", "https://", 1)
}

// header is an x-mcp-header of a tool's input schema.
type header struct {
	name  string
	place Place
	// wrong describes why the header is invalid, or is "".
	wrong string
}

// headersOf returns the headers of a tool by the paths of the parameters. If no chain of properties leads to an
// annotation, its path is its pointer below the schema.
func headersOf(tool *tools.Tool) map[string]*header {
	const keyword = "x-mcp-header"
	input := tool.Name + ".input"
	all, byPointer := map[string]*header{}, map[string]*header{}
	add := func(path string, h *header) { all[path], byPointer[h.place.Pointer] = h, h }
	var walk func(s *jsonschema.Schema, path string)
	walk = func(s *jsonschema.Schema, path string) {
		if raw, ok := s.Source.Child(keyword); ok {
			name, _ := raw.Str()
			add(path, &header{name: name, place: Place{path, s.Pointer}})
		}
		for _, p := range s.Properties {
			walk(p.Schema, path+"."+p.Name)
		}
	}
	walk(tool.Input, input)
	var invalid *wire.ValidationError
	if _, err := headers.NewTable(tool.Input.Source); errors.As(err, &invalid) {
		for _, p := range invalid.Problems {
			at := strings.TrimSuffix(p.Pointer, "/"+keyword)
			pointer := tool.Input.Pointer + at
			if byPointer[pointer] == nil {
				add(input+at, &header{place: Place{input + at, pointer}})
			}
			byPointer[pointer].wrong = p.Message
		}
	}
	return all
}

// mirrored compares the parameters that clients copy into headers.
func (t *toolLists) mirrored(name string, was, is map[string]*header) {
	for _, path := range keysOf(was, is) {
		old, new := cmp.Or(was[path], &header{}), cmp.Or(is[path], &header{})
		ch := &change{guard: guardMirrored, subject: path, old: old.place, new: new.place, args: []string{lastName(path)}}
		switch {
		case old.wrong != "" && new.wrong != "":
			continue
		case new.wrong != "":
			ch.rule, ch.args = "header-broken", append(ch.args, new.wrong)
		case old.wrong != "":
			ch.rule, ch.args = "header-repaired", append(ch.args, old.wrong)
		case strings.EqualFold(old.name, new.name):
			continue
		case old.name == "":
			ch.rule, ch.args = "header-added", append(ch.args, new.name)
		case new.name == "":
			ch.rule, ch.args = "header-removed", append(ch.args, old.name)
		default:
			ch.rule, ch.args = "header-changed", append(ch.args, old.name, new.name)
		}
		t.direct(ch, nil, nil, &root{use: "tools/call " + name, direction: ToServer})
	}
}

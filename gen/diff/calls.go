package diff

import (
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
	if execution, ok := definition.Get("execution"); ok && execution.Kind() == wire.KindObject {
		if support, ok := stringMember(wire.Object(execution), "taskSupport"); ok && (support == "optional" || support == "required") {
			return support
		}
	}
	return "forbidden"
}

// taskSupport compares whether a tool can be called as a task and without one.
func (t *toolLists) taskSupport(old, new *tools.Tool) {
	was, is := taskSupportOf(old.Definition), taskSupportOf(new.Definition)
	for _, way := range []struct {
		added, removed, without string
		params                  map[string]any
	}{
		{"task-call-added", "task-call-removed", "forbidden", map[string]any{"task": map[string]any{}}},
		{"plain-call-added", "plain-call-removed", "required", map[string]any{}},
	} {
		// A renamed tool is called by either name.
		way.params["name"] = old.Name
		if was == way.without {
			way.params["name"] = new.Name
		}
		had, has := was != way.without, is != way.without
		if had == has {
			continue
		}
		at := &root{use: "tools/call " + new.Name, direction: ToServer,
			judged: [2][]string{{ofCall(old.Name)}, {ofCall(new.Name)}}}
		ch := &change{subject: new.Name, old: Place{old.Name, old.Pointer}, new: Place{new.Name, new.Pointer}}
		values := [2][]any{}
		if had {
			ch.rule, values[narrows] = way.removed, []any{way.params}
		} else {
			ch.rule, ch.guard, values[widens] = way.added, guardListed, []any{way.params}
		}
		t.direct(ch, values[narrows], values[widens], at)
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
	if s.Source.Kind() != wire.KindObject {
		return ""
	}
	uri, _ := stringMember(wire.Object(s.Source), "$schema")
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
func (t *toolLists) mirrored(old, new *tools.Tool) {
	was, is := headersOf(old), headersOf(new)
	for _, path := range keysOf(was, is) {
		ch := &change{guard: guardMirrored, subject: path}
		args := []string{path[strings.LastIndexByte(path, '.')+1:]}
		var wrong [2]string
		for way, h := range [2]*header{was[path], is[path]} {
			if h == nil {
				continue
			}
			if wrong[way] = h.wrong; h.wrong == "" {
				args = append(args, h.name)
			}
			*[2]*Place{&ch.old, &ch.new}[way] = h.place
		}
		switch {
		case wrong[narrows] != "" && wrong[widens] != "":
			continue
		case wrong[widens] != "":
			ch.rule, args = "header-broken", []string{args[0], wrong[widens]}
		case wrong[narrows] != "":
			ch.rule, args = "header-repaired", []string{args[0], wrong[narrows]}
		case was[path] == nil:
			ch.rule = "header-added"
		case is[path] == nil:
			ch.rule = "header-removed"
		case !strings.EqualFold(args[1], args[2]):
			ch.rule = "header-changed"
		default:
			continue
		}
		ch.args = args
		t.direct(ch, nil, nil, &root{use: "tools/call " + new.Name, direction: ToServer})
	}
}

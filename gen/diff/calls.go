package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
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
			judgedOld: []string{ofCall(old.Name)}, judgedNew: []string{ofCall(new.Name)}}
		ch := &change{old: Place{old.Name, old.Pointer}, new: Place{new.Name, new.Pointer}}
		values := [2][]any{}
		if had {
			ch.rule, values[narrows] = way.removed, []any{way.params}
		} else {
			ch.rule, ch.guard, values[widens] = way.added, guardListed, []any{way.params}
		}
		t.direct(ch, new.Name, values[narrows], values[widens], at)
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

// headers returns the headers of a tool by the path of the parameter.
func headers(tool *tools.Tool) map[string]*header {
	all := map[string]*header{}
	taken := map[string]bool{}
	collectHeaders(tool.Input, tool.Name+".input", true, all, 0)
	for _, path := range sortedKeys(all) {
		h := all[path]
		lower := strings.ToLower(h.name)
		if h.wrong == "" && taken[lower] {
			h.wrong = "used by another parameter as well"
		}
		taken[lower] = true
	}
	return all
}

// mostHeaders limits the depth of the search for headers. They may only stand below properties.
const mostHeaders = 50

func collectHeaders(s *jsonschema.Schema, path string, reachable bool, all map[string]*header, depth int) {
	if s == nil || depth > mostHeaders || s.Source.Kind() != wire.KindObject {
		return
	}
	if raw, ok := wire.Object(s.Source).Get("x-mcp-header"); ok {
		h := &header{place: Place{path, s.Pointer}}
		name, isText := raw.Str()
		h.name = name
		primitive := len(s.Types) == 1 && slices.Contains([]string{"string", "integer", "boolean"}, s.Types[0])
		switch {
		case !isText:
			h.wrong = "not a string"
		case name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isTokenRune(r) }):
			h.wrong = "not a valid header name: " + strconv.Quote(name)
		case depth == 0 || !reachable:
			h.wrong = "at a place that cannot be reached through properties alone"
		case !primitive:
			h.wrong = "at a parameter that is not a string, an integer or a boolean"
		}
		all[path] = h
	}
	for _, p := range s.Properties {
		collectHeaders(p.Schema, path+"."+p.Name, reachable, all, depth+1)
	}
	others := slices.Concat([]*jsonschema.Schema{s.Items, s.AdditionalProperties, s.Not, s.If, s.Then, s.Else, s.Contains}, s.PrefixItems, s.AllOf, s.AnyOf, s.OneOf)
	for i, other := range others {
		if other != nil {
			collectHeaders(other, path+"|"+strconv.Itoa(i), false, all, depth+1)
		}
	}
	for _, d := range s.Defs {
		collectHeaders(d.Schema, path+"|$defs."+d.Name, false, all, depth+1)
	}
}

// isTokenRune reports whether a token of RFC 9110 may contain a character.
func isTokenRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 0 && r < 0x80 && strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// mirrored compares the parameters that clients copy into headers.
func (t *toolLists) mirrored(old, new *tools.Tool) {
	was, is := headers(old), headers(new)
	at := &root{use: "tools/call " + new.Name, direction: ToServer}
	for _, path := range sortedKeys(was, is) {
		o, n := was[path], is[path]
		ch := &change{guard: guardMirrored}
		name := path[strings.LastIndexByte(path, '.')+1:]
		if o != nil {
			ch.old = o.place
		}
		if n != nil {
			ch.new = n.place
		}
		wrong := func(h *header) bool { return h != nil && h.wrong != "" }
		switch {
		case wrong(n) && !wrong(o):
			ch.rule, ch.args = "header-broken", []string{name, n.wrong}
		case wrong(o) && !wrong(n):
			ch.rule, ch.args = "header-repaired", []string{name, o.wrong}
		case wrong(o):
			continue
		case o == nil:
			ch.rule, ch.args = "header-added", []string{name, n.name}
		case n == nil:
			ch.rule, ch.args = "header-removed", []string{name, o.name}
		case !strings.EqualFold(o.name, n.name):
			ch.rule, ch.args = "header-changed", []string{name, o.name, n.name}
		default:
			continue
		}
		t.direct(ch, path, nil, nil, at)
	}
}

func sortedKeys(maps ...map[string]*header) []string {
	var all []string
	for _, m := range maps {
		for key := range m {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

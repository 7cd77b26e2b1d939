package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// mutator changes schemas at random.
type mutator struct {
	rng *rand.Rand
	// nodes are the schemas of the tree, sorted by pointer.
	nodes     []node
	container string
	root      map[string]any
	// known are definitions that the overlay says more of than their schemas. They are not inlined,
	// because the overlay names them.
	known []string
}

// node is a schema of the tree.
type node struct {
	pointer string
	schema  map[string]any
	// definition is the definition the schema stands in.
	definition string
}

// newMutator copies a tree and lists its schemas.
func newMutator(rng *rand.Rand, root map[string]any) *mutator {
	m := &mutator{rng: rng, root: clone(root).(map[string]any), container: "definitions"}
	if _, ok := m.root["$defs"]; ok {
		m.container = "$defs"
	}
	defs := m.root[m.container].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(defs)) {
		m.walk("/"+m.container+"/"+name, name, defs[name].(map[string]any))
	}
	return m
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			out[name] = clone(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = clone(value)
		}
		return out
	}
	return v
}

func (m *mutator) walk(pointer, definition string, s map[string]any) {
	m.nodes = append(m.nodes, node{pointer, s, definition})
	if props, ok := s["properties"].(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(props)) {
			m.walk(pointer+"/properties/"+name, definition, props[name].(map[string]any))
		}
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if below, ok := s[keyword].(map[string]any); ok {
			m.walk(pointer+"/"+keyword, definition, below)
		}
	}
	for _, keyword := range []string{"anyOf", "allOf"} {
		list, _ := s[keyword].([]any)
		for i, below := range list {
			m.walk(fmt.Sprintf("%s/%s/%d", pointer, keyword, i), definition, below.(map[string]any))
		}
	}
}

// mutation is a change that was made.
type mutation struct {
	name, pointer, definition string
	// refactoring changes no message.
	refactoring bool
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// mutate makes one change that is possible.
func (m *mutator) mutate() mutation {
	for {
		n := pick(m.rng, m.nodes)
		kinds := mutations()
		name := pick(m.rng, slices.Sorted(maps.Keys(kinds)))
		if kinds[name](m, n.schema) {
			return mutation{name, n.pointer, n.definition, strings.HasPrefix(name, "refactor")}
		}
	}
}

// mutations are the changes by name. Each reports whether it could be made.
func mutations() map[string]func(m *mutator, s map[string]any) bool {
	return map[string]func(m *mutator, s map[string]any) bool{
		"add optional member": func(m *mutator, s map[string]any) bool { return m.addMember(s, false) },
		"add required member": func(m *mutator, s map[string]any) bool { return m.addMember(s, true) },
		"drop member": func(m *mutator, s map[string]any) bool {
			props, name := m.property(s)
			if name == "" || len(props) < 2 || name == "method" || name == "params" {
				return false
			}
			delete(props, name)
			demand(s, name, false)
			return true
		},
		"demand member": func(m *mutator, s map[string]any) bool {
			_, name := m.property(s)
			if name == "" || name == "_meta" || slices.Contains(required(s), name) {
				return false
			}
			demand(s, name, true)
			return true
		},
		"release member": func(m *mutator, s map[string]any) bool {
			names := required(s)
			if len(names) == 0 {
				return false
			}
			name := pick(m.rng, names)
			if name == "method" {
				return false
			}
			demand(s, name, false)
			return true
		},
		"retype": func(m *mutator, s map[string]any) bool {
			if _, ok := s["type"].(string); !ok || s["const"] != nil || s["enum"] != nil || s["properties"] != nil || s["required"] != nil || s["type"] == "object" || s["type"] == "array" {
				return false
			}
			to := pick(m.rng, []any{"string", "integer", "number", "boolean", []any{"string", "integer"}, []any{"string", "number", "boolean"}})
			if fmt.Sprint(to) == fmt.Sprint(s["type"]) {
				return false
			}
			clear(s)
			s["type"] = to
			return true
		},
		"allow anything": func(m *mutator, s map[string]any) bool {
			if s["const"] != nil || s["properties"] != nil || s["anyOf"] != nil || s["allOf"] != nil || s["$ref"] != nil || len(s) == 0 {
				return false
			}
			clear(s)
			return true
		},
		"allow only strings": func(m *mutator, s map[string]any) bool {
			if len(s) > 0 {
				return false
			}
			s["type"] = "string"
			return true
		},
		"change enum": func(m *mutator, s map[string]any) bool {
			values, ok := s["enum"].([]any)
			switch {
			case !ok && s["type"] == "string" && s["const"] == nil && s["format"] == nil:
				s["enum"] = []any{"one", "two"}
			case !ok:
				return false
			case m.rng.IntN(3) == 0:
				delete(s, "enum")
			case m.rng.IntN(2) == 0 && len(values) > 1:
				s["enum"] = values[1:]
			default:
				s["enum"] = append(slices.Clone(values), "another")
			}
			return true
		},
		"change const": func(m *mutator, s map[string]any) bool {
			if _, ok := s["const"].(string); !ok {
				return false
			}
			s["const"] = "another"
			return true
		},
		"change bounds": func(m *mutator, s map[string]any) bool {
			if s["type"] != "integer" && s["type"] != "number" || s["const"] != nil {
				return false
			}
			name := pick(m.rng, []string{"minimum", "maximum"})
			if s[name] != nil && m.rng.IntN(2) == 0 {
				delete(s, name)
				return true
			}
			low, high := 0.0, 1.0
			if name == "minimum" {
				low, high = -3, 0.5
			}
			to := low + (high-low)*float64(m.rng.IntN(5))/4
			if s["type"] == "integer" && name == "maximum" {
				to *= 4
			}
			if fmt.Sprint(s[name]) == fmt.Sprint(to) {
				return false
			}
			s[name] = to
			return true
		},
		"change items": func(m *mutator, s map[string]any) bool {
			if s["type"] != "array" {
				return false
			}
			if m.rng.IntN(2) == 0 {
				s["maxItems"] = 1 + m.rng.IntN(3)
				return true
			}
			s["items"] = map[string]any{"type": pick(m.rng, []string{"string", "boolean"})}
			return true
		},
		"change format": func(m *mutator, s map[string]any) bool {
			if s["type"] != "string" || s["const"] != nil || s["enum"] != nil {
				return false
			}
			to := pick(m.rng, []any{nil, "uri", "email", "byte", "date"})
			if s["format"] == to {
				return false
			}
			if s["format"] = to; to == nil {
				delete(s, "format")
			}
			return true
		},
		"change values of map": func(m *mutator, s map[string]any) bool {
			if s["type"] != "object" || s["properties"] != nil || s["required"] != nil {
				return false
			}
			if rest, ok := s["additionalProperties"].(map[string]any); ok && len(rest) > 0 {
				s["additionalProperties"] = map[string]any{}
			} else {
				s["additionalProperties"] = map[string]any{"type": "string"}
			}
			return true
		},
		"add variant": func(m *mutator, s map[string]any) bool {
			list, ok := s["anyOf"].([]any)
			if !ok {
				return false
			}
			s["anyOf"] = append(slices.Clone(list), pick(m.rng, []any{
				map[string]any{"type": "boolean"},
				map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
				map[string]any{"type": "object", "required": []any{"type", "another"}, "properties": map[string]any{
					"type": map[string]any{"type": "string", "const": "another"}, "another": map[string]any{"type": "integer"}}},
			}))
			return true
		},
		"drop variant": func(m *mutator, s map[string]any) bool {
			list, ok := s["anyOf"].([]any)
			if !ok || len(list) < 3 {
				return false
			}
			i := m.rng.IntN(len(list))
			s["anyOf"] = slices.Delete(slices.Clone(list), i, i+1)
			return true
		},
		"refactor: inline": func(m *mutator, s map[string]any) bool {
			ref, ok := s["$ref"].(string)
			if !ok {
				return false
			}
			name := ref[strings.LastIndexByte(ref, '/')+1:]
			target, ok := m.defs()[name].(map[string]any)
			if !ok || slices.Contains(m.known, name) { // another mutation may have removed it
				return false
			}
			if target["$ref"] != nil || strings.Contains(encode(target), ref) {
				return false
			}
			clear(s)
			maps.Copy(s, clone(target).(map[string]any))
			return true
		},
		"refactor: define": func(m *mutator, s map[string]any) bool {
			name := fmt.Sprintf("Defined%d", m.rng.IntN(1000))
			if s["type"] == nil || s["const"] != nil || m.defs()[name] != nil || m.isDefinition(s) {
				return false
			}
			m.defs()[name] = clone(s)
			clear(s)
			s["$ref"] = "#/" + m.container + "/" + name
			return true
		},
	}
}

func (m *mutator) defs() map[string]any { return m.root[m.container].(map[string]any) }

func (m *mutator) isDefinition(s map[string]any) bool {
	for _, d := range m.defs() {
		if fmt.Sprintf("%p", d) == fmt.Sprintf("%p", s) {
			return true
		}
	}
	return false
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (m *mutator) addMember(s map[string]any, must bool) bool {
	props, name := m.property(s)
	if name == "" || props["another"] != nil {
		return false
	}
	props["another"] = map[string]any{"type": pick(m.rng, []string{"string", "boolean", "integer"})}
	if must {
		demand(s, "another", true)
	}
	return true
}

// property picks one of the properties, "" when there are none.
func (m *mutator) property(s map[string]any) (map[string]any, string) {
	props, _ := s["properties"].(map[string]any)
	if len(props) == 0 {
		return nil, ""
	}
	return props, pick(m.rng, slices.Sorted(maps.Keys(props)))
}

func required(s map[string]any) []string {
	var names []string
	list, _ := s["required"].([]any)
	for _, name := range list {
		names = append(names, name.(string))
	}
	return names
}

// demand puts a name among the required ones, or takes it out.
func demand(s map[string]any, name string, must bool) {
	list := []any{}
	for _, have := range required(s) {
		if have != name {
			list = append(list, have)
		}
	}
	if must {
		list = append(list, name)
	}
	if s["required"] = list; len(list) == 0 {
		delete(s, "required")
	}
}

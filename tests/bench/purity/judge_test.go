package purity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/tests/internal/pinned"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// judge judges messages by the schema of a revision, errata applied. It knows of the
// generated code no more than of the peers.
type judge struct {
	revision  string
	root      map[string]any
	container string // "/definitions" or "/$defs"
	compiler  *jsonschema.Compiler
	methods   map[string]string // method to the name of its definition
}

const schemaURL = "mem:///schema.json"

// judges are those of all pinned revisions, the oldest first.
func judges(t *testing.T) []*judge {
	t.Helper()
	var all []*judge
	for _, revision := range pinned.Spec(t).Revisions() {
		all = append(all, newJudge(t, revision, pinned.Schema(t, revision)))
	}
	return all
}

func newJudge(t *testing.T, revision string, text []byte) *judge {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	j := &judge{
		revision: revision, root: parsed.(map[string]any), container: "/$defs",
		compiler: jsonschema.NewCompiler(), methods: map[string]string{},
	}
	if _, ok := j.root["definitions"]; ok {
		j.container = "/definitions"
	}
	j.compiler.AssertFormat()
	if err := j.compiler.AddResource(schemaURL, j.root); err != nil {
		t.Fatal(err)
	}
	for name := range j.at(j.container) {
		if method, ok := j.at(j.container + "/" + name + "/properties/method")["const"].(string); ok {
			j.methods[method] = name
		}
	}
	return j
}

// at is the object at a JSON Pointer, nil when there is none. No name in these schemas
// has anything that a pointer escapes.
func (j *judge) at(pointer string) map[string]any {
	var value any = j.root
	for _, segment := range strings.Split(pointer, "/")[1:] {
		switch parent := value.(type) {
		case map[string]any:
			value = parent[segment]
		case []any:
			var i int
			if _, err := fmt.Sscan(segment, &i); err != nil || i >= len(parent) {
				return nil
			}
			value = parent[i]
		}
	}
	object, _ := value.(map[string]any)
	return object
}

// invalid is why the schema at a pointer does not accept a value.
func (j *judge) invalid(pointer string, value any) error {
	schema, err := j.compiler.Compile(schemaURL + "#" + pointer)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// message judges a message of the server; asked is the method that it answers, if any. An
// error says why the schema does not accept it. Undefined are its members and variants
// that the schema does not declare. The schemas leave objects open, so a message may have
// those and be valid.
func (j *judge) message(text, asked string) (undefined []string, invalid error) {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	if err := j.invalid(j.container+"/JSONRPCMessage", value); err != nil {
		return nil, err
	}
	m := value.(map[string]any)
	if method, ok := m["method"].(string); ok {
		definition, ok := j.methods[method]
		if !ok {
			return []string{"the method " + method}, nil
		}
		pointer := j.container + "/" + definition
		invalid = j.invalid(pointer, m)
		// Not each revision repeats the envelope in the definitions of its methods.
		delete(m, "jsonrpc")
		delete(m, "id")
		return j.undeclared(m, definition, pointer), invalid
	}
	result, ok := m["result"]
	if !ok {
		return nil, nil // the envelope says all of an error
	}
	// The schema's own habit: PingRequest has no PingResult, because its result is empty.
	definition := strings.TrimSuffix(j.methods[asked], "Request") + "Result"
	if j.at(j.container+"/"+definition) == nil {
		definition = "EmptyResult"
	}
	pointer := j.container + "/" + definition
	return j.undeclared(result, definition, pointer), j.invalid(pointer, result)
}

// undeclared lists members of a value that none of the schemas at pointers declares, and
// values in it that are of no variant. Name is what the value is called in the list.
func (j *judge) undeclared(value any, name string, pointers ...string) []string {
	// What a tool takes and returns is told in JSON Schema, not in members of the protocol.
	if strings.HasSuffix(name, ".inputSchema") || strings.HasSuffix(name, ".outputSchema") {
		return nil
	}
	// Where schemas are behind references and choices, those that apply.
	var applied []string
	for _, pointer := range pointers {
		name, applied = j.apply(value, name, pointer, applied)
	}
	if len(applied) == 0 {
		return []string{fmt.Sprintf("%s that is %s", name, describe(value))}
	}
	var list []string
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			var below []string
			for _, pointer := range applied {
				if j.at(pointer+"/items") != nil {
					below = append(below, pointer+"/items")
				}
			}
			if len(below) > 0 {
				list = append(list, j.undeclared(element, name, below...)...)
			}
		}
	case map[string]any:
		for member, inner := range value {
			var below []string
			open, declares := false, false
			for _, pointer := range applied {
				if properties := j.at(pointer + "/properties"); properties != nil {
					declares = true
					if properties[member] != nil {
						below = append(below, pointer+"/properties/"+member)
						continue
					}
				}
				switch additional := j.at(pointer)["additionalProperties"].(type) {
				case bool:
					open = open || additional
				case map[string]any:
					open = true
					if len(additional) > 0 {
						below = append(below, pointer+"/additionalProperties")
					}
				}
			}
			switch {
			case len(below) > 0:
				list = append(list, j.undeclared(inner, name+"."+member, below...)...)
			case declares && !open:
				list = append(list, name+"."+member)
			}
		}
	}
	slices.Sort(list)
	return list
}

// apply adds to applied the schemas that a value is judged by at a pointer: the pointer's
// own, what it refers to, and the choices that accept the value. When none does, it is
// those that have its type, so that another mistake is not taken for a variant. With them
// it returns what the value is called.
func (j *judge) apply(value any, name, pointer string, applied []string) (string, []string) {
	schema := j.at(pointer)
	if ref, ok := schema["$ref"].(string); ok {
		target := strings.TrimPrefix(ref, "#")
		// An object is called what its definition is.
		if _, ok := value.(map[string]any); ok && j.at(target)["properties"] != nil {
			name = strings.TrimPrefix(target, j.container+"/")
		}
		return j.apply(value, name, target, applied)
	}
	for i := range list(schema["allOf"]) {
		name, applied = j.apply(value, name, fmt.Sprintf("%s/allOf/%d", pointer, i), applied)
	}
	for _, choice := range []string{"anyOf", "oneOf"} {
		branches := list(schema[choice])
		if branches == nil {
			continue
		}
		var accept, typed []string
		for i := range branches {
			branch := fmt.Sprintf("%s/%s/%d", pointer, choice, i)
			if j.invalid(branch, value) == nil {
				accept = append(accept, branch)
			}
			if j.typed(branch, value) {
				typed = append(typed, branch)
			}
		}
		if len(accept) == 0 {
			accept = typed
		}
		for _, branch := range accept {
			name, applied = j.apply(value, name, branch, applied)
		}
		return name, applied
	}
	return name, append(applied, pointer)
}

// typed tells whether a schema is one of the values with this value's type member.
func (j *judge) typed(pointer string, value any) bool {
	object, ok := value.(map[string]any)
	if !ok {
		return false
	}
	if ref, ok := j.at(pointer)["$ref"].(string); ok {
		pointer = strings.TrimPrefix(ref, "#")
	}
	constant, ok := j.at(pointer + "/properties/type")["const"]
	return ok && constant == object["type"]
}

func list(value any) []any {
	elements, _ := value.([]any)
	return elements
}

// describe says what kind of value something is.
func describe(value any) string {
	switch value := value.(type) {
	case []any:
		return "an array"
	case map[string]any:
		if kind, ok := value["type"].(string); ok {
			return kind
		}
		return "an object"
	default:
		text, err := json.Marshal(value)
		if err != nil {
			return err.Error()
		}
		return string(text)
	}
}

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

// judge validates messages by the schema of a revision, with errata applied. It does not use
// generated code.
type judge struct {
	revision  string
	root      map[string]any
	container string // "/definitions" or "/$defs"
	compiler  *jsonschema.Compiler
	methods   map[string]string // method to the name of its definition
}

const schemaURL = "mem:///schema.json"

// judges returns the judges of all pinned revisions, the oldest first.
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

// sessions reports whether the revision has sessions.
func (j *judge) sessions() bool { return j.methods["initialize"] != "" }

// at returns the object at a JSON Pointer, or nil. No name in these schemas needs escapes.
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

// invalid returns an error if the schema at a pointer does not accept a value.
func (j *judge) invalid(pointer string, value any) error {
	schema, err := j.compiler.Compile(schemaURL + "#" + pointer)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// message validates a message of the server; asked is the method that it responds to, if any.
// Undefined lists its members and variants that the schema does not define. A message with
// such members can be valid, because most objects allow other members.
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
		// Some revisions do not repeat the envelope in the definitions of their methods.
		delete(m, "jsonrpc")
		delete(m, "id")
		return j.undeclared(m, definition, pointer), invalid
	}
	result, ok := m["result"]
	if !ok {
		return nil, nil // the envelope says all of an error
	}
	// PingRequest has no PingResult, because its result is empty.
	definition := strings.TrimSuffix(j.methods[asked], "Request") + "Result"
	if j.at(j.container+"/"+definition) == nil {
		definition = "EmptyResult"
	}
	pointer := j.container + "/" + definition
	// A response may have one of several results.
	if response := pointer + "Response/properties/result"; j.at(response)["anyOf"] != nil {
		pointer = response
	}
	return j.undeclared(result, definition, pointer), j.invalid(pointer, result)
}

// undeclared returns the members of a value that none of the schemas at the pointers defines,
// and the values of undefined variants. Name stands for the value in the list.
func (j *judge) undeclared(value any, name string, pointers ...string) []string {
	// The members of a tool's schemas are keywords of JSON Schema, not of the protocol.
	if strings.HasSuffix(name, ".inputSchema") || strings.HasSuffix(name, ".outputSchema") {
		return nil
	}
	// The schemas that apply, after references and choices.
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
			open, declares := strings.HasSuffix(name, "MetaObject"), false // anyone may add keys to _meta
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

// apply appends the schemas that apply to a value: the one at the pointer, the one it refers
// to, and the choices that accept the value. If no choice accepts it, those with its type
// apply, so that another mistake does not count as an undefined variant. It also returns the
// name of the value.
func (j *judge) apply(value any, name, pointer string, applied []string) (string, []string) {
	schema := j.at(pointer)
	if ref, ok := schema["$ref"].(string); ok {
		target := strings.TrimPrefix(ref, "#")
		// An object has the name of its definition.
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

// typed reports whether a schema requires the type member that the value has.
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

// describe returns a short description of a value.
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

package agreement

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
)

// judge is an independent validator for a schema.json. It compiles a schema for each requested
// declaration.
type judge struct {
	name    string
	schemas map[*ir.Decl]*jsonschema.Schema
}

// newJudge compiles a schema.json for declarations.
func newJudge(t *testing.T, name string, root map[string]any, decls []*ir.Decl) *judge {
	t.Helper()
	container := "$defs"
	if _, ok := root["definitions"]; ok {
		container = "definitions"
	}
	addUnions(root[container].(map[string]any), container, decls)
	const url = "mem:///schema.json"
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(url, root); err != nil {
		t.Fatal(err)
	}
	j := &judge{name, map[*ir.Decl]*jsonschema.Schema{}}
	for _, d := range decls {
		pointer := d.Pointer
		if !d.Definition {
			pointer = schema.Child("", container, key(d))
		}
		compiled, err := compiler.Compile(url + "#" + pointer)
		if err != nil {
			t.Fatal(err)
		}
		j.schemas[d] = compiled
	}
	return j
}

// parse reads a schema.json.
func parse(t *testing.T, src []byte) map[string]any {
	t.Helper()
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	return root.(map[string]any)
}

// addUnions defines the unions that a schema does not define, as anyOf of their variants.
func addUnions(defs map[string]any, container string, decls []*ir.Decl) {
	for _, d := range decls {
		union, ok := d.Type.(*ir.Union)
		if d.Definition || !ok {
			continue
		}
		var branches []any
		for _, v := range union.Variants {
			branches = append(branches, map[string]any{"$ref": "#/" + container + "/" + key(v.Decl)})
		}
		defs[key(d)] = map[string]any{"anyOf": branches}
	}
}

// put replaces the value at a JSON Pointer.
func put(t *testing.T, root any, pointer string, value any) {
	t.Helper()
	segments := strings.Split(pointer, "/")[1:]
	for i, segment := range segments {
		segment = strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)
		var there bool
		switch parent := root.(type) {
		case map[string]any:
			root, there = parent[segment]
			if there && i == len(segments)-1 {
				parent[segment] = value
			}
		case []any:
			n, err := strconv.Atoi(segment)
			if there = err == nil && n < len(parent); there {
				root = parent[n]
			}
		}
		if !there {
			t.Fatalf("%s does not exist", pointer)
		}
	}
}

// refusal returns the reason why a declaration's schema refuses a value, or nil.
func (j *judge) refusal(d *ir.Decl, value any) error { return j.schemas[d].Validate(value) }

// verdict describes a verdict in words.
func verdict(err error) string {
	if err == nil {
		return "accepts"
	}
	return fmt.Sprintf("refuses: %v", err)
}

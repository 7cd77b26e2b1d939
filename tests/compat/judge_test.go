package compat

import (
	"bytes"
	"cmp"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// judge is an independent validator for the pinned schema of a revision.
type judge struct {
	ir        *ir.Revision
	container string
	compiler  *jsonschema.Compiler
	compiled  map[string]*jsonschema.Schema
}

const schemaURL = "mem:///schema.json"

// judges are the judges of all pinned revisions, oldest first.
func judges(t *testing.T) []*judge {
	t.Helper()
	var all []*judge
	for _, revision := range pinned.Spec(t).Revisions() {
		all = append(all, newJudge(t, pinned.Lower(t, revision).Revision, pinned.Schema(t, revision)))
	}
	return all
}

// sessions are the judges of the revisions with sessions.
func sessions(t *testing.T) []*judge {
	return slices.DeleteFunc(judges(t), func(j *judge) bool {
		return !hasSessions(j.ir)
	})
}

func hasSessions(revision *ir.Revision) bool {
	return slices.ContainsFunc(revision.Methods, func(m *ir.Method) bool { return m.Wire == "initialize" })
}

func newJudge(t *testing.T, revision *ir.Revision, text []byte) *judge {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	root := parsed.(map[string]any)
	container := "$defs"
	if _, ok := root["definitions"]; ok {
		container = "definitions"
	}
	defs := root[container].(map[string]any)
	// The schema does not define the unions of results.
	for _, d := range revision.Decls {
		union, ok := d.Type.(*ir.Union)
		if d.Definition || !ok || defs[d.Name] != nil || !answers(revision, d) {
			continue
		}
		var branches []any
		for _, v := range union.Variants {
			branches = append(branches, map[string]any{"$ref": "#/" + container + "/" + v.Decl.Name})
		}
		defs[d.Name] = map[string]any{"anyOf": branches}
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(schemaURL, root); err != nil {
		t.Fatal(err)
	}
	return &judge{revision, container, compiler, map[string]*jsonschema.Schema{}}
}

func answers(revision *ir.Revision, d *ir.Decl) bool {
	for _, m := range revision.Methods {
		if m.Result == d {
			return true
		}
	}
	return false
}

// schema compiles the schema of a declaration, which is a definition or a part of one.
func (j *judge) schema(t *testing.T, d *ir.Decl) *jsonschema.Schema {
	t.Helper()
	if s := j.compiled[d.Name]; s != nil {
		return s
	}
	pointer := cmp.Or(d.Pointer, schema.Child("", j.container, d.Name))
	if d.Definition || answers(j.ir, d) {
		pointer = schema.Child("", j.container, name(d))
	}
	s, err := j.compiler.Compile(schemaURL + "#" + pointer)
	if err != nil {
		t.Fatalf("%s: %v", d.Name, err)
	}
	j.compiled[d.Name] = s
	return s
}

// refusal returns the reason why the schema of a declaration refuses a text, or nil.
func (j *judge) refusal(t *testing.T, d *ir.Decl, text []byte) error {
	t.Helper()
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return j.schema(t, d).Validate(tree)
}

// name returns the name of a declaration for the revision's New.
func name(d *ir.Decl) string {
	if d.Definition {
		return d.Path
	}
	return d.Name
}

// lookup returns the declaration with a name.
func lookup(t *testing.T, revision *ir.Revision, named string) *ir.Decl {
	t.Helper()
	for _, d := range revision.Decls {
		if name(d) == named {
			return d
		}
	}
	t.Fatalf("%s has no %s", revision.ID, named)
	return nil
}

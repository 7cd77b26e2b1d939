package agreement

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	reflector "github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/tests/kitchensink/mcp20990101"
)

// shape is the part of an object that the test compares.
type shape struct {
	Properties, Required []string
}

// TestStructs compares the members and required members of every generated struct with its
// schema plus the members that the ir calls injected, except for names that struct tags cannot hold. It
// reads the schema independently of the generator.
func TestStructs(t *testing.T) {
	eachPinned(t, func(t *testing.T, s *subject) {
		document, err := schema.Parse(s.id, s.facts, s.spec.Errata)
		if err != nil {
			t.Fatal(err)
		}
		written, lowered, injected := byPointer(document), byPointer(s.document), injectedAt(s.ir)
		compared := map[string]bool{}
		for _, d := range s.ir.Decls {
			object, ok := d.Type.(*ir.Object)
			if !ok {
				continue
			}
			compared[d.Path] = true
			node := written[d.Pointer]
			if node == nil && injected[d.Pointer] {
				node = lowered[d.Pointer] // the type of an injected member
			}
			if node == nil {
				t.Errorf("%s: no value at %s", d.Name, d.Pointer)
				continue
			}
			want := merge(document, node)
			for _, f := range object.Fields {
				if !f.Injected {
					continue
				}
				if slices.Contains(want.Properties, f.Wire) {
					t.Errorf("%s: the schema has the injected member %q", d.Name, f.Wire)
				}
				want.Properties = append(want.Properties, f.Wire)
			}
			want.Properties = slices.DeleteFunc(want.Properties, untaggable)
			want.Required = slices.DeleteFunc(want.Required, untaggable)
			v := s.fresh(t, d)
			var got shape
			if m, ok := v.(*jsonrpc.DefinedMessage); ok {
				got = listed(m.Definition)
			} else {
				got = reflected(v)
			}
			if diff := cmp.Diff(want.sorted(), got); diff != "" {
				t.Errorf("%s (-schema +struct):\n%s", d.Name, diff)
			}
		}
		for _, def := range document.Definitions {
			isObject := def.Schema.AllOf != nil || def.Schema.IsObject() && len(def.Schema.Properties)+len(def.Schema.Required) > 0
			if isObject && !compared[def.Name] {
				t.Errorf("definition %s is an object but not a struct", def.Name)
			}
		}
		t.Logf("%d structs", len(compared))
	})
}

// TestUntaggable checks the names of a struct some of whose names no struct tag can hold.
func TestUntaggable(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("..", "kitchensink", "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := schema.Parse(mcp20990101.Revision, src, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := merge(document, document.Lookup("OddNames"))
	want.Properties = append(want.Properties, want.Required...) // one of them is not declared
	all := len(want.sorted().Properties)
	want.Properties = slices.DeleteFunc(want.Properties, untaggable)
	want.Required = slices.DeleteFunc(want.Required, untaggable)
	if diff := cmp.Diff(want.sorted(), reflected(new(mcp20990101.OddNames))); diff != "" {
		t.Errorf("(-schema +struct):\n%s", diff)
	}
	if left := len(want.sorted().Properties); left > all-5 {
		t.Errorf("only %d of %d names are left out", all-left, all)
	}
}

// untaggable reports whether no json struct tag holds a name. The codec, which does not read tags, has such
// members like all others.
func untaggable(name string) bool {
	return name == "" || name == "-" || strings.ContainsAny(name, "\"\\,`") || strings.ContainsFunc(name, unicode.IsControl)
}

// injectedAt returns the pointers of the injected members.
func injectedAt(rev *ir.Revision) map[string]bool {
	pointers := map[string]bool{}
	for _, d := range rev.Decls {
		if object, ok := d.Type.(*ir.Object); ok {
			for _, f := range object.Fields {
				if f.Injected {
					pointers[f.Pointer] = true
				}
			}
		}
	}
	return pointers
}

// reflected returns the shape of a struct as encoding/json sees it.
func reflected(v any) shape {
	r := reflector.Reflector{ExpandedStruct: true, Anonymous: true}
	found := r.ReflectFromType(reflect.TypeOf(v).Elem())
	out := shape{Required: found.Required}
	for p := found.Properties.Oldest(); p != nil; p = p.Next() {
		out.Properties = append(out.Properties, p.Key)
	}
	return out.sorted()
}

// listed returns the shape of a message that has a row in the table of definitions and no struct.
func listed(d *jsonrpc.Definition) shape {
	var out shape
	for _, name := range strings.Fields(d.Members) {
		name, optional := strings.CutSuffix(name, "?")
		out.Properties = append(out.Properties, name)
		if !optional {
			out.Required = append(out.Required, name)
		}
	}
	return out.sorted()
}

func (s shape) sorted() shape {
	sorted := func(names []string) []string {
		names = slices.Clone(names)
		slices.Sort(names)
		return slices.Compact(names)
	}
	return shape{sorted(s.Properties), sorted(s.Required)}
}

// merge returns the shape of an object schema, through references and allOf.
func merge(document *schema.Document, s *schema.Schema) shape {
	if s.Ref != "" {
		return merge(document, document.Lookup(s.Ref))
	}
	out := shape{Required: slices.Clone(s.Required)}
	for _, p := range s.Properties {
		out.Properties = append(out.Properties, p.Name)
	}
	for _, branch := range s.AllOf {
		more := merge(document, branch)
		out.Properties = append(out.Properties, more.Properties...)
		out.Required = append(out.Required, more.Required...)
	}
	return out
}

// byPointer maps JSON Pointers to the nodes of a document.
func byPointer(document *schema.Document) map[string]*schema.Schema {
	found := map[string]*schema.Schema{}
	var visit func(s *schema.Schema)
	visit = func(s *schema.Schema) {
		if s == nil {
			return
		}
		found[s.Pointer] = s
		for _, p := range s.Properties {
			visit(p.Schema)
		}
		visit(s.Additional)
		visit(s.Items)
		for _, branch := range slices.Concat(s.AnyOf, s.AllOf) {
			visit(branch)
		}
	}
	for _, def := range document.Definitions {
		visit(def.Schema)
	}
	return found
}

package convert

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// revision returns a revision with the given objects and their members. A name that ends in
// "!" is a required member.
func revision(id string, objects map[string][]string) *ir.Revision {
	r := &ir.Revision{ID: id, Package: "mcp" + strings.ReplaceAll(id, "-", "")}
	for _, name := range []string{"A", "B"} {
		members, ok := objects[name]
		if !ok {
			continue
		}
		o := &ir.Object{}
		for _, m := range members {
			wire, required := strings.CutSuffix(m, "!")
			o.Fields = append(o.Fields, &ir.Field{Wire: wire, Go: strings.ToUpper(wire), Type: &ir.String{}, Required: required})
		}
		r.Decls = append(r.Decls, &ir.Decl{Name: name, Path: name, Definition: true, Type: o})
	}
	return r
}

// union adds a union of some of the revision's declarations.
func union(r *ir.Revision, name string, variants ...string) *ir.Revision {
	u := &ir.Union{Decision: &ir.ByKind{}}
	d := &ir.Decl{Name: name, Path: name, Definition: true, Type: u}
	for _, v := range variants {
		decl := r.Lookup(v)
		decl.Unions = append(decl.Unions, d)
		u.Variants = append(u.Variants, &ir.Variant{Decl: decl, Boxed: true})
	}
	r.Decls = append(r.Decls, d)
	return r
}

func steps(t *tables, revisions ...*ir.Revision) (*Step, error) {
	p := newPairing(revisions[0], revisions[1], t)
	step := p.run()
	for _, err := range p.errs {
		return step, err
	}
	return step, t.unused([]string{revisions[1].ID})
}

// TestErrors has a row for each difference that neither names nor the table cover.
func TestErrors(t *testing.T) {
	const older, newer = "2000-01-01", "2000-01-02"
	for _, tt := range []struct {
		name string
		a, b *ir.Revision
		t    tables
		want string
	}{
		{"a member that must be there", revision(older, map[string][]string{"A": {"x!"}}), revision(newer, map[string][]string{"A": {"x"}}), tables{}, "A: x is optional here and required in the other revision"},
		{"a member that only the newer must have", revision(older, map[string][]string{"A": nil}), revision(newer, map[string][]string{"A": {"x!"}}), tables{}, "x is required, but A does not have it"},
		{"a variant without a row",
			union(revision(older, map[string][]string{"A": nil}), "U", "A"),
			union(revision(newer, map[string][]string{"A": nil, "B": nil}), "U", "A", "B"), tables{}, "U: B has neither a counterpart nor a row in the table"},
		{"a rename without a use", revision(older, map[string][]string{"A": nil}), revision(newer, map[string][]string{"A": nil}),
			tables{renames: []rename{{newer, "C", "D", "why"}}}, "stale row"},
		{"a variant row without a use", revision(older, map[string][]string{"A": nil}), revision(newer, map[string][]string{"A": nil}),
			tables{variants: []variantRow{{newer, "U", "B", "", "", "why"}}}, "stale row"},
		{"a member row without a use", revision(older, map[string][]string{"A": nil}), revision(newer, map[string][]string{"A": nil}),
			tables{members: []memberRow{{newer, "A", "x", rewrite, "F", ""}}}, "stale row"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.t.used = map[string]bool{}
			_, err := steps(&tt.t, tt.a, tt.b)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestRows checks the effect of the table's rows.
func TestRows(t *testing.T) {
	const older, newer = "2000-01-01", "2000-01-02"
	step, err := steps(&tables{
		renames: []rename{{newer, "A", "B", "why"}},
		members: []memberRow{{newer, "B", "x", require, "", "needed"}, {newer, "B", "y", carry, "", ""}, {newer, "B", "z", rewrite, "F", ""}},
		used:    map[string]bool{},
	}, revision(older, map[string][]string{"A": {"x!"}}), revision(newer, map[string][]string{"B": {"x", "y", "z"}}))
	if err != nil {
		t.Fatal(err)
	}
	want := &Step{
		Older: step.Older, Newer: step.Newer,
		Definitions: []Definition{{Older: "A", Newer: "B", Up: Rule{Shape: step.Up[0]}, Down: Rule{Shape: step.Down[0]}}},
		Up:          []*Shape{{Name: "upB", Members: []Member{{Name: "y", Kinds: []ir.Kind{ir.KindString}}, {Name: "z", Drop: "only revision 2000-01-02 defines it"}}}},
		Down:        []*Shape{{Name: "downB", Members: []Member{{Name: "x", Require: "needed"}, {Name: "z", Rewrite: "F", Drop: "revision 2000-01-01 does not define it"}}}},
	}
	if diff := cmp.Diff(want, step); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPruning checks that only the differences are part of a step.
func TestPruning(t *testing.T) {
	const older, newer = "2000-01-01", "2000-01-02"
	decide := func(r *ir.Revision) *ir.Revision {
		u := r.Lookup("U").Type.(*ir.Union)
		u.Decision = &ir.ByKind{Cases: []ir.KindCase{{Kind: ir.KindObject, Then: &ir.ByConst{Member: "type", Cases: []ir.ConstCase{
			{Value: "a", Then: &ir.Leaf{Variant: u.Variants[0]}},
			{Value: "b", Then: &ir.Leaf{Variant: u.Variants[1]}},
		}}}}}
		return r
	}
	step, err := steps(&tables{used: map[string]bool{}},
		decide(union(revision(older, map[string][]string{"A": {"x"}, "B": {"x"}}), "U", "A", "B")),
		decide(union(revision(newer, map[string][]string{"A": {"x"}, "B": {"x", "y"}}), "U", "A", "B")))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, d := range step.Definitions {
		rows = append(rows, fmt.Sprint(d.Newer, " ", d.Up.Shape != nil, " ", d.Down.Shape != nil))
	}
	if diff := cmp.Diff([]string{"A false false", "B true true", "U true true"}, rows); diff != "" {
		t.Errorf("definitions (-want +got):\n%s", diff)
	}
	if len(step.Down) != 2 || step.Down[0].Name != "downB" || step.Down[1].Name != "downU" {
		t.Fatalf("got %v", step.Down)
	}
	want := []Case{{Kind: ir.KindObject, When: []Condition{{Path: []string{"type"}, Is: `"b"`}}, Shape: step.Down[0]}}
	if diff := cmp.Diff(want, step.Down[1].Cases); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
}

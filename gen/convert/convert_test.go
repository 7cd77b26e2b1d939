package convert

import (
	"strings"
	"testing"

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
	u := &ir.Union{}
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
			tables{members: []memberRow{{newer, "A", "x", restate, "F", ""}}}, "stale row"},
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
		members: []memberRow{{newer, "B", "x", require, "", "needed"}, {newer, "B", "y", carry, "", ""}, {newer, "B", "z", restate, "F", ""}},
		used:    map[string]bool{},
	}, revision(older, map[string][]string{"A": {"x!"}}), revision(newer, map[string][]string{"B": {"x", "y", "z"}}))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range step.Funcs {
		names = append(names, f.Name)
	}
	if strings.Join(names, " ") != "DownB UpB" {
		t.Fatalf("got %v", names)
	}
	down, up := step.Funcs[0].Body.(*Object), step.Funcs[1].Body.(*Object)
	if len(down.Restates) != 1 || down.Restates[0].Policy != "F" {
		t.Errorf("restated: %v", down.Restates)
	}
	if f := down.Fields[0]; f.Reason != "needed" || f.To == nil {
		t.Errorf("x goes down as %+v", f)
	}
	if f := down.Fields[1]; !f.Carry || f.To != nil {
		t.Errorf("y goes down as %+v", f)
	}
	if f := down.Fields[2]; f.Carry || f.To != nil {
		t.Errorf("z goes down as %+v", f)
	}
	if len(up.Reserved) != 1 || up.Reserved[0] != "z" {
		t.Errorf("reserved on the way up: %v", up.Reserved)
	}
}

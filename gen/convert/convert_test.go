package convert

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/spec"
)

// revision returns a revision with the given objects and their members. A name that ends in
// "!" is a required member.
func revision(id string, objects map[string][]string) *ir.Revision {
	r := &ir.Revision{ID: id, Package: "mcp" + strings.ReplaceAll(id, "-", "")}
	for _, name := range []string{"A", "B", "C", "M"} {
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

// rows parses a file of conversions.
func rows(t *testing.T, text string) *spec.Conversions {
	t.Helper()
	c, err := spec.ParseConversions("convert.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	older = "2000-01-01"
	newer = "2000-01-02"
)

// TestUnbridged has a row for each difference that neither names nor rows cover, and one for a
// row that covers it, as the row does that the message suggests. Generation goes on in all cases.
func TestUnbridged(t *testing.T) {
	field := func(id string, typ ir.Type, edit func(*ir.Field)) *ir.Revision {
		r := revision(id, map[string][]string{"A": {"x"}})
		f := r.Decls[0].Type.(*ir.Object).Fields[0]
		f.Type = typ
		if edit != nil {
			edit(f)
		}
		return r
	}
	text, integer := &ir.String{}, &ir.Integer{}
	definition := func(id string, typ ir.Type) *ir.Revision {
		return &ir.Revision{ID: id, Decls: []*ir.Decl{{Name: "E", Path: "E", Definition: true, Type: typ}}}
	}
	ruled := func(r *ir.Revision) *ir.Revision {
		r.Decls[0].Rules = []string{"/$defs/E"}
		return r
	}
	enum := func(id string, values ...string) *ir.Revision {
		e := &ir.Enum{}
		for _, v := range values {
			e.Values = append(e.Values, ir.EnumValue{Wire: v, Go: "E" + v})
		}
		return &ir.Revision{ID: id, Decls: []*ir.Decl{{Name: "E", Path: "E", Definition: true, Type: e}}}
	}
	one := 1.0
	for _, tt := range []struct {
		name string
		a, b *ir.Revision
		row  string
		want []string
	}{
		{"a member that the newer revision requires", revision(older, map[string][]string{"A": {"x"}}), revision(newer, map[string][]string{"A": {"x!"}}),
			"members: [{object: A, member: x, value: y, reason: r}]", []string{"A.x, up: required: an object without it is refused"}},
		{"a member that the older revision requires", revision(older, map[string][]string{"A": {"x!"}}), revision(newer, map[string][]string{"A": {"x"}}),
			"members: [{object: A, member: x, reason: r}]", []string{"A.x, down: required: an object without it is refused"}},
		{"a member that only the newer revision has", revision(older, map[string][]string{"A": nil}), revision(newer, map[string][]string{"A": {"x!"}}),
			"members: [{object: A, member: x, session: protocolVersion, reason: r}]", []string{"A.x, up: required: every object is refused"}},
		{"a variant that is added",
			union(revision(older, map[string][]string{"A": nil}), "U", "A"),
			union(revision(newer, map[string][]string{"A": nil, "B": {"x!"}}), "U", "A", "B"),
			"variants: [{union: U, variant: B, reason: r}]", []string{"U, down: the variant B is refused"}},
		{"other types", field(older, text, nil), field(newer, integer, nil), "members: [{object: A, member: x, drop: true, reason: r}]",
			[]string{"A.x, down: integer to string: every value is refused", "A.x, up: string to integer: every value is refused"}},
		{"a number that becomes an integer", field(older, &ir.Number{}, nil), field(newer, integer, nil), "members: [{object: A, member: x, value: 1, reason: r}]",
			[]string{"A.x, up: number to integer: a value that is not integer is refused"}},
		{"a bound", field(older, &ir.Number{}, nil), field(newer, &ir.Number{Bounds: ir.Bounds{Min: &one}}, nil), "members: [{object: A, member: x, drop: true, reason: r}]",
			[]string{"A.x, up: number to number[1..]: a value that is not within [1..] is refused"}},
		{"a length", field(older, text, nil), field(newer, &ir.String{Length: ir.Count{Max: 3}}, nil), "members: [{object: A, member: x, drop: true, reason: r}]",
			[]string{"A.x, up: string to string(max 3): a value that is not of a length within (max 3) is refused"}},
		{"a pattern", field(older, text, nil), field(newer, &ir.String{Pattern: "^a"}, nil), "members: [{object: A, member: x, drop: true, reason: r}]",
			[]string{`A.x, up: string to string/^a/: a value that is not of the pattern "^a" is refused`}},
		{"a definition", definition(older, text), definition(newer, integer), "definitions: [{definition: E, reason: r}]",
			[]string{"E, down: integer to string: every value is refused", "E, up: string to integer: every value is refused"}},
		{"a definition with further keywords", definition(older, text), ruled(definition(newer, text)), "definitions: [{definition: E, reason: r}]",
			[]string{"E, up: a value that does not satisfy all keywords of the schema is refused"}},
		{"the elements of a definition", definition(older, &ir.Array{Elem: text}), definition(newer, &ir.Array{Elem: &ir.String{Pattern: "b"}}),
			"definitions: [{definition: E, reason: r}]", []string{`E[], up: string to string/b/: a value that is not of the pattern "b" is refused`}},
		{"a constant", field(older, text, nil), field(newer, text, func(f *ir.Field) { f.Const = "c" }), "members: [{object: A, member: x, value: c, reason: r}]",
			[]string{`A.x, up: a value that is not "c" is refused`}},
		{"any value that becomes an object", field(older, &ir.Any{}, nil), field(newer, &ir.Open{}, nil), "members: [{object: A, member: x, drop: true, reason: r}]",
			[]string{"A.x, up: any to {...}: other values are refused"}},
		{"null", field(older, &ir.Nullable{Elem: text}, func(f *ir.Field) { f.Required = true }), field(newer, text, func(f *ir.Field) { f.Required = true }),
			"members: [{object: A, member: x, reason: r}]", []string{"A.x, up: null is refused"}},
		{"an enum that grows", enum(older, "a"), enum(newer, "a", "b"), "values: [{enum: E, value: b, as: a, reason: r}]", []string{`E, down: the value "b" is refused`}},
		{"the same structure", union(revision(older, map[string][]string{"A": {"x!"}}), "U", "A"), union(revision(newer, map[string][]string{"B": {"x!"}}), "U", "B"), "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			steps, err := Steps([]*ir.Revision{tt.a, tt.b}, &spec.Conversions{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			suggested := "members: []" // and the rows that the messages suggest, with a reason
			for _, note := range steps[0].Unbridged {
				problem, row, _ := strings.Cut(note, "; ")
				got = append(got, problem)
				table, columns, _ := strings.Cut(strings.TrimSuffix(row, "}"), ": {")
				suggested = fmt.Sprintf("%s: [{%s, reason: r}]", table, columns)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("without rows (-want +got):\n%s", diff)
			}
			for _, row := range []string{tt.row, suggested} {
				if steps, err = Steps([]*ir.Revision{tt.a, tt.b}, rows(t, row)); err != nil || len(steps[0].Unbridged) > 0 {
					t.Errorf("with %s: %+v, %v", row, steps, err)
				}
			}
		})
	}
}

// TestInto checks that the row that is suggested for a variant that becomes a value of another union does not hold
// for the union itself, in which the variant has a counterpart by its structure. A row without into does.
func TestInto(t *testing.T) {
	member := func(r *ir.Revision, u string) *ir.Revision {
		r.Lookup("M").Type.(*ir.Object).Fields[0].Type = &ir.Ref{Decl: r.Lookup(u)}
		return r
	}
	a := union(revision(older, map[string][]string{"A": {"x!"}, "B": {"y!"}, "M": {"u"}}), "U", "A", "B")
	u := a.Lookup("U").Type.(*ir.Union)
	u.Decision = &ir.ByKind{Cases: []ir.KindCase{{Kind: ir.KindObject, Then: &ir.Leaf{Variant: u.Variants[1]}}}}
	b := union(revision(newer, map[string][]string{"A": {"x!"}, "C": {"y!"}, "M": {"u"}}), "U", "A", "C")
	all := []*ir.Revision{member(a, "U"), member(union(b, "W", "A"), "W")}
	steps, err := Steps(all, &spec.Conversions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`W, up: the variant B is refused; variants: {step: "2000-01-02", union: U, variant: B, into: W}`}
	if diff := cmp.Diff(want, steps[0].Unbridged); diff != "" {
		t.Fatalf("without rows (-want +got):\n%s", diff)
	}
	for _, into := range []string{", into: W", ""} {
		steps, err := Steps(all, rows(t, "variants: [{union: U, variant: B"+into+", reason: r}]"))
		if err != nil || len(steps[0].Unbridged) > 0 {
			t.Errorf("with a row%s: %v", into, err)
			continue
		}
		i := slices.IndexFunc(steps[0].Definitions, func(d Definition) bool { return d.Newer == "U" })
		if kept := steps[0].Definitions[i].Up == nil; kept != (into != "") {
			t.Errorf("with a row%s, U is kept: %t", into, kept)
		}
	}
	if _, err := Steps(all, rows(t, "variants: [{union: U, variant: B, into: X, reason: r}]")); err == nil || !strings.Contains(err.Error(), "stale row: B of U into X") {
		t.Errorf("a row for another union: %v", err)
	}
}

// TestRules checks which values are checked by the schemas that say more about them than their types: those of a
// definition whose schema, or what it refers to, is not the same in both revisions.
func TestRules(t *testing.T) {
	revision := func(id, at, rule, referred string) *ir.Revision {
		r := revision(id, map[string][]string{"A": {"x"}, "B": {"x"}})
		r.Schema = fmt.Sprintf(`{%q:{"A":{"type":"object",%s,"not":{"$ref":"#/%s/a~1b"}},"a/b":{"type":"object","minProperties":%s,"items":{"$ref":"#/%[1]s/A"}}}}`, at, rule, at, referred)
		if rule != `"title":""` {
			r.Decls[0].Rules = []string{"/" + at + "/A"}
		}
		r.Decls[1].Type.(*ir.Object).Fields[0].Type = &ir.Array{Elem: &ir.Ref{Decl: r.Decls[0]}}
		return r
	}
	const names, free = `"propertyNames":{"maxLength":3}`, `"title":""`
	for _, tt := range []struct {
		name     string
		a, b     *ir.Revision
		up, down []string // the schemas of A
	}{
		{"new", revision(older, "$defs", free, "1"), revision(newer, "$defs", names, "1"), []string{"/$defs/A"}, nil},
		{"removed", revision(older, "$defs", names, "1"), revision(newer, "$defs", free, "1"), nil, []string{"/$defs/A"}},
		{"another", revision(older, "$defs", `"propertyNames":{"maxLength":4}`, "1"), revision(newer, "$defs", names, "1"), []string{"/$defs/A"}, []string{"/$defs/A"}},
		{"the same", revision(older, "$defs", names, "1"), revision(newer, "$defs", names, "1"), nil, nil},
		{"the same in another dialect", revision(older, "definitions", names, "1"), revision(newer, "$defs", names, "1"), nil, nil},
		{"the same but for a reference", revision(older, "definitions", names, "1"), revision(newer, "$defs", names, "2"), []string{"/$defs/A"}, []string{"/definitions/A"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			steps, err := Steps([]*ir.Revision{tt.a, tt.b}, &spec.Conversions{})
			if err != nil {
				t.Fatal(err)
			}
			rules := func(s *Shape) []string {
				if s == nil {
					return nil
				}
				return s.Rules
			}
			elements := func(s *Shape) *Shape {
				if s == nil {
					return nil
				}
				return s.Members[0].Shape.Each
			}
			for _, d := range steps[0].Definitions {
				if d.Newer == "B" {
					d.Up, d.Down = elements(d.Up), elements(d.Down)
				}
				if diff := cmp.Diff([][]string{tt.up, tt.down}, [][]string{rules(d.Up), rules(d.Down)}); diff != "" {
					t.Errorf("%s (-want +got):\n%s", d.Newer, diff)
				}
			}
			if gaps := len(tt.up) + len(tt.down); len(steps[0].Unbridged) != gaps {
				t.Errorf("%q are listed", steps[0].Unbridged)
			}
			if len(tt.up)+len(tt.down) == 0 {
				return
			}
			steps, err = Steps([]*ir.Revision{tt.a, tt.b}, rows(t, "definitions: [{definition: A, reason: stated}]"))
			if err != nil || len(steps[0].Unbridged) > 0 {
				t.Fatalf("with a row: %v, %q", err, steps[0].Unbridged)
			}
			for _, s := range slices.Concat(steps[0].Up, steps[0].Down) {
				if s.Rules != nil && s.Reason != "stated" {
					t.Errorf("%s refuses for the reason %q", s.Name, s.Reason)
				}
			}
		})
	}
}

// TestOtherMembers checks that members with a type of their own are not converted as the others, which get a type.
func TestOtherMembers(t *testing.T) {
	a, b := revision(older, map[string][]string{"A": {"x"}}), revision(newer, map[string][]string{"A": {"x"}})
	b.Decls[0].Type.(*ir.Object).Additional = &ir.Boolean{}
	steps, err := Steps([]*ir.Revision{a, b}, &spec.Conversions{})
	if err != nil {
		t.Fatal(err)
	}
	if up := steps[0].Definitions[0].Up; up == nil || up.Each == nil || !slices.ContainsFunc(up.Members, func(m Member) bool { return m.Name == "x" && m.Shape == nil }) {
		t.Errorf("got %+v", up)
	}
}

// TestErrors checks that invalid and stale rows are errors with their place.
func TestErrors(t *testing.T) {
	for _, tt := range []struct{ name, rows, want string }{
		{"a rename without a use", "renames: [{older: C, newer: D, reason: r}]", "convert.yaml:1: renames/0: stale row: C -> D matches no difference"},
		{"a rename of nothing", "renames: [{older: C, newer: A, reason: r}]", "stale row: C -> A matches no difference"},
		{"a rename to nothing", "renames: [{older: A, newer: D, reason: r}]", "stale row: A -> D matches no difference"},
		{"a variant without a use", "variants: [{union: U, variant: B, reason: r}]", "stale row: B of U"},
		{"a member without a use", "members:\n  - {object: B, member: y, drop: true, reason: r}", "convert.yaml:2: members/0: stale row: B.y"},
		{"a value without a use", "values: [{enum: E, value: v, reason: r}]", `stale row: "v" of E`},
		{"an error without a use", "errors: [{method: m, older: 1, newer: 2, reason: r}]", `stale row: error 1 of "m"`},
		{"no revision in its range", "members: [{step: '1999-01-01', object: A, member: x, value: y, reason: r}]", "no pinned revision is in its range"},
		{"an unknown function", "members: [{object: A, member: x, rewrite: F, reason: r}]", `unknown function "F"; the functions are AudioAsResource, DropURLElicitation`},
		{"an unknown function of a variant", "variants: [{union: A, variant: x, rewrite: F, as: A, reason: r}]", `unknown function "F"`},
		{"an unknown fact", "members: [{object: A, member: x, session: s, reason: r}]", `unknown fact "s"; the facts are clientCapabilities, clientInfo, protocolVersion, serverInfo`},
		{"an older name without a member", "members: [{object: A, member: x, older: y, reason: r}]", "stale row: A.x"},
		{"an older name in every object", "members: [{object: '*', member: x, older: y, reason: r}]", "older needs the object of the member"},
		{"two treatments", "members: [{object: A, member: x, value: y, drop: true, reason: r}]", "several of older, value"},
		{"a value of another type", "members: [{object: A, member: x, value: 5, reason: r}]", "convert.yaml:1: members/0: A.x cannot be 5: it is a number in place of a string"},
		{"a fact of another type", "members: [{object: A, member: x, session: clientInfo, reason: r}]", "A.x is of type string, and clientInfo is Implementation"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Steps([]*ir.Revision{revision(older, map[string][]string{"A": nil}), revision(newer, map[string][]string{"A": {"x!"}})}, rows(t, tt.rows))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestRows checks the effect of rows.
func TestRows(t *testing.T) {
	all, err := Steps([]*ir.Revision{revision(older, map[string][]string{"A": {"x!"}}), revision(newer, map[string][]string{"B": {"w!", "x", "y", "z", "v"}})}, rows(t, `
renames: [{older: A, newer: B, reason: r}]
members:
  - {object: B, member: w, value: "1", reason: r}
  - {object: B, member: x, reason: needed}
  - {object: B, member: y, carry: true, reason: r}
  - {object: B, member: z, rewrite: RefuseTools, reason: r}
  - {object: B, member: v, handled: true, reason: r}
`))
	if err != nil {
		t.Fatal(err)
	}
	step := all[0]
	text := &Shape{Name: "upLimit", Limits: &Limits{Kinds: []ir.Kind{ir.KindString}}}
	want := &Step{
		Older: step.Older, Newer: step.Newer,
		Definitions: []Definition{{Older: "A", Newer: "B", Up: step.Up[0], Down: step.Down[0]}},
		Up: []*Shape{{Name: "upB", Members: []Member{
			{Name: "w", Drop: "only revision 2000-01-02 defines it", Default: `"1"`},
			{Name: "y", Shape: text, LeaveOut: true},
			{Name: "z", Drop: "only revision 2000-01-02 defines it"},
			{Name: "v", Drop: "only revision 2000-01-02 defines it"},
		}}, text},
		Down: []*Shape{{Name: "downB", Members: []Member{
			{Name: "w", Drop: "revision 2000-01-01 does not define it", Implied: `"1"`},
			{Name: "x", Require: "needed"},
			{Name: "z", Rewrite: "RefuseTools", Drop: "revision 2000-01-01 does not define it"},
			{Name: "v", Drop: "revision 2000-01-01 does not define it", Handled: true},
		}}},
	}
	if diff := cmp.Diff(want, step); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRenamedMembers checks members with another name in the older revision, also if that name is the
// one of another member in the newer revision.
func TestRenamedMembers(t *testing.T) {
	all, err := Steps([]*ir.Revision{revision(older, map[string][]string{"A": {"x!", "y"}}), revision(newer, map[string][]string{"A": {"y!", "z"}})}, rows(t, `
members:
  - {object: A, member: y, older: x, reason: r}
  - {object: A, member: z, older: y, reason: r}
`))
	if err != nil {
		t.Fatal(err)
	}
	step := all[0]
	want := &Step{
		Older: step.Older, Newer: step.Newer,
		Definitions: []Definition{{Older: "A", Newer: "A", Up: step.Up[0], Down: step.Down[0]}},
		Up:          []*Shape{{Name: "upA", Members: []Member{{Name: "x", As: "y"}, {Name: "y", As: "z"}, {Name: "z", Drop: "only revision 2000-01-02 defines it"}}}},
		Down:        []*Shape{{Name: "downA", Members: []Member{{Name: "y", As: "x"}, {Name: "z", As: "y"}, {Name: "x", Drop: "only revision 2000-01-01 defines it"}}}},
	}
	if diff := cmp.Diff(want, step); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPruning checks that only the differences are part of a step.
func TestPruning(t *testing.T) {
	decide := func(r *ir.Revision) *ir.Revision {
		u := r.Lookup("U").Type.(*ir.Union)
		u.Decision = &ir.ByKind{Cases: []ir.KindCase{{Kind: ir.KindObject, Then: &ir.ByConst{Member: "type", Cases: []ir.ConstCase{
			{Value: "a", Then: &ir.Leaf{Variant: u.Variants[0]}},
			{Value: "b", Then: &ir.Leaf{Variant: u.Variants[1]}},
		}}}}}
		return r
	}
	all, err := Steps([]*ir.Revision{
		decide(union(revision(older, map[string][]string{"A": {"x"}, "B": {"x"}}), "U", "A", "B")),
		decide(union(revision(newer, map[string][]string{"A": {"x"}, "B": {"x", "y"}}), "U", "A", "B")),
	}, &spec.Conversions{})
	if err != nil {
		t.Fatal(err)
	}
	step := all[0]
	var rows []string
	for _, d := range step.Definitions {
		rows = append(rows, fmt.Sprint(d.Newer, " ", d.Up != nil, " ", d.Down != nil))
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

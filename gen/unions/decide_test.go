package unions

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/ir"
)

func variant(name string, t ir.Type) *ir.Variant {
	return &ir.Variant{Decl: &ir.Decl{Name: name, Type: t}}
}

func members(fields ...*ir.Field) *ir.Object { return &ir.Object{Fields: fields} }

func tag(value any) *ir.Field {
	return &ir.Field{Wire: "type", Required: true, Const: value, Type: &ir.String{}}
}

func need(name string) *ir.Field { return &ir.Field{Wire: name, Required: true, Type: &ir.Any{}} }

func may(name string) *ir.Field { return &ir.Field{Wire: name, Type: &ir.Any{}} }

// openTag is a tag that may be any string.
var openTag = &ir.Field{Wire: "type", Required: true, Type: &ir.String{}}

// TestDecide selects the variant of values with a given kind, tag and members, as generated
// code does.
func TestDecide(t *testing.T) {
	untagged := []*ir.Variant{variant("A", members(tag("a"), may("x"))), variant("B", members(tag("b"), may("x"))), variant("C", members(need("x")))}
	for _, test := range []struct {
		name     string
		variants []*ir.Variant
		when     map[string][]string
		want     string
	}{
		{"kinds", []*ir.Variant{variant("S", &ir.String{}), variant("L", &ir.Array{Elem: &ir.Any{}})}, nil, "array:L string:S"},
		{"tags", []*ir.Variant{variant("A", members(tag("a"))), variant("B", members(tag("b")))}, nil, "object:(type=a:A b:B)"},
		{"tag and member", []*ir.Variant{variant("A", members(tag("a"), need("x"))), variant("B", members(tag("a"), need("y")))}, nil, "object:([x]A [y]B)"},
		{"demands", []*ir.Variant{variant("A", members(may("x"))), variant("B", members(may("x"), need("y")))}, nil, "object:([y]B []A)"},
		{"the same", []*ir.Variant{variant("A", members(may("x"))), variant("B", members(may("x")))}, nil, "fails A B"},
		{"none", nil, nil, ""},
		{"a variant without the tag", untagged, nil, "fails A B: C type"},
		{"a row for the variant without the tag", untagged, map[string][]string{"C": {"x"}}, "object:(type=a:A b:B absent:([x]C))"},
		{"a row for the variant that names the tag", untagged, map[string][]string{"C": {"type"}}, "fails A B: C type"},
		{"a row for a variant with the tag", untagged, map[string][]string{"A": {"x"}, "C": {"x"}}, "object:(type=a:A b:B absent:([x]C))"},
		{"a row that overrules a tag", untagged, map[string][]string{"A": {"x"}}, "fails A B: C type"},
		{"two variants, one with an open tag", []*ir.Variant{variant("A", members(tag("a"))), variant("B", members(openTag))}, nil, "fails A B: B type"},
		{"the same, in the other order", []*ir.Variant{variant("A", members(openTag)), variant("B", members(tag("b")))}, nil, "fails A B: A type"},
		{"a row for a variant beside one with an open tag", []*ir.Variant{variant("A", members(tag("a"), may("x"))), variant("B", members(openTag))}, map[string][]string{"A": {"x"}}, "object:([x]A []B)"},
		{"a variant with an open tag", []*ir.Variant{untagged[0], untagged[1], variant("C", members(may("type"), need("x")))}, nil, "fails A B: C type"},
	} {
		failed := ""
		d := Decider{
			When: func(v *ir.Variant) ([]string, bool) { path, ok := test.when[v.Decl.Name]; return path, ok },
			Used: func(*ir.Variant) {},
			Fail: func(a, b, odd *ir.Variant, member string) {
				failed = "fails " + a.Decl.Name + " " + b.Decl.Name
				if odd != nil {
					failed += ": " + odd.Decl.Name + " " + member
				}
			},
		}
		got := text(d.Decide(test.variants))
		if failed != "" {
			got = failed
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func text(d ir.Decision) string {
	all := ""
	add := func(s string) {
		if all != "" {
			all += " "
		}
		all += s
	}
	switch d := d.(type) {
	case *ir.Leaf:
		return d.Variant.Decl.Name
	case *ir.ByKind:
		for _, c := range d.Cases {
			add(string(c.Kind) + ":" + text(c.Then))
		}
	case *ir.ByConst:
		for _, c := range d.Cases {
			add(c.Value.(string) + ":" + text(c.Then))
		}
		if d.Absent != nil {
			add("absent:" + text(d.Absent))
		}
		return "(" + d.Member + "=" + all + ")"
	case *ir.ByPresence:
		for _, g := range d.Guards {
			paths := ""
			for _, p := range g.Paths {
				paths += p[0]
			}
			add("[" + paths + "]" + g.Variant.Decl.Name)
		}
		return "(" + all + ")"
	}
	return all
}

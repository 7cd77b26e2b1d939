package agreement

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/tests/agreement/random"
)

// coverage counts the parts of valid values. The keys are the types below, an *ir.Field for a
// member that is present, and a random.Choice for a variant.
type coverage map[any]int

type (
	absent    struct{ field *ir.Field }
	null      struct{ field *ir.Field }
	enumValue struct {
		enum *ir.Enum
		wire string
	}
)

func (c coverage) record(tree *random.Value) {
	tree.Walk(func(v *random.Value) {
		if v.Type == nil {
			return
		}
		if v.Field != nil {
			c[v.Field]++
			if v.Kind == ir.KindNull {
				c[null{v.Field}]++
			}
		}
		for _, choice := range v.Choices {
			c[choice]++
		}
		switch t := v.Type.(type) {
		case *ir.Enum:
			c[enumValue{t, v.Text}]++
		case *ir.Object:
			for _, f := range t.Fields {
				if !slices.ContainsFunc(v.Members, func(m random.Member) bool { return m.Name == f.Wire }) {
					c[absent{f}]++
				}
			}
		}
	})
}

// check fails for each part of the declarations that no value covered. The values of declarations
// with rules are samples, which do not cover everything.
func (c coverage) check(t *testing.T, source *random.Source, decls []*ir.Decl) {
	t.Helper()
	seen := map[*ir.Decl]bool{}
	want := func(key any, format string, args ...any) {
		if c[key] == 0 {
			t.Errorf("no valid value contains %s", fmt.Sprintf(format, args...))
		}
	}
	var visit func(d *ir.Decl)
	visit = func(d *ir.Decl) {
		if seen[d] || d.Rules != nil || !source.Possible(&ir.Ref{Decl: d}) {
			return
		}
		seen[d] = true
		switch u := d.Type.(type) {
		case *ir.Object:
			for _, f := range u.Fields {
				if source.Possible(f.Base()) {
					want(f, "%s.%s", d.Name, f.Wire)
				}
				if !f.Required {
					want(absent{f}, "%s without %s", d.Name, f.Wire)
				}
				if f.Nullable() {
					want(null{f}, "%s.%s null", d.Name, f.Wire)
				}
			}
		case *ir.Enum:
			for _, v := range u.Values {
				want(enumValue{u, v.Wire}, "%s %q", d.Name, v.Wire)
			}
		case *ir.Union:
			for _, v := range u.Variants {
				if source.Possible(&ir.Ref{Decl: v.Decl}) {
					want(random.Choice{Union: d, Variant: v}, "variant %s of %s", v.Decl.Name, d.Name)
				}
			}
		}
		for _, below := range refs(d.Type) {
			visit(below)
		}
	}
	for _, d := range decls {
		visit(d)
	}
}

// refs returns the declarations that a type refers to.
func refs(t ir.Type) []*ir.Decl {
	switch t := t.(type) {
	case *ir.Ref:
		return []*ir.Decl{t.Decl}
	case *ir.Array:
		return refs(t.Elem)
	case *ir.Map:
		return refs(t.Elem)
	case *ir.Object:
		var all []*ir.Decl
		for _, f := range t.Fields {
			all = append(all, refs(f.Base())...)
		}
		return all
	case *ir.Union:
		var all []*ir.Decl
		for _, v := range t.Variants {
			all = append(all, v.Decl)
		}
		return all
	}
	return nil
}

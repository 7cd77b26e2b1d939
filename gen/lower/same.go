package lower

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// Same sets Decl.Same of the declarations of a revision that mean exactly the same in the next one, whose
// package has the given path. Same must have been called for the next revision and its next one before.
//
// Two declarations are the same if they have the same text in the ir, the same doc comments and marks of
// deprecation, if everything that they refer to is the same, and if the newer one has the marks of
// all unions that the older one is a variant of, because only the package of a type can declare its methods.
func Same(older, newer *ir.Revision, path string) {
	next := make(map[string]*ir.Decl, len(newer.Decls))
	for _, d := range newer.Decls {
		next[d.Name] = d
	}
	results, nextResults := older.Results(), newer.Results()
	same := map[*ir.Decl]bool{}
	for _, d := range older.Decls {
		n := next[d.Name]
		same[d] = n != nil && !d.Message && !n.Message && d.Rules == nil && n.Rules == nil && results[d] == nextResults[n] && equalText(d, n)
	}
	for changed := true; changed; {
		changed = false
		for _, d := range older.Decls {
			if same[d] && !(allSame(d, same) && marked(d, next[d.Name])) {
				same[d], changed = false, true
			}
		}
	}
	for _, d := range older.Decls {
		if !same[d] || !hasMethods(d) {
			continue
		}
		if d.Same = path; next[d.Name].Same != "" {
			d.Same = next[d.Name].Same
		}
	}
}

// allSame reports whether everything that a declaration refers to is the same.
func allSame(d *ir.Decl, same map[*ir.Decl]bool) bool {
	all := true
	if u, ok := d.Type.(*ir.Union); ok {
		for _, v := range u.Variants {
			all = all && same[v.Decl]
		}
	} else {
		ir.Walk(d.Type, func(t ir.Type) {
			if ref, ok := t.(*ir.Ref); ok && hasMethods(ref.Decl) {
				all = all && same[ref.Decl]
			}
		})
	}
	return all
}

// marked reports whether a declaration of the next revision is a variant of unions with the same names.
func marked(d, next *ir.Decl) bool {
	for _, u := range d.Unions {
		if !slices.ContainsFunc(next.Unions, func(n *ir.Decl) bool { return n.Name == u.Name }) {
			return false
		}
	}
	return true
}

// hasMethods reports whether the type of a declaration is not another name for a type of package wire.
func hasMethods(d *ir.Decl) bool {
	switch d.Type.(type) {
	case *ir.Scalar, *ir.Any, *ir.Open, *ir.Ref:
		return len(d.Unions) > 0
	}
	return true
}

func equalText(a, b *ir.Decl) bool {
	if a.Doc != b.Doc || a.Deprecated != b.Deprecated {
		return false
	}
	switch a := a.Type.(type) {
	case *ir.Object:
		b, ok := b.Type.(*ir.Object)
		if !ok || len(a.Fields) != len(b.Fields) {
			return false
		}
		for i, f := range a.Fields {
			if g := b.Fields[i]; f.Doc != g.Doc || f.Deprecated != g.Deprecated || f.Go != g.Go || f.Default != g.Default {
				return false
			}
		}
	case *ir.Enum:
		b, ok := b.Type.(*ir.Enum)
		if !ok || !slices.Equal(a.Values, b.Values) {
			return false
		}
	}
	text := func(d *ir.Decl) string {
		var out strings.Builder
		// A strings.Builder does not fail.
		_ = ir.PrintDecls(&out, []*ir.Decl{{Name: d.Name, Definition: true, Type: plain(d.Type)}})
		return out.String()
	}
	return text(a) == text(b)
}

// plain returns a type without the names of other types of package wire.
func plain(t ir.Type) ir.Type {
	switch t := t.(type) {
	case *ir.Object:
		o := *t
		o.Fields = make([]*ir.Field, len(t.Fields))
		for i, f := range t.Fields {
			field := *f
			field.Type, field.Injected = plain(f.Type), false
			o.Fields[i] = &field
		}
		if t.Additional != nil {
			o.Additional = plain(t.Additional)
		}
		return &o
	case *ir.Array:
		return &ir.Array{Elem: plain(t.Elem), Length: t.Length}
	case *ir.Map:
		return &ir.Map{Elem: plain(t.Elem)}
	case *ir.Nullable:
		return &ir.Nullable{Elem: plain(t.Elem)}
	case *ir.Ref:
		if !hasMethods(t.Decl) && t.Decl.Rules == nil {
			return plain(t.Decl.Type)
		}
	}
	return t
}

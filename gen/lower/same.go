package lower

import (
	"slices"

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

// equalText reports whether two declarations have the same text, apart from other names for types of package wire.
func equalText(a, b *ir.Decl) bool {
	name := func(d *ir.Decl) string {
		if !hasMethods(d) && d.Rules == nil {
			return ""
		}
		return d.Name
	}
	return a.Doc == b.Doc && a.Deprecated == b.Deprecated && ir.Identity(a.Type, name) == ir.Identity(b.Type, name)
}

package lower

import (
	"cmp"
	"fmt"
	"maps"
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
	results := older.Results()
	maps.Copy(results, newer.Results())
	class := ir.Classes(slices.Concat(older.Decls, newer.Decls), func(d *ir.Decl, _ map[*ir.Decl]string) string {
		switch n := next[d.Name]; {
		case !hasMethods(d):
			return ""
		case d.Message || d.Rules != nil || n == nil || !marked(d, n):
			return fmt.Sprintf("%p", d) // the same as nothing else
		}
		return fmt.Sprintf("%q %q %q %t", d.Name, d.Doc, d.Deprecated, results[d])
	})
	for _, d := range older.Decls {
		if n := next[d.Name]; n != nil && hasMethods(d) && class[d] == class[n] {
			d.Same = cmp.Or(n.Same, path)
		}
	}
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
		return len(d.Unions) > 0 || d.Rules != nil
	}
	return true
}

package typing

import (
	"crypto/sha256"
	"fmt"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// equals divides the declarations into classes of equal ones, see [Types]: the same types with the same comments,
// apart from their own names, in which the same places refer to declarations of one class. Declarations with different
// labels are not equal. Whether two are equal does not depend on other declarations of the list.
//
// It first divides by the labels. Then it divides by the types, the comments and the classes that the
// declarations refer to, until no class is divided again. So declarations that refer to themselves are equal
// if nothing distinguishes them.
func (t *typer) equals() map[*ir.Decl]string {
	label := func(d *ir.Decl) string {
		if d.Definition {
			return "whole " + d.Name // whole inputs and outputs are equal to nothing
		}
		o := t.origins[d]
		return o.definition + " " + o.goName
	}
	class := map[*ir.Decl]string{}
	for _, d := range t.decls {
		class[d] = label(d)
	}
	for count := 0; ; {
		next, distinct := map[*ir.Decl]string{}, map[string]bool{}
		for _, d := range t.decls {
			unions := ""
			if plain(d) {
				for _, u := range d.Unions {
					unions += class[u] + " "
				}
			}
			text := ir.Identity(d.Type, func(d *ir.Decl) string { return class[d] })
			next[d] = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q\n%s", label(d), d.Deprecated, t.origins[d].doc(d), unions, text)))
			distinct[next[d]] = true
		}
		class = next
		if len(distinct) == count {
			return class
		}
		count = len(distinct)
	}
}

// plain reports whether a declaration exists only because the variants of a union have names. It equals
// only variants of equal unions.
func plain(d *ir.Decl) bool {
	switch d.Type.(type) {
	case *ir.Object, *ir.Enum, *ir.Union:
		return false
	}
	return true
}

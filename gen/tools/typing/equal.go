package typing

import (
	"fmt"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// equals divides the declarations into classes of equal ones, see [Types]: the same types with the same comments,
// apart from their own names, in which the same places refer to declarations of one class. Declarations of definitions
// with different names are not equal. Whether two are equal does not depend on other declarations of the list.
func (t *typer) equals() map[*ir.Decl]string {
	return ir.Classes(t.decls, func(d *ir.Decl, class map[*ir.Decl]string) string {
		if d.Definition {
			return "whole " + d.Name // whole inputs and outputs are equal to nothing
		}
		o, unions := t.origins[d], ""
		if plain(d) {
			for _, u := range d.Unions {
				unions += class[u] + " "
			}
		}
		return fmt.Sprintf("%q %q %q %q %q", o.definition, o.goName, d.Deprecated, o.doc(d), unions)
	})
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

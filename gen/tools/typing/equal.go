package typing

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// classes divides the declarations into classes of equal ones: the same types with the same comments,
// apart from their own names, in which the same places refer to declarations of one class. Declarations
// with different labels are not equal.
//
// It first divides by the labels. Then it divides by the types, the comments and the classes that the
// declarations refer to, until no class is divided again. So declarations that refer to themselves are equal
// if nothing distinguishes them.
func (t *typer) classes(label func(*ir.Decl) string) map[*ir.Decl]string {
	class := map[*ir.Decl]string{}
	for _, d := range t.decls {
		class[d] = label(d)
	}
	for count := 0; ; {
		next, distinct := map[*ir.Decl]string{}, map[string]bool{}
		for _, d := range t.decls {
			w := &comparison{class: class}
			w.line("%q %q %q", label(d), d.Deprecated, t.origins[d].doc(d))
			w.typ(d.Type)
			if plain(d) {
				for _, u := range d.Unions {
					w.line("of %q", class[u])
				}
			}
			next[d] = w.sum()
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

// comparison writes types as text that is the same for equal types.
type comparison struct {
	class map[*ir.Decl]string
	text  strings.Builder
}

func (w *comparison) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

func (w *comparison) sum() string {
	sum := sha256.Sum256([]byte(w.text.String()))
	return string(sum[:])
}

func (w *comparison) typ(t ir.Type) {
	switch t := t.(type) {
	case *ir.Object:
		w.line("object %t %t", t.Closed, t.Loose)
		for _, f := range t.Fields {
			w.line("%q %q %q %q %q", f.Wire, f.Go, f.Doc, f.Deprecated, f.Default)
			w.line("%t %t %#v", f.Required, f.Soft, f.Const)
			w.typ(f.Type)
		}
		if t.Additional != nil {
			w.line("others")
			w.typ(t.Additional)
		}
	case *ir.Enum:
		w.line("enum")
		for _, v := range t.Values {
			w.line("%q %q %q", v.Wire, v.Doc, v.Deprecated)
		}
	case *ir.Union:
		w.line("union %t %t", t.Context, t.Lenient)
		for _, v := range t.Variants {
			w.variant(v)
		}
		w.decision(t.Decision)
	case *ir.Array:
		w.line("array %v", t.Length)
		w.typ(t.Elem)
	case *ir.Map:
		w.line("map")
		w.typ(t.Elem)
	case *ir.Nullable:
		w.line("nullable")
		w.typ(t.Elem)
	case *ir.Ref:
		w.line("ref %q", w.class[t.Decl])
	default:
		w.line("%T %s", t, ir.TypeString(t))
	}
}

func (w *comparison) variant(v *ir.Variant) { w.line("variant %t %q", v.Boxed, w.class[v.Decl]) }

func (w *comparison) decision(d ir.Decision) {
	switch d := d.(type) {
	case *ir.Leaf:
		w.variant(d.Variant)
	case *ir.ByKind:
		for _, c := range d.Cases {
			w.line("kind %s", c.Kind)
			w.decision(c.Then)
		}
	case *ir.ByConst:
		w.line("by %q", d.Member)
		for _, c := range d.Cases {
			w.line("%#v", c.Value)
			w.decision(c.Then)
		}
		w.line("absent")
		w.decision(d.Absent)
	case *ir.ByPresence:
		for _, g := range d.Guards {
			w.line("guard %q", g.Paths)
			w.variant(g.Variant)
		}
	}
	w.line("end")
}

// equals returns the classes of equal declarations, see [Types]. Whether two declarations are equal depends on nothing
// but them.
func (t *typer) equals() map[*ir.Decl]string {
	return t.classes(func(d *ir.Decl) string {
		if d.Definition {
			return "whole " + d.Name // whole inputs and outputs are equal to nothing
		}
		o := t.origins[d]
		return o.definition + " " + o.goName
	})
}

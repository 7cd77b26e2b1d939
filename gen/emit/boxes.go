package emit

import (
	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// boxName returns the name of the type that makes a wire.Value of a union or of the alias of
// a scalar. Only that of a union is exported.
func boxName(d *ir.Decl) string {
	if _, isUnion := d.Type.(*ir.Union); isUnion {
		return d.Name + "Box"
	}
	return lowerFirst(d.Name) + "Box"
}

// codecName returns the name of the type that decodes and checks for a box.
func codecName(d *ir.Decl) string { return lowerFirst(d.Name) + "Codec" }

// boxes renders the box and the decode function of each union, and the boxes of aliases of
// scalars: the alias alone would accept every kind of scalar.
func (e *emitter) boxes(w *code.Writer) {
	for _, d := range e.rev.Decls {
		if d.Message {
			continue
		}
		switch t := d.Type.(type) {
		case *ir.Union:
			w.Doc("Decode%[1]s decodes a %[1]s from its JSON text.", d.Name)
			w.P("func Decode%[1]s(text []byte) (%[1]s, error) {\nreturn wire.UnmarshalBox(text, %[2]s)\n}", d.Name, newBox(d, ""))
			w.Doc("%s holds a %s in its field V. Use it in your own structs, because encoding/json cannot decode into an interface.", boxName(d), d.Name)
			if d.Same != "" {
				w.P("type %s = %s", boxName(d), in(d.Same, boxName(d)))
				continue
			}
			box(w, d, d.Name)
			if !d.Checked {
				w.P("%s {}", checkerOf(d))
			}
		case *ir.Scalar:
			if hasBox(d) {
				box(w, d, "wire.Scalar")
				w.P("func (%s) Decode(r *wire.Reader) wire.Scalar {\nreturn r.ReadScalar(%s)\n}\n", codecName(d), scalarSet(t.Kinds))
				w.P("func (%s) Check(c *wire.Collector, v wire.Scalar) {\n%s}\n", codecName(d), checkScalar("v", t))
			}
		}
	}
}

// box renders the type of a box, and of its codec without the methods.
func box(w *code.Writer, d *ir.Decl, value string) {
	w.P("type %s = wire.Box[%s, %s]\n\ntype %[3]s struct{}\n", boxName(d), value, codecName(d))
}

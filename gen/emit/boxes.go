package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

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
func (e *emitter) boxes(f *jen.File) {
	for _, d := range e.rev.Decls {
		if d.Message {
			continue
		}
		switch t := d.Type.(type) {
		case *ir.Union:
			code.Declare(f, fmt.Sprintf("Decode%[1]s decodes a %[1]s from its JSON text.", d.Name), "func Decode$1(text []byte) ($1, error) {\nreturn $2.Unmarshal(text)\n}", d.Name, newBox(d, ""))
			f.Line()
			f.Add(code.Comment(fmt.Sprintf("%s holds a %s in its field V. Use it in your own structs, because encoding/json cannot decode into an interface.", boxName(d), d.Name)))
			if d.Same != "" {
				f.Type().Id(boxName(d)).Op("=").Qual(d.Same, boxName(d))
				f.Line()
				continue
			}
			box(f, d, d.Name)
			if !d.Checked {
				f.Add(code.Go(checkerOf(d) + " {\n}\n"))
			}
		case *ir.Scalar:
			if hasBox(d) {
				box(f, d, "wire.Scalar")
				code.Declare(f, "", "func ($1) Decode(r *wire.Reader) wire.Scalar {\nreturn r.ReadScalar($2)\n}", codecName(d), kindSet(t.Kinds))
				code.Declare(f, "", "func ($1) Check(c *wire.Collector, v wire.Scalar) {\n$2}\n", codecName(d), checkScalar("v", t))
			}
		}
	}
}

// box renders the type of a box, and of its codec without the methods.
func box(f *jen.File, d *ir.Decl, value string) {
	f.Add(code.Go("type $1 = wire.Box[$2, $3]\n\ntype $3 struct{}\n", boxName(d), value, codecName(d)))
}

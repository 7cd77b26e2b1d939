package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

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
			f.Add(doc(fmt.Sprintf("Decode%[1]s decodes a %[1]s from its JSON text.", d.Name)))
			f.Func().Id("Decode"+d.Name).Params(jen.Id("text").Index().Byte()).Params(jen.Id(d.Name), jen.Error()).Block(
				jen.Return(jen.Qual(wirePath, "UnmarshalBox").Call(jen.Id("text"), newBox(d, jen.Null()))),
			)
			f.Line()
			f.Add(doc(fmt.Sprintf("%s holds a %s in its field V. Use it in your own structs, because encoding/json cannot decode into an interface.", boxName(d), d.Name)))
			if d.Same != "" {
				f.Type().Id(boxName(d)).Op("=").Qual(d.Same, boxName(d))
				f.Line()
				continue
			}
			box(f, d, jen.Id(d.Name))
			if !d.Checked {
				checkerOf(f, d).Block()
				f.Line()
			}
		case *ir.Scalar:
			if hasBox(d) {
				box(f, d, jen.Qual(wirePath, "Scalar"))
				codec := jen.Params(jen.Id(codecName(d)))
				f.Func().Add(codec).Id("Decode").Params(jen.Id("r").Op("*").Qual(wirePath, "Reader")).Qual(wirePath, "Scalar").Block(
					jen.Return(jen.Id("r").Dot("ReadScalar").Call(scalarSet(t.Kinds))))
				f.Line()
				f.Func().Add(codec).Id("Check").Params(collectorParam(), jen.Id("v").Qual(wirePath, "Scalar")).Block(checkScalar(jen.Id("v"), t))
				f.Line()
			}
		}
	}
}

// box renders the type of a box, and of its codec without the methods.
func box(f *jen.File, d *ir.Decl, value jen.Code) {
	codec := codecName(d)
	f.Type().Id(boxName(d)).Op("=").Qual(wirePath, "Box").Types(value, jen.Id(codec))
	f.Line()
	f.Type().Id(codec).Struct()
	f.Line()
}

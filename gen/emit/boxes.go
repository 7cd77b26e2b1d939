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
		switch t := d.Type.(type) {
		case *ir.Union:
			f.Add(doc(fmt.Sprintf("Decode%[1]s decodes a %[1]s from its JSON text.", d.Name)))
			f.Func().Id("Decode"+d.Name).Params(jen.Id("text").Index().Byte()).Params(jen.Id(d.Name), jen.Error()).Block(
				jen.Var().Id("box").Id(boxName(d)),
				jen.Err().Op(":=").Qual(wirePath, "Unmarshal").Call(jen.Id("text"), jen.Op("&").Id("box")),
				jen.Return(jen.Id("box").Dot("V"), jen.Err()),
			)
			f.Line()
			f.Add(doc(fmt.Sprintf("%s holds a %s in its field V. Use it in your own structs, because encoding/json cannot decode into an interface.", boxName(d), d.Name)))
			check := []jen.Code{}
			if d.Checked {
				check = append(check, jen.Id(checkerName(d)).Call(jen.Id("c"), jen.Id("v")))
			}
			box(f, d, jen.Id(d.Name), jen.Id(decoderName(d)).Call(jen.Id("r")), check)
		case *ir.Scalar:
			if isAlias(d) {
				box(f, d, jen.Qual(wirePath, "Scalar"), jen.Id("r").Dot("ReadScalar").Call(scalarSet(t.Kinds)),
					[]jen.Code{checkScalar(jen.Id("v"), t)})
			}
		}
	}
}

// box renders the type of a box and its codec.
func box(f *jen.File, d *ir.Decl, value, decode jen.Code, check []jen.Code) {
	codec := codecName(d)
	f.Type().Id(boxName(d)).Op("=").Qual(wirePath, "Box").Types(value, jen.Id(codec))
	f.Line()
	f.Type().Id(codec).Struct()
	f.Line()
	f.Func().Params(jen.Id(codec)).Id("Decode").Params(jen.Id("r").Op("*").Qual(wirePath, "Reader")).Add(value).Block(jen.Return(decode))
	f.Line()
	f.Func().Params(jen.Id(codec)).Id("Check").Params(collectorParam(), jen.Id("v").Add(value)).Block(check...)
	f.Line()
}

package skeleton

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// A structured result that is not an object has a Go type such as []Item, which has no codec.
// Generated code puts it into a box, which has one.

func boxName(t typing.ToolTypes) string   { return "value" + t.Go }
func unboxName(t typing.ToolTypes) string { return "unbox" + t.Go }

// outputName returns the name of the type of a structured result that is an object, with which the
// names of other types of the result begin.
func outputName(t typing.ToolTypes) string { return t.Go + "Output" }

// decoded returns the name of the type that the structured result of a tool is decoded into.
func decoded(t typing.ToolTypes) string {
	if t.Value != nil {
		return boxName(t)
	}
	return outputName(t)
}

// unboxed returns the result of a method from that of a call that decodes into decoded(t).
func unboxed(t typing.ToolTypes, call *jen.Statement) *jen.Statement {
	if t.Value != nil {
		return jen.Id(unboxName(t)).Call(call)
	}
	return call
}

// box renders the box of a tool's result.
func (g *generator) box(f *jen.File, t typing.ToolTypes) {
	direction := ir.Decoded
	switch {
	case g.serves && t.Tool.Operation != nil:
		direction = ir.BothWays
	case g.serves:
		direction = ir.Encoded
	}
	emit.NewTools(g.Source).Box(f, boxName(t), fmt.Sprintf("%s holds the structured result of %s.", boxName(t), t.Tool.Name), t.Value, direction)
	if direction == ir.Encoded {
		return
	}
	f.Line()
	f.Add(emit.Comment(fmt.Sprintf("%s returns the result in a box, or the error of the call.", unboxName(t))))
	f.Func().Id(unboxName(t)).Params(jen.Id("x").Op("*").Id(boxName(t)), jen.Err().Error()).Params(jen.Id("v").Add(emit.GoType(t.Value)), jen.Id("_").Error()).Block(
		jen.If(jen.Err().Op("==").Nil()).Block(jen.Id("v").Op("=").Id("x").Dot("Value")),
		jen.Return(jen.Id("v"), jen.Err()),
	)
}

// boxing renders the function that puts a result into a box.
func boxing(t typing.ToolTypes) jen.Code {
	return jen.Func().Params(jen.Id("v").Add(emit.GoType(t.Value))).Op("*").Id(boxName(t)).Block(
		jen.Return(jen.Op("&").Id(boxName(t)).Values(jen.Id("v"))),
	)
}

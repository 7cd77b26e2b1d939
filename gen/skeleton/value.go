package skeleton

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
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

// box renders the box of a tool's result.
func (g *generator) box(f *jen.File, t typing.ToolTypes) {
	direction := ir.Decoded
	switch {
	case g.serves && t.Tool.Operation != nil:
		direction = ir.BothWays
	case g.serves:
		direction = ir.Encoded
	}
	emit.Box(f, boxName(t), fmt.Sprintf("%s holds the structured result of %s.", boxName(t), t.Tool.Name), t.Value, direction)
	if direction == ir.Encoded {
		return
	}
	code.Declare(f, fmt.Sprintf("%s returns the result in a box, or the error of the call.", unboxName(t)),
		"func $1(x *$2, err error) (v $3, _ error) {\nif err == nil {\nv = x.Value\n}\nreturn v, err\n}", unboxName(t), boxName(t), emit.GoType(t.Value))
}

// boxing renders the function that puts a result into a box.
func boxing(t typing.ToolTypes) string {
	return fmt.Sprintf("func(v %s) *%[2]s {\nreturn &%[2]s{v}\n}", emit.GoType(t.Value), boxName(t))
}

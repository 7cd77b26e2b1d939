package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// extension renders the description of an extension for the runtime, and the functions for its results.
func (e *emitter) extension(f *jen.File) {
	x := e.rev.Extension
	f.Add(code.Comment("Extension describes the extension to the runtime: its methods, and the results that it adds to methods of the revision."))
	f.Var().Id("Extension").Op("=").Qual(runtimePath, "Extension").ValuesFunc(func(g *jen.Group) {
		g.Line().Id("Name").Op(":").Id("Name")
		g.Line().Id("Revision").Op(":").Id("Revision")
		g.Line().Id("Methods").Op(":").Id("Methods")
		described := Extension(e.rev)
		if len(described.Results) > 0 {
			g.Line().Id("Results").Op(":").Index().Qual(runtimePath, "ExtensionResult").ValuesFunc(func(g *jen.Group) {
				for _, r := range described.Results {
					g.Add(row(r))
				}
			})
		}
		if described.Settings != "" {
			g.Line().Id("Settings").Op(":").Lit(described.Settings)
		}
		g.Line()
	})
	if x.Settings != nil {
		f.Line()
		f.Add(code.Comment("Settings is the value that declares the extension among the capabilities, under its name in the member extensions."))
		f.Type().Id("Settings").Op("=").Add(code.Go(declName(x.Settings)))
	}
	done := map[*ir.Decl]bool{}
	for _, r := range x.Results {
		if done[r.Decl] {
			continue
		}
		done[r.Decl] = true
		name := r.Decl.Name + "Of"
		value := "x"
		if isUnion(r.Decl) {
			value = "x.V"
		}
		code.Declare(f, fmt.Sprintf("%s returns the result as a %s, if its resultType is %q, and nil otherwise. The package of the revision decodes such a result as an unknown variant.", name, r.Decl.Name, r.Type),
			`func $1(result wire.Appender) ($2, error) {
				x := new($3)
				ok, err := runtime.DecodeResult(result, $4, x)
				if !ok || err != nil {
					return nil, err
				}
				return $5, nil
			}`, name, messageType(r.Decl), valueType(&ir.Ref{Decl: r.Decl}), jen.Lit(r.Type), value)
	}
}

package emit

import (
	"bytes"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/convert"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// link is the compat.Func of a link.
func link(l *convert.Link) jen.Code {
	switch {
	case l == nil:
		return jen.Nil()
	case l.Func == nil:
		return jen.Qual(compatPath, "Same")
	}
	return jen.Qual(compatPath, "Of").Call(jen.Id(l.Func.Name))
}

// definitions renders the step's table of definitions, as a switch: nothing is made
// before it is asked for.
func (e *stepEmitter) definitions(f *jen.File) {
	f.Comment("definition finds the converters of what the newer revision calls by a name.")
	f.Func().Id("definition").Params(jen.Id("newer").String()).Params(jen.Qual(compatPath, "Definition"), jen.Bool()).Block(
		jen.Switch(jen.Id("newer")).BlockFunc(func(g *jen.Group) {
			for _, d := range e.step.Definitions {
				g.Case(jen.Lit(newName(d.Newer))).Block(jen.Return(
					jen.Qual(compatPath, "Definition").Values(jen.Dict{
						jen.Id("Older"): jen.Lit(newName(d.Older)),
						jen.Id("Newer"): jen.Lit(newName(d.Newer)),
						jen.Id("Up"):    link(d.Up),
						jen.Id("Down"):  link(d.Down),
					}), jen.True(),
				))
			}
		}),
		jen.Return(jen.Qual(compatPath, "Definition").Values(), jen.False()),
	)
}

// newName is what the package's New knows a declaration by.
func newName(d *ir.Decl) string {
	if d.Definition {
		return d.Path
	}
	return d.Name
}

// methods renders the step's table of methods.
func (e *stepEmitter) methods(f *jen.File) {
	f.Comment("method finds the converters of a method that both revisions have.")
	f.Func().Id("method").Params(jen.Id("name").String()).Params(jen.Qual(compatPath, "Method"), jen.Bool()).Block(
		jen.Switch(jen.Id("name")).BlockFunc(func(g *jen.Group) {
			for _, m := range e.step.Methods {
				g.Case(jen.Lit(m.Name)).Block(jen.Return(
					jen.Qual(compatPath, "Method").Values(jen.Dict{
						jen.Id("ParamsUp"):   link(m.ParamsUp),
						jen.Id("ParamsDown"): link(m.ParamsDown),
						jen.Id("ResultUp"):   link(m.ResultUp),
						jen.Id("ResultDown"): link(m.ResultDown),
					}), jen.True(),
				))
			}
		}),
		jen.Return(jen.Qual(compatPath, "Method").Values(), jen.False()),
	)
}

// Ladder renders the package that converts between all revisions, as a file below dir.
func Ladder(revisions []*ir.Revision, steps []*convert.Step, dir string) (files.File, error) {
	f := newFile("compat", "spec/pins.json")
	f.ImportName(compatPath, "compat")
	f.PackageComment(commentText("Package compat lets a server or client that is written against one revision speak all of them, and says what peers of other revisions do not get."))
	f.PackageComment("//")
	f.PackageComment(commentText("The packages below it have the converters between adjacent revisions, for use on their own."))
	f.Add(doc("Options say what becomes of what cannot be kept."))
	f.Type().Id("Options").Op("=").Qual(compatPath, "Options")
	f.Line()
	f.Add(doc("Report is something that could not be kept, and where."))
	f.Type().Id("Report").Op("=").Qual(compatPath, "Report")
	f.Line()
	f.Add(doc("RevisionError says that a request was not sent, because the revision of the session has no way of saying it."))
	f.Type().Id("RevisionError").Op("=").Qual(compatPath, "RevisionError")
	f.Line()
	f.Add(doc("Serve makes of the binding of a server, for the revision that it is written against, bindings for all revisions. What clients send is converted to that revision, what the server answers, asks and tells to theirs."))
	e := jen.Func().Id("Serve").Params(jen.Id("server").Qual(runtimePath, "Binding"), jen.Id("o").Id("Options")).Index().Qual(runtimePath, "Binding")
	f.Add(e.Block(jen.Return(jen.Id("Ladder").Call().Dot("Serve").Call(jen.Id("server"), jen.Id("o")))))
	f.Line()
	f.Add(doc("Client does for the binding of a client what Serve does for that of a server."))
	f.Func().Id("Client").Params(jen.Id("client").Qual(runtimePath, "Binding"), jen.Id("o").Id("Options")).Index().Qual(runtimePath, "Binding").
		Block(jen.Return(jen.Id("Ladder").Call().Dot("Client").Call(jen.Id("client"), jen.Id("o"))))
	f.Line()
	f.Add(doc("Converter returns what a catalog converts its lists and results with, if these are written for the revision called native. It is for catalog.Options.Convert."))
	f.Func().Id("Converter").Params(jen.Id("native").String(), jen.Id("o").Id("Options")).
		Qual(compatPath, "Converter").
		Block(jen.Return(jen.Id("Ladder").Call().Dot("Converter").Call(jen.Id("native"), jen.Id("o"))))
	f.Line()
	f.Add(doc("Ladder returns all revisions and the steps between them."))
	f.Func().Id("Ladder").Params().Op("*").Qual(compatPath, "Ladder").Block(
		jen.Return(jen.Op("&").Qual(compatPath, "Ladder").Values(jen.Dict{
			jen.Id("Revisions"): jen.Index().Qual(compatPath, "Revision").ValuesFunc(func(g *jen.Group) {
				for _, r := range revisions {
					pkg := packagePath(r.Package)
					f.ImportName(pkg, r.Package)
					g.Line().Values(jen.Dict{
						jen.Id("ID"):      jen.Qual(pkg, "Revision"),
						jen.Id("New"):     jen.Qual(pkg, "New"),
						jen.Id("Methods"): jen.Qual(pkg, "Methods"),
					})
				}
				g.Line()
			}),
			jen.Id("Steps"): jen.Index().Qual(compatPath, "Step").ValuesFunc(func(g *jen.Group) {
				for _, s := range steps {
					pkg := packagePath(dir + "/" + s.Package)
					f.ImportName(pkg, s.Package)
					g.Line().Qual(pkg, "Step")
				}
				g.Line()
			}),
		})),
	)
	var src bytes.Buffer
	if err := f.Render(&src); err != nil {
		return files.File{}, err
	}
	return files.File{Path: dir + "/compat.go", Content: src.Bytes()}, nil
}

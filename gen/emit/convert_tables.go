package emit

import (
	"bytes"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/convert"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// link renders the compat.Func of a link.
func link(l *convert.Link) jen.Code {
	switch {
	case l == nil:
		return jen.Nil()
	case l.Func == nil:
		return jen.Qual(convertPath, "Same")
	}
	return jen.Qual(convertPath, "Of").Call(jen.Id(l.Func.Name))
}

// definitions renders the step's lookup of definitions as a switch, so that nothing is
// allocated before it is needed.
func (e *stepEmitter) definitions(f *jen.File) {
	f.Comment("definition returns the converters of a definition, by its name in the newer revision.")
	f.Func().Id("definition").Params(jen.Id("newer").String()).Params(jen.Qual(convertPath, "Definition"), jen.Bool()).Block(
		jen.Switch(jen.Id("newer")).BlockFunc(func(g *jen.Group) {
			for _, d := range e.step.Definitions {
				g.Case(jen.Lit(newName(d.Newer))).Block(jen.Return(
					jen.Qual(convertPath, "Definition").Values(jen.Dict{
						jen.Id("Older"): jen.Lit(newName(d.Older)),
						jen.Id("Newer"): jen.Lit(newName(d.Newer)),
						jen.Id("Up"):    link(d.Up),
						jen.Id("Down"):  link(d.Down),
					}), jen.True(),
				))
			}
		}),
		jen.Return(jen.Qual(convertPath, "Definition").Values(), jen.False()),
	)
}

// newName returns the name under which the package's New knows a declaration.
func newName(d *ir.Decl) string {
	if d.Definition {
		return d.Path
	}
	return d.Name
}

// methods renders the step's lookup of methods.
func (e *stepEmitter) methods(f *jen.File) {
	f.Comment("method returns the converters of a method that both revisions have.")
	f.Func().Id("method").Params(jen.Id("name").String()).Params(jen.Qual(convertPath, "Method"), jen.Bool()).Block(
		jen.Switch(jen.Id("name")).BlockFunc(func(g *jen.Group) {
			for _, m := range e.step.Methods {
				g.Case(jen.Lit(m.Name)).Block(jen.Return(
					jen.Qual(convertPath, "Method").Values(jen.Dict{
						jen.Id("ParamsUp"):   link(m.ParamsUp),
						jen.Id("ParamsDown"): link(m.ParamsDown),
						jen.Id("ResultUp"):   link(m.ResultUp),
						jen.Id("ResultDown"): link(m.ResultDown),
					}), jen.True(),
				))
			}
		}),
		jen.Return(jen.Qual(convertPath, "Method").Values(), jen.False()),
	)
}

// Ladder renders the package that converts between all revisions, as a file below dir.
func Ladder(revisions []*ir.Revision, steps []*convert.Step, dir string) (files.File, error) {
	f := newFile("compat", "spec/pins.json")
	f.ImportName(convertPath, "convert")
	f.PackageComment(commentText("Package compat lets a server or client written for one revision speak all of them. It reports what peers of other revisions do not receive."))
	f.PackageComment("//")
	f.PackageComment(commentText("The packages below it hold the converters between adjacent revisions, which can be used on their own."))
	f.Add(doc("Options configure the conversion of values that another revision cannot represent."))
	f.Type().Id("Options").Op("=").Qual(convertPath, "Options")
	f.Line()
	f.Add(doc("Report describes a loss: what was lost, and where."))
	f.Type().Id("Report").Op("=").Qual(convertPath, "Report")
	f.Line()
	f.Add(doc("RevisionError reports that a request was not sent because the session's revision cannot represent it."))
	f.Type().Id("RevisionError").Op("=").Qual(convertPath, "RevisionError")
	f.Line()
	f.Add(doc("Serve returns bindings for all revisions, given a server's binding for the revision it is written for. Messages from clients are converted to that revision; the server's responses, requests and notifications are converted to the client's revision."))
	e := jen.Func().Id("Serve").Params(jen.Id("server").Qual(runtimePath, "Binding"), jen.Id("o").Id("Options")).Index().Qual(runtimePath, "Binding")
	f.Add(e.Block(jen.Return(jen.Id("Ladder").Call().Dot("Serve").Call(jen.Id("server"), jen.Id("o")))))
	f.Line()
	f.Add(doc("Client returns bindings for all revisions, given a client's binding for the revision it is written for. See Serve."))
	f.Func().Id("Client").Params(jen.Id("client").Qual(runtimePath, "Binding"), jen.Id("o").Id("Options")).Index().Qual(runtimePath, "Binding").
		Block(jen.Return(jen.Id("Ladder").Call().Dot("Client").Call(jen.Id("client"), jen.Id("o"))))
	f.Line()
	f.Add(doc("Connect opens a session with a server, given the ClientOptions of the revision that the client is written for. The session speaks the newest revision that the server supports, and converts. Connect owns the transport, also if it fails; ctx applies to the opening only."))
	session := jen.Id("S")
	f.Func().Id("Connect").Types(jen.Add(session).Any()).Params(
		jen.Id("ctx").Qual("context", "Context"),
		jen.Id("transport").Qual(runtimePath, "Transport"),
		jen.Id("options").Qual(convertPath, "ClientOptions").Types(session),
	).Params(session, jen.Error()).
		Block(jen.Return(jen.Qual(convertPath, "Connect").Call(jen.Id("ctx"), jen.Id("Ladder").Call(), jen.Id("transport"), jen.Id("options"))))
	f.Line()
	f.Add(doc("Converter returns the function with which a catalog written for revision native converts its lists and results. Use it as catalog.Options.Convert."))
	f.Func().Id("Converter").Params(jen.Id("native").String(), jen.Id("o").Id("Options")).
		Qual(convertPath, "Converter").
		Block(jen.Return(jen.Id("Ladder").Call().Dot("Converter").Call(jen.Id("native"), jen.Id("o"))))
	f.Line()
	f.Add(doc("Ladder returns all revisions and the conversion steps between them."))
	f.Func().Id("Ladder").Params().Op("*").Qual(convertPath, "Ladder").Block(
		jen.Return(jen.Op("&").Qual(convertPath, "Ladder").Values(jen.Dict{
			jen.Id("Revisions"): jen.Index().Qual(convertPath, "Revision").ValuesFunc(func(g *jen.Group) {
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
			jen.Id("Steps"): jen.Index().Qual(convertPath, "Step").ValuesFunc(func(g *jen.Group) {
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

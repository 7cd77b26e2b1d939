package emit

import (
	"bytes"
	"path"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// Index renders the package that looks up a revision's generated code by the revision's
// name.
func Index(revisions []*ir.Revision) (files.File, error) {
	f := newFile("generated", "spec/pins.json")
	f.PackageComment(commentText("Package generated looks up the generated code of a protocol revision by the revision's name, for programs that learn the name at run time."))
	f.Add(doc("Revision gives access to the generated package of a protocol revision."))
	f.Type().Id("Revision").Struct(
		doc("ID is the revision's date."),
		jen.Id("ID").String(),
		doc("New returns a new value of a definition and reports whether there is such a definition."),
		jen.Id("New").Func().Params(jen.Id("definition").String()).Params(jen.Qual(wirePath, "Value"), jen.Bool()),
		doc("Methods lists the revision's requests and notifications, sorted by name."),
		jen.Id("Methods").Index().Qual(runtimePath, "Method"),
	)
	f.Line()
	f.Add(doc("Revisions returns the revisions that have generated code, the oldest first."))
	f.Func().Id("Revisions").Params().Index().Id("Revision").Block(
		jen.Return(jen.Index().Id("Revision").ValuesFunc(func(g *jen.Group) {
			for _, r := range revisions {
				pkg := path.Join(module, "generated", r.Package)
				f.ImportName(pkg, r.Package)
				g.Line().Values(
					jen.Qual(pkg, "Revision"),
					jen.Qual(pkg, "New"),
					jen.Qual(pkg, "Methods"),
				)
			}
			g.Line()
		})),
	)
	f.Line()
	f.Add(doc("Lookup returns the revision with the given name and reports whether it has generated code."))
	f.Func().Id("Lookup").Params(jen.Id("revision").String()).Params(jen.Id("Revision"), jen.Bool()).Block(
		jen.For(jen.List(jen.Id("_"), jen.Id("r")).Op(":=").Range().Id("Revisions").Call()).Block(
			jen.If(jen.Id("r").Dot("ID").Op("==").Id("revision")).Block(jen.Return(jen.Id("r"), jen.True())),
		),
		jen.Return(jen.Id("Revision").Values(), jen.False()),
	)
	var src bytes.Buffer
	if err := f.Render(&src); err != nil {
		return files.File{}, err
	}
	return files.File{Path: "revisions.go", Content: src.Bytes()}, nil
}

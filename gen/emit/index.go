package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// Index renders package generated, which lists the revisions and their bindings, and the extensions.
// The revisions must be sorted from the oldest to the newest.
func Index(revisions, extensions []*ir.Revision) (files.File, error) {
	f := newFile("generated", "spec/pins.json")
	f.PackageComment(commentText("Package generated lists the protocol revisions that have generated code: their bindings for servers and clients, and their methods and definitions by name, for programs that learn a revision at run time."))
	f.Add(doc("Revision gives access to the generated package of a protocol revision."))
	f.Type().Id("Revision").Struct(
		doc("ID is the revision's date."),
		jen.Id("ID").String(),
		doc("New returns a new value of a definition and reports whether there is such a definition."),
		jen.Id("New").Func().Params(jen.Id("definition").String()).Params(jen.Qual(wirePath, "Value"), jen.Bool()),
		doc("Methods lists the revision's requests and notifications, sorted by name."),
		jen.Id("Methods").Index().Qual(runtimePath, "Method"),
		doc("Errors holds the names of the definitions of error responses, by the codes of the errors."),
		jen.Id("Errors").Map(jen.Int64()).String(),
	)
	f.Line()
	f.Add(doc("Revisions returns the revisions that have generated code, the oldest first."))
	f.Func().Id("Revisions").Params().Index().Id("Revision").Block(
		jen.Return(jen.Index().Id("Revision").ValuesFunc(func(g *jen.Group) {
			for _, r := range revisions {
				pkg := PackagePath(r.Package)
				g.Line().Values(
					jen.Qual(pkg, "Revision"),
					jen.Qual(pkg, "New"),
					jen.Qual(pkg, "Methods"),
					errorCodes(r),
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
	bindings(f, revisions, "ServerBindings",
		"ServerBindings returns a server's binding for every revision, the newest first. They handle what every server has, as BindBase of each revision's package describes; a catalog handles the other methods. A program that calls it links none of the types of those methods.",
		func(pkg string) jen.Code { return jen.Qual(pkg, "BindBase").Call() })
	bindings(f, revisions, "ClientBindings",
		"ClientBindings returns a client's binding for every revision, the newest first, for a client that answers ping and refuses the other requests of servers.",
		func(pkg string) jen.Code {
			return jen.Qual(pkg, "BindClient").Call(jen.Qual(pkg, "UnimplementedClient").Values())
		})
	listExtensions(f, extensions)
	text, err := rendered(f)
	return files.File{Path: "revisions.go", Content: text}, err
}

// errorCodes renders the names of the definitions of error responses by their codes.
func errorCodes(r *ir.Revision) jen.Code {
	codes := ErrorDefinitions(r)
	if len(codes) == 0 {
		return jen.Nil()
	}
	return jen.Map(jen.Int64()).String().Values(jen.DictFunc(func(all jen.Dict) {
		for code, name := range codes {
			all[jen.Lit(int(code))] = jen.Lit(name)
		}
	}))
}

// bindings renders a function that returns one binding for each revision, the newest first.
func bindings(f *jen.File, revisions []*ir.Revision, name, comment string, bind func(pkg string) jen.Code) {
	f.Line()
	f.Add(doc(comment))
	f.Func().Id(name).Params().Index().Qual(runtimePath, "Binding").Block(
		jen.Return(jen.Index().Qual(runtimePath, "Binding").ValuesFunc(func(g *jen.Group) {
			for _, r := range slices.Backward(revisions) {
				g.Line().Add(bind(PackagePath(r.Package)))
			}
			g.Line()
		})),
	)
}

// listExtensions renders the list of extensions.
func listExtensions(f *jen.File, extensions []*ir.Revision) {
	f.Line()
	f.Add(doc("Extension gives access to the generated package of an extension."))
	f.Type().Id("Extension").Struct(
		jen.Qual(runtimePath, "Extension"),
		doc("New returns a new value of a definition of the extension or its revision, and reports whether there is such a definition."),
		jen.Id("New").Func().Params(jen.Id("definition").String()).Params(jen.Qual(wirePath, "Value"), jen.Bool()),
	)
	f.Line()
	f.Add(doc("Extensions returns the extensions that have generated code, sorted by name."))
	f.Func().Id("Extensions").Params().Index().Id("Extension").Block(
		jen.Return(jen.Index().Id("Extension").ValuesFunc(func(g *jen.Group) {
			for _, x := range extensions {
				pkg := PackagePath(ExtensionDir(x))
				g.Line().Values(jen.Qual(pkg, "Extension"), jen.Qual(pkg, "New"))
			}
			g.Line()
		})),
	)
}

// ExtensionDir returns the folder of an extension's package.
func ExtensionDir(x *ir.Revision) string { return "ext/" + x.Package }

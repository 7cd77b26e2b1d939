package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// Index renders package generated, which lists the revisions and their bindings, and the extensions.
// The revisions must be sorted from the oldest to the newest.
func Index(revisions, extensions []*ir.Revision) (files.File, error) {
	f := code.NewFile("generated", "spec/pins.json")
	f.PackageComment(code.CommentText("Package generated lists the protocol revisions that have generated code: their bindings for servers and clients, and their methods and definitions by name, for programs that learn a revision at run time."))
	code.Declare(f, "Revision gives access to the generated package of a protocol revision.", `type Revision struct {
		// ID is the revision's date.
		ID string
		// New returns a new value of a definition and reports whether there is such
		// a definition.
		New func(definition string) (wire.Value, bool)
		// Methods lists the revision's requests and notifications, sorted by name.
		Methods []runtime.Method
		// Errors holds the names of the definitions of error responses, by the codes
		// of the errors.
		Errors map[int64]string
	}`)
	list(f, "Revisions returns the revisions that have generated code, the oldest first.", "Revisions", "Revision", revisions, func(r *ir.Revision) jen.Code {
		pkg := PackagePath(r.Package)
		return jen.Values(jen.Qual(pkg, "Revision"), jen.Qual(pkg, "New"), jen.Qual(pkg, "Methods"), errorCodes(r))
	})
	code.Declare(f, "Lookup returns the revision with the given name and reports whether it has generated code.", `func Lookup(revision string) (Revision, bool) {
		for _, r := range Revisions() {
			if r.ID == revision {
				return r, true
			}
		}
		return Revision{}, false
	}`)
	newest := slices.Clone(revisions)
	slices.Reverse(newest)
	list(f, "ServerBindings returns a server's binding for every revision, the newest first. They handle what every server has, as BindBase of each revision's package describes; a catalog handles the other methods. A program that calls it links none of the types of those methods.",
		"ServerBindings", "runtime.Binding", newest, func(r *ir.Revision) jen.Code { return jen.Qual(PackagePath(r.Package), "BindBase").Call() })
	list(f, "ClientBindings returns a client's binding for every revision, the newest first, for a client that answers ping and refuses the other requests of servers.",
		"ClientBindings", "runtime.Binding", newest, func(r *ir.Revision) jen.Code {
			pkg := PackagePath(r.Package)
			return jen.Qual(pkg, "BindClient").Call(jen.Qual(pkg, "UnimplementedClient").Values())
		})
	code.Declare(f, "Extension gives access to the generated package of an extension.", `type Extension struct {
		runtime.Extension
		// New returns a new value of a definition of the extension or its revision,
		// and reports whether there is such a definition.
		New func(definition string) (wire.Value, bool)
	}`)
	list(f, "Extensions returns the extensions that have generated code, sorted by name.", "Extensions", "Extension", extensions, func(x *ir.Revision) jen.Code {
		pkg := PackagePath(ExtensionDir(x))
		return jen.Values(jen.Qual(pkg, "Extension"), jen.Qual(pkg, "New"))
	})
	text, err := code.Text(f)
	return files.File{Path: "revisions.go", Content: text}, err
}

// errorCodes renders the names of the definitions of error responses by their codes.
func errorCodes(r *ir.Revision) jen.Code {
	codes := ErrorDefinitions(r)
	if len(codes) == 0 {
		return jen.Nil()
	}
	all := jen.Dict{}
	for code, name := range codes {
		all[jen.Lit(int(code))] = jen.Lit(name)
	}
	return code.Go("map[int64]string$1", jen.Values(all))
}

// list renders a function that returns a list with an element for each revision or extension.
func list(f *jen.File, text, name, of string, all []*ir.Revision, element func(*ir.Revision) jen.Code) {
	var elements jen.Statement
	for _, r := range all {
		elements.Line().Add(element(r)).Op(",")
	}
	code.Declare(f, text, "func $1() []$2 {\nreturn []$2{$3\n}\n}", name, of, &elements)
}

// ExtensionDir returns the folder of an extension's package.
func ExtensionDir(x *ir.Revision) string { return "ext/" + x.Package }

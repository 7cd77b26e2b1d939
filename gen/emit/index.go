package emit

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// Index renders package generated, which lists the revisions and their bindings, and the extensions.
// The revisions must be sorted from the oldest to the newest.
func Index(revisions, extensions []*ir.Revision) (files.File, error) {
	file := code.File{
		Package: "generated", Source: "spec/pins.json",
		Doc: "Package generated lists the protocol revisions that have generated code: their bindings for servers and clients, and their methods and definitions by name, for programs that learn a revision at run time.",
	}
	var rows, servers, clients, described []string
	for _, r := range revisions {
		file.Also = append(file.Also, PackagePath(r.Package))
		rows = append(rows, fmt.Sprintf("{%[1]s.Revision, %[1]s.New, %[1]s.Methods, %[2]s}", r.Package, errorCodes(r)))
	}
	for _, r := range slices.Backward(revisions) {
		servers = append(servers, r.Package+".BindBase()")
		clients = append(clients, fmt.Sprintf("%[1]s.BindClient(%[1]s.UnimplementedClient{})", r.Package))
	}
	for _, x := range extensions {
		file.Also = append(file.Also, PackagePath(ExtensionDir(x)))
		described = append(described, fmt.Sprintf("{%[1]s.Extension, %[1]s.New}", x.Package))
	}
	var w code.Writer
	w.Doc("Revision gives access to the generated package of a protocol revision.")
	field := func(doc, name, of string) { w.P("%s%s %s", code.Comment(doc), name, of) }
	w.P("type Revision struct {")
	field("ID is the revision's date.", "ID", "string")
	field("New returns a new value of a definition and reports whether there is such a definition.", "New", "func(definition string) (wire.Value, bool)")
	field("Methods lists the revision's requests and notifications, sorted by name.", "Methods", "[]runtime.Method")
	field("Errors holds the names of the definitions of error responses, by the codes of the errors.", "Errors", "map[int64]string\n}")
	w.Doc("Revisions returns the revisions that have generated code, the oldest first.")
	w.P("func Revisions() []Revision {\nreturn []Revision%s\n}", code.Lines(rows))
	w.Doc("Lookup returns the revision with the given name and reports whether it has generated code.")
	w.P(`func Lookup(revision string) (Revision, bool) {
		for _, r := range Revisions() {
			if r.ID == revision {
				return r, true
			}
		}
		return Revision{}, false
	}`)
	w.Doc("ServerBindings returns a server's binding for every revision, the newest first. They handle what every server has, as BindBase of each revision's package describes; a catalog handles the other methods. A program that calls it links none of the types of those methods.")
	w.P("func ServerBindings() []runtime.Binding {\nreturn []runtime.Binding%s\n}", code.Lines(servers))
	w.Doc("ClientBindings returns a client's binding for every revision, the newest first, for a client that answers ping and refuses the other requests of servers.")
	w.P("func ClientBindings() []runtime.Binding {\nreturn []runtime.Binding%s\n}", code.Lines(clients))
	w.Doc("Extension gives access to the generated package of an extension.")
	w.P("type Extension struct {\nruntime.Extension\n%sNew func(definition string) (wire.Value, bool)\n}",
		code.Comment("New returns a new value of a definition of the extension or its revision, and reports whether there is such a definition."))
	w.Doc("Extensions returns the extensions that have generated code, sorted by name.")
	w.P("func Extensions() []Extension {\nreturn []Extension%s\n}", code.Lines(described))
	text, err := file.Render(w.String())
	return files.File{Path: "revisions.go", Content: text}, err
}

// errorCodes renders the names of the definitions of error responses by their codes.
func errorCodes(r *ir.Revision) string {
	names := code.Fields{}
	for code, name := range ErrorDefinitions(r) {
		names[strconv.FormatInt(code, 10)] = strconv.Quote(name)
	}
	if len(names) == 0 {
		return "nil"
	}
	return "map[int64]string" + names.String()
}

// ExtensionDir returns the folder of an extension's package.
func ExtensionDir(x *ir.Revision) string { return "ext/" + x.Package }

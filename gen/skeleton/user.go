package skeleton

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"
	"text/template"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/templates"
)

// HandlersType returns the name of the type that handlers.go declares in a package. It is
// exported if other packages import the package.
func HandlersType(pkg string) string {
	if pkg == "main" {
		return "handlers"
	}
	return "Handlers"
}

// UserOptions configure the user's files.
type UserOptions struct {
	// Name is the name of the server.
	Name    string
	Package string
	Source  string
	// List is the path of the list from the folder of the package, as a word of a command.
	List string
	// Folder is the path of the package in its module, or "" if it is the module's folder.
	Folder string
	// Generate is the command that regenerates the files.
	Generate string
	// Types has what the list offers.
	Types *typing.Package
	// Module is nil if there is a go.mod already.
	Module *Module
	// Apart means that the handlers are in another package.
	Apart bool
	// HTTP adds a server that is reachable over HTTP.
	HTTP bool
	// Auth protects the server over HTTP by access tokens.
	Auth bool
	// Survey describes the existing files.
	Survey *Survey
}

// Module is the content of a new module: go.mod and go.sum for the server or client, and mcpgen.mod and
// mcpgen.sum for the program that generates it.
type Module struct {
	Path    string
	Go      string   // language version, at least that of mcpgen
	Version string   // version of mcpgen
	Replace string   // folder that mcpgen is used from, or ""
	Needs   []string // other modules that generated code links, as in "example.com/module v1.2.3"
	Sums    string   // content of go.sum
	Tool    []string // other modules that the program links
	ToolSum string   // content of mcpgen.sum
}

// UserFiles lists the names of the files that belong to the user.
var UserFiles = []string{
	"main.go", "http.go", "handlers.go", "go.mod", "go.sum", ToolModule, "mcpgen.sum", "README.md", "Dockerfile", ".gitignore",
}

// ToolModule is the name of the file that takes the place of go.mod when the go command builds mcpgen.
const ToolModule = "mcpgen.mod"

// User generates the files that belong to the user from then on. It omits declarations that
// the user's files already have under another name.
func User(o UserOptions) ([]files.File, error) {
	methods := handlers(o.Types)
	writes := func(selector string) bool {
		return slices.ContainsFunc(methods, func(h handler) bool { return strings.Contains(h.result+h.zero, selector) })
	}
	up := "" // the path to the module's folder
	if o.Folder != "" {
		up = ".." + strings.Repeat("/..", strings.Count(o.Folder, "/"))
	}
	data := map[string]any{
		"Name": o.Name, "Package": o.Package, "Source": o.Source, "List": o.List, "Folder": o.Folder, "Up": up, "Type": HandlersType(o.Package),
		"Root": code.Module, "MCP": emit.PackagePath("mcp"), "Generate": o.Generate, "Missing": o.Generate + " --missing",
		"UsesErrors": slices.ContainsFunc(methods, func(h handler) bool { return h.result != completionType && h.calls == "" }),
		"UsesMCP":    writes("mcp."), "UsesCatalog": writes("catalog."), "UsesWire": writes("wire."), "UsesTime": writes("time."),
		"Methods": stubs(HandlersType(o.Package), methods), "Tools": rows(o.Types), "Items": itemRows(o.Types),
		"API":     apiOf(o.Types.Tools),
		"HTTP":    o.HTTP,
		"Auth":    o.Auth,
		"Replace": o.Module != nil && o.Module.Replace != "",
		// ToolModule says that the folder is a module, whose tools are in a module file of their own.
		"ToolModule": o.Module != nil,
	}
	program := o.Package == "main"
	var out []files.File
	for _, file := range []struct {
		name   string
		wanted bool
	}{
		{"handlers.go", len(o.Survey.Implementations) == 0 && !o.Apart},
		{"main.go", program && o.Survey.Main == ""},
		{"http.go", program && o.HTTP && (o.Survey.Main == "" || o.Survey.CallsHTTP && o.Survey.HTTP == "")},
		{"README.md", program},
		{"Dockerfile", program},
		{".gitignore", program},
	} {
		if !file.wanted {
			continue
		}
		src, err := fill(file.name, data)
		if err != nil {
			return nil, err
		}
		out = append(out, files.File{Path: file.name, Content: src})
	}
	if o.Module == nil {
		return out, nil
	}
	module, err := ModuleFiles(o.Module)
	return append(out, module...), err
}

// ModuleFiles generates the files of a new module.
func ModuleFiles(m *Module) ([]files.File, error) {
	data := map[string]any{
		"Root": code.Module, "Module": m.Path, "Go": m.Go, "Version": m.Version, "Replace": m.Replace, "Requires": m.Needs, "Tool": m.Tool,
	}
	out := []files.File{{Path: "go.sum", Content: []byte(m.Sums)}, {Path: "mcpgen.sum", Content: []byte(m.ToolSum)}}
	for _, name := range []string{"go.mod", ToolModule} {
		src, err := fill(name, data)
		if err != nil {
			return nil, err
		}
		out = append(out, files.File{Path: name, Content: src})
	}
	return out, nil
}

// fill executes a file's template.
func fill(name string, data map[string]any) ([]byte, error) {
	t, err := template.ParseFS(templates.Files, strings.TrimPrefix(name, ".")+".tmpl")
	if err != nil {
		return nil, err
	}
	var src bytes.Buffer
	if err := t.Execute(&src, data); err != nil {
		return nil, err
	}
	if !strings.HasSuffix(name, ".go") {
		return src.Bytes(), nil
	}
	formatted, err := format.Source(src.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return formatted, nil
}

// row is a row of the table of tools.
type row struct{ Name, Method, Result string }

// cell escapes text for a table.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "`", "'", "\n", " ").Replace(s) }

func rows(p *typing.Package) []row {
	var rows []row
	for _, t := range p.Tools {
		r := row{cell(t.Tool.Name), t.Go, "content blocks"}
		if t.Tool.Output != nil {
			r.Result = "`" + strings.TrimPrefix(toolHandler(t).result, "*") + "`"
		}
		rows = append(rows, r)
	}
	return rows
}

// itemRows returns the rows of the table of prompts, resources and templates. Result says what
// kind of item it is.
func itemRows(p *typing.Package) []row {
	var rows []row
	for _, i := range p.Items {
		if i.Text == nil {
			rows = append(rows, row{cell(i.Key), i.Method, "a " + i.Kind.Noun()})
		}
	}
	return rows
}

// Missing returns methods, ready to be pasted, for the items that the user's files have no
// method for, and the names of those items. Methods belong to the first type that is meant
// to implement Tools. If there is no such type, the methods of all types count.
func Missing(s *Survey, pkg string, types *typing.Package) (source string, names []string) {
	receiver, missing := missing(s, pkg, types)
	for _, h := range missing {
		names = append(names, h.item)
	}
	return strings.Join(stubs(receiver, missing), "\n\n"), names
}

// missing returns the methods that the user's files lack, and the type that they belong to.
func missing(s *Survey, pkg string, types *typing.Package) (receiver string, all []handler) {
	receiver, of := HandlersType(pkg), s.Methods
	if len(s.Implementations) > 0 {
		receiver = s.Implementations[0]
		of = map[string]map[string]bool{receiver: s.Methods[receiver]}
	}
	for _, h := range handlers(types) {
		there := false
		for _, methods := range of {
			there = there || methods[h.name]
		}
		if !there {
			all = append(all, h)
		}
	}
	return receiver, all
}

// Stale is a method of the user's that no item of the list has any more.
type Stale struct {
	Method string
	// Now is the method of an item without one whose name is like that of the method, or "".
	Now string
}

// StaleMethods returns the methods of the type that implements Tools that have the form of a handler, but no item.
func StaleMethods(s *Survey, pkg string, types *typing.Package) []Stale {
	receiver, missing := missing(s, pkg, types)
	names := make([]string, len(missing))
	for i, h := range missing {
		names[i] = h.name
	}
	current := handlers(types)
	var stale []Stale
	for _, name := range s.Handlers[receiver] {
		if slices.ContainsFunc(current, func(h handler) bool { return h.name == name }) {
			continue
		}
		found := Stale{Method: name}
		if now, ok := schema.Nearest(name, names, len(name)/2); ok {
			found.Now = now
		}
		stale = append(stale, found)
	}
	return stale
}

// stubs returns methods that return an error, or nothing if they propose values.
func stubs(receiver string, all []handler) []string {
	var out []string
	for _, h := range all {
		does, returns := "implements", fmt.Sprintf("%s, errors.New(%q)", h.zero, h.kind+" "+h.item+" is not implemented")
		if h.result == completionType {
			does, returns = "proposes", completionType+"{}, nil"
		}
		if h.calls != "" {
			returns = h.calls
		}
		out = append(out, fmt.Sprintf("// %[1]s %[2]s %[3]s.\nfunc (h *%[4]s) %[1]s%[5]s {\n\treturn %[6]s\n}", h.name, does, h.of, receiver, h.signature("ctx"), returns))
	}
	return out
}

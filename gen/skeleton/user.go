package skeleton

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"
	"text/template"

	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
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
	// Generate is the command that regenerates the files.
	Generate string
	Tools    []typing.ToolTypes
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
	data := map[string]any{
		"Name": o.Name, "Package": o.Package, "Source": o.Source, "Type": HandlersType(o.Package),
		"Root": root, "MCP": mcpPath, "Generate": o.Generate, "Missing": o.Generate + " --missing",
		"Content": slices.ContainsFunc(o.Tools, func(t typing.ToolTypes) bool { return t.Output == nil }),
		"Methods": methods(HandlersType(o.Package), o.Tools), "Tools": rows(o.Tools),
		"HTTP":    o.HTTP,
		"Auth":    o.Auth,
		"Replace": o.Module != nil && o.Module.Replace != "",
	}
	program := o.Package == "main"
	var out []files.File
	for _, file := range []struct {
		name   string
		wanted bool
	}{
		{"handlers.go", len(o.Survey.Implementations) == 0 && !o.Apart},
		{"main.go", program && !o.Survey.Main},
		{"http.go", program && !o.Survey.Main && o.HTTP},
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
		"Root": root, "Module": m.Path, "Go": m.Go, "Version": m.Version, "Replace": m.Replace, "Requires": m.Needs, "Tool": m.Tool,
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

func rows(all []typing.ToolTypes) []row {
	var rows []row
	for _, t := range all {
		name := strings.NewReplacer("|", `\|`, "`", "'", "\n", " ").Replace(t.Tool.Name)
		r := row{name, t.Go, "content blocks"}
		if t.Output != nil {
			r.Result = "`" + t.Output.Name + "`"
		}
		rows = append(rows, r)
	}
	return rows
}

// Missing returns methods, ready to be pasted, for the tools that the user's files have no
// method for, and the names of those tools. Methods belong to the first type that is meant
// to implement Tools. If there is no such type, the methods of all types count.
func Missing(s *Survey, pkg string, all []typing.ToolTypes) (source string, names []string) {
	receiver, of := HandlersType(pkg), s.Methods
	if len(s.Implementations) > 0 {
		receiver = s.Implementations[0]
		of = map[string]map[string]bool{receiver: s.Methods[receiver]}
	}
	var missing []typing.ToolTypes
	for _, t := range all {
		there := false
		for _, methods := range of {
			there = there || methods[t.Go]
		}
		if !there {
			missing = append(missing, t)
			names = append(names, t.Tool.Name)
		}
	}
	return strings.Join(methods(receiver, missing), "\n\n"), names
}

// methods returns a method for each of several tools.
func methods(receiver string, all []typing.ToolTypes) []string {
	var out []string
	for _, t := range all {
		returns := "[]mcp.ContentBlock"
		if t.Output != nil {
			returns = "*" + t.Output.Name
		}
		out = append(out, fmt.Sprintf(`// %[1]s implements the tool %[2]q.
func (h *%[3]s) %[1]s(ctx context.Context, in *%[4]s) (%[5]s, error) {
	return nil, errors.New(%[6]q)
}`, t.Go, t.Tool.Name, receiver, t.Input.Name, returns, "the tool "+t.Tool.Name+" is not implemented"))
	}
	return out
}

package emit

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strings"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// Newest renders package mcp, which declares every exported identifier of the package of a
// revision again under a name without a date. The files of the revision's package are its
// input, so that it follows whatever they declare.
func Newest(r *ir.Revision, revision []files.File, dir string) ([]files.File, error) {
	n := &newest{pkg: r.Package, texts: map[string]*code.Writer{}}
	n.file("doc.go")
	newServer(n.file("server.go"))
	connect(n.file("connect.go"))
	for _, f := range revision {
		if err := n.declare(path.Base(f.Path), f.Content); err != nil {
			return nil, fmt.Errorf("%s: package mcp: %w", f.Path, err)
		}
	}
	var out []files.File
	for _, name := range n.names {
		file := code.File{Package: "mcp", Source: "spec/pins.json", Also: []string{PackagePath(r.Package)}}
		if name == "doc.go" {
			file.Doc = "Package mcp is a revision of the Model Context Protocol under a name without a date, and servers and clients that speak every revision.\n\n" +
				"Its types, constants and functions are those of package " + n.pkg + ", for revision " + r.ID + ". A later version of this package may have those of a newer revision. Code that uses this package may then need changes, and its messages may have new members.\n\n" +
				"To stay with a revision, import the package with its date instead, and use package compat, whose NewServer and Connect do the same for any revision."
		}
		text, err := file.Render(n.texts[name].String())
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", dir, name, err)
		}
		out = append(out, files.File{Path: dir + "/" + name, Content: text})
	}
	return out, nil
}

// newest renders the files of package mcp.
type newest struct {
	pkg   string // of the revision's package
	texts map[string]*code.Writer
	names []string // of files, in the order in which they were created
}

// file returns the text of the file with a name, creating it on first use.
func (n *newest) file(name string) *code.Writer {
	if n.texts[name] == nil {
		n.texts[name] = new(code.Writer)
		n.names = append(n.names, name)
	}
	return n.texts[name]
}

// newServer renders NewServer and its options.
func newServer(w *code.Writer) {
	w.Doc("ServerOptions configure a server.")
	w.P("type ServerOptions = runtime.ServerOptions")
	w.Doc("NewServer returns a server that offers the items and speaks every revision of the protocol. Items are the tools, prompts, resources and templates of package catalog, the tools of package typed, and those of generated packages. Their definitions and results are written for the revision of this package and converted to that of each client.\n\nThe items decide the capabilities of the server, unless the options declare some. NewServer returns an error for an invalid definition or schema, for two items with the same name, and for options that cannot be served.\n\nTo change the items later, pass a *catalog.Catalog as one of them and keep it.")
	w.P("func NewServer(options ServerOptions, items ...catalog.Item) (*runtime.Server, error) {\nreturn compat.NewServer(BindBase(), options, items...)\n}")
}

// connect renders Connect.
func connect(w *code.Writer) {
	w.Doc("Connect opens a session with a server of any revision. The session speaks the newest revision that the server supports, and converts its messages to and from the types of this package. Options decide who the client is and how it responds to the server.\n\nThe transport is stdio.Command for a program, dial.URL for a URL, or any other runtime.Transport. Connect owns the transport, even if it fails. ctx applies to the opening only; the session lasts until Close or until the server ends it.")
	w.P("func Connect(ctx context.Context, transport runtime.Transport, options ClientOptions) (*Session, error) {\nreturn compat.Connect(ctx, transport, options)\n}\n")
}

// declare renders the exported declarations of a file of the revision's package.
func (n *newest) declare(name string, src []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil && decl.Name.IsExported() {
				err = n.function(name, decl)
			}
		case *ast.GenDecl:
			err = n.general(name, decl)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// general renders declarations of types, constants and variables.
func (n *newest) general(name string, decl *ast.GenDecl) error {
	specs := ""
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if !spec.Name.IsExported() {
				continue
			}
			if spec.TypeParams != nil {
				return fmt.Errorf("type %s has type parameters", spec.Name.Name)
			}
			specs += n.same(spec.Name.Name, spec.Doc, spec.Comment, decl)
		case *ast.ValueSpec:
			for _, id := range spec.Names {
				if id.IsExported() {
					specs += n.same(id.Name, spec.Doc, spec.Comment, decl)
				}
			}
		}
	}
	switch {
	case specs == "":
	case decl.Lparen.IsValid():
		n.file(name).P("%s (\n%s)\n", decl.Tok, specs)
	default:
		n.file(name).P("%s%s %s", comment(decl.Doc), decl.Tok, specs)
	}
	return nil
}

// same renders the specification that makes a name the same as in the revision's package.
func (n *newest) same(name string, above, beside *ast.CommentGroup, decl *ast.GenDecl) string {
	about := ""
	if decl.Lparen.IsValid() {
		if above == nil {
			above = beside
		}
		about = comment(above)
	}
	return fmt.Sprintf("%s%s = %s.%[2]s\n", about, name, n.pkg)
}

// function renders a function that calls the one of the revision's package.
func (n *newest) function(name string, decl *ast.FuncDecl) error {
	if decl.Type.TypeParams != nil {
		return fmt.Errorf("function %s has type parameters", decl.Name.Name)
	}
	var args []string
	signature := *decl.Type
	signature.Params = &ast.FieldList{}
	for i, field := range decl.Type.Params.List {
		field := *field
		if len(field.Names) == 0 {
			field.Names = []*ast.Ident{ast.NewIdent(fmt.Sprintf("p%d", i))}
		}
		for _, id := range field.Names {
			arg := id.Name
			if _, ok := field.Type.(*ast.Ellipsis); ok {
				arg += "..."
			}
			args = append(args, arg)
		}
		signature.Params.List = append(signature.Params.List, &field)
	}
	if unknown := unrepeatable(&signature); unknown != "" {
		return fmt.Errorf("function %s: its signature has a type that cannot be repeated in another package: %s", decl.Name.Name, unknown)
	}
	returns := ""
	if decl.Type.Results != nil {
		returns = "return "
	}
	n.file(name).P("%sfunc %[2]s%s {\n%s%s.%[2]s(%[6]s)\n}\n", comment(decl.Doc), decl.Name.Name, strings.TrimPrefix(types.ExprString(&signature), "func"), returns, n.pkg, code.List(args...))
	return nil
}

// unrepeatable returns a type of a signature that another package cannot name, or "". Exported types of the revision's
// package are types of package mcp too.
func unrepeatable(signature *ast.FuncType) (found string) {
	ast.Inspect(signature, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.SelectorExpr:
			return false
		case *ast.StructType, *ast.InterfaceType, *ast.FuncType:
			if node != signature {
				found = types.ExprString(node.(ast.Expr))
			}
		case *ast.Field:
			ast.Inspect(node.Type, func(of ast.Node) bool {
				if id, ok := of.(*ast.Ident); ok && !id.IsExported() && types.Universe.Lookup(id.Name) == nil {
					found = id.Name
				}
				_, qualified := of.(*ast.SelectorExpr)
				return !qualified
			})
			return false
		}
		return true
	})
	return found
}

// comment renders a comment unchanged.
func comment(group *ast.CommentGroup) string {
	if group == nil {
		return ""
	}
	lines := ""
	for _, c := range group.List {
		lines += c.Text + "\n"
	}
	return lines
}

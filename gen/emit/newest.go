package emit

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// Newest renders package mcp, which declares every exported identifier of the package of a
// revision again under a name without a date. The files of the revision's package are its
// input, so that it follows whatever they declare.
func Newest(r *ir.Revision, revision []files.File, dir string) ([]files.File, error) {
	n := &newest{pkg: r.Package, path: PackagePath(r.Package), files: map[string]*jen.File{}}
	n.packageDoc(n.file("doc.go"), r.ID)
	n.newServer(n.file("server.go"))
	n.connect(n.file("connect.go"))
	for _, f := range revision {
		if err := n.declare(path.Base(f.Path), f.Content); err != nil {
			return nil, fmt.Errorf("%s: package mcp: %w", f.Path, err)
		}
	}
	var out []files.File
	for _, name := range n.names {
		text, err := code.Text(n.files[name])
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", dir, name, err)
		}
		out = append(out, files.File{Path: dir + "/" + name, Content: text})
	}
	return out, nil
}

// newest renders the files of package mcp.
type newest struct {
	pkg, path string // of the revision's package
	files     map[string]*jen.File
	names     []string // of files, in the order in which they were created
}

// file returns the file with a name, creating it on first use.
func (n *newest) file(name string) *jen.File {
	if f := n.files[name]; f != nil {
		return f
	}
	f := code.NewFile("mcp", "spec/pins.json")
	n.files[name] = f
	n.names = append(n.names, name)
	return f
}

func (n *newest) packageDoc(f *jen.File, revision string) {
	f.PackageComment(code.CommentText("Package mcp is a revision of the Model Context Protocol under a name without a date, and servers and clients that speak every revision.\n\n" +
		"Its types, constants and functions are those of package " + n.pkg + ", for revision " + revision + ". A later version of this package may have those of a newer revision. Code that uses this package may then need changes, and its messages may have new members.\n\n" +
		"To stay with a revision, import the package with its date instead, and use package compat, whose NewServer and Connect do the same for any revision."))
}

// newServer renders NewServer and its options.
func (n *newest) newServer(f *jen.File) {
	code.Declare(f, "ServerOptions configure a server.", "type ServerOptions = runtime.ServerOptions")
	code.Declare(f, "NewServer returns a server that offers the items and speaks every revision of the protocol. Items are the tools, prompts, resources and templates of package catalog, the tools of package typed, and those of generated packages. Their definitions and results are written for the revision of this package and converted to that of each client.\n\nThe items decide the capabilities of the server, unless the options declare some. NewServer returns an error for an invalid definition or schema, for two items with the same name, and for options that cannot be served.\n\nTo change the items later, pass a *catalog.Catalog as one of them and keep it.",
		"func NewServer(options ServerOptions, items ...catalog.Item) (*runtime.Server, error) {\nreturn compat.NewServer(BindBase(), options, items...)\n}")
}

// connect renders Connect.
func (n *newest) connect(f *jen.File) {
	code.Declare(f, "Connect opens a session with a server of any revision. The session speaks the newest revision that the server supports, and converts its messages to and from the types of this package. Options decide who the client is and how it responds to the server.\n\nThe transport is stdio.Command for a program, streamable.URL for a URL, or any other runtime.Transport. Connect owns the transport, even if it fails. ctx applies to the opening only; the session lasts until Close or until the server ends it.",
		"func Connect(ctx context.Context, transport runtime.Transport, options ClientOptions) (*Session, error) {\nreturn compat.Connect(ctx, transport, options)\n}\n")
}

// declare renders the exported declarations of a file of the revision's package.
func (n *newest) declare(name string, src []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		text := ""
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil && decl.Name.IsExported() {
				text = n.function(decl)
			}
		case *ast.GenDecl:
			text = n.general(decl)
		}
		if text != "" {
			n.file(name).Add(code.Go(text)).Line()
		}
	}
	return nil
}

// general renders declarations of types, constants and variables, and returns "" if none of them is exported.
func (n *newest) general(decl *ast.GenDecl) string {
	specs, group := "", decl.Lparen.IsValid()
	same := func(id *ast.Ident, about *ast.CommentGroup) {
		if id.IsExported() && group {
			specs += comment(about)
		}
		if id.IsExported() {
			specs += id.Name + " = " + code.Name(n.path, id.Name) + "\n"
		}
	}
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			same(spec.Name, cmp.Or(spec.Doc, spec.Comment))
		case *ast.ValueSpec:
			for _, id := range spec.Names {
				same(id, cmp.Or(spec.Doc, spec.Comment))
			}
		}
	}
	switch {
	case specs == "":
		return ""
	case group:
		return decl.Tok.String() + " (\n" + specs + ")\n"
	}
	return comment(decl.Doc) + decl.Tok.String() + " " + specs
}

// function renders a function that calls the one of the revision's package.
func (n *newest) function(decl *ast.FuncDecl) string {
	var args []string
	for i, field := range decl.Type.Params.List {
		if len(field.Names) == 0 {
			field.Names = []*ast.Ident{ast.NewIdent(fmt.Sprintf("p%d", i))}
		}
		more := ""
		if _, ok := field.Type.(*ast.Ellipsis); ok {
			more = "..."
		}
		for _, id := range field.Names {
			args = append(args, id.Name+more)
		}
	}
	returns := ""
	if decl.Type.Results != nil {
		returns = "return "
	}
	return fmt.Sprintf("%sfunc %s%s {\n%s%s(%s)\n}\n", comment(decl.Doc), decl.Name.Name, strings.TrimPrefix(types.ExprString(decl.Type), "func"),
		returns, code.Name(n.path, decl.Name.Name), strings.Join(args, ", "))
}

// comment renders a comment unchanged.
func comment(group *ast.CommentGroup) string {
	if group == nil {
		return ""
	}
	text := ""
	for _, c := range group.List {
		text += c.Text + "\n"
	}
	return text
}

package skeleton

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/validate"
)

// Import paths of what generated code stands on.
const (
	root         = "github.com/mcpgen/mcpgen"
	wirePath     = root + "/runtime/wire"
	runtimePath  = root + "/runtime"
	catalogPath  = root + "/runtime/catalog"
	toolsPath    = root + "/runtime/tools"
	contractPath = root + "/runtime/tools/contract"
)

// revisions are the packages of the revisions that servers and clients speak, the newest
// first.
var revisions = []string{"mcp20251125", "mcp20250618", "mcp20250326", "mcp20241105"}

func revisionPath(name string) string { return root + "/generated/" + name }

// mcpPath is the package whose content blocks handlers return.
var mcpPath = revisionPath(revisions[0])

// Options say what is made.
type Options struct {
	List *tools.List
	// Source is the name of the list's file without its folder. Generated files name it.
	Source string
	// Package is the name of the Go package.
	Package string
	// Implementations are types of the package that are meant to implement Tools: for
	// each, the compiler is made to name every method that is missing.
	Implementations []string
}

// Result is what was made of a list.
type Result struct {
	// Files are the generated files.
	Files []files.File
	Tools []tools.ToolTypes
	// Diagnostics tell what the types cannot say.
	Diagnostics []tools.Diagnostic
}

// Suffixes are how the names of generated files end.
var Suffixes = []string{".gen.go", ".gen_test.go"}

// methodNames are names that no tool's method can have: Client has methods of that name,
// or go vet wants another signature of it.
var methodNames = []string{
	"Check", "Close",
	"GobDecode", "GobEncode", "MarshalJSON", "MarshalXML", "ReadByte", "ReadRune",
	"UnmarshalJSON", "UnmarshalXML", "UnreadByte", "UnreadRune", "WriteByte",
}

// identifiers are what the files made here declare and export.
var identifiers = []string{"Client", "Connect", "Handlers", "NewClient", "NewServer", "ServerTools", "Tools"}

// Server makes the generated files of a server, and of a client for it.
func Server(o Options) (*Result, error) {
	g, err := start(o)
	if err != nil {
		return nil, err
	}
	g.types(true)
	g.checks(true)
	g.render("definitions.gen.go", func(f *jen.File) { g.definitions(f, true) })
	g.render("server.gen.go", g.server)
	g.render("client.gen.go", g.client)
	g.contract()
	return g.result()
}

// Client makes the generated files of a client.
func Client(o Options) (*Result, error) {
	g, err := start(o)
	if err != nil {
		return nil, err
	}
	g.types(false)
	g.checks(false)
	g.render("definitions.gen.go", func(f *jen.File) { g.definitions(f, false) })
	g.render("client.gen.go", g.client)
	return g.result()
}

type generator struct {
	Options
	tools       []tools.ToolTypes
	pkg         *tools.Package
	diagnostics []tools.Diagnostic
	out         []files.File
	err         error
}

func start(o Options) (*generator, error) {
	pkg, diagnostics, err := tools.Types(o.List, tools.Options{Methods: methodNames, Identifiers: identifiers})
	if err != nil {
		return nil, err
	}
	return &generator{Options: o, tools: pkg.Tools, pkg: pkg, diagnostics: diagnostics}, nil
}

func (g *generator) result() (*Result, error) {
	if g.err != nil {
		return nil, g.err
	}
	return &Result{g.out, g.tools, g.diagnostics}, nil
}

func (g *generator) types(defaults bool) {
	list, err := emit.Tools(g.pkg.Decls, emit.ToolsOptions{Package: g.Package, Source: g.Source, Defaults: defaults})
	g.fail(err)
	g.out = append(g.out, list...)
}

func (g *generator) fail(err error) {
	if g.err == nil {
		g.err = err
	}
}

// checks makes the functions that check results and, for servers, arguments.
func (g *generator) checks(inputs bool) {
	var roots []validate.Root
	for _, t := range g.tools {
		if inputs {
			roots = append(roots, validate.Root{Func: checkName(t.Input.Name), Schema: t.Tool.Input})
		}
		if t.Output != nil {
			roots = append(roots, validate.Root{Func: checkName(t.Output.Name), Schema: t.Tool.Output})
		}
	}
	if len(roots) == 0 {
		return
	}
	g.render("checks.gen.go", func(f *jen.File) { g.fail(validate.Emit(f, roots)) })
}

func checkName(decl string) string { return "check" + decl }

// render makes one file of what fill adds to it.
func (g *generator) render(name string, fill func(*jen.File)) {
	if src := g.source(name, fill); src != nil {
		g.out = append(g.out, files.File{Path: name, Content: src})
	}
}

// source renders a file; after an error it is nil.
func (g *generator) source(name string, fill func(*jen.File)) []byte {
	if g.err != nil {
		return nil
	}
	f := jen.NewFile(g.Package)
	f.HeaderComment(emit.Header(g.Source))
	for _, path := range []string{wirePath, runtimePath, catalogPath, toolsPath, contractPath} {
		f.ImportName(path, path[strings.LastIndexByte(path, '/')+1:])
	}
	f.ImportAlias(mcpPath, "mcp")
	for _, name := range revisions[1:] {
		f.ImportName(revisionPath(name), name)
	}
	fill(f)
	var src bytes.Buffer
	if g.err == nil {
		if err := f.Render(&src); err != nil {
			g.fail(fmt.Errorf("%s: %w", name, err))
		}
	}
	return src.Bytes()
}

// toolName is the variable that holds a tool.
func toolName(t tools.ToolTypes) string { return "tool" + t.Go }

// definitions makes what both sides know of the tools.
func (g *generator) definitions(f *jen.File, inputs bool) {
	f.Comment("Generated for this version of the runtime; others do not compile.")
	f.Const().Id("_").Op("=").Qual(toolsPath, "ToolsV1")
	f.Line()
	f.Comment("The tools, with their definitions as tools/list gives them.")
	f.Var().DefsFunc(func(defs *jen.Group) {
		for _, t := range g.tools {
			defs.Id(toolName(t)).Op("=").Op("&").Qual(toolsPath, "Tool").Values(jen.DictFunc(func(d jen.Dict) {
				d[jen.Id("Name")] = jen.Lit(t.Tool.Name)
				d[jen.Id("Definition")] = text(string(t.Tool.Definition))
				if inputs {
					d[jen.Id("Input")] = jen.Id(checkName(t.Input.Name))
				}
				if t.Output != nil {
					d[jen.Id("Output")] = jen.Id(checkName(t.Output.Name))
				}
			}))
		}
	})
	f.Line()
	f.Comment("definitions are those of all tools, in the order of the list.")
	f.Var().Id("definitions").Op("=").Qual(toolsPath, "Definitions").Call(jen.Index().Op("*").Qual(toolsPath, "Tool").ValuesFunc(func(all *jen.Group) {
		for _, t := range g.tools {
			all.Line().Id(toolName(t))
		}
		all.Line()
	}))
}

// text is a string constant, between back quotes where that is possible.
func text(s string) jen.Code {
	if strconv.CanBackquote(s) {
		return jen.Op("`" + s + "`")
	}
	return jen.Lit(s)
}

// checksum is that of the list without white space between tokens.
func (g *generator) checksum() string {
	sum := sha256.Sum256(compactList(g.List))
	return hex.EncodeToString(sum[:])
}

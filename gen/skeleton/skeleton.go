package skeleton

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// Import paths that generated code uses.
const (
	root         = "github.com/mcpgen/mcpgen"
	wirePath     = root + "/runtime/wire"
	runtimePath  = root + "/runtime"
	catalogPath  = root + "/runtime/catalog"
	toolsPath    = root + "/runtime/tools"
	contractPath = root + "/runtime/tools/contract"
	// generatedPath is the package with the bindings of all revisions.
	generatedPath = root + "/generated"
	// mcpPath is the package of the content blocks that handlers return.
	mcpPath = generatedPath + "/mcp"
)

// Options configure what is generated.
type Options struct {
	List *tools.List
	// Source is the name of the list's file without its folder. Generated files mention it.
	Source string
	// Package is the name of the Go package.
	Package string
	// Implementations lists the types of the package that are meant to implement Tools. The
	// generated code makes the compiler report every method that one of them lacks.
	Implementations []string
}

// Result is what is generated from a list.
type Result struct {
	// Files are the generated files.
	Files []files.File
	Tools []typing.ToolTypes
	// Diagnostics reports what the types cannot express.
	Diagnostics []typing.Diagnostic
}

// Suffixes lists the suffixes of the names of generated files.
var Suffixes = []string{".gen.go", ".gen_test.go"}

// methodNames lists the names that no tool's method can have: Client has methods with these
// names, or go vet expects another signature for them.
var methodNames = []string{
	"Check", "Close",
	"GobDecode", "GobEncode", "MarshalJSON", "MarshalXML", "ReadByte", "ReadRune",
	"UnmarshalJSON", "UnmarshalXML", "UnreadByte", "UnreadRune", "WriteByte",
}

// identifiers lists the exported identifiers that the files generated here declare.
var identifiers = []string{"Client", "Connect", "Handlers", "NewClient", "NewServer", "ServerTools", "Tools"}

// Server generates the files of a server, and of a client for it.
func Server(o Options) (*Result, error) {
	g, err := start(o, true)
	if err != nil {
		return nil, err
	}
	return g.make(g.types, g.checks(true), g.definitions(true), g.server, g.client, g.test, g.samples)
}

// Client generates the files of a client.
func Client(o Options) (*Result, error) {
	g, err := start(o, false)
	if err != nil {
		return nil, err
	}
	return g.make(g.types, g.checks(false), g.definitions(false), g.client)
}

type generator struct {
	Options
	pkg         *typing.Package
	diagnostics []typing.Diagnostic
}

func start(o Options, server bool) (*generator, error) {
	pkg, diagnostics, err := typing.Types(o.List, typing.Options{Methods: methodNames, Identifiers: identifiers, Server: server})
	if err != nil {
		return nil, err
	}
	return &generator{o, pkg, diagnostics}, nil
}

// artifact generates the files of one kind.
type artifact func() ([]files.File, error)

// make generates all artifacts in parallel. They are independent of each other.
func (g *generator) make(all ...artifact) (*Result, error) {
	made, errs := make([][]files.File, len(all)), make([]error, len(all))
	emit.Parallel(len(all), func(i int) { made[i], errs[i] = all[i]() })
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &Result{slices.Concat(made...), g.pkg.Tools, g.diagnostics}, nil
}

func (g *generator) types() ([]files.File, error) {
	return emit.Tools(g.pkg.Decls, emit.ToolsOptions{Package: g.Package, Source: g.Source})
}

// checks renders the functions that check results and, for servers, arguments.
func (g *generator) checks(inputs bool) artifact {
	var roots []check.Root
	for _, t := range g.pkg.Tools {
		if inputs {
			roots = append(roots, check.Root{Func: checkName(t.Input.Name), Schema: t.Tool.Input})
		}
		if t.Output != nil {
			roots = append(roots, check.Root{Func: checkName(t.Output.Name), Schema: t.Tool.Output})
		}
	}
	return func() ([]files.File, error) {
		if len(roots) == 0 {
			return nil, nil
		}
		all, err := check.Declarations(roots)
		if err != nil {
			return nil, err
		}
		return spread(g, "checks.gen.go", all, func(f *jen.File, part []jen.Code, _ bool) {
			check.Imports(f)
			for _, d := range part {
				f.Line().Add(d)
			}
		})
	}
}

func checkName(decl string) string { return "check" + decl }

// file returns a new generated file.
func (g *generator) file() *jen.File {
	f := jen.NewFile(g.Package)
	f.HeaderComment(emit.Header(g.Source))
	for _, path := range []string{wirePath, runtimePath, catalogPath, toolsPath, contractPath, generatedPath} {
		f.ImportName(path, path[strings.LastIndexByte(path, '/')+1:])
	}
	f.ImportName(mcpPath, "mcp")
	return f
}

// spread renders items into one file or, if that is too long, into several. Fill adds some
// of the items to a file, and to the first file also the declarations that occur once.
func spread[T any](g *generator, name string, items []T, fill func(f *jen.File, part []T, first bool)) ([]files.File, error) {
	return emit.Render(emit.Source{
		Name: name, New: g.file, Items: len(items),
		Fill: func(f *jen.File, first, end int) { fill(f, items[first:end], first == 0) },
	})
}

// toolName returns the name of the variable that holds a tool.
func toolName(t typing.ToolTypes) string { return "tool" + t.Go }

// definitions renders what both sides need to know of the tools.
func (g *generator) definitions(inputs bool) artifact {
	fill := func(f *jen.File, part []typing.ToolTypes, first bool) {
		if first {
			g.allDefinitions(f)
		}
		f.Line()
		f.Comment("Tools, with their definitions as tools/list returns them.")
		f.Var().DefsFunc(func(defs *jen.Group) {
			for _, t := range part {
				defs.Id(toolName(t)).Op("=").Op("&").Qual(toolsPath, "Tool").Values(definition(t, inputs))
			}
		})
	}
	return func() ([]files.File, error) { return spread(g, "definitions.gen.go", g.pkg.Tools, fill) }
}

// definition renders the literal of a tool.
func definition(t typing.ToolTypes, inputs bool) jen.Dict {
	d := jen.Dict{
		jen.Id("Name"):       jen.Lit(t.Tool.Name),
		jen.Id("Definition"): text(string(t.Tool.Definition)),
	}
	if inputs {
		d[jen.Id("Input")] = jen.Id(checkName(t.Input.Name))
	}
	if t.Output != nil {
		d[jen.Id("Output")] = jen.Id(checkName(t.Output.Name))
	}
	return d
}

// allDefinitions renders the declarations before the tools.
func (g *generator) allDefinitions(f *jen.File) {
	f.Comment("This code does not compile with other versions of the runtime.")
	f.Const().Id("_").Op("=").Qual(toolsPath, "ToolsV3")
	f.Line()
	f.Comment("definitions holds the definitions of all tools, in the order of the list.")
	f.Var().Id("definitions").Op("=").Qual(toolsPath, "Definitions").Call(jen.Index().Op("*").Qual(toolsPath, "Tool").ValuesFunc(func(all *jen.Group) {
		for _, t := range g.pkg.Tools {
			all.Line().Id(toolName(t))
		}
		all.Line()
	}))
}

// text renders a string constant, as a raw string if possible.
func text(s string) jen.Code {
	if strconv.CanBackquote(s) {
		return jen.Op("`" + s + "`")
	}
	return jen.Lit(s)
}

// checksum returns the checksum of the list without white space between tokens.
func (g *generator) checksum() string {
	sum := sha256.Sum256(compactList(g.List))
	return hex.EncodeToString(sum[:])
}

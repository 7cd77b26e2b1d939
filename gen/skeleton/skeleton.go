package skeleton

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options configure what is generated.
type Options struct {
	List *tools.List
	// Source is the name of the list's file without its folder. Generated files mention it.
	Source string
	// Package is the name of the Go package.
	Package string
	// Implementations lists the types of the package that are meant to implement Tools, and Prompts and Resources
	// if the list has some. The generated code makes the compiler report every method that one of them lacks.
	Implementations []string
	// BigIntegers makes an integer without limits a wire.Integer, and Time a string in the format date-time a
	// time.Time, see typing.Options.
	BigIntegers, Time bool
	// Progress is called for each generated file, from several goroutines. It may be nil.
	Progress func()
}

// Result is what is generated from a list.
type Result struct {
	// Files are the generated files.
	Files []files.File
	*typing.Package
}

// Suffixes lists the suffixes of the names of generated files.
var Suffixes = []string{".gen.go", ".gen_test.go", ".gen.txt"}

// methodNames lists the names that no method of an item can have: Client has methods with these
// names, or go vet expects another signature for them.
var methodNames = []string{
	"Check", "Close",
	"GobDecode", "GobEncode", "MarshalJSON", "MarshalXML", "ReadByte", "ReadRune",
	"UnmarshalJSON", "UnmarshalXML", "UnreadByte", "UnreadRune", "WriteByte",
}

// identifiers lists the exported identifiers that the files generated here declare.
var identifiers = []string{
	"Client", "Connect", "Handlers", "NewClient", "NewServer", "Prompts", "Resources", "ServerPrompts", "ServerResources", "ServerTools", "Service", "Tools",
}

// Server generates the files of a server.
func Server(o Options) (*Result, error) {
	g, err := start(o, true)
	if err != nil {
		return nil, err
	}
	return g.make(g.server, g.tools, g.items, g.tests, g.texts)
}

// Check returns the error that [Server] returns for a list that it refuses, without generating files.
func Check(o Options) error {
	g, err := start(o, true)
	if err != nil {
		return err
	}
	_, _, tools := g.toolChecks()
	_, items := g.itemChecks()
	return errors.Join(tools, items)
}

// Client generates the files of a client.
func Client(o Options) (*Result, error) {
	g, err := start(o, false)
	if err != nil {
		return nil, err
	}
	return g.make(g.client, g.tools, g.items, g.texts)
}

type generator struct {
	Options
	pkg *typing.Package
	// serves means that the code is that of a server: it checks and decodes arguments, and encodes results.
	serves bool
	// names has the beginning of the file names of each item, by its kind and Go name.
	names map[string]string
}

func start(o Options, server bool) (*generator, error) {
	if server {
		if err := served(o.List); err != nil {
			return nil, err
		}
	}
	pkg, err := typing.Types(o.List, typing.Options{Methods: methodNames, Identifiers: identifiers, Server: server, BigIntegers: o.BigIntegers, Time: o.Time})
	if err != nil {
		return nil, err
	}
	byNoun := map[string][]string{}
	for _, t := range pkg.Tools {
		byNoun["tool"] = append(byNoun["tool"], t.Go)
	}
	for _, i := range pkg.Items {
		noun := forms[i.Kind].noun
		byNoun[noun] = append(byNoun[noun], i.Go)
	}
	fileNamesOf := map[string]string{}
	for noun, all := range byNoun {
		for id, name := range fileNames(all) {
			fileNamesOf[noun+" "+id] = name
		}
	}
	pkg.Notes = slices.Concat(o.List.Notes, pkg.Notes)
	return &generator{o, pkg, server, fileNamesOf}, nil
}

// artifact generates the files of one kind.
type artifact func() ([]files.File, error)

// make generates all artifacts in parallel. They are independent of each other.
func (g *generator) make(all ...artifact) (*Result, error) {
	made, errs := make([][]files.File, len(all)), make([]error, len(all))
	code.Parallel(len(all), func(i int) { made[i], errs[i] = all[i]() })
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &Result{slices.Concat(made...), g.pkg}, nil
}

// render renders sources in parallel, and reports each.
func (g *generator) render(sources ...code.Source) ([]files.File, error) {
	if g.Progress != nil {
		for i, s := range sources {
			sources[i].Fill = func(f *jen.File, first, end int) {
				s.Fill(f, first, end)
				g.Progress()
			}
		}
	}
	return code.Render(sources...)
}

// lines returns a generated file that is not Go.
func (g *generator) lines(name string, all [][]byte) files.File {
	text := []byte("// " + code.Header(g.Source) + "\n")
	for _, line := range all {
		text = append(append(text, line...), '\n')
	}
	return files.File{Path: name, Content: text}
}

// guard renders a declaration that keeps the code from compiling with other versions of the runtime.
func guard(f *jen.File) {
	code.Declare(f, "This code does not compile with other versions of the runtime.", "const _ = wire.GeneratedV1")
	f.Line()
}

// callsAPI reports whether a tool of the list calls an operation of an API.
func (g *generator) callsAPI() bool {
	return slices.ContainsFunc(g.pkg.Tools, func(t typing.ToolTypes) bool { return t.Tool.Operation != nil })
}

// definitionsFile is the name of the file with the definitions.
const definitionsFile = "definitions.gen.txt"

// definitions renders the variable that holds the definitions.
func (g *generator) definitions(f *jen.File) {
	f.Anon("embed")
	f.Line().Add(code.Go(`
		//go:embed ` + definitionsFile + `
		var definitionsText string

		// definitions holds the definition of each item as it is listed, by the name of the item's variable.
		var definitions = tools.ReadDefinitions(definitionsText)`))
}

// texts returns the file with the definitions, as tools.ReadDefinitions reads it.
func (g *generator) texts() ([]files.File, error) {
	var lines [][]byte
	add := func(variable string, definition wire.Object) error {
		line, err := definition.AppendJSON([]byte(variable + " "))
		lines = append(lines, line)
		return err
	}
	var errs []error
	for _, t := range g.pkg.Tools {
		errs = append(errs, add(toolName(t), t.Tool.Definition))
	}
	for _, i := range g.pkg.Items {
		errs = append(errs, add(itemName(i), i.Definition))
	}
	return []files.File{g.lines(definitionsFile, lines)}, errors.Join(errs...)
}

// text renders a string constant, as a raw string if possible.
func text(s string) jen.Code {
	if strconv.CanBackquote(s) {
		return jen.Op("`" + s + "`")
	}
	return jen.Lit(s)
}

// checksum returns the checksum of the list that the server sends, without white space between tokens.
func (g *generator) checksum() string {
	sum := sha256.Sum256(array(g.List, func(t *tools.Tool) wire.Object { return t.Definition }))
	return hex.EncodeToString(sum[:])
}

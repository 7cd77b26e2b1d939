package tools

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/names"
)

// Options say what is around the types that are made of a list.
type Options struct {
	// Methods are Go names that other generated code has for methods beside those
	// of the tools. A tool of such a name gets another one.
	Methods []string
	// Identifiers are those that other generated files declare.
	Identifiers []string
}

// Package is the Go types of a tool list.
type Package struct {
	// Decls are sorted by name.
	Decls []*ir.Decl
	// Tools are in the order of the list.
	Tools []ToolTypes
}

// ToolTypes is what a tool is in Go.
type ToolTypes struct {
	Tool *Tool
	// Go is the name of the tool's method.
	Go string
	// Input is the type of the arguments, an object. Output is that of the
	// structured result, or nil for a tool without an output schema.
	Input, Output *ir.Decl
}

// Diagnostic is something in a schema of which no type could be made, or only
// one that says less than the schema.
type Diagnostic struct {
	// Tool is the name of the tool, Pointer the place in the list.
	Tool, Pointer string
	Problem       string
	// Raw tells that the place has become a wire.Raw.
	Raw bool
}

// String returns the diagnostic on one line.
func (d Diagnostic) String() string {
	return (&Error{d.Tool, d.Pointer, d.Problem}).Error()
}

// Types makes Go types of the schemas of a list. Each value that is valid can
// be decoded into the type of its schema, integers that no int64 holds
// excepted, and encoded again without loss. An error joins an [*Error] for each
// problem.
func Types(list *List, opts Options) (*Package, []Diagnostic, error) {
	l := &lowerer{
		names: names.New(initialisms),
		decls: map[string]*ir.Decl{},
	}
	pkg := &Package{}
	for _, t := range list.Tools {
		tt := ToolTypes{Tool: t, Go: l.names.Exported(t.Name)}
		tt.Input = &ir.Decl{Name: tt.Go + "Input", Type: &ir.Object{}, Doc: tt.Go + "Input is the arguments."}
		pkg.Decls = append(pkg.Decls, tt.Input)
		if t.Output != nil {
			tt.Output = &ir.Decl{Name: tt.Go + "Output", Type: &ir.Object{}, Doc: tt.Go + "Output is the result."}
			pkg.Decls = append(pkg.Decls, tt.Output)
		}
		pkg.Tools = append(pkg.Tools, tt)
	}
	slices.SortFunc(pkg.Decls, func(a, b *ir.Decl) int { return strings.Compare(a.Name, b.Name) })
	return pkg, l.diagnostics, errors.Join(l.errs...)
}

// initialisms are the words that Go names have in capitals.
var initialisms = []string{"API", "HTML", "HTTP", "HTTPS", "ID", "IP", "JSON", "SQL", "TTL", "URI", "URL", "UUID", "XML"}

type lowerer struct {
	names       *names.Namer
	decls       map[string]*ir.Decl
	diagnostics []Diagnostic
	errs        []error
}

func (l *lowerer) failf(tool, pointer, format string, args ...any) {
	l.errs = append(l.errs, &Error{tool, pointer, fmt.Sprintf(format, args...)})
}

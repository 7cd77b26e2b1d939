package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// ToolsOptions configures how the types of a tool list are rendered.
type ToolsOptions struct {
	// Package is the name of the Go package.
	Package string
	// Source names the origin of the types in the header of each file.
	Source string
}

// Tools renders the types of a tool list: types.gen.go and codec.gen.go. A file that would be
// too long is split into parts. The paths have no folder.
func Tools(decls []*ir.Decl, opts ToolsOptions) ([]files.File, error) {
	e := &emitter{style: toolsStyle(), pkg: opts.Package, header: opts.Source, suffix: ".gen.go"}
	e.addDecls("types", decls, typeLines, func(f *jen.File, part []*ir.Decl) {
		if part[0] == decls[0] {
			f.Comment("This code does not compile with other versions of the codec.")
			f.Const().Id("_").Op("=").Qual(wirePath, "CodecV1")
		}
		e.types(f, part)
	})
	e.addDecls("codec", decls, codecLines, e.codecs)
	return Render(e.sources...)
}

// typeLines estimates how many lines the type of a declaration takes.
func typeLines(d *ir.Decl) int {
	switch t := d.Type.(type) {
	case *ir.Object:
		lines := 12
		for _, f := range t.Fields {
			lines += 2 + len(f.Doc)/70
		}
		return lines
	case *ir.Enum:
		return 16 + 3*len(t.Values)
	case *ir.Union:
		return 20
	}
	return 6
}

func codecLines(d *ir.Decl) int {
	switch t := d.Type.(type) {
	case *ir.Object:
		return 42 + 5*len(t.Fields)
	case *ir.Union:
		return 20 + 7*len(t.Variants)
	case *ir.Enum:
		return 22
	}
	return 40
}

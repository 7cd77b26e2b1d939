package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// ToolsOptions says how the types of a tool list are rendered.
type ToolsOptions struct {
	// Package is the name of the Go package.
	Package string
	// Source is what the types are made from, for the header of each file.
	Source string
	// Defaults adds the methods applyDefaults, which servers call.
	Defaults bool
}

// Tools renders the types of a tool list: types.gen.go, codec.gen.go and, where
// asked for, defaults.gen.go, in several parts where one would get too long.
// They lie at the top of the files' folder.
func Tools(decls []*ir.Decl, opts ToolsOptions) ([]files.File, error) {
	e := &emitter{pkg: opts.Package, header: opts.Source, suffix: ".gen.go", source: "the schema"}
	e.renderSplit("types", decls, func(f *jen.File, part []*ir.Decl) {
		if part[0] == decls[0] {
			f.Comment("Generated for this version of the codec; others do not compile.")
			f.Const().Id("_").Op("=").Qual(wirePath, "CodecV1")
		}
		e.types(f, part)
	})
	e.renderSplit("codec", decls, e.codecs)
	if opts.Defaults {
		e.renderSplit("defaults", slices.DeleteFunc(slices.Clone(decls), func(d *ir.Decl) bool { return !d.Defaults }), e.defaults)
	}
	if e.err != nil {
		return nil, e.err
	}
	return e.out, nil
}

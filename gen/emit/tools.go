package emit

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

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
	// Defaults adds the applyDefaults methods, which servers call.
	Defaults bool
}

// Tools renders the types of a tool list: types.gen.go, codec.gen.go and, if opts.Defaults
// is set, defaults.gen.go. A file that would be too long is split into parts. The paths
// have no folder.
func Tools(decls []*ir.Decl, opts ToolsOptions) ([]files.File, error) {
	e := &emitter{pkg: opts.Package, header: opts.Source, suffix: ".gen.go", source: "the schema"}
	defaulted := slices.DeleteFunc(slices.Clone(decls), func(d *ir.Decl) bool { return !opts.Defaults || !d.Defaults })
	var parts []*part
	parts = append(parts, split("types", decls, typeLines, func(f *jen.File, part []*ir.Decl) {
		if part[0] == decls[0] {
			f.Comment("This code does not compile with other versions of the codec.")
			f.Const().Id("_").Op("=").Qual(wirePath, "CodecV1")
		}
		e.types(f, part)
	})...)
	parts = append(parts, split("codec", decls, codecLines, e.codecs)...)
	parts = append(parts, split("defaults", defaulted, defaultLines, e.defaults)...)
	return e.renderAll(parts)
}

// part is a group of declarations that is rendered into one file.
type part struct {
	name  string
	decls []*ir.Decl
	fill  func(*jen.File, []*ir.Decl)
}

// split divides declarations into parts of about as many lines as a file may have.
func split(name string, decls []*ir.Decl, lines func(*ir.Decl) int, fill func(*jen.File, []*ir.Decl)) []*part {
	const most = maxLines * 3 / 4 // leaves room, because lines is an estimate
	var parts []*part
	total := 0
	for _, d := range decls {
		n := lines(d)
		if len(parts) == 0 || total+n > most {
			parts, total = append(parts, &part{name: name, fill: fill}), 0
		}
		last := parts[len(parts)-1]
		last.decls = append(last.decls, d)
		total += n
	}
	return parts
}

// renderAll renders the parts in parallel, because rendering takes most of the time of a
// generation. It halves a part that turns out too long.
func (e *emitter) renderAll(parts []*part) ([]files.File, error) {
	sources := make([][][]byte, len(parts))
	errs := make([]error, len(parts))
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, p := range parts {
		slots <- struct{}{}
		group.Go(func() {
			sources[i], errs[i] = e.renderPart(p)
			<-slots
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	count := map[string]int{}
	var out []files.File
	for i, p := range parts {
		for _, src := range sources[i] {
			number := ""
			if count[p.name]++; count[p.name] > 1 {
				number = fmt.Sprintf("_%d", count[p.name])
			}
			out = append(out, files.File{Path: p.name + number + e.suffix, Content: src})
		}
	}
	return out, nil
}

func (e *emitter) renderPart(p *part) ([][]byte, error) {
	f := newFile(e.pkg, e.header)
	p.fill(f, p.decls)
	var src bytes.Buffer
	if err := f.Render(&src); err != nil {
		return nil, fmt.Errorf("%s%s: %w", p.name, e.suffix, err)
	}
	if half := len(p.decls) / 2; half > 0 && bytes.Count(src.Bytes(), []byte{'\n'}) > maxLines {
		first, err1 := e.renderPart(&part{p.name, p.decls[:half], p.fill})
		second, err2 := e.renderPart(&part{p.name, p.decls[half:], p.fill})
		return append(first, second...), errors.Join(err1, err2)
	}
	return [][]byte{src.Bytes()}, nil
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

func defaultLines(d *ir.Decl) int {
	if o, ok := d.Type.(*ir.Object); ok {
		return 5 + 4*len(o.Fields)
	}
	return 20
}

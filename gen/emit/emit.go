// Package emit renders the ir as Go, with one file for each artifact and family. All
// decisions are made in the lowering; this package only decides how they read in Go.
package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/lower"
)

// Import paths that generated code uses.
const (
	wirePath    = code.Module + "/runtime/wire"
	runtimePath = code.Module + "/runtime"
	schemaPath  = runtimePath + "/schema"
	jsonrpcPath = runtimePath + "/jsonrpc"
)

// Revision renders the package of a revision as files below dir.
func Revision(r *ir.Revision, dir string) ([]files.File, error) {
	rules, err := newRules(r)
	if err != nil {
		return nil, err
	}
	e := &emitter{origin: "this revision", results: r.Results(), rev: r, rules: rules, pkg: r.Package, header: r.ID, prefix: dir + "/"}
	if r.Extension != nil {
		e.origin, e.header, e.core = "this extension", r.Extension.Name, PackagePath(lower.PackageName(r.ID))
	}
	e.add("doc", e.packageDoc)
	for _, family := range families(r) {
		decls := filter(r.Decls, func(d *ir.Decl) bool { return d.Family == family })
		e.addDecls("types_"+family, filter(decls, (*ir.Decl).HasType), e.types)
		coded := filter(decls, hasCode)
		e.addDecls("codec_"+family, coded, e.codecs)
		e.addDecls("check_"+family, filter(coded, hasChecks), e.checkers)
	}
	if err := e.checks(); err != nil {
		return nil, err
	}
	e.add("definitions", e.definitions)
	e.add("unions", e.boxes)
	if len(constructorsOf(r)) > 0 {
		e.add("constructors", e.constructors)
	}
	e.add("methods", e.methodTable)
	e.add("server", func(f *jen.File) { e.side(f, server) })
	e.add("client", func(f *jen.File) { e.side(f, client) })
	if r.Extension != nil {
		e.add("extension", e.extension)
	} else {
		e.add("connect", e.connect)
	}
	return code.Render(e.sources...)
}

// source names the revision or extension in doc comments.
func (e *emitter) source() string {
	if e.rev.Extension != nil {
		return "extension " + e.rev.Extension.Name
	}
	return "revision " + e.rev.ID
}

// emitter renders the code of a revision, of an extension or of a tool list.
type emitter struct {
	// rev and rules are nil for a tool list. Its types may be thousands and should compile fast: the text of values is
	// checked before it is decoded, unless a declaration is strict, so what the schema says is left to that check, and
	// only whole inputs and outputs have the methods for encoding/json. Null is read as the schema says, and as absent
	// otherwise, because some peers write null for absent members.
	rev   *ir.Revision
	rules *rules
	// origin names the source of the types in doc comments.
	origin string
	// results are the types whose lists drop invalid elements instead of failing.
	results map[*ir.Decl]bool
	// core is the path of the package of the revision that an extension extends, and "" otherwise.
	core string
	// pkg is the name of the package; header names the source in each file's first line.
	pkg, header string
	// prefix begins the names of files.
	prefix  string
	sources []code.Source
}

// checked reports whether the text of values is checked before it is decoded.
func (e *emitter) checked() bool { return e.rev == nil }

// add adds a file with the content that fill generates.
func (e *emitter) add(name string, fill func(*jen.File)) {
	e.addItems(name, 0, func(f *jen.File, _, _ int) { fill(f) })
}

// addItems adds the files that fill generates from items, or one file if there are none.
func (e *emitter) addItems(name string, items int, fill func(f *jen.File, first, end int)) {
	e.sources = append(e.sources, code.Source{Name: e.prefix + name + ".go", Package: e.pkg, From: e.header, Items: items, Fill: fill})
}

// addDecls adds the files that fill generates from declarations, if there are any.
func (e *emitter) addDecls(name string, decls []*ir.Decl, fill func(*jen.File, []*ir.Decl)) {
	if len(decls) > 0 {
		e.addItems(name, len(decls), func(f *jen.File, first, end int) { fill(f, decls[first:end]) })
	}
}

// filter returns the declarations that keep accepts.
func filter(all []*ir.Decl, keep func(*ir.Decl) bool) []*ir.Decl {
	var kept []*ir.Decl
	for _, d := range all {
		if keep(d) {
			kept = append(kept, d)
		}
	}
	return kept
}

// hasCode reports whether a declaration has a type of its own.
func hasCode(d *ir.Decl) bool { return !d.Message && d.Same == "" }

// families returns the families of a revision, sorted.
func families(r *ir.Revision) []string {
	var names []string
	for _, d := range r.Decls {
		names = append(names, d.Family)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (e *emitter) packageDoc(f *jen.File) {
	about := fmt.Sprintf("Package %s implements the messages of Model Context Protocol %s: types, codecs, validators, the table of methods, and the bindings of servers and clients.\n\n%s\n\n", e.rev.Package, e.source(), e.rev.Doc) +
		"Types are named after the revision's definitions. Optional members are pointers. Unions are sealed interfaces whose variants are pointers. Undefined members are kept in Extra, so that decoding and encoding preserves them. Decoding checks the structure; wire.Validate checks values."
	if x := e.rev.Extension; x != nil {
		about += "\n\nThe types of definitions that revision " + e.rev.ID + " also has are those of its package."
		code.Declare(f, "Name identifies the extension among the capabilities of both sides.", "const Name = $1", jen.Lit(x.Name))
	}
	f.PackageComment(code.CommentText(strings.ReplaceAll(about, "\n\n\n\n", "\n\n")))
	code.Declare(f, "Revision is the protocol revision of this package.", "const Revision = $1", jen.Lit(e.rev.ID))
	code.Declare(f, "This code does not compile with other versions of the runtime.", "const _ = wire.GeneratedV1")
}

// deprecation returns the paragraph that marks an identifier as deprecated, or "" if it is not.
func deprecation(text string) string {
	if text == "" {
		return ""
	}
	return "\n\nDeprecated: " + text
}

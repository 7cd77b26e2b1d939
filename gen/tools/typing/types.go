// Package typing derives Go types from the schemas of tools, prompts and resource templates, as ir.
//
// Every valid value can be decoded. A member that no Go type can represent is a wire.Raw. The name of a type
// depends on its item alone (naming.go), so it keeps its meaning when others are added. Equal types of several items
// become aliases of the first when all are made (share.go), because only then is it known which are equal: two schemas
// may be equal although they refer to themselves. A type has code for the direction in which its values go.
package typing

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/names"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// Options describes the code around the types.
type Options struct {
	// Methods has the names of other generated methods. A tool with such a name gets a
	// different one.
	Methods []string
	// Identifiers has the identifiers that other generated files declare.
	Identifiers []string
	// Server makes the types of a server: arguments are decoded and results are encoded, and members of
	// arguments with a default are values, which decoding sets to the default if the member is absent.
	// Otherwise arguments are encoded and results decoded, and such members are pointers: nil leaves the
	// choice to the server. A tool that calls an operation of an API leaves the choice to the API: a default
	// that it sent could overwrite a value.
	Server bool
	// BigIntegers makes an integer without limits a wire.Integer, which holds any integer. Otherwise it is an
	// int64, and values beyond it are refused, although the schema allows them.
	BigIntegers bool
	// Time makes a string in the format date-time a time.Time. Decoding then refuses what a time.Time
	// cannot be, see [wire.ParseTime], although the schema allows it.
	Time bool
}

// Package is the Go types of a tool list.
type Package struct {
	// Decls are all declarations, sorted by name.
	Decls []*ir.Decl
	// Shared are the declarations that several items have, sorted by name.
	Shared []*ir.Decl
	// Tools and Items are in the order of the list.
	Tools []ToolTypes
	Items []ItemTypes
	// Untyped are the places that have no Go type, but are a wire.Raw. Notes are those whose type expresses less than
	// the schema.
	Untyped, Notes []*tools.Error
}

// Count returns the number of items of a kind, or of tools.
func (p *Package) Count(kind tools.ItemKind) (n int) {
	if kind == "tools" {
		return len(p.Tools)
	}
	for _, i := range p.Items {
		if i.Kind == kind {
			n++
		}
	}
	return n
}

// Lookup returns the declaration of that name, or nil.
func (p *Package) Lookup(name string) *ir.Decl {
	i, ok := slices.BinarySearchFunc(p.Decls, name, func(d *ir.Decl, name string) int { return strings.Compare(d.Name, name) })
	if !ok {
		return nil
	}
	return p.Decls[i]
}

// ToolTypes has the Go names and types of a tool.
type ToolTypes struct {
	Tool *tools.Tool
	// Go is the name of the tool's method.
	Go string
	// Input is the type of the arguments, an object. Output is that of the structured
	// result if that is an object.
	Input, Output *ir.Decl
	// Value is the type of a structured result that need not be an object. A tool without an output
	// schema has neither Output nor Value.
	Value ir.Type
	// Decls are the declarations that only the tool has, sorted by name.
	Decls []*ir.Decl
}

// Types makes Go types from the schemas of a list. Every valid value can be decoded into the
// type of its schema, except for one with a number beyond a float64, and encoded again without
// loss, except for the digits that a float64 does not hold. The error joins an [*Error] for each
// problem.
//
// A type expresses the kind of value that a schema allows, and nothing more. A schema is
// expanded into alternatives, one for each combination of its anyOf and oneOf branches, which
// include references and allOf. Types do not express not, if and limits; validation of the text
// checks these.
//
//	string, number, boolean              string, float64, bool
//	integer                              int64; wire.Integer, which holds any integer, if the schema has
//	                                     a limit or a value beyond it, and with BigIntegers also if it has
//	                                     no limits
//	several of these                     wire.Scalar
//	string in the format date-time       string; with Time, time.Time
//	listed strings                       a named string with constants
//	array                                a slice whose element type covers all elements
//	object with properties               a struct; Extra has the other members, or
//	                                     Additional if these have a type
//	object without properties            a map, or wire.Object if values have no type
//	values of several kinds, objects     a sealed interface with a variant for each
//	that can be distinguished            and one for unknown values
//	other objects                        one struct with the members of all
//	anything                             wire.Raw
//
// An optional member is a pointer, unless nil already means "absent". A member that may be null
// is nil for null, or a wire.Optional if it may be absent too. If a member has a type in some
// alternatives and none in others, values that do not fit are in Extra. A schema with
// properties but without a type allows values that are not objects; its struct has these in
// Other.
//
// The name of a declaration begins with that of its document and ends with its definition, else its title, else
// the path to it: GetBookOutputAuthor. The name depends on nothing but the document, so it keeps its meaning when
// other items are added to the list. A definition with an x-go-name has that name in all documents, where it must
// be the same. A definition of an API has its own name if it is the same in all operations.
//
// Types are equal if their code, including comments, differs only in their names. The comment of a type that
// repeats the comment of a field does not count, and types of definitions with different names are not equal.
// Equal types of one document are one declaration. Those of several documents are aliases of the first, except for
// whole inputs and outputs, which are equal to nothing.
func Types(list *tools.List, opts Options) (*Package, error) {
	t := &typer{names: names.New(initialisms), taken: map[string]string{}, Options: opts, origins: map[*ir.Decl]*origin{}, shared: map[*ir.Decl]bool{}, aliases: map[*ir.Decl]ir.Type{}}
	for _, name := range opts.Identifiers {
		t.taken[name] = generatedFiles
	}
	n := &naming{typer: t, methods: map[string]method{}}
	pkg := &Package{Tools: n.nameTools(list)}
	t.pkg = pkg
	n.nameItems(list, pkg)
	if len(t.errs) > 0 {
		return nil, errors.Join(t.errs...)
	}
	for i := range pkg.Tools {
		t.toolTypes(&pkg.Tools[i])
	}
	t.itemTypes(pkg)
	t.share()
	t.nameConstants()
	ir.Box(t.decls)
	t.direct(pkg)
	t.distribute(pkg)
	if len(t.errs) > 0 {
		return nil, errors.Join(t.errs...)
	}
	return pkg, nil
}

// toolTypes makes the types of a tool.
func (t *typer) toolTypes(tt *ToolTypes) {
	t.owner = tt.Tool.Name
	documentOf := func(kind documentKind, title string) *document {
		return &document{tt.Tool.Pointer, tt.Tool.Name, tt.Go + string(kind), fmt.Sprintf(title, tt.Tool.Name), kind, tt.Tool.Operation != nil}
	}
	of := func(s *jsonschema.Schema, kind documentKind, apply bool, title string) *ir.Decl {
		return t.typesOf(s, apply, documentOf(kind, title))
	}
	tt.Input = of(tt.Tool.Input, inputs, t.Server && tt.Tool.Operation == nil, "the arguments of %s")
	const result = "the structured result of %s"
	switch {
	case tt.Tool.Output == nil:
	case tt.Tool.Values:
		tt.Value = t.valueOf(tt.Tool.Output, documentOf(outputs, result))
	default:
		tt.Output = of(tt.Tool.Output, outputs, false, result)
	}
}

// distribute gives each declaration to the item that has it, or to all.
func (t *typer) distribute(pkg *Package) {
	pkg.Decls = t.decls
	of := map[string][]*ir.Decl{}
	for _, d := range t.decls {
		if t.shared[d] {
			pkg.Shared = append(pkg.Shared, d)
		} else {
			of[t.origins[d].item] = append(of[t.origins[d].item], d)
		}
	}
	for i := range pkg.Tools {
		pkg.Tools[i].Decls = of[pkg.Tools[i].Tool.Pointer]
	}
	for i := range pkg.Items {
		pkg.Items[i].Decls = of[pkg.Items[i].Pointer]
	}
}

func byName(a, b *ir.Decl) int { return strings.Compare(a.Name, b.Name) }

// nameTools names the methods of the tools and reserves the names of the types of their schemas.
func (n *naming) nameTools(list *tools.List) []ToolTypes {
	all := make([]ToolTypes, len(list.Tools))
	for i, tool := range list.Tools {
		problems := len(n.errs)
		identifier, _ := n.name(&tools.Item{Name: tool.Name, GoName: tool.GoName, Pointer: tool.Pointer})
		all[i] = ToolTypes{Tool: tool, Go: identifier}
		if len(n.errs) > problems {
			continue
		}
		for _, kind := range []documentKind{inputs, outputs} {
			n.reserve(identifier+string(kind), tool.Pointer, "the tool needs")
		}
	}
	return all
}

// typesOf makes the types of a document. With apply, absent members get their default.
func (t *typer) typesOf(s *jsonschema.Schema, apply bool, of *document) *ir.Decl {
	t.begin(s, of, apply)
	root := &ir.Decl{Name: of.name, Pointer: s.Pointer, Doc: said(s), Definition: true}
	if of.named(t.identifier(s.Title)) && s.Description == "" {
		root.Doc = ""
	}
	t.decls = append(t.decls, root)
	t.origins[root] = &origin{document: of}
	d := expand(disj{{s}}).of(isObject)
	if len(d) == 0 {
		t.remark(&t.pkg.Notes, spot{pointer: s.Pointer}, "no object satisfies it")
		d = disj{{s}}
	}
	t.declared[d.key()] = root
	t.fill(root, d, spot{base: of.name, pointer: s.Pointer})
	t.applyDefaults()
	return root
}

// begin prepares for the types of a document.
func (t *typer) begin(s *jsonschema.Schema, of *document, apply bool) {
	t.document, t.apply, t.here, t.within = of, apply, map[string]bool{}, map[string]bool{}
	t.declared, t.open, t.depth = map[string]*ir.Decl{}, map[string]*ir.Decl{}, 0
	t.composed = map[string]*jsonschema.Schema{}
	for _, inner := range s.Reach() {
		if _, ok := inner.Definition(); ok && len(inner.SameValue()) > 0 {
			key := expand(disj{{inner}}).withoutNull().key()
			// Of several definitions of the same values, the first one has them, or else one that it consists of.
			if outer := t.composed[key]; key != "" && (outer == nil || slices.Contains(outer.Composition(), inner)) {
				t.composed[key] = inner
			}
		}
	}
}

// valueOf makes the type of a structured result that need not be an object. If the type itself has a
// declaration, it gets the name of the document, which is reserved for it.
func (t *typer) valueOf(s *jsonschema.Schema, of *document) ir.Type {
	t.begin(s, of, false)
	delete(t.taken, of.name)
	value := t.typeOf(disj{{s}}, spot{base: of.name, pointer: s.Pointer})
	t.taken[of.name] = of.item
	for _, d := range t.declared {
		d.Definition = d.Definition || d.Name == of.name
	}
	t.values = append(t.values, value)
	return value
}

// nameConstants names the constants of the enums, and of those that are aliases.
func (t *typer) nameConstants() {
	for _, d := range t.decls {
		enum, ok := d.Type.(*ir.Enum)
		if !ok {
			if enum, ok = t.aliases[d].(*ir.Enum); !ok {
				continue
			}
		}
		t.document = t.origins[d].document
		for i, name := range t.constants(d, enum.Values) {
			v := enum.Values[i]
			v.Go = name
			t.take(d.Pointer, name)
			if d.Type == enum {
				enum.Values[i] = v
			} else {
				d.Constants = append(d.Constants, v)
			}
		}
	}
}

// direct notes in which direction the values of the declarations go.
func (t *typer) direct(pkg *Package) {
	of := map[*ir.Decl]ir.Direction{}
	way := map[bool]ir.Direction{true: ir.Decoded, false: ir.Encoded}
	for _, tt := range pkg.Tools {
		in, out := way[t.Server], way[!t.Server]
		if t.Server && tt.Tool.Operation != nil {
			in, out = ir.BothWays, ir.BothWays
		}
		ir.Reach(&ir.Ref{Decl: tt.Input}, func(d *ir.Decl) { of[d] |= in })
		ir.Reach(typeOfResult(tt), func(d *ir.Decl) { of[d] |= out })
	}
	for _, i := range pkg.Items {
		if i.Type != nil {
			ir.Reach(&ir.Ref{Decl: i.Type}, func(d *ir.Decl) { of[d] |= way[t.Server] })
		}
	}
	for d, direction := range of {
		d.Direction = direction
	}
	strict := func(d *ir.Decl) { d.Strict = true }
	for _, d := range t.decls {
		switch of := d.Type.(type) {
		case *ir.Union:
			if triesVariants(of) {
				ir.Reach(of, strict)
			}
		case *ir.Object:
			for _, f := range of.Fields {
				if f.Soft {
					ir.Reach(f.Type, strict)
				}
			}
		}
	}
	for _, tt := range pkg.Tools {
		if t.Server && tt.Tool.Operation != nil { // results are decoded from the answers of the API
			ir.Reach(typeOfResult(tt), strict)
		}
	}
}

// typeOfResult returns the type of a tool's structured result, or wire.Raw if it has none.
func typeOfResult(tt ToolTypes) ir.Type {
	switch {
	case tt.Value != nil:
		return tt.Value
	case tt.Output != nil:
		return &ir.Ref{Decl: tt.Output}
	}
	return &ir.Any{}
}

// triesVariants reports whether decoding a union tries its variants, so that they must refuse what is not theirs.
func triesVariants(u *ir.Union) bool {
	tries := u.Lenient
	ir.WalkDecision(u.Decision, func(d ir.Decision) {
		_, byPresence := d.(*ir.ByPresence)
		tries = tries || byPresence
	})
	return tries
}

// initialisms are the words that Go names write in capitals.
var initialisms = []string{"API", "CPU", "CSS", "DNS", "HTML", "HTTP", "HTTPS", "ID", "IDs", "IP", "JSON", "JQL", "SQL", "SSH", "TLS", "TTL", "UI", "URI", "URIs", "URL", "URLs", "UUID", "XML"}

func (t *typer) failf(pointer, format string, args ...any) {
	t.errs = append(t.errs, &tools.Error{Tool: t.owner, Pointer: pointer, Problem: fmt.Sprintf(format, args...)})
}

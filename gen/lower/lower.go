// Package lower turns a checked schema into the ir: each file is one pass.
//
// Every problem is a *schema.Error with the revision and the JSON Pointer of
// the place; as many as can be found in one run are joined.
package lower

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/names"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/spec"
)

// Input is what one revision is lowered from.
type Input struct {
	// Document is changed: members that the protocol has and the schema forgot
	// are added to it.
	Document *schema.Document
	Overlay  *spec.Overlay
	Docs     *spec.Docs
	// Strict makes overlay rows that change nothing an error. It is off for the
	// project's own rows when the revision is not one of the pinned ones.
	Strict bool
	// Extra are rows given by the user for this revision. They are always strict.
	Extra *spec.Overlay
	// Lenient makes notes of what would be errors, for a comparison: what cannot be
	// lowered is left out, and Go names need not be good ones.
	Lenient bool
}

// Output is a lowered revision and what was used to make it.
type Output struct {
	Revision *ir.Revision
	// Unused names the overlay rows of the revision's range that changed nothing.
	Unused []string
	// UsedDocs are the keys of the docs that found their place.
	UsedDocs map[string]bool
	// Notes say what a lenient run left out.
	Notes []error
}

// Lower makes the ir of a revision.
func Lower(in Input) (*Output, error) {
	l := &lowerer{
		doc:      in.Document,
		overlay:  newOverlay(in),
		docs:     &docs{in: in.Docs, used: map[string]bool{}},
		injected: map[*schema.Schema]bool{},
		decls:    map[string]*ir.Decl{},
		origin:   map[*ir.Decl]*schema.Schema{},
		lenient:  in.Lenient,
		defined:  map[string]*ir.Decl{},
	}
	l.names = names.New(l.overlay.initialisms)
	l.overlay.check(l.failAt)
	l.checkRefs()
	if err := l.err(); err != nil {
		return nil, err
	}
	l.injectMeta()
	l.declareDefinitions()
	l.lowerDefinitions()
	if err := l.err(); err != nil {
		return nil, err
	}
	methods := l.methods()
	l.decide()
	l.orderEnums()
	l.linkUnions()
	ir.Box(l.sortedDecls())
	l.markChecked()
	rev := &ir.Revision{
		ID:      in.Document.Revision,
		Package: PackageName(in.Document.Revision),
		Methods: methods,
	}
	for _, d := range l.decls {
		rev.Decls = append(rev.Decls, d)
	}
	slices.SortFunc(rev.Decls, func(a, b *ir.Decl) int { return strings.Compare(a.Name, b.Name) })
	l.assignFamilies(rev)
	l.document(rev)
	l.checkIdentifiers(rev)
	unused := l.overlay.unused(in.Strict, l.failAt)
	if err := l.err(); err != nil {
		return nil, err
	}
	return &Output{Revision: rev, Unused: unused, UsedDocs: l.docs.used, Notes: l.notes}, nil
}

// lowerer is the state the passes share.
type lowerer struct {
	doc      *schema.Document
	overlay  *overlay
	docs     *docs
	names    *names.Namer
	injected map[*schema.Schema]bool
	decls    map[string]*ir.Decl
	// origin is the schema a declaration was made from.
	origin map[*ir.Decl]*schema.Schema
	// defined are the declarations of definitions, by the definition's name.
	defined map[string]*ir.Decl
	errs    []error
	// lenient is that of the input, notes what it made of errors.
	lenient bool
	notes   []error
}

func (l *lowerer) fail(s *schema.Schema, format string, args ...any) {
	l.failAt(s.Pointer, format, args...)
}

func (l *lowerer) failAt(pointer, format string, args ...any) {
	err := &schema.Error{Revision: l.doc.Revision, Pointer: pointer, Problem: fmt.Sprintf(format, args...)}
	if l.lenient {
		l.notes = append(l.notes, err)
		return
	}
	l.errs = append(l.errs, err)
}

// failName is fail about Go names and decoders, which no comparison needs.
func (l *lowerer) failName(pointer, format string, args ...any) {
	if !l.lenient {
		l.failAt(pointer, format, args...)
	}
}

// free returns a name like the one given that no declaration has.
func (l *lowerer) free(name string) string {
	for l.decls[name] != nil {
		name += "_"
	}
	return name
}

func (l *lowerer) err() error {
	slices.SortStableFunc(l.errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(slices.CompactFunc(l.errs, func(a, b error) bool { return a.Error() == b.Error() })...)
}

// PackageName is "mcp" and the digits of the revision; of a revision without
// digits, such as a draft, its letters.
func PackageName(revision string) string {
	keep := func(in func(rune) bool) string {
		return strings.Map(func(r rune) rune {
			if in(r) {
				return r
			}
			return -1
		}, strings.ToLower(revision))
	}
	if digits := keep(func(r rune) bool { return r >= '0' && r <= '9' }); digits != "" {
		return "mcp" + digits
	}
	return "mcp" + keep(func(r rune) bool { return r >= 'a' && r <= 'z' })
}

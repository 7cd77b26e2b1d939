// Package lower turns a checked schema into the ir. Each file is one pass.
//
// Every problem is a *schema.Error with the revision and a JSON Pointer. An error joins all
// problems that one run can find.
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

// Input is the input of [Lower] for one revision.
type Input struct {
	// Document is modified: Lower adds members that the protocol has and the schema omits.
	Document *schema.Document
	Overlay  *spec.Overlay
	Docs     *spec.Docs
	// Strict makes a row of Overlay that changes nothing an error. It is set for pinned
	// revisions.
	Strict bool
	// Extra holds the user's rows for this revision. A row that changes nothing is an error.
	Extra *spec.Overlay
	// Extension is set for the schema of an extension.
	Extension *Extension
	// Lenient reports problems as notes instead of errors, for a comparison of schemas. What
	// cannot be lowered is left out, and Go names may be invalid or ambiguous.
	Lenient bool
}

// Output is a lowered revision and a record of the rows that were used.
type Output struct {
	Revision *ir.Revision
	// Unused lists the overlay rows for this revision that changed nothing.
	Unused []string
	// UsedDocs holds the paths of the rows of Docs that were used.
	UsedDocs map[string]bool
	// Undocumented lists the identifiers without a row in Docs, as "types: Tool".
	Undocumented []string
	// Notes lists what a lenient run left out.
	Notes []*schema.Error
}

// Lower returns the ir of a revision.
func Lower(in Input) (*Output, error) {
	l := &lowerer{
		doc:      in.Document,
		overlay:  newOverlay(in),
		docs:     newDocs(in.Docs, in.Document.Revision),
		injected: map[*schema.Schema]bool{},
		implied:  map[*schema.Schema]string{},
		merging:  map[*schema.Schema]bool{},
		decls:    map[string]*ir.Decl{},
		origin:   map[*ir.Decl]*schema.Schema{},
		lenient:  in.Lenient,
		ext:      in.Extension,
		defined:  map[string]*ir.Decl{},
	}
	l.names = names.New(l.overlay.initialisms)
	l.overlay.check(l.failAt)
	l.checkRefs()
	if err := l.err(); err != nil {
		return nil, err
	}
	l.mergeAllOfs()
	l.fixValues()
	l.injectMeta()
	l.declareDefinitions()
	l.lowerDefinitions()
	if err := l.err(); err != nil {
		return nil, err
	}
	methods := l.methods()
	extension := l.extension()
	l.decide()
	l.orderEnums()
	l.setRules()
	l.markMessages(methods)
	l.linkUnions()
	ir.Box(l.sortedDecls())
	l.markChecked()
	rev := &ir.Revision{
		ID:        in.Document.Revision,
		Package:   PackageName(in.Document.Revision),
		Methods:   methods,
		Extension: extension,
	}
	if extension != nil {
		rev.Package = ExtensionPackage(extension.Name)
	}
	for _, r := range rowsOf[spec.HTTPRow](l.overlay) {
		r.use()
		rev.Headers = append(rev.Headers, r.it.Header)
	}
	for _, d := range l.decls {
		rev.Decls = append(rev.Decls, d)
	}
	if slices.ContainsFunc(rev.Decls, func(d *ir.Decl) bool { return d.Rules != nil }) {
		text, err := in.Document.JSON()
		if err != nil {
			return nil, err
		}
		rev.Schema = string(text)
	}
	slices.SortFunc(rev.Decls, func(a, b *ir.Decl) int { return strings.Compare(a.Name, b.Name) })
	l.assignFamilies(rev)
	l.nameIdentifiers(rev)
	l.document(rev)
	unused := l.overlay.unused(in.Strict, l.failAt)
	if err := l.err(); err != nil {
		return nil, err
	}
	return &Output{Revision: rev, Unused: unused, UsedDocs: l.docs.used, Undocumented: l.docs.missing, Notes: l.notes}, nil
}

// lowerer holds the state that the passes share.
type lowerer struct {
	doc      *schema.Document
	overlay  *overlay
	docs     *docs
	names    *names.Namer
	injected map[*schema.Schema]bool
	// implied holds the values of members that messages may omit.
	implied map[*schema.Schema]string
	// merging has the allOfs that are or were merged. lost is set if the current one cannot be
	// merged without losing a constraint.
	merging map[*schema.Schema]bool
	lost    bool
	decls   map[string]*ir.Decl
	// origin maps a declaration to its schema.
	origin map[*ir.Decl]*schema.Schema
	// defined maps the name of a definition to its declaration.
	defined map[string]*ir.Decl
	errs    []error
	// ext is Input.Extension.
	ext *Extension
	// lenient is Input.Lenient. If it is set, problems are added to notes instead of errs.
	lenient bool
	notes   []*schema.Error
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

// failName is failAt for problems with Go names and decoders, which a comparison ignores.
func (l *lowerer) failName(pointer, format string, args ...any) {
	if !l.lenient {
		l.failAt(pointer, format, args...)
	}
}

// free returns a name that no declaration has, beginning with the given one.
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

// PackageName returns the name of a revision's package: "mcp" and the digits of the revision,
// or its letters if it has no digits, such as a draft.
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

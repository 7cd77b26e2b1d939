// Package gen generates Go packages from protocol schemas. It is a pure function from a
// spec and its schemas to files in memory: it has no output and keeps no state.
//
// Package schema checks a schema, package lower makes the decisions and returns the ir,
// package convert pairs it with that of the next revision, package emit renders both, and
// package files compares the result with the disk.
package gen

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"

	"github.com/mcpgen/mcpgen/gen/convert"
	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/lower"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/spec"
)

// Source is a revision to generate.
type Source struct {
	Revision string
	// Schema is the schema.json, as published or reduced to its facts.
	Schema []byte
	// Overlay holds the user's rows for this revision. It may be nil.
	Overlay *spec.Overlay
	// Pinned means that the tables of the spec folder were made for exactly this schema, so
	// that a row or an erratum that does not apply to it is stale.
	Pinned bool
}

// Lowered is a checked and lowered source.
type Lowered struct {
	// Document is the schema with errata applied and omitted members added.
	Document *schema.Document
	*lower.Output
}

// Lower checks a source and returns its ir.
func Lower(s *spec.Spec, src Source) (*Lowered, error) {
	return lowerSource(s, src, src.Pinned)
}

// LowerPinned checks a pinned revision and returns its ir.
func LowerPinned(s *spec.Spec, revision string) (*Lowered, error) {
	src, err := PinnedSource(s, revision)
	if err != nil {
		return nil, err
	}
	return Lower(s, src)
}

// lowerSource is Lower. If strict is set, a row of the spec's overlay that changes nothing
// is an error.
func lowerSource(s *spec.Spec, src Source, strict bool) (*Lowered, error) {
	errata := s.Errata
	if !src.Pinned {
		var err error
		if errata, err = fitting(src.Revision, src.Schema, errata); err != nil {
			return nil, err
		}
	}
	doc, err := schema.Parse(src.Revision, src.Schema, errata)
	if err != nil {
		return nil, err
	}
	out, err := lower.Lower(lower.Input{Document: doc, Overlay: s.Overlay, Docs: s.Docs, Strict: strict, Extra: src.Overlay})
	if err != nil {
		return nil, err
	}
	return &Lowered{doc, out}, nil
}

// fitting returns the errata that apply to a schema.json.
func fitting(revision string, src []byte, errata []spec.Erratum) ([]spec.Erratum, error) {
	misfits, err := schema.Misfits(revision, src, errata)
	var fit []spec.Erratum
	for i, misfit := range misfits {
		if misfit == "" {
			fit = append(fit, errata[i])
		}
	}
	return fit, err
}

// PinnedSource returns the source of a pinned revision.
func PinnedSource(s *spec.Spec, revision string) (Source, error) {
	if _, ok := s.Pin(revision); !ok {
		return Source{}, fmt.Errorf("revision %q is not pinned; the pinned revisions are %q", revision, s.Revisions())
	}
	facts, err := s.Schema(revision)
	if err != nil {
		return Source{}, err
	}
	return Source{Revision: revision, Schema: facts, Pinned: true}, nil
}

// All plans the packages of all pinned revisions, the index over them, and the converters
// between them. A doc comment that is not used is an error.
func All(s *spec.Spec) (files.Plan, error) {
	var plan files.Plan
	var revisions []*ir.Revision
	var current files.Plan               // of the revision that package mcp stands for
	used := map[string]map[string]bool{} // the doc comments of each revision
	var errs []error
	for _, revision := range s.Revisions() {
		lowered, err := LowerPinned(s, revision)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		used[revision] = lowered.UsedDocs
		revisions = append(revisions, lowered.Revision)
	}
	errs = append(errs, checkPins(s))
	if errors.Join(errs...) == nil {
		errs = append(errs, staleDocs(s.Docs, used))
	}
	if err := errors.Join(errs...); err != nil {
		return files.Plan{}, err
	}
	share(revisions)
	for i, r := range revisions {
		one, err := emitted(r)
		if err != nil {
			return files.Plan{}, err
		}
		plan.Files = append(plan.Files, one.Files...)
		plan.Owned = append(plan.Owned, one.Owned...)
		if i == s.Current() {
			current = one
		}
	}
	more, extended, err := extensions(s)
	if err != nil {
		return files.Plan{}, err
	}
	plan.Files = append(plan.Files, more.Files...)
	plan.Owned = append(plan.Owned, more.Owned...)
	index, err := emit.Index(revisions, extended)
	if err != nil {
		return files.Plan{}, err
	}
	plan.Files = append(plan.Files, index)
	plan.Owned = append(plan.Owned, ".")
	aliases, err := emit.Newest(revisions[s.Current()], current.Files, "mcp")
	if err != nil {
		return files.Plan{}, err
	}
	plan.Files = append(plan.Files, aliases...)
	plan.Owned = append(plan.Owned, "mcp")
	if err := converters(s, revisions, &plan); err != nil {
		return files.Plan{}, err
	}
	return plan, nil
}

// converters plans the package that converts between revisions. The plan's notes name the
// values that it does not convert.
func converters(s *spec.Spec, revisions []*ir.Revision, plan *files.Plan) error {
	const dir = "compat"
	steps, err := convert.Steps(revisions, s.Convert)
	if err != nil {
		return err
	}
	list, err := emit.Converters(revisions, steps, dir)
	if err != nil {
		return err
	}
	plan.Files = append(plan.Files, list...)
	plan.Owned = append(plan.Owned, dir)
	for _, step := range steps {
		plan.Notes = append(plan.Notes, unbridged(step)...)
	}
	return nil
}

// unbridged describes the values that a step does not convert.
func unbridged(step *convert.Step) []string {
	var all []string
	for _, place := range step.Unbridged {
		all = append(all, fmt.Sprintf("%s to %s: %s", step.Older.ID, step.Newer.ID, place))
	}
	return all
}

// share makes a type that means the same in the next revision another name for that one, see
// [lower.Same]. The revisions are sorted, the oldest first.
func share(revisions []*ir.Revision) {
	for i := len(revisions) - 2; i >= 0; i-- {
		lower.Same(revisions[i], revisions[i+1], emit.PackagePath(revisions[i+1].Package))
	}
}

// One plans the package of one revision. That of a pinned revision is the one that All plans.
func One(s *spec.Spec, src Source) (files.Plan, error) {
	lowered, err := Lower(s, src)
	if err != nil {
		return files.Plan{}, err
	}
	revisions := []*ir.Revision{lowered.Revision}
	if src.Pinned && src.Overlay == nil {
		for _, newer := range s.Revisions() {
			if newer <= src.Revision {
				continue
			}
			next, err := LowerPinned(s, newer)
			if err != nil {
				return files.Plan{}, err
			}
			revisions = append(revisions, next.Revision)
		}
		share(revisions)
	}
	return emitted(lowered.Revision)
}

// emitted plans the package of a lowered revision.
func emitted(r *ir.Revision) (files.Plan, error) {
	list, err := emit.Revision(r, r.Package)
	return files.Plan{Files: list, Owned: []string{r.Package}}, err
}

// checkPins returns an error for revisions that would share a package, and for errata and
// overlay rows of revisions that are not pinned.
func checkPins(s *spec.Spec) error {
	var errs []error
	for i, revision := range s.Revisions() {
		errs = append(errs, checkPackage(s.Revisions()[:i], revision))
	}
	for _, e := range s.Errata {
		if !slices.ContainsFunc(s.Revisions(), e.Contains) {
			errs = append(errs, fmt.Errorf("%s: %s: stale erratum: its range contains no pinned revision", e.Where, e.Pointer))
		}
	}
	for _, row := range s.Overlay.Unreached(s.Revisions()) {
		errs = append(errs, fmt.Errorf("%s: stale overlay row: its range contains no pinned revision", row))
	}
	return errors.Join(errs...)
}

// checkPackage returns an error if a revision would have the same package as another one.
func checkPackage(others []string, revision string) error {
	name := lower.PackageName(revision)
	for _, other := range others {
		if other != revision && lower.PackageName(other) == name {
			return fmt.Errorf("%s: package %s is already that of %s", revision, name, other)
		}
	}
	return nil
}

// staleDocs returns an error for each row of the docs that no revision uses, or whose range begins
// or ends with a revision that does not use it. The rows that revisions use are by revision.
func staleDocs(d *spec.Docs, used map[string]map[string]bool) error {
	var errs []error
	for _, rows := range []iter.Seq[spec.DocRow]{d.Comments(), d.Marks()} {
		for row := range rows {
			stale := func(format string, args ...any) {
				errs = append(errs, fmt.Errorf("%s: stale row for %q: %s", d.At(row.Path), row.Key, fmt.Sprintf(format, args...)))
			}
			found := false
			for _, paths := range used {
				found = found || paths[row.Path]
			}
			switch {
			case !found:
				stale("no pinned revision of its range has it")
			case row.Since != "" && !used[row.Since][row.Path]:
				stale("since %s is not a pinned revision that has it", row.Since)
			case row.Until != "" && !used[row.Until][row.Path]:
				stale("until %s is not a pinned revision that has it", row.Until)
			}
		}
	}
	return errors.Join(errs...)
}

// CheckRevision returns an error if a text cannot be the name of a revision. The name
// becomes part of file names and comments.
func CheckRevision(revision string) error {
	if !revisionName.MatchString(revision) {
		return fmt.Errorf("%q cannot be the name of a revision, which is a date such as 2025-06-18", revision)
	}
	return nil
}

var revisionName = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$`)

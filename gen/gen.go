// Package gen turns protocol schemas into Go packages. It is a pure function
// from a spec and its schemas to files in memory: it prints nothing, writes
// nothing and keeps no state.
//
// The way of a schema: package schema checks it, package lower makes the
// decisions and gives the ir, package convert pairs it with that of the next
// revision, package emit renders both, and package files compares the result
// with the disk.
package gen

import (
	"errors"
	"fmt"
	"maps"
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

// Source is one revision to generate.
type Source struct {
	Revision string
	// Schema is the schema.json, of the upstream or its facts.
	Schema []byte
	// Overlay holds rows of the user's for this revision; it may be nil.
	Overlay *spec.Overlay
	// Pinned says that the spec folder's tables were made for this very schema,
	// so that a row or an erratum that does not fit it is stale.
	Pinned bool
}

// Lowered is a source, checked and lowered.
type Lowered struct {
	// Document is the schema with errata and forgotten members put right.
	Document *schema.Document
	Revision *ir.Revision
	// UnusedOverlay names the rows in range that changed nothing.
	UnusedOverlay []string
	usedDocs      map[string]bool
}

// Lower makes the ir of a source.
func Lower(s *spec.Spec, src Source) (*Lowered, error) {
	return lowerSource(s, src, src.Pinned)
}

// lowerSource is Lower that decides by strict whether a row of the spec's
// overlay that changes nothing is an error.
func lowerSource(s *spec.Spec, src Source, strict bool) (*Lowered, error) {
	errata := s.Errata
	if !src.Pinned {
		errata = nil
	}
	doc, err := schema.Parse(src.Revision, src.Schema, errata)
	if err != nil {
		return nil, err
	}
	out, err := lower.Lower(lower.Input{Document: doc, Overlay: s.Overlay, Docs: s.Docs, Strict: strict, Extra: src.Overlay})
	if err != nil {
		return nil, err
	}
	return &Lowered{doc, out.Revision, out.Unused, out.UsedDocs}, nil
}

// PinnedSource is the source of a revision the spec pins.
func PinnedSource(s *spec.Spec, revision string) (Source, error) {
	if _, ok := s.Pin(revision); !ok {
		return Source{}, fmt.Errorf("revision %q is not pinned; pinned are %q", revision, s.Revisions())
	}
	facts, err := s.Schema(revision)
	if err != nil {
		return Source{}, err
	}
	return Source{Revision: revision, Schema: facts, Pinned: true}, nil
}

// All plans the packages of every pinned revision, the index over them, and
// the converters between them. A doc comment that finds no place is an error.
func All(s *spec.Spec) (files.Plan, error) {
	var plan files.Plan
	var revisions []*ir.Revision
	used := map[string]bool{}
	var errs []error
	for _, revision := range s.Revisions() {
		src, err := PinnedSource(s, revision)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		one, lowered, err := generate(s, src)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		plan.Files = append(plan.Files, one.Files...)
		plan.Owned = append(plan.Owned, one.Owned...)
		maps.Copy(used, lowered.usedDocs)
		revisions = append(revisions, lowered.Revision)
	}
	errs = append(errs, checkPins(s))
	if errors.Join(errs...) == nil {
		errs = append(errs, staleDocs(s.Docs, used))
	}
	if err := errors.Join(errs...); err != nil {
		return files.Plan{}, err
	}
	index, err := emit.Index(revisions)
	if err != nil {
		return files.Plan{}, err
	}
	plan.Files = append(plan.Files, index)
	plan.Owned = append(plan.Owned, ".")
	if err := converters(revisions, &plan); err != nil {
		return files.Plan{}, err
	}
	return plan, nil
}

// converters plans the packages that convert between revisions.
func converters(revisions []*ir.Revision, plan *files.Plan) error {
	const dir = "compat"
	steps, err := convert.Steps(revisions)
	if err != nil {
		return err
	}
	for _, step := range steps {
		list, err := emit.Converters(step, dir+"/"+step.Package)
		if err != nil {
			return err
		}
		plan.Files = append(plan.Files, list...)
		plan.Owned = append(plan.Owned, dir+"/"+step.Package)
	}
	ladder, err := emit.Ladder(revisions, steps, dir)
	if err != nil {
		return err
	}
	plan.Files = append(plan.Files, ladder)
	plan.Owned = append(plan.Owned, dir)
	return nil
}

// One plans the package of one revision.
func One(s *spec.Spec, src Source) (files.Plan, error) {
	plan, _, err := generate(s, src)
	return plan, err
}

func generate(s *spec.Spec, src Source) (files.Plan, *Lowered, error) {
	lowered, err := Lower(s, src)
	if err != nil {
		return files.Plan{}, nil, err
	}
	dir := lowered.Revision.Package
	list, err := emit.Revision(lowered.Revision, dir)
	if err != nil {
		return files.Plan{}, nil, err
	}
	return files.Plan{Files: list, Owned: []string{dir}}, lowered, nil
}

// checkPins fails on revisions that would share a package, and on errata of
// revisions that are not pinned, which no schema can be found to fit.
func checkPins(s *spec.Spec) error {
	var errs []error
	for i, revision := range s.Revisions() {
		errs = append(errs, checkPackage(s.Revisions()[:i], revision))
	}
	for i, e := range s.Errata {
		if _, ok := s.Pin(e.Revision); !ok {
			errs = append(errs, &schema.Error{Revision: e.Revision, Pointer: e.Pointer, Problem: fmt.Sprintf("stale erratum %d: the revision is not pinned", i)})
		}
	}
	return errors.Join(errs...)
}

// checkPackage fails when the package of a revision is that of another one.
func checkPackage(others []string, revision string) error {
	name := lower.PackageName(revision)
	for _, other := range others {
		if other != revision && lower.PackageName(other) == name {
			return fmt.Errorf("%s: its package %s would be that of %s too", revision, name, other)
		}
	}
	return nil
}

func staleDocs(d *spec.Docs, used map[string]bool) error {
	var errs []error
	for _, table := range []struct {
		name string
		rows map[string]string
	}{{"types", d.Types}, {"fields", d.Fields}, {"properties", d.Properties}, {"values", d.Values}, {"methods", d.Methods}} {
		for _, key := range slices.Sorted(maps.Keys(table.rows)) {
			if !used[table.name+"/"+key] {
				errs = append(errs, fmt.Errorf("docs.yaml: %s: stale row %q: no pinned revision has it", table.name, key))
			}
		}
	}
	return errors.Join(errs...)
}

// CheckRevision refuses what cannot be the name of a revision: it becomes part
// of file names and comments.
func CheckRevision(revision string) error {
	if !revisionName.MatchString(revision) {
		return fmt.Errorf("%q cannot be the name of a revision; it is a date, as in 2025-06-18", revision)
	}
	return nil
}

var revisionName = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$`)

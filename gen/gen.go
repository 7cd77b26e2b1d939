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
	Revision *ir.Revision
	// UnusedOverlay names the rows for this revision that changed nothing.
	UnusedOverlay []string
	usedDocs      map[string]bool
}

// Lower checks a source and returns its ir.
func Lower(s *spec.Spec, src Source) (*Lowered, error) {
	return lowerSource(s, src, src.Pinned)
}

// lowerSource is Lower. If strict is set, a row of the spec's overlay that changes nothing
// is an error.
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
	var current files.Plan // of the revision that package mcp stands for
	used := map[string]bool{}
	var errs []error
	for i, revision := range s.Revisions() {
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
		if i == s.Current() {
			current = one
		}
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
	aliases, err := emit.Newest(revisions[s.Current()], current.Files, "mcp")
	if err != nil {
		return files.Plan{}, err
	}
	plan.Files = append(plan.Files, aliases...)
	plan.Owned = append(plan.Owned, "mcp")
	if err := converters(revisions[:s.Current()+1], &plan); err != nil {
		return files.Plan{}, err
	}
	return plan, nil
}

// converters plans the package that converts between revisions.
func converters(revisions []*ir.Revision, plan *files.Plan) error {
	const dir = "compat"
	steps, err := convert.Steps(revisions)
	if err != nil {
		return err
	}
	list, err := emit.Converters(revisions, steps, dir)
	if err != nil {
		return err
	}
	plan.Files = append(plan.Files, list...)
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

// checkPins returns an error for revisions that would share a package, and for errata of
// revisions that are not pinned.
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

// CheckRevision returns an error if a text cannot be the name of a revision. The name
// becomes part of file names and comments.
func CheckRevision(revision string) error {
	if !revisionName.MatchString(revision) {
		return fmt.Errorf("%q cannot be the name of a revision, which is a date such as 2025-06-18", revision)
	}
	return nil
}

var revisionName = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$`)

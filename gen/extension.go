package gen

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/lower"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/spec"
)

// ExtensionSource is an extension to generate.
type ExtensionSource struct {
	// Name is the identifier of the extension.
	Name string
	// Revision is the pinned revision that it extends.
	Revision string
	// Schema is the schema.json, as published or reduced to its facts. It may repeat definitions of
	// the revision.
	Schema []byte
	// Overlay and Docs hold the rows of the extension. Either may be nil.
	Overlay *spec.Overlay
	Docs    *spec.Docs
	// Pinned means that a doc comment that is not used is an error.
	Pinned bool
}

// PinnedExtension returns the source of a pinned extension.
func PinnedExtension(s *spec.Spec, name string) (ExtensionSource, error) {
	x := s.Extension(name)
	if x == nil {
		return ExtensionSource{}, fmt.Errorf("extension %q is not pinned", name)
	}
	return ExtensionSource{Name: x.Name, Revision: x.Revision, Schema: x.Schema, Overlay: x.Overlay, Docs: x.Docs, Pinned: true}, nil
}

// extensionName is a prefix, a slash and a name ("Extensions" in basic, 2026-07-28).
var extensionName = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9.-]*[A-Za-z0-9])?/[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)

// CheckExtension returns an error if a text cannot be the identifier of an extension.
func CheckExtension(name string) error {
	if !extensionName.MatchString(name) || lower.ExtensionPackage(name) == "" {
		return fmt.Errorf("%q cannot be the identifier of an extension, which is a prefix and a name such as com.example/colors", name)
	}
	return nil
}

// LowerExtension checks the schema of an extension and returns its ir. Rows of the spec apply to it
// where they match, because it may repeat definitions of the revision.
func LowerExtension(s *spec.Spec, x ExtensionSource) (*Lowered, error) {
	doc, err := x.parse(s, x.Schema)
	if err != nil {
		return nil, err
	}
	facts, err := schema.Facts(x.Revision, x.Schema)
	if err != nil {
		return nil, fmt.Errorf("extension %s: %w", x.Name, err)
	}
	theirs, err := x.parse(s, facts)
	if err != nil {
		return nil, err
	}
	in, err := x.input(s, doc, theirs)
	if err != nil {
		return nil, err
	}
	out, err := lower.Lower(in)
	if err != nil {
		return nil, fmt.Errorf("extension %s: %w", x.Name, err)
	}
	if x.Pinned {
		if err := unusedDocs(x.Docs, out.UsedDocs); err != nil {
			return nil, err
		}
	}
	return &Lowered{doc, out}, nil
}

// input returns the input of package lower for the extension, whose document is doc. theirs is the same
// document before lowering, which is compared with that of the revision; if it is nil, no definitions are
// shared with the revision.
func (x ExtensionSource) input(s *spec.Spec, doc, theirs *schema.Document) (lower.Input, error) {
	if err := CheckExtension(x.Name); err != nil {
		return lower.Input{}, err
	}
	src, err := PinnedSource(s, x.Revision)
	if err != nil {
		return lower.Input{}, err
	}
	core, err := Lower(s, src)
	if err != nil {
		return lower.Input{}, err
	}
	for _, d := range core.Revision.Decls {
		d.Import = emit.PackagePath(core.Revision.Package)
	}
	sharing := new(schema.Sharing)
	if theirs != nil {
		ours, err := schema.Parse(x.Revision, src.Schema, s.Errata)
		if err != nil {
			return lower.Input{}, err
		}
		sharing = schema.Share(theirs, ours)
	}
	docs := s.Docs
	if x.Docs != nil {
		docs = x.Docs.Before(s.Docs)
	}
	return lower.Input{
		Document: doc, Overlay: s.Overlay, Docs: docs, Extra: x.Overlay,
		Extension: &lower.Extension{Name: x.Name, Core: core.Revision, Sharing: sharing},
	}, nil
}

// parse reads the schema of the extension. It applies an erratum of the revision if the schema has
// the old value.
func (x ExtensionSource) parse(s *spec.Spec, src []byte) (doc *schema.Document, err error) {
	errata, err := fitting(x.Revision, src, s.Errata)
	if err == nil {
		doc, err = schema.Parse(x.Revision, src, errata)
	}
	if err != nil {
		return nil, fmt.Errorf("extension %s: %w", x.Name, err)
	}
	return doc, nil
}

func unusedDocs(d *spec.Docs, used map[string]bool) error {
	var errs []error
	for row := range d.Comments() {
		if !used[row.Path] {
			errs = append(errs, fmt.Errorf("%s: stale row for %q: the extension does not have it", d.At(row.Path), row.Key))
		}
	}
	return errors.Join(errs...)
}

// Extension plans the package of an extension below the folder ext.
func Extension(s *spec.Spec, x ExtensionSource) (files.Plan, error) {
	plan, _, err := extension(s, x)
	return plan, err
}

func extension(s *spec.Spec, x ExtensionSource) (files.Plan, *ir.Revision, error) {
	lowered, err := LowerExtension(s, x)
	if err != nil {
		return files.Plan{}, nil, err
	}
	dir := emit.ExtensionDir(lowered.Revision)
	list, err := emit.Revision(lowered.Revision, dir)
	if err != nil {
		return files.Plan{}, nil, err
	}
	return files.Plan{Files: list, Owned: []string{dir}}, lowered.Revision, nil
}

// extensions plans the packages of all pinned extensions, and returns their ir, sorted by name.
func extensions(s *spec.Spec) (files.Plan, []*ir.Revision, error) {
	var all files.Plan
	var list []*ir.Revision
	var errs []error
	taken := map[string]string{}
	for _, pin := range s.Extensions {
		name := lower.ExtensionPackage(pin.Name)
		if other := taken[name]; other != "" {
			errs = append(errs, fmt.Errorf("extension %s: package %s is already that of %s", pin.Name, name, other))
			continue
		}
		taken[name] = pin.Name
		src, err := PinnedExtension(s, pin.Name)
		if err != nil {
			return files.Plan{}, nil, err
		}
		plan, one, err := extension(s, src)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, one)
		all.Files = append(all.Files, plan.Files...)
		all.Owned = append(all.Owned, plan.Owned...)
	}
	return all, list, errors.Join(errs...)
}

// ImportExtension returns the facts and the pin of an extension, given an upstream file.
func ImportExtension(s *spec.Spec, name, revision, commit string, upstream []byte) (*Imported, error) {
	if err := CheckExtension(name); err != nil {
		return nil, err
	}
	if _, err := PinnedSource(s, revision); err != nil {
		return nil, err
	}
	facts, err := schema.Facts(revision, upstream)
	if err != nil {
		return nil, fmt.Errorf("extension %s: %w", name, err)
	}
	pin := &spec.Extension{Name: name, Revision: revision, Commit: commit, SHA256: digest(upstream)}
	src := ExtensionSource{Name: name, Revision: revision, Schema: facts, Overlay: &spec.Overlay{}, Docs: &spec.Docs{}}
	doc, err := src.parse(s, facts)
	if err != nil {
		return nil, err
	}
	pin.Dialect = doc.Dialect
	out := &Imported{Pin: spec.Pin{Revision: name, Commit: commit, SHA256: pin.SHA256, Dialect: pin.Dialect}}
	if before := s.Extension(name); before != nil {
		src.Overlay, src.Docs, src.Pinned = before.Overlay, before.Docs, true
		old, err := src.parse(s, before.Schema)
		if err != nil {
			return nil, err
		}
		out.Against, out.Changes = name, schema.Differences(old, doc)
	}
	lowered, err := LowerExtension(s, src)
	for _, problem := range problems(err) {
		out.Needed = append(out.Needed, problem.Error())
	}
	if err == nil {
		out.Undocumented = lowered.Undocumented
	}
	pins := slices.DeleteFunc(slices.Clone(s.Extensions), func(x *spec.Extension) bool { return x.Name == name })
	pins = append(pins, pin)
	slices.SortFunc(pins, func(a, b *spec.Extension) int { return strings.Compare(a.Name, b.Name) })
	return out, out.pin(spec.ExtensionFolder(name), facts, spec.ExtensionPins, pins)
}

// VerifyExtension is [VerifyFacts] for a pinned extension.
func VerifyExtension(s *spec.Spec, name string, upstream []byte) (differences []string, sameBytes bool, err error) {
	src, err := PinnedExtension(s, name)
	if err != nil {
		return nil, false, err
	}
	sameBytes = digest(upstream) == s.Extension(name).SHA256
	before, err := src.parse(s, src.Schema)
	if err != nil {
		return nil, false, err
	}
	after, err := src.parse(s, upstream)
	if err != nil {
		return nil, false, err
	}
	return schema.Differences(before, after), sameBytes, nil
}

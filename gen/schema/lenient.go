package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/spec"
)

// Lenient is a document that may have keywords that [Parse] does not support.
type Lenient struct {
	// Document holds the supported part of every schema. A schema with unsupported keywords
	// has a Source.
	Document *Document
	// Errata lists the errata that were applied.
	Errata []spec.Erratum
	// Notes lists what was left out.
	Notes []*Error
}

// ParseLenient reads a schema.json as [Parse] does, but accepts every keyword of JSON Schema.
// [Schema.Source] keeps what the other fields do not represent. Notes report unknown keywords.
// It returns an error only for a text that is not a JSON object with definitions.
//
// Errata of any revision are applied if their old value is at their pointer. A note reports an
// erratum of this revision that does not apply.
func ParseLenient(revision string, src []byte, errata []spec.Erratum) (*Lenient, error) {
	root, err := decode(revision, src)
	if err != nil {
		return nil, err
	}
	out := &Lenient{}
	if pointer, ok := repeated(json.NewDecoder(bytes.NewReader(src)), ""); ok {
		out.note(revision, pointer, "duplicate member; the last one takes precedence")
	}
	if err := out.carry(revision, root, errata); err != nil {
		return nil, err
	}
	r := relaxer{revision: revision, source: root, sources: map[string]any{}}
	core, container := r.document(root)
	out.Notes = append(out.Notes, r.notes...)
	if container == "" {
		return nil, &Error{revision, "", `has no definitions: neither "$defs" nor "definitions" holds any`}
	}
	if err := r.conform(core); err != nil {
		return nil, err
	}
	if out.Document, err = parse(revision, core, container); err != nil {
		return nil, err
	}
	out.Document.source = root
	out.Document.attach(r.sources)
	return out, nil
}

func (l *Lenient) note(revision, pointer, format string, args ...any) {
	l.Notes = append(l.Notes, &Error{revision, pointer, fmt.Sprintf(format, args...)})
}

// carry applies the errata that match.
func (l *Lenient) carry(revision string, root map[string]any, errata []spec.Erratum) error {
	for _, e := range errata {
		misfit, err := apply(root, e)
		if err != nil {
			return &Error{revision, e.Pointer, "erratum: " + err.Error()}
		}
		switch {
		case misfit == "":
			l.Errata = append(l.Errata, e)
		case e.Contains(revision) && !slices.ContainsFunc(l.Errata, func(have spec.Erratum) bool { return have.Pointer == e.Pointer }):
			l.note(revision, e.Pointer, "the erratum for this place does not apply: %s", misfit)
		}
	}
	return nil
}

// conform removes what the audit does not accept. It terminates because each round removes at
// least one schema.
func (r *relaxer) conform(root map[string]any) error {
	for {
		a := &audit{revision: r.revision}
		a.document(root)
		if len(a.errs) == 0 {
			return nil
		}
		before := len(r.sources)
		for _, err := range a.errs {
			var problem *Error
			if errors.As(err, &problem) {
				r.drop(root, problem.Pointer)
			}
		}
		if len(r.sources) == before {
			return a.err()
		}
	}
}

// drop empties the innermost schema that encloses a place.
func (r *relaxer) drop(root map[string]any, pointer string) {
	for at := pointer; at != ""; at = at[:strings.LastIndexByte(at, '/')] {
		if !r.cores[at] {
			continue
		}
		if _, dropped := r.sources[at].(emptied); dropped {
			continue // an empty schema is valid, so the problem is in an enclosing one
		}
		set, _, ok := locate(root, at)
		if !ok {
			continue
		}
		set(map[string]any{})
		r.sources[at] = emptied{r.raw(at)}
		return
	}
}

// emptied is the source of a schema whose core is empty.
type emptied struct{ source any }

// raw returns the schema at a pointer of the file.
func (r *relaxer) raw(pointer string) any {
	_, value, ok := locate(r.source, pointer)
	if !ok {
		return true
	}
	return value
}

// attach sets the sources of schemas. A combination needs its source if one of its branches
// does.
func (d *Document) attach(sources map[string]any) {
	d.Walk(func(s *Schema) {
		source, ok := sources[s.Pointer]
		if e, isEmptied := source.(emptied); isEmptied {
			source = e.source
		}
		if ok {
			s.Source = source
		}
	})
	for changed := true; changed; {
		changed = false
		d.Walk(func(s *Schema) {
			if s.Source == nil && d.madeOfMore(s) {
				d.Keep(s)
				changed = changed || s.Source != nil
			}
		})
	}
}

// madeOfMore reports whether a schema combines schemas with a source in a way that the document
// cannot represent: as branches of an allOf, or as unions in a union.
func (d *Document) madeOfMore(s *Schema) bool {
	more := func(list []*Schema, only func(*Schema) bool) bool {
		return slices.ContainsFunc(list, func(branch *Schema) bool {
			for seen := 0; branch != nil && branch.Ref != "" && branch.Source == nil && seen < len(d.Definitions); seen++ {
				branch = d.Lookup(branch.Ref)
			}
			return branch != nil && branch.Source != nil && only(branch)
		})
	}
	return more(s.AllOf, func(*Schema) bool { return true }) ||
		more(s.AnyOf, func(b *Schema) bool { return b.AnyOf != nil || b.AllOf != nil })
}

// Keep sets the Source of a schema of a lenient document, because its other fields do not
// represent it completely.
func (d *Document) Keep(s *Schema) {
	if _, value, ok := locate(d.source, s.Pointer); ok && s.Source == nil {
		s.Source = value
	}
}

// Walk calls f for every schema of the document. It calls f for a schema before its subschemas.
func (d *Document) Walk(f func(*Schema)) {
	for _, def := range d.Definitions {
		walk(def.Schema, f)
	}
}

func walk(s *Schema, f func(*Schema)) {
	if s == nil {
		return
	}
	f(s)
	for _, p := range s.Properties {
		walk(p.Schema, f)
	}
	walk(s.Additional, f)
	walk(s.Items, f)
	for _, branch := range slices.Concat(s.AnyOf, s.AllOf) {
		walk(branch, f)
	}
}

// Inject records a member that is added to the document, so that JSON includes it for a lenient
// document, too.
func (d *Document) Inject(property *Schema) { d.injected = append(d.injected, property) }

// lenientJSON returns the source tree with the members that were added.
func (d *Document) lenientJSON() ([]byte, error) {
	root, err := normalize(d.source)
	if err != nil {
		return nil, err
	}
	tree := root.(map[string]any)
	for _, p := range d.injected {
		cut := strings.LastIndexByte(p.Pointer, '/')
		parent, ok := strings.CutSuffix(p.Pointer[:max(cut, 0)], "/properties")
		if !ok {
			continue
		}
		_, value, _ := locate(tree, parent)
		node, ok := value.(map[string]any)
		if !ok || node["additionalProperties"] == false {
			continue
		}
		properties, ok := node["properties"].(map[string]any)
		if !ok {
			properties = map[string]any{}
			node["properties"] = properties
		}
		name := unescape(p.Pointer[cut+1:])
		if _, there := properties[name]; !there {
			properties[name] = d.node(p)
		}
	}
	return json.MarshalIndent(tree, "", " ")
}

// Replace replaces the source text of a lenient document.
func (d *Document) Replace(src []byte) error {
	root, err := decode(d.Revision, src)
	if err == nil {
		d.source, d.injected = root, nil
	}
	return err
}

// Sources returns the pointers of the schemas that have a Source, sorted.
func (d *Document) Sources() []string {
	found := map[string]bool{}
	d.Walk(func(s *Schema) {
		if s.Source != nil {
			found[s.Pointer] = true
		}
	})
	return slices.Sorted(maps.Keys(found))
}

func equalSource(a, b *Schema) bool {
	return a.Source == nil && b.Source == nil || reflect.DeepEqual(a.Source, b.Source)
}

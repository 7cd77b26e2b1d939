package schema

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
)

// Lenient is a document with what [Parse] refuses.
type Lenient struct {
	Document *Document
	// Errata lists the errata that were applied.
	Errata []spec.Erratum
	// Notes lists what was left out.
	Notes []*Error
}

// ParseLenient reads a schema.json as [Parse] does, but leaves out what it cannot read, such as
// unknown keywords, and reports that in Notes. It returns an error only for a text that is not a
// JSON object with definitions.
//
// Errata of any revision are applied if their old value is at their pointer. A note reports an
// erratum of this revision that does not apply.
func ParseLenient(revision string, src []byte, errata []spec.Erratum) (*Lenient, error) {
	text, twice, err := decode(revision, src)
	if err != nil {
		return nil, err
	}
	out := &Lenient{}
	if twice != "" {
		out.note(revision, twice, "duplicate member; the last one takes precedence")
	}
	if text, err = out.carry(revision, text, errata); err != nil {
		return nil, err
	}
	schema, problems := jsonschema.ReadLenient("", text)
	r := newReader(revision, schema)
	for _, p := range problems {
		out.note(revision, p.Pointer, "%s", p.Problem)
	}
	r.known(true)
	for _, e := range r.errs {
		out.note(revision, e.Pointer, "%s; it is ignored", e.Problem)
	}
	r.errs = nil
	out.Document, err = r.parse(text)
	for _, e := range r.errs {
		out.note(revision, e.Pointer, "%s", e.Problem)
	}
	return out, err
}

func (l *Lenient) note(revision, pointer, format string, args ...any) {
	l.Notes = append(l.Notes, &Error{revision, pointer, fmt.Sprintf(format, args...)})
}

// carry returns the text with the errata that match.
func (l *Lenient) carry(revision string, text wire.Raw, errata []spec.Erratum) (wire.Raw, error) {
	for _, e := range errata {
		patched, misfit, err := apply(text, e)
		if err != nil {
			return "", &Error{revision, e.Pointer, "erratum: " + err.Error()}
		}
		text = patched
		switch {
		case misfit == "":
			l.Errata = append(l.Errata, e)
		case e.Contains(revision) && !slices.ContainsFunc(l.Errata, func(have spec.Erratum) bool { return have.Pointer == e.Pointer }):
			l.note(revision, e.Pointer, "the erratum for this place does not apply: %s", misfit)
		}
	}
	return text, nil
}

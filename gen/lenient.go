package gen

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/lower"
	"github.com/mcpgen/mcpgen/gen/schema"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
)

// Lenient is a source that was read for a comparison. It may have every keyword of JSON
// Schema.
type Lenient struct {
	*Lowered
	// Errata lists the errata that were applied.
	Errata []spec.Erratum
	// Notes lists what the comparison leaves out.
	Notes []*schema.Error
}

// LowerLenient returns the ir of a source that [Lower] may not accept. It returns an error only
// for a text that is not a JSON object with definitions.
func LowerLenient(s *spec.Spec, src Source) (*Lenient, error) {
	read, err := schema.ParseLenient(src.Revision, src.Schema, reviewedErrata(s))
	if err != nil {
		return nil, err
	}
	return lowerLenient(src.Revision, read, lower.Input{Document: read.Document, Overlay: s.Overlay, Docs: s.Docs, Extra: src.Overlay})
}

// LowerExtensionLenient is [LowerLenient] for the schema of an extension. A row that matches nothing is
// a note. A definition that the revision has too is declared again, because findings have places in the
// schema of the extension.
func LowerExtensionLenient(s *spec.Spec, x ExtensionSource) (*Lenient, error) {
	errata, err := fitting(x.Revision, x.Schema, s.Errata)
	if err != nil {
		return nil, fmt.Errorf("extension %s: %w", x.Name, err)
	}
	read, err := schema.ParseLenient(x.Revision, x.Schema, errata)
	if err != nil {
		return nil, fmt.Errorf("extension %s: %w", x.Name, err)
	}
	in, err := x.input(s, read.Document, nil)
	if err != nil {
		return nil, err
	}
	return lowerLenient(x.Revision, read, in)
}

// reviewedErrata returns the errata without those of revisions after the newest pinned one, which have not
// been reviewed.
func reviewedErrata(s *spec.Spec) []spec.Erratum {
	errata := slices.Clone(s.Errata)
	for i := range errata {
		if errata[i].Until == "" {
			errata[i].Until = slices.Max(append(s.Revisions(), errata[i].Since))
		}
	}
	return errata
}

func lowerLenient(revision string, read *schema.Lenient, in lower.Input) (*Lenient, error) {
	doc := read.Document
	in.Lenient = true
	lowered, err := lower.Lower(in)
	if err != nil {
		return nil, err
	}
	out := &Lenient{Lowered: &Lowered{doc, lowered}, Errata: read.Errata, Notes: append(read.Notes, lowered.Notes...)}
	text, err := doc.JSON()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", revision, err)
	}
	root, notes := jsonschema.ReadLenient("", wire.Raw(text))
	for _, note := range notes {
		e := schema.Error{Revision: revision, Pointer: note.Pointer, Problem: note.Problem}
		if !slices.ContainsFunc(out.Notes, func(n *schema.Error) bool { return *n == e }) {
			out.Notes = append(out.Notes, &e)
		}
	}
	// Validators use the schema that was lowered.
	doc.Replace(root.Source)
	return out, nil
}

// Closest returns the pinned revision that shares the most definitions with a schema.json. If
// several do, it returns the newest.
func Closest(s *spec.Spec, src []byte) string {
	theirs := definitions(src)
	best, most := "", -1
	for _, revision := range s.Revisions() {
		facts, err := s.Schema(revision)
		if err != nil {
			continue
		}
		shared := 0
		ours := definitions(facts)
		for name, text := range ours {
			if theirs[name] == text {
				shared++
			}
		}
		if shared >= most {
			best, most = revision, shared
		}
	}
	return best
}

// definitions returns the texts of a schema's definitions, without descriptions.
func definitions(src []byte) map[string]string {
	facts, err := schema.Facts("", src)
	if err != nil {
		return nil
	}
	var root map[string]json.RawMessage
	if json.Unmarshal(facts, &root) != nil {
		return nil
	}
	all := map[string]string{}
	for _, container := range []string{"$defs", "definitions"} {
		var defs map[string]json.RawMessage
		if json.Unmarshal(root[container], &defs) == nil {
			for name, text := range defs {
				all[name] = strings.ReplaceAll(string(text), "#/definitions/", "#/$defs/")
			}
		}
	}
	return all
}

package schema

import (
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
)

// applyErrata returns the patched text. It returns an error if the old value is not at the
// pointer, because the erratum must be reviewed after the upstream file was edited.
func applyErrata(revision string, text wire.Raw, errata []spec.Erratum) (wire.Raw, error) {
	for _, e := range errata {
		if !e.Contains(revision) {
			continue
		}
		patched, misfit, err := apply(text, e)
		if err != nil {
			return "", &Error{revision, place(e), "erratum: " + err.Error()}
		}
		if misfit != "" {
			return "", &Error{revision, place(e), "stale erratum: " + misfit}
		}
		text = patched
	}
	return text, nil
}

// Misfits returns for each erratum why it does not apply to a schema.json, whose revision need not
// be in its range. The reason is "" for one that applies.
func Misfits(revision string, src []byte, errata []spec.Erratum) ([]string, error) {
	text, _, err := decode(revision, src)
	if err != nil {
		return nil, err
	}
	misfits := make([]string, len(errata))
	for i, e := range errata {
		if text, misfits[i], err = apply(text, e); err != nil {
			return nil, &Error{revision, place(e), "erratum: " + err.Error()}
		}
	}
	return misfits, nil
}

// place returns the row of an erratum and its place in the schema.
func place(e spec.Erratum) string {
	if e.Where == "" {
		return e.Pointer
	}
	return e.Where + ": " + e.Pointer
}

// apply returns the patched text. If the erratum does not apply, misfit is the reason.
func apply(text wire.Raw, e spec.Erratum) (patched wire.Raw, misfit string, err error) {
	before, err := json.Marshal(e.Old)
	if err != nil {
		return "", "", err
	}
	after, err := json.Marshal(e.New)
	if err != nil {
		return "", "", err
	}
	current, ok := text.At(e.Pointer)
	switch {
	case !ok:
		return text, "there is no value", nil
	case !wire.Equal(current, wire.Raw(before)):
		return text, fmt.Sprintf("want %s, found %s", before, current), nil
	}
	return jsonschema.Replaced(text, map[string]wire.Raw{e.Pointer: wire.Raw(after)}), "", nil
}

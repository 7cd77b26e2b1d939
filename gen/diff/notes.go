package diff

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/spec"
)

// Skipped is a part of a side that the comparison left out, or took for something
// else than it says.
type Skipped struct {
	// Side is "old" or "new".
	Side  string `json:"side" jsonschema:"enum=old,enum=new"`
	Where Place  `json:"where"`
	Why   string `json:"why"`
}

// Corrected is an erratum that was applied to a side before it was compared.
type Corrected struct {
	// Side is "old" or "new".
	Side    string `json:"side" jsonschema:"enum=old,enum=new"`
	Pointer string `json:"pointer"`
	// Old is what stands in the side's file, New what was compared instead.
	Old    json.RawMessage `json:"old"`
	New    json.RawMessage `json:"new"`
	Reason string          `json:"reason"`
}

// Notes are about how a side was read.
type Notes struct {
	// Skipped are what was left out. Their Side is filled in by the comparison.
	Skipped []Skipped
	// Errata are those that were applied.
	Errata []spec.Erratum
}

// notes takes over what is noted about the sides.
func (r *Report) notes(old, new Notes) {
	for _, side := range []struct {
		name string
		Notes
	}{{"old", old}, {"new", new}} {
		for _, s := range side.Skipped {
			s.Side = side.name
			r.Skipped = append(r.Skipped, s)
		}
		for _, e := range side.Errata {
			r.Errata = append(r.Errata, Corrected{side.name, e.Pointer, raw(e.Old), raw(e.New), e.Reason})
		}
	}
}

// raw is the JSON text of a value that was read from YAML.
func raw(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null") // the table of errata has been read as JSON already
	}
	return text
}

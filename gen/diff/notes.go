package diff

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/spec"
)

// Skipped is a part of a side that the comparison left out or could not read as written.
type Skipped struct {
	// Side is "old" or "new".
	Side  string `json:"side" jsonschema:"enum=old,enum=new"`
	Where Place  `json:"where"`
	Why   string `json:"why"`
}

// Corrected is an erratum that was applied to a side before the comparison.
type Corrected struct {
	// Side is "old" or "new".
	Side    string `json:"side" jsonschema:"enum=old,enum=new"`
	Pointer string `json:"pointer"`
	// Old is the value in the side's file. New is the value that was compared instead.
	Old    json.RawMessage `json:"old"`
	New    json.RawMessage `json:"new"`
	Reason string          `json:"reason"`
}

// Notes describe how a side was read.
type Notes struct {
	// Skipped lists the parts that were left out. The comparison sets their Side.
	Skipped []Skipped
	// Errata lists the errata that were applied.
	Errata []spec.Erratum
}

// notes adds the notes of both sides to the report.
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
			r.Errata = append(r.Errata, Corrected{side.name, e.Pointer, json.RawMessage(render(e.Old)), json.RawMessage(render(e.New)), e.Reason})
		}
	}
}

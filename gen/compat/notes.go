package compat

import "encoding/json"

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

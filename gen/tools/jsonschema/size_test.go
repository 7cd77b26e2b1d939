package jsonschema

import (
	"testing"
	"unsafe"
)

// TestSize checks that a schema without limits and rare keywords is small, because a list of tools can have some
// 100,000 of them, and that a clone shares nothing that can be set.
func TestSize(t *testing.T) {
	if size := unsafe.Sizeof(Schema{}); size > 320 {
		t.Errorf("a schema has %d bytes, want at most 320", size)
	}
	s, errs := Read("", `{"type":"object","properties":{"a":{"type":"string","not":{"const":"x"}},"b":{"type":"string"},"c":{"maximum":1}}}`)
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	for name, want := range map[string][2]bool{"a": {true, false}, "b": {true, true}, "c": {false, true}} {
		if p := s.Property(name); p.Limits == noLimits != want[0] || p.Rare == noRare != want[1] {
			t.Errorf("%s: shares limits %t and rare keywords %t, want %v", name, p.Limits == noLimits, p.Rare == noRare, want)
		}
	}
	a, b := s.Property("a"), s.Property("b")
	a.Clone().Not, b.Clone().UniqueItems = nil, true
	if a.Not == nil || b.UniqueItems {
		t.Error("a change of a clone changes the schema")
	}
}

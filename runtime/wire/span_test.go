package wire_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestFindMembers checks the places of members, also in text that is not checked.
func TestFindMembers(t *testing.T) {
	names := []string{"a", "b"}
	for text, want := range map[string]string{
		`{}`:                             "|",
		`{"a":1,"b":"x\"}"}`:             `1|"x\"}"`,
		`{ "c" : {"a":1} , "a" : [2] }`:  `[2]|`,
		`{"\u0061":{"b":[{}]},"b":null}`: `{"b":[{}]}|null`,
		`{"a":1,"a":2}`:                  "1|",
		`{"b":1`:                         "|1",
		`{"b":`:                          "|",
		`["a",1]`:                        "|",
		``:                               "|",
	} {
		var found [2]wire.Span
		wire.FindMembers([]byte(text), names, found[:])
		var got []string
		for _, s := range found {
			got = append(got, text[s.Start:s.End])
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	text, found := []byte(`{"x":{"a":[1,2,3]},"b":"text"}`), [2]wire.Span{}
	if n := testing.AllocsPerRun(100, func() { wire.FindMembers(text, names, found[:]) }); n != 0 {
		t.Errorf("%.0f allocations", n)
	}
}

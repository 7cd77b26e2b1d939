package wire_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestExtend checks that an array does not get many times the room that it needs, also
// where its last element is nearly all of the text, and that it seldom grows.
func TestExtend(t *testing.T) {
	type wide struct{ _ [30]int64 }
	for _, tt := range []struct {
		text             string
		most, allocation int
	}{
		{"[" + strings.Repeat("{},", 4) + `"` + strings.Repeat("x", 50_000) + `"]`, 16 + 50_000/240, 2},
		{"[" + strings.Repeat(`"`+strings.Repeat("x", 500)+`",`, 99) + `""]`, 120, 2},
		{"[" + strings.Repeat(`0,`, 999) + `0]`, 1500, 6},
	} {
		r := wire.NewStringReader(tt.text)
		var all []wide
		grown, before := 0, 0
		for r.BeginArray(); r.Element(); r.Skip() {
			wire.Extend(r, &all)
			if cap(all) != before {
				grown, before = grown+1, cap(all)
			}
		}
		if r.Err() != nil || before > tt.most || grown > tt.allocation {
			t.Errorf("%.20s...: %v, room for %d, grown %d times", tt.text, r.Err(), before, grown)
		}
	}

	// Of many arrays, each has only a part of what comes after it.
	list := `{"list":[` + strings.Repeat(`{"of":[0,0,0,0,0,0,0]},`, 299) + `{"of":[]}]}`
	r := wire.NewStringReader(list)
	room := 0
	for r.BeginObject(); r.Member(); {
		for r.BeginArray(); r.Element(); {
			for r.BeginObject(); r.Member(); {
				var all []int64
				for r.BeginArray(); r.Element(); r.Skip() {
					wire.Extend(r, &all)
				}
				room += cap(all)
			}
		}
	}
	if r.Err() != nil || room > 2*7*299 {
		t.Errorf("%v, room for %d in arrays of 7", r.Err(), room)
	}
}

// TestArrayOf checks arrays of elements, of which there may be none.
func TestArrayOf(t *testing.T) {
	if got := wire.ArrayOf([]wire.Raw{"1", `"a"`, "[]"}); got != `[1,"a",[]]` {
		t.Error(got)
	}
	if got := wire.ArrayOf([]wire.Object(nil)); got != "[]" {
		t.Error(got)
	}
}

package convert_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestPlaces has losses and refusals name their places.
func TestPlaces(t *testing.T) {
	var c convert.Conversion
	convert.Value(&c, "a/b", 1, func(c *convert.Conversion, x int) int {
		convert.Values(c, "list", []int{0, 1}, func(c *convert.Conversion, x int) int {
			c.Drop("~", x == 1, "why")
			return x
		})
		convert.ValueMap(c, "map", wire.Map[int]{{Name: "k"}}, func(c *convert.Conversion, x int) int {
			c.Require("id", false, "needed")
			c.Refuse("only the first is told")
			return x
		})
		return x
	})
	c.Lose("all")
	if diff := cmp.Diff([]convert.Loss{{"/a~1b/list/1/~0", "why"}, {"", "all"}}, c.Losses()); diff != "" {
		t.Error(diff)
	}
	e, ok := errors.AsType[*convert.Error](c.Err())
	if want := (convert.Error{Pointer: "/a~1b/map/k/id", Reason: "needed"}); !ok || *e != want {
		t.Errorf("got %v", c.Err())
	}
}

// TestOffers has what is refused be left out, and what was lost of it forgotten.
func TestOffers(t *testing.T) {
	var c convert.Conversion
	got := convert.Offers(&c, "tools", []int{1, 2, 3}, func(c *convert.Conversion, x *int) *int {
		c.Lose("something")
		if *x == 2 {
			c.Refuse("two")
		}
		return x
	})
	if diff := cmp.Diff([]int{1, 3}, got); diff != "" {
		t.Error(diff)
	}
	want := []convert.Loss{{"/tools/0", "something"}, {"/tools/1", "left out: two"}, {"/tools/2", "something"}}
	if diff := cmp.Diff(want, c.Losses()); diff != "" {
		t.Error(diff)
	}
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}

// TestExtra has the members that no type has a field for be kept, but for those that the
// other revision has one for.
func TestExtra(t *testing.T) {
	extra := wire.Members{{Name: "x", Value: "1"}, {Name: "title", Value: `"t"`}}
	for _, tt := range []struct {
		taken []string
		want  wire.Members
		lost  int
	}{
		{nil, extra, 0},
		{[]string{"other"}, extra, 0},
		{[]string{"title"}, extra[:1], 1},
	} {
		var c convert.Conversion
		if diff := cmp.Diff(tt.want, c.Extra(extra, tt.taken...)); diff != "" {
			t.Errorf("%v: %s", tt.taken, diff)
		}
		if len(c.Losses()) != tt.lost {
			t.Errorf("%v: %v", tt.taken, c.Losses())
		}
	}
	if extra[1].Name != "title" {
		t.Error("what was converted has changed")
	}
}

// TestUnknownRevision has a binding that the ladder does not know stay alone.
func TestUnknownRevision(t *testing.T) {
	var l convert.Ladder
	all := l.Serve(runtime.Binding{Revision: "2099-01-01"}, convert.Options{})
	if len(all) != 1 || all[0].Revision != "2099-01-01" {
		t.Errorf("got %v", all)
	}
}

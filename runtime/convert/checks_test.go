package convert_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestChecks checks that a value is checked after it was converted, and refused if it is not valid then.
func TestChecks(t *testing.T) {
	const (
		whole convert.Rule = iota + 1
		part
		list
		stated
	)
	atMostTwo := func(c *schema.Checker) {
		n := 0
		if c.Object(wire.KindObject) {
			for ; c.Member(); n++ {
				c.Pass()
			}
			c.MaxProperties(n, 2)
		}
	}
	table := convert.Table{
		Revisions: []convert.Revision{{ID: "1"}, {ID: "2"}},
		Steps: []*convert.Step{{
			Older: "1", Newer: "2",
			Definitions: []convert.Definition{{Older: "List", Newer: "List", Up: list}, {Older: "Stated", Newer: "Stated", Up: stated}, {Older: "Whole", Newer: "Whole", Up: whole}},
			Up: []convert.Shape{
				whole:  {Cases: []convert.Case{{Rule: part}}, Checks: []func(*schema.Checker){atMostTwo}},
				part:   {Members: []convert.Member{{Name: "old", Drop: "gone"}, {Name: "new", Default: "0"}}},
				list:   {Members: []convert.Member{{Name: "all", Rule: list}}, Each: whole, LeaveOut: true},
				stated: {Checks: []func(*schema.Checker){atMostTwo}, Reason: "at most two"},
			},
		}},
	}
	for _, tt := range []struct{ definition, value, want string }{
		{"Whole", `{"a":1}`, `{"a":1,"new":0}`},
		{"Whole", `{"a":1,"old":1}`, `{"a":1,"new":0} lost /old: gone`},
		{"Whole", `{"a":1,"b":2}`, "convert: the other revision does not allow this value: must have at most 2 members, has 3"},
		{"List", `{"all":[{"a":1,"b":2},{"a":1}]}`, `{"all":[{"a":1,"new":0}]} lost /all/0: left out: the other revision does not allow this value: must have at most 2 members, has 3`},
		{"Stated", `{"a":1,"b":2}`, `{"a":1,"b":2}`},
		{"Stated", `{"a":1,"b":2,"c":3}`, "convert: at most two"},
	} {
		var c convert.Conversion
		got, err := table.Convert(&c, "1", "2", tt.definition, wire.Raw(tt.value))
		text := string(got)
		for _, l := range c.Losses() {
			text += " lost " + l.String()
		}
		if err != nil {
			text = err.Error()
		}
		if text != tt.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", tt.definition, tt.value, text, tt.want)
		}
	}
}

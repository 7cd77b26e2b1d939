package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestMembers checks objects by the same rules, with their members in several orders.
func TestMembers(t *testing.T) {
	rules := []schema.Member{
		{Name: "id", Required: true, Types: wire.KindInteger},
		{Name: "at", Types: wire.KindString | wire.KindNull, Format: "date"},
		{Name: "tags", Types: wire.KindArray, Items: func(c *schema.Checker) { c.MinLength(c.Value(wire.KindString), 2) }},
		{Name: "any", Required: true, Types: wire.KindAny},
		{Name: "size", Check: func(c *schema.Checker) { c.Enum(c.Value(wire.KindAny), `"s"`, `"m"`) }},
	}
	number := func(c *schema.Checker) { c.Value(wire.KindNumber) }
	for _, test := range []struct {
		text   string
		others func(*schema.Checker)
		want   []string
	}{
		{`{"id":1,"at":"2026-01-31","tags":["ab"],"any":[],"size":"s"}`, nil, nil},
		{`{"size":"m","any":null,"tags":[],"at":null,"id":1}`, nil, nil},
		{`{"any":1,"id":1}`, nil, nil},
		{`{"x":1,"any":1,"y":2.5,"id":1}`, number, nil},
		{`{"x":"1","any":1,"id":"1"}`, number, []string{`at /x: must be a number, found the string "1"`, `at /id: must be an integer, found the string "1"`}},
		{`{"x":1}`, nil, []string{
			`at /x: unknown member; allowed are "id", "at", "tags", "any" and "size"`,
			`missing member "id"`,
			`missing member "any"`,
		}},
		{`{"size":"l","tags":["ab","c"],"at":"31","any":1,"id":1}`, nil, []string{
			`at /size: must be one of "s", "m", found "l"`,
			`at /tags/1: must have at least 2 characters, has 1`,
			`at /at: must be in the format date (such as 2026-01-31), found "31"`,
		}},
		{`[]`, nil, []string{`must be an object, found an array`}},
	} {
		err := schema.Check(wire.Raw(test.text), func(c *schema.Checker) { c.Members(wire.KindObject, test.others, rules) })
		var got []string
		if err != nil {
			for _, p := range wire.ProblemsOf(err) {
				got = append(got, p.String())
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
}

// TestManyMembers checks an object with as many members as there can be rules, one of which is missing.
func TestManyMembers(t *testing.T) {
	var rules []schema.Member
	for i := range 128 {
		rules = append(rules, schema.Member{Name: fmt.Sprint("m", i), Required: true, Types: wire.KindInteger})
	}
	for missing := range rules {
		var members []string
		for i := range rules {
			if i != missing {
				members = append(members, fmt.Sprintf(`"m%d":%d`, i*37%128, i)) // each once, in another order
			}
		}
		err := schema.Check(wire.Raw("{"+strings.Join(members, ",")+"}"), func(c *schema.Checker) { c.Members(wire.KindObject, nil, rules) })
		want := fmt.Sprintf(`missing member "m%d"`, missing*37%128)
		if problems := wire.ProblemsOf(err); len(problems) != 1 || problems[0].String() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

package convert_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestPlain checks that a Converter, which does not read most values, converts as Table.Convert does.
func TestPlain(t *testing.T) {
	convert.SetPolicy(t, "Count", func(_ *convert.Conversion, value wire.Raw) wire.Raw {
		o, err := wire.Object(value).With("members", wire.Raw(wire.ScalarOf(int64(wire.Object(value).Len())).String()))
		if err != nil {
			t.Error(err)
		}
		return wire.Raw(o)
	})
	same := func(name string, up convert.Rule) convert.Definition {
		return convert.Definition{Older: name, Newer: name, Up: up}
	}
	all := &convert.Table{
		Revisions: []convert.Revision{{ID: "1"}, {ID: "2"}, {ID: "3"}},
		Steps: []*convert.Step{{
			Older: "1", Newer: "2",
			Definitions: []convert.Definition{same("Adds", 1), same("Always", 0), same("Counts", 1), same("Keeps", 0), same("Late", 0), same("Nests", 2), same("Requires", 3)},
			Up: []convert.Shape{1: {Members: []convert.Member{{Name: "type", Default: `"a"`, Const: true}, {Name: "gone", Drop: "not in 2"}}},
				2: {Members: []convert.Member{{Name: "type", Default: `{"b":{}}`}}},
				3: {Members: []convert.Member{{Name: "id", Require: "2 requires it"}}}},
		}, {
			Older: "2", Newer: "3",
			Definitions: []convert.Definition{same("Adds", 1), same("Always", 3), same("Counts", 2), same("Keeps", 0), same("Late", 2), same("Nests", 0), same("Requires", 0)},
			Up: []convert.Shape{1: {Members: []convert.Member{{Name: "late", Default: "1"}, {Name: "type", Rule: 4}}},
				2: {Members: []convert.Member{{Name: "type", Rewrite: "Count"}}},
				3: {Members: []convert.Member{{Name: "type", Rewrite: "Count", Always: true}}},
				4: {Cases: []convert.Case{{Kind: wire.KindString, Replace: `"b"`}}}},
		}},
	}
	for _, definition := range []string{"Adds", "Always", "Counts", "Keeps", "Late", "Nests", "Requires", "Unknown"} {
		converter := all.Converter("1", convert.Options{})
		for _, to := range []string{"2", "3", "2", "4"} {
			for _, text := range []wire.Raw{`{}`, `{"a":1}`, `{"a":"type"}`, `{"type":"x"}`, `{"typ\u0065":"x"}`, `{"gone":1,"a":2}`, `{"id":1}`, `[]`, `"late"`} {
				var c convert.Conversion
				want, failed := all.Convert(&c, "1", to, definition, text)
				got, err := converter.Append(t.Context(), []byte("x"), to, definition, text)
				if (err == nil) != (failed == nil) || err == nil && string(got) != "x"+string(want) {
					t.Errorf("%s to %s, %s:\ngot  %s, %v\nwant x%s, %v", definition, to, text, got, err, want, failed)
				}
			}
		}
	}
}

// TestUnknownFunction checks that a table with a function of a newer runtime is an error when a server starts, and
// refuses the values to rewrite.
func TestUnknownFunction(t *testing.T) {
	const want = `the table names the function "New", which this version of the runtime does not have`
	for name, shape := range map[string]convert.Shape{
		"of a member":  {Members: []convert.Member{{Name: "a", Rewrite: "New"}}},
		"of a variant": {Cases: []convert.Case{{Kind: wire.KindObject, Rewrite: "New"}}},
	} {
		table := &convert.Table{
			Revisions: []convert.Revision{{ID: "1"}, {ID: "2"}},
			Steps:     []*convert.Step{{Older: "1", Newer: "2", Definitions: []convert.Definition{{Older: "R", Newer: "R", Down: 1}}, Down: []convert.Shape{1: shape}}},
		}
		if err := table.Check("1"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: Check: %v", name, err)
		}
		if _, err := table.Convert(new(convert.Conversion), "2", "1", "R", wire.Raw(`{"a":1}`)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: Convert: %v", name, err)
		}
	}
}

// TestSame checks which results a Converter leaves as they are: objects without the words that the table names for
// their definition, and to which nothing is added but what the runtime adds itself.
func TestSame(t *testing.T) {
	sessions := []runtime.Method{{Name: "initialize", Kind: jsonrpc.Request, Direction: runtime.ToServer}}
	alone := []runtime.Method{{Name: "m", Kind: jsonrpc.Request, Direction: runtime.ToServer}}
	typed := func(value wire.Raw) convert.Shape {
		return convert.Shape{Touched: []string{`"_meta"`, `"resultType"`},
			Members: []convert.Member{{Name: "resultType", Default: value, Const: true}, {Name: "_meta", Rule: 4, LeaveOut: true, Default: "{}"}}}
	}
	table := func(newer []runtime.Method, up convert.Rule) *convert.Converter {
		all := &convert.Table{
			Revisions: []convert.Revision{{ID: "1", Methods: sessions}, {ID: "2", Methods: newer}},
			Steps: []*convert.Step{{Older: "1", Newer: "2",
				Definitions: []convert.Definition{{Older: "R", Newer: "R", Up: up}},
				Up: []convert.Shape{1: typed(`"complete"`), 2: typed(`"other"`),
					3: {Cases: []convert.Case{{When: []convert.Condition{{Path: []string{"a"}}}, Rule: 1}}, Otherwise: "no a"},
					4: {Members: []convert.Member{{Name: "server", Drop: "not in 2", Fact: "serverInfo"}}}}}},
		}
		return all.Converter("1", convert.Options{})
	}
	for _, tt := range []struct {
		name         string
		by           *convert.Converter
		result, want wire.Raw
	}{
		{"a session", table(sessions, 1), `{"a":1}`, `{"a":1,"resultType":"complete"}`},
		{"no session", table(alone, 1), `{"a":1}`, `{"a":1}`},
		{"a variant", table(alone, 3), `{"a":1}`, `{"a":1}`},
		{"no rule", table(sessions, 0), `{"a":1}`, `{"a":1}`},
		{"a word in a text", table(alone, 1), `{"a":"_meta","b":"\"_meta\""}`, `{"a":"_meta","b":"\"_meta\""}`},
		{"a member that differs", table(alone, 1), `{"_meta":{"server":1}}`, `{"_meta":{}}`},
		{"an escaped name of one", table(alone, 1), `{"\u005fmeta":{"server":1}}`, `{"\u005fmeta":{}}`},
		{"one below another", table(alone, 1), `{"a":{"_meta":{"server":1}}}`, `{"a":{"_meta":{"server":1}}}`},
		{"another type", table(alone, 2), `{"a":1}`, `{"a":1,"resultType":"other"}`},
		{"no object", table(alone, 1), `[]`, `[]`},
	} {
		got, err := tt.by.Append(t.Context(), nil, "2", "R", tt.result)
		if err != nil || wire.Raw(got) != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
	if _, err := table(alone, 3).Append(t.Context(), nil, "2", "R", wire.Raw(`{"b":1}`)); err == nil {
		t.Error("a value that is no variant is accepted")
	}
}

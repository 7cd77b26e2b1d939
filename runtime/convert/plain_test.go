package convert_test

import (
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestPlain checks that a Converter, which does not read most values, converts as Table.Convert does.
func TestPlain(t *testing.T) {
	count := func(_ *convert.Conversion, value wire.Raw) wire.Raw {
		o, err := wire.Object(value).With("members", wire.Raw(wire.IntScalar(int64(wire.Object(value).Len())).String()))
		if err != nil {
			t.Error(err)
		}
		return wire.Raw(o)
	}
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
				2: {Members: []convert.Member{{Name: "type", Rewrite: count}}},
				3: {Members: []convert.Member{{Name: "type", Rewrite: count, Always: true}}},
				4: {Cases: []convert.Case{{Kind: schema.String, Replace: `"b"`}}}},
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

// members is a result that implements runtime.KnownMembers.
type members struct {
	wire.Raw
	names []string
}

func (m members) MayHave(name string) bool { return slices.Contains(m.names, name) }

// TestSame checks when a result needs no conversion: it implements KnownMembers, none of them differs, and none is
// added but the type that the runtime adds.
func TestSame(t *testing.T) {
	sessions := []runtime.Method{{Name: "initialize", Kind: jsonrpc.Request, Direction: runtime.ToServer}}
	alone := []runtime.Method{{Name: "m", Kind: jsonrpc.Request, Direction: runtime.ToServer}}
	typed := func(value wire.Raw) convert.Shape {
		return convert.Shape{Members: []convert.Member{{Name: "resultType", Default: value, Const: true}, {Name: "_meta", Rule: 3, LeaveOut: true, Default: "{}"}}}
	}
	table := func(newer []runtime.Method, up convert.Rule) *convert.Converter {
		all := &convert.Table{
			Revisions: []convert.Revision{{ID: "1", Methods: sessions}, {ID: "2", Methods: newer}},
			Steps: []*convert.Step{{Older: "1", Newer: "2",
				Definitions: []convert.Definition{{Older: "R", Newer: "R", Up: up}},
				Up:          []convert.Shape{1: typed(`"complete"`), 2: typed(`"other"`), 3: {Members: []convert.Member{{Name: "server", Fact: convert.ServerInfo}}}}}},
		}
		return all.Converter("1", convert.Options{})
	}
	plain := members{`{"a":1}`, []string{"a"}}
	for _, tt := range []struct {
		name       string
		by         *convert.Converter
		definition string
		result     wire.Appender
		want       bool
	}{
		{"the type of complete results", table(alone, 1), "R", plain, true},
		{"nothing", table(sessions, convert.Keep), "R", plain, true},
		{"a member that differs", table(alone, 1), "R", members{`{"_meta":{}}`, []string{"_meta"}}, false},
		{"members that are not known", table(alone, 1), "R", plain.Raw, false},
		{"another type", table(alone, 2), "R", plain, false},
		{"the type in a revision with sessions", table(sessions, 1), "R", plain, false},
		{"a definition that is not known", table(alone, 1), "S", plain, false},
	} {
		if got := tt.by.Same("2", tt.definition, tt.result); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
	if table(alone, 1).Same("3", "R", plain) {
		t.Error("a result is the same in an unknown revision")
	}
}

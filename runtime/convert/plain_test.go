package convert_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/convert"
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
				4: {Cases: []convert.Case{{Kind: convert.String, Replace: `"b"`}}}},
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

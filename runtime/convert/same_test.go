package convert_test

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestRepeated checks that messages whose _meta was seen before, and results that seem to lack what
// differs, are converted as all others are.
func TestRepeated(t *testing.T) {
	methods := []runtime.Method{{Name: "m", Kind: jsonrpc.Request, Direction: runtime.ToServer, Params: "P", Result: "R"}}
	all := &convert.Table{
		Revisions: []convert.Revision{{ID: "1", Methods: methods}, {ID: "2", Methods: methods}},
		Steps: []*convert.Step{{
			Older: "1", Newer: "2",
			Definitions: []convert.Definition{{Older: "P", Newer: "P", Down: 1}, {Older: "R", Newer: "R", Up: 1}},
			Down: []convert.Shape{1: {Members: []convert.Member{
				{Name: "_meta", Rule: 2},
				{Name: "gone", Drop: "not in 1"},
			}}, 2: {Members: []convert.Member{{Name: "terms", Drop: "not in 1", Handled: true}}}},
			Up: []convert.Shape{1: {Members: []convert.Member{
				{Name: "type", Const: true, Default: `"complete"`},
				{Name: "_meta", Rule: 2, LeaveOut: true, Default: "{}"},
			}}, 2: {Members: []convert.Member{{Name: "server", Fact: "serverInfo"}}}},
		}},
	}
	var received wire.Raw
	answer := wire.Raw("{}")
	session := all.Bind(runtime.Binding{Revision: "1", Direction: runtime.ToServer, Methods: methods,
		Handle: func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
			params := wire.Raw(message.Object())
			received = params
			return answer, nil
		}}, convert.Options{})[1]

	const meta = `"_meta":{"terms":1,"x":[1.50]}`
	for _, params := range []wire.Raw{
		`{"name":"a",` + meta + `}`, // the first is converted, the others may be by its _meta
		`{"name":"b",` + meta + `}`,
		`{` + meta + `}`,
		`{` + meta + `,"name":"c"}`,
		`{"name":"c",` + meta + `,"z":1}`,
		`{"gone":1,` + meta + `}`,
		`{` + meta + `,"gone":1}`,
		`{"g\u006fne":1,` + meta + `}`,
		`{"name":"gone",` + meta + `}`,
		`{"name":{"z":{},` + meta + `}}`,
		`{"name":{` + meta + `},"_meta":{"terms":2}}`,
		`{"name":"a"}`,
		`{"name":"a","_meta":{"terms":1,"progressToken":1}}`,
		`{"name":"a","_meta":{"x":1}}`,
		`{"name":"a","_meta":{"terms":2}}`,
		`{"name":"b","_meta":{"terms":2}}`,
		`{"name":"a",` + meta + `}`,
	} {
		var c convert.Conversion
		want, err := all.Convert(&c, "2", "1", "P", params)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := session.Handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "m", Params: params}); err != nil || received != want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", params, received, err, want)
		}
	}

	for _, tt := range []struct{ result, want wire.Raw }{
		{`{}`, `{"type":"complete"}`},
		{`{"a":"type"}`, `{"a":"type","type":"complete"}`},
		{`{"a":"\u0041"}`, `{"a":"\u0041","type":"complete"}`},
		{`{"a":1}`, `{"a":1,"type":"complete"}`},
		{`{"type":1}`, `{"type":"complete"}`},
		{`{"_meta":{"a":1}}`, `{"_meta":{"a":1},"type":"complete"}`},
		{`{"typ\u0065":"complete"}`, `{"typ\u0065":"complete"}`},
		{`[]`, `[]`},
	} {
		answer = tt.result
		result, err := session.Handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "m"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := wire.MarshalString(result); err != nil || wire.Raw(got) != tt.want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", tt.result, got, err, tt.want)
		}
	}
}

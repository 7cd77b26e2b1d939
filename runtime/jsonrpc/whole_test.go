package jsonrpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// empty are params without members that only the number of problems tells apart.
type empty struct{ wire.Object }

func (e *empty) Check(c *wire.Collector) {
	if e.Len() > 0 {
		c.Report("must be empty")
	}
}

// TestWhole reads and writes whole messages, with the codec and with encoding/json.
func TestWhole(t *testing.T) {
	id := wire.IDOf(7)
	for _, c := range []struct {
		name, text string
		want       wire.Value
	}{
		{"request", `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`,
			&jsonrpc.RequestOf[wire.Object]{ID: id, Method: "tools/list"}},
		{"request with params", `{"jsonrpc":"2.0","id":7,"method":"a","params":{"x":1},"more":[2]}`,
			&jsonrpc.RequestOf[wire.Object]{ID: id, Method: "a", Params: new(wire.Object(`{"x":1}`)), Extra: wire.Members{{Name: "more", Value: `[2]`}}}},
		{"notification", `{"jsonrpc":"2.0","method":"a","params":{}}`,
			&jsonrpc.NotificationOf[wire.Object]{Method: "a", Params: new(wire.Object(`{}`))}},
		{"result", `{"jsonrpc":"2.0","id":7,"result":{"x":9007199254740993}}`,
			&jsonrpc.ResultOf[wire.Object]{ID: id, Result: `{"x":9007199254740993}`}},
		{"error", `{"jsonrpc":"2.0","id":7,"error":{"code":-32601}}`,
			&jsonrpc.ErrorOf[wire.Object]{ID: id, Error: `{"code":-32601}`}},
		{"error without id", `{"jsonrpc":"2.0","error":{}}`,
			&jsonrpc.ErrorOf[wire.Object]{Error: `{}`}},
	} {
		fresh := func() wire.Value {
			switch c.want.(type) {
			case *jsonrpc.RequestOf[wire.Object]:
				return new(jsonrpc.RequestOf[wire.Object])
			case *jsonrpc.NotificationOf[wire.Object]:
				return new(jsonrpc.NotificationOf[wire.Object])
			case *jsonrpc.ResultOf[wire.Object]:
				return new(jsonrpc.ResultOf[wire.Object])
			}
			return new(jsonrpc.ErrorOf[wire.Object])
		}
		ours, theirs := fresh(), fresh()
		if err := wire.UnmarshalString(c.text, ours); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := json.Unmarshal([]byte(c.text), theirs); err != nil {
			t.Errorf("%s: json.Unmarshal: %v", c.name, err)
		}
		for _, got := range []wire.Value{ours, theirs} {
			if diff := cmp.Diff(c.want, got, cmp.Comparer(func(a, b wire.ID) bool { return a == b })); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
		if err := wire.Validate(ours); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		text, err := wire.Marshal(ours)
		if err != nil || string(text) != c.text {
			t.Errorf("%s: got %s, %v, want %s", c.name, text, err, c.text)
		}
		if text, err = json.Marshal(ours); err != nil || string(text) != c.text {
			t.Errorf("%s: json.Marshal gives %s, %v, want %s", c.name, text, err, c.text)
		}
	}
}

func TestWholeErrors(t *testing.T) {
	type request = jsonrpc.RequestOf[empty]
	for _, c := range []struct {
		text, want string
		into       wire.Value
	}{
		{`{"id":1,"method":"a"}`, `missing member "jsonrpc"`, new(request)},
		{`{"jsonrpc":"1.0","id":1,"method":"a"}`, `must be "2.0"`, new(request)},
		{`{"jsonrpc":"2.0","method":"a"}`, `missing member "id"`, new(request)},
		{`{"jsonrpc":"2.0","id":1.5,"method":"a"}`, `expected`, new(request)},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}`, `duplicate`, new(request)},
		{`{"jsonrpc":"2.0","id":1,"method":"a","params":[]}`, `expected an object`, new(request)},
		{`{"jsonrpc":"2.0","id":1}`, `missing member "result"`, new(jsonrpc.ResultOf[empty])},
		{`{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1}}`, `at /params: must be empty`, new(request)},
		{`{"jsonrpc":"2.0","id":1,"result":{"x":1}}`, `at /result: must be empty`, new(jsonrpc.ResultOf[empty])},
		{`{"jsonrpc":"2.0","id":1,"error":{"x":1}}`, `at /error: must be empty`, new(jsonrpc.ErrorOf[empty])},
		{`{"jsonrpc":"2.0","method":"a","params":{"x":1}}`, `at /params: must be empty`, new(jsonrpc.NotificationOf[empty])},
	} {
		err := wire.UnmarshalString(c.text, c.into)
		if err == nil {
			err = wire.Validate(c.into)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got the error %v, want %q", c.text, err, c.want)
		}
	}
	if _, err := wire.Marshal(&request{ID: wire.IDOf(1)}); err == nil {
		t.Error("a request without a method is written")
	}
	if _, err := wire.Marshal(&request{Method: "a"}); err == nil {
		t.Error("a request without an id is written")
	}
}

// TestTakenMembers checks that the members of a message that it has no fields for do not change what the message is.
func TestTakenMembers(t *testing.T) {
	for _, m := range []wire.Appender{
		&jsonrpc.NotificationOf[empty]{Method: "a", Extra: wire.Members{{Name: "id", Value: "1"}}},
		&jsonrpc.NotificationOf[empty]{Method: "a", Extra: wire.Members{{Name: "params", Value: "{}"}}},
		&jsonrpc.RequestOf[empty]{ID: wire.IDOf(1), Method: "a", Extra: wire.Members{{Name: "id", Value: "2"}}},
		&jsonrpc.ErrorOf[empty]{Extra: wire.Members{{Name: "id", Value: "1"}}},
	} {
		if text, err := wire.MarshalString(m); err == nil {
			t.Errorf("%#v: got %s, want an error", m, text)
		}
	}
}

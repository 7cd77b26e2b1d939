package jsonschema_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestReplaced replaces values at pointers, some of which lead to nothing.
func TestReplaced(t *testing.T) {
	for _, test := range []struct {
		text, want wire.Raw
		others     map[string]wire.Raw
	}{
		{`{"a": 1}`, `2`, map[string]wire.Raw{"": "2"}},
		{`{"a":[1,{"b/c":2}],"d":3}`, `{"a":[1,{"b/c":9}],"d":[]}`, map[string]wire.Raw{"/a/1/b~1c": "9", "/d": "[]"}},
		{`{"a":{"b":1}}`, `{"a":7}`, map[string]wire.Raw{"/a": "7", "/a/b": "8"}},
		{`{"a": {"b": 1}, "ab": 2}`, `{"a":{"b":9},"ab":2}`, map[string]wire.Raw{"/a/b": "9"}},
		{`{"a":1}`, `{"a":1}`, map[string]wire.Raw{"/b": "2", "/a/0": "3"}},
		{`{"a": 1}`, `{"a": 1}`, nil},
	} {
		if got := jsonschema.Replaced(test.text, test.others); got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

package runtime

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// spelled is a text that is appended as it is.
type spelled string

func (s spelled) AppendJSON(dst []byte) ([]byte, error) { return append(dst, s...), nil }

// TestMetaParams checks how a member gets into the _meta of params, however they are written.
func TestMetaParams(t *testing.T) {
	for _, c := range []struct {
		params wire.Appender
		want   string // "" for an error
	}{
		{nil, `{"_meta":{"t":7}}`},
		{spelled(`{}`), `{"_meta":{"t":7}}`},
		{spelled(`{ }`), `{"_meta":{"t":7}}`},
		{spelled(`{"a":{}}`), `{"a":{},"_meta":{"t":7}}`},
		{spelled(`{"a":"{ }"}`), `{"a":"{ }","_meta":{"t":7}}`},
		{spelled(`{"a":"\\"}`), `{"a":"\\","_meta":{"t":7}}`},
		{spelled("{\"a\":1\n}"), `{"a":1,"_meta":{"t":7}}`},
		{spelled(`{"_meta":{"b":2},"a":1}`), `{"_meta":{"b":2,"t":7},"a":1}`},
		{spelled(`{"\u005fmeta":{"t":1}}`), `{"\u005fmeta":{"t":7}}`},
		{spelled(`{"a":{"_meta":1}}`), `{"a":{"_meta":1},"_meta":{"t":7}}`},
		{spelled(`[]`), ""},
	} {
		got, err := metaParams{c.params, "t", wire.IntScalar(7)}.AppendJSON([]byte("before:"))
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%v: %s, want an error", c.params, got)
		case c.want != "" && (err != nil || string(got) != "before:"+c.want):
			t.Errorf("%v: %s, %v, want %s", c.params, got, err, c.want)
		}
	}
}

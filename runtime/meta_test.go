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
	level := `"` + metaLogLevel + `":`
	for _, c := range []struct {
		params wire.Appender
		level  LogLevel
		want   string // "" for an error
	}{
		{nil, "", `{"_meta":{"t":7}}`},
		{spelled(`{}`), "", `{"_meta":{"t":7}}`},
		{spelled(`{ }`), "", `{"_meta":{"t":7}}`},
		{spelled(`{"a":{}}`), "", `{"a":{},"_meta":{"t":7}}`},
		{spelled(`{"a":"{ }"}`), "", `{"a":"{ }","_meta":{"t":7}}`},
		{spelled(`{"a":"\\"}`), "", `{"a":"\\","_meta":{"t":7}}`},
		{spelled("{\"a\":1\n}"), "", `{"a":1,"_meta":{"t":7}}`},
		{spelled(`{"_meta":{"b":2},"a":1}`), "", `{"a":1,"_meta":{"t":7,"b":2}}`},
		{spelled(`{"\u005fmeta":{"t":1}}`), "", `{"_meta":{"t":7}}`},
		{spelled(`{"a":{"_meta":1}}`), "", `{"a":{"_meta":1},"_meta":{"t":7}}`},
		{spelled(`[]`), "", ""},
		{spelled(`{"_meta":5}`), "", ""},
		{nil, LogInfo, `{"_meta":{"t":7,` + level + `"info"}}`},
		{spelled(`{"_meta":{"b":2}}`), LogInfo, `{"_meta":{"t":7,` + level + `"info","b":2}}`},
		{spelled(`{"_meta":{` + level + `"error"}}`), LogInfo, `{"_meta":{"t":7,` + level + `"error"}}`},
		{spelled(`{"_meta":{` + level + `null}}`), LogInfo, `{"_meta":{"t":7,` + level + `"info"}}`},
	} {
		got, err := metaParams{c.params, metaMember("t", wire.ScalarOf(7)), c.level}.AppendJSON([]byte("before:"))
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%v: %s, want an error", c.params, got)
		case c.want != "" && (err != nil || string(got) != "before:"+c.want):
			t.Errorf("%v: %s, %v, want %s", c.params, got, err, c.want)
		}
	}
}

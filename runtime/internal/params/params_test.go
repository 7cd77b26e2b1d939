package params

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// pair has a required and an optional member.
type pair struct {
	Received
	a, b string
}

func (p *pair) DecodeJSON(r *wire.Reader) error {
	return Decode(r, []string{"a", "b"}, 1, func(member int) { *[]*string{&p.a, &p.b}[member] = r.ReadString() })
}

func TestDecode(t *testing.T) {
	for _, row := range []struct{ text, a, b, err string }{
		{`{"a":"1"}`, "1", "", ""},
		{`{"x":{"a":1},"b":"2","_meta":{"progressToken":"p","y":[]},"a":"1"}`, "1", "2", ""},
		{`{"b":"2"}`, "", "2", `wire: at byte 0: missing member "a"`},
		{`{"a":"1","a":"1"}`, "", "", `wire: at /a, byte 9: duplicate member "a"`},
		{`{"a":1}`, "", "", `wire: at /a, byte 5: expected a string, found a number`},
		{`{"a":"1","_meta":1}`, "1", "", `wire: at /_meta, byte 17: expected an object, found a number`},
		{`{"a":"1","_meta":{"progressToken":null}}`, "1", "", `wire: at /_meta/progressToken, byte 34: expected a string or an integer, found null`},
	} {
		var p pair
		err := wire.UnmarshalString(row.text, &p)
		if err == nil && row.err != "" || err != nil && err.Error() != row.err || p.a != row.a || p.b != row.b {
			t.Errorf("%s: got %q, %q, %v, want %s", row.text, p.a, p.b, err, row.err)
		}
	}
}

func TestList(t *testing.T) {
	var p List
	if err := wire.UnmarshalString(`{"cursor":"c"}`, &p); err != nil || p.Cursor == nil || *p.Cursor != "c" {
		t.Errorf("got %v, %v", p.Cursor, err)
	}
	if _, err := wire.Marshal(&p); err == nil {
		t.Error("written")
	}
}

package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	_ wire.Value   = (*shortBox)(nil)
	_ wire.Checker = (*shortBox)(nil)
	_ wire.Value   = (*wire.Raw)(nil)
	_ wire.Value   = (*wire.Object)(nil)
	_ wire.Value   = (*wire.Scalar)(nil)
)

// short is an interface, like a union, whose values are strings of at most two characters.
type short interface{ wire.Appender }

type text string

func (x text) AppendJSON(dst []byte) ([]byte, error) { return wire.AppendString(dst, string(x)) }

type shortCodec struct{}

func (shortCodec) Decode(r *wire.Reader) short { return text(r.ReadString()) }

func (shortCodec) Check(c *wire.Collector, v short) { c.MaxLength(string(v.(text)), 2) }

type shortBox = wire.Box[short, shortCodec]

func TestBox(t *testing.T) {
	var b shortBox
	if err := wire.Unmarshal([]byte(` "abc" `), &b); err != nil || b.V != text("abc") {
		t.Errorf("got %q, %v", b.V, err)
	}
	if got, err := wire.Marshal(&b); string(got) != `"abc"` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	wantError(t, "Validate", wire.Validate(&b), "wire: must have at most 2 characters, has 3")
	wantError(t, "Unmarshal", wire.Unmarshal([]byte(` 5 `), &b), "wire: at byte 1: expected a string, found a number")
	_, err := wire.Marshal(&shortBox{})
	wantError(t, "Marshal", err, wire.ErrMissing.Error())
}

// TestBoxStdlib checks that encoding/json decodes and encodes boxes in other types.
func TestBoxStdlib(t *testing.T) {
	type page struct {
		First  shortBox
		Rest   []shortBox
		Absent shortBox `json:",omitzero"`
	}
	const want = `{"First":"a","Rest":["b",null,"c"]}`
	var p page
	if err := json.Unmarshal([]byte(want), &p); err != nil {
		t.Fatal(err)
	}
	if p.First.V != text("a") || len(p.Rest) != 3 || p.Rest[1].V != nil || p.Rest[2].V != text("c") {
		t.Errorf("got %v", p)
	}
	if got, err := json.Marshal(p); string(got) != want || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if err := json.Unmarshal([]byte(`{"First":5}`), &p); err == nil {
		t.Error("no error for a number in place of a string")
	}
}

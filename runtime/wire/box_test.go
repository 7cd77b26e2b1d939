package wire_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	_ wire.Value     = (*wire.Box[any])(nil)
	_ wire.Validator = (*wire.Box[any])(nil)
	_ wire.Value     = (*wire.Raw)(nil)
	_ wire.Value     = (*wire.Object)(nil)
	_ wire.Value     = (*wire.Scalar)(nil)
)

func TestBox(t *testing.T) {
	box := func(check func(*wire.Checker, string)) *wire.Box[string] {
		return wire.NewBox((*wire.Reader).ReadString, wire.AppendString, check)
	}
	b := box(func(c *wire.Checker, s string) { c.MaxLength(s, 2) })
	if err := wire.Unmarshal([]byte(` "abc" `), b); err != nil || b.V != "abc" {
		t.Errorf("got %q, %v", b.V, err)
	}
	if got, err := wire.Marshal(b); string(got) != `"abc"` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	wantError(t, "Validate", wire.Validate(b), "wire: must have at most 2 characters, has 3")
	wantError(t, "Unmarshal", wire.Unmarshal([]byte(` 5 `), b), "wire: at byte 1: expected a string, found a number")
	if err := wire.Validate(box(nil)); err != nil {
		t.Error(err)
	}
}

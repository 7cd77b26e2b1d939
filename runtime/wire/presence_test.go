package wire_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestOptional(t *testing.T) {
	for _, test := range []struct {
		name         string
		o            wire.Optional[int]
		absent, null bool
		value        int
		ok           bool
	}{
		{"absent", wire.Optional[int]{}, true, false, 0, false},
		{"null", wire.Null[int](), false, true, 0, false},
		{"zero", wire.Some(0), false, false, 0, true},
		{"value", wire.Some(7), false, false, 7, true},
	} {
		value, ok := test.o.Get()
		if test.o.IsZero() != test.absent || test.o.IsNull() != test.null || value != test.value || ok != test.ok || (test.o.Pointer() != nil) != ok {
			t.Errorf("%s: IsZero %t, IsNull %t, Get %d, %t", test.name, test.o.IsZero(), test.o.IsNull(), value, ok)
		}
	}
	var o wire.Optional[int]
	o.SetNull()
	o.Set(3)
	if v, ok := o.Get(); v != 3 || !ok || o.IsNull() {
		t.Error("a null that is set is not null any more")
	}
	if o.Clear(); !o.IsZero() {
		t.Error("a cleared member is absent")
	}
}

func TestAttempt(t *testing.T) {
	r := wire.NewStringReader(`{"a":"x","b":{"c":[1,"y"]}}`)
	var extra wire.Members
	var a string
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "a":
			if !r.Attempt(func() { a = r.ReadString() }) {
				*extra.Entry(r) = r.ReadRaw()
			}
		case "b":
			if !r.Attempt(func() {
				for r.BeginObject(); r.Member(); {
					for r.BeginArray(); r.Element(); {
						r.ReadInt64()
					}
				}
			}) {
				*extra.Entry(r) = r.ReadRaw()
			}
		}
	}
	r.End()
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	if a != "x" || len(extra) != 1 || extra[0] != (wire.Member{Name: "b", Value: `{"c":[1,"y"]}`}) {
		t.Errorf("a %q, extra %v", a, extra)
	}
}

func TestAppendKey(t *testing.T) {
	for _, test := range []struct {
		dst, name, want string
		fails           bool
	}{
		{"{", "a", `{"a":`, false},
		{`{"b":1`, "a", `{"b":1,"a":`, false},
		{"{", "\xff", "", true},
	} {
		got, err := wire.AppendKey([]byte(test.dst), test.name)
		if (err != nil) != test.fails || err == nil && string(got) != test.want {
			t.Errorf("AppendKey(%q, %q) = %q, %v", test.dst, test.name, got, err)
		}
	}
}

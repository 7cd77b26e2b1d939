package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestRawKind(t *testing.T) {
	for raw, want := range map[wire.Raw]wire.Kind{
		"": 0, " ": 0, " null": wire.KindNull, "false": wire.KindBool, "-1": wire.KindNumber,
		`"x"`: wire.KindString, "\t[]": wire.KindArray, "{}": wire.KindObject, "x": 0,
	} {
		if got := raw.Kind(); got != want {
			t.Errorf("%q: %v, want %v", raw, got, want)
		}
	}
	for o, want := range map[wire.Object]wire.Kind{"": 0, "[]": 0, " {}": wire.KindObject} {
		if got := o.Kind(); got != want {
			t.Errorf("%q: %v, want %v", o, got, want)
		}
	}
}

// TestStandardLibrary checks that the types work within encoding/json.
func TestStandardLibrary(t *testing.T) {
	type all struct {
		R wire.Raw
		O wire.Object
		S wire.Scalar
		M map[string]wire.Raw
	}
	text := `{"R":[1,2.0],"O":{"a":1},"S":9007199254740993,"M":{"x":null}}`
	var got all
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	want := all{"[1,2.0]", `{"a":1}`, wire.ScalarOf(int64(9007199254740993)), map[string]wire.Raw{"x": "null"}}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b wire.Scalar) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
	back, err := json.Marshal(got)
	if err != nil || string(back) != text {
		t.Errorf("got %s, %v", back, err)
	}
	for _, bad := range []string{`{"R":{"a":1,"a":2}}`, `{"O":[]}`, `{"S":{}}`} {
		if err := json.Unmarshal([]byte(bad), new(all)); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
	for _, v := range []any{wire.Raw(""), wire.Raw("[1"), wire.Object("1"), wire.Scalar{}} {
		if _, err := json.Marshal(v); err == nil {
			t.Errorf("%#v is written", v)
		}
	}
}

// TestUnmarshalCopies checks that the standard library may reuse its buffer.
func TestUnmarshalCopies(t *testing.T) {
	data := []byte(`{"a":"b"}`)
	var raw wire.Raw
	var o wire.Object
	if err := raw.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	if err := o.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	clear(data)
	if raw != `{"a":"b"}` || o != `{"a":"b"}` {
		t.Errorf("got %q, %q", raw, o)
	}
}

func collectObject(o wire.Object) wire.Members {
	var m wire.Members
	for name, value := range o.All() {
		m = append(m, wire.Member{Name: name, Value: value})
	}
	return m
}

func TestObject(t *testing.T) {
	tests := []struct {
		object wire.Object
		want   wire.Members
	}{
		{``, nil},
		{` { } `, nil},
		{`[]`, nil},
		{`{"a":1}`, wire.Members{{"a", "1"}}},
		{` { "b" : "}\"" , "\u0061" : [ {"x":"]"} ] , "" : -1.50e2 } `, wire.Members{{"b", `"}\""`}, {"a", `[ {"x":"]"} ]`}, {"", "-1.50e2"}}},
		{`{"a":{"a":{"a":null}},"b":true}`, wire.Members{{"a", `{"a":{"a":null}}`}, {"b", "true"}}},
		{`{"a":1,"b":`, wire.Members{{"a", "1"}}},
		{`{"a":1,"b"`, wire.Members{{"a", "1"}}},
		{`{"a":1,`, wire.Members{{"a", "1"}}},
		{`{"a":1 "b":2}`, wire.Members{{"a", "1"}}},
		{`{"a":[1`, nil},
		{`{"a":["x]}`, nil},
		{`{"a":"x}`, nil},
		{`{"a":,"b":1}`, nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, collectObject(tt.object)); diff != "" {
			t.Errorf("All of %s:\n%s", tt.object, diff)
		}
		for _, m := range tt.want {
			if got, ok := tt.object.Get(m.Name); got != m.Value || !ok {
				t.Errorf("Get %q of %s: %q, %v", m.Name, tt.object, got, ok)
			}
		}
		if got, ok := tt.object.Get("none"); got != "" || ok {
			t.Errorf("Get none of %s: %q", tt.object, got)
		}
		if wire.UnmarshalString(string(tt.object), new(wire.Object)) == nil && tt.object.Len() != len(tt.want) {
			t.Errorf("Len of %s: %d", tt.object, tt.object.Len())
		}
	}
	for range wire.Object(`{"a":1,"b":2}`).All() {
		break
	}
}

func TestNewObject(t *testing.T) {
	got, err := wire.NewObject(wire.Member{Name: "b", Value: "1.0"}, wire.Member{Name: `"`, Value: "[ ]"})
	if err != nil || got != `{"b":1.0,"\"":[]}` {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := wire.NewObject(); err != nil || got != "{}" {
		t.Errorf("got %s, %v", got, err)
	}
	_, err = wire.NewObject(wire.Member{Name: "a", Value: "1"}, wire.Member{Name: "a", Value: "1"})
	wantError(t, "twice", err, `wire: duplicate member "a"`)
	_, err = wire.NewObject(wire.Member{Name: "a", Value: "{"})
	wantError(t, "bad", err, `wire: at /a: expected a member name, found the end of the text`)
}

func TestObjectWith(t *testing.T) {
	tests := []struct {
		object      wire.Object
		name, value string
		want        wire.Object
		err         string
	}{
		{``, "a", "1", `{"a":1}`, ""},
		{`{}`, "a", "1", `{"a":1}`, ""},
		{` { "x" : 1.0 } `, "a", " [ 1 ] ", `{"x":1.0,"a":[1]}`, ""},
		{`{"x":1,"a":{"a":2},"y":3}`, "a", "null", `{"x":1,"a":null,"y":3}`, ""},
		{`{"x":1,"\u0061":2}`, "a", "3", `{"x":1,"\u0061":3}`, ""},
		{`{"x":1}`, "x", `"}"`, `{"x":"}"}`, ""},
		{`{"x":1}`, `"`, `1`, `{"x":1,"\"":1}`, ""},
		{`{"x":1}`, "a", "", "", `wire: at /a: expected a value, found nothing`},
		{`{"x":1}`, "x", "[1", "", `wire: at /x: expected ',' or ']', found the end of the text`},
		{`{"x":1}`, "\xff", "1", "", `wire: invalid UTF-8 in the member name "\xff"`},
		{`[]`, "a", "1", "", `wire: expected an object, found an array`},
		{`{"x":}`, "a", "1", "", `wire: at /x: expected a value, found '}'`},
		{` `, "a", "1", "", `wire: expected an object, found nothing`},
	}
	for _, tt := range tests {
		got, err := tt.object.With(tt.name, wire.Raw(tt.value))
		if tt.err != "" {
			wantError(t, string(tt.object), err, tt.err)
		} else if err != nil || got != tt.want {
			t.Errorf("%s with %s: got %s, %v", tt.object, tt.name, got, err)
		}
	}
}

// FuzzObject checks that an object is what its members say.
func FuzzObject(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, text string) {
		var o wire.Object
		if wire.UnmarshalString(text, &o) != nil {
			// Nothing is promised, but that it ends.
			for range wire.Object(text).All() {
			}
			return
		}
		members := collectObject(o)
		if o.Len() != len(members) {
			t.Errorf("%d members, Len %d", len(members), o.Len())
		}
		for _, m := range members {
			if got, ok := o.Get(m.Name); !ok || got != m.Value {
				t.Errorf("member %q: %q and %q", m.Name, m.Value, got)
			}
			if got, err := o.With(m.Name, m.Value); err != nil || !wire.Equal(wire.Raw(got), wire.Raw(o)) {
				t.Errorf("With of the same: %s, %v", got, err)
			}
		}
		back, err := wire.NewObject(members...)
		if err != nil || !wire.Equal(wire.Raw(back), wire.Raw(o)) {
			t.Errorf("put together again: %s, %v", back, err)
		}
	})
}

func TestRawElements(t *testing.T) {
	for _, test := range []struct {
		text wire.Raw
		want []wire.Raw
	}{
		{"", nil},
		{`{"a":[1]}`, nil},
		{"[]", nil},
		{` [ 1.50 , "x" ,[2], {"a":null}]`, []wire.Raw{"1.50", `"x"`, "[2]", `{"a":null}`}},
		{"[1,2", []wire.Raw{"1", "2"}},
		{"[1,]", []wire.Raw{"1"}},
	} {
		if diff := cmp.Diff(test.want, test.text.Elements()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
}

// TestGetScalar checks which members are scalars.
func TestGetScalar(t *testing.T) {
	const o = wire.Object(`{"s":"a\u0062","n":1.0,"b":true,"z":null,"o":{"s":1},"a":[]}`)
	for name, want := range map[string]string{"s": `"ab"`, "n": "1.0", "b": "true", "z": "null"} {
		s, ok := o.GetScalar(name)
		if text, err := wire.Marshal(s); !ok || err != nil || string(text) != want {
			t.Errorf("%s is %s, %v, %v, want %s", name, text, ok, err, want)
		}
	}
	for _, name := range []string{"o", "a", "x"} {
		if s, ok := o.GetScalar(name); ok || !s.IsZero() {
			t.Errorf("%s is %v", name, s)
		}
	}
	if _, ok := wire.Object("").GetScalar("s"); ok {
		t.Error("an absent object has a member")
	}
}

package wire_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

type forecast struct {
	City string            `json:"city"`
	Days wire.Map[float64] `json:"days,omitempty"`
	Note *string           `json:"note"`
	More wire.Raw          `json:"more,omitempty"`
}

// badAppender writes text that is not JSON.
type badAppender struct{}

func (badAppender) AppendJSON(dst []byte) ([]byte, error) {
	return append(dst, `{"a":1,"a":2}`...), nil
}

func TestRawOf(t *testing.T) {
	for _, row := range []struct {
		value any
		want  wire.Raw
		err   string
	}{
		{nil, "null", ""},
		{(*wire.Integer)(nil), "null", ""},
		{"<a> & \"b\"", `"<a> & \"b\""`, ""},
		{3, "3", ""},
		{int64(1)<<60 + 1, "1152921504606846977", ""},
		{[]string{}, "[]", ""},
		{map[string]any{"b": 1.5, "a": nil}, `{"a":null,"b":1.5}`, ""},
		{forecast{City: "Oslo", Days: wire.Map[float64]{{Name: "z", Value: 1}, {Name: "a", Value: 2.5}}, More: " [ 1.0 ] "}, `{"city":"Oslo","days":{"z":1,"a":2.5},"note":null,"more":[1.0]}`, ""},
		{wire.Raw(" [ 1.0 ] "), "[1.0]", ""},
		{wire.Object(`{ "b": 1, "a": 2 }`), `{"b":1,"a":2}`, ""},
		{wire.ScalarOf("x"), `"x"`, ""},
		{wire.Map[any]{{Name: "b", Value: "x"}, {Name: "a", Value: []int{1}}}, `{"b":"x","a":[1]}`, ""},
		{wire.Map[int](nil), `{}`, ""},
		{json.RawMessage(`{"a":1}`), `{"a":1}`, ""},
		{json.RawMessage(`{"a":1,"a":2}`), "", `wire: at /a: duplicate member "a"`},
		{badAppender{}, "", `wire: at /a: duplicate member "a"`},
		{wire.Raw(""), "", "wire: expected a value, found nothing"},
		{math.Inf(1), "", "json: unsupported value: +Inf"},
		{func() {}, "", "json: unsupported type: func()"},
		{wire.Map[any]{{Name: "a", Value: func() {}}}, "", "wire: at /a: json: unsupported type: func()"},
		{wire.Map[any]{{Name: "a"}, {Name: "a"}}, "", `wire: duplicate member "a"`},
	} {
		got, err := wire.RawOf(row.value)
		if got != row.want || (err == nil) != (row.err == "") || !strings.HasSuffix(errorText(err), row.err) {
			t.Errorf("%#v: got %s, %v; want %s, %s", row.value, got, err, row.want, row.err)
		}
	}
}

func TestObjectOf(t *testing.T) {
	for _, row := range []struct {
		value any
		want  wire.Object
		err   string
	}{
		{map[string]int{"a": 1}, `{"a":1}`, ""},
		{struct{}{}, `{}`, ""},
		{wire.Members{{Name: "b", Value: "1.0"}, {Name: `"`, Value: "[ ]"}}, `{"b":1.0,"\"":[]}`, ""},
		{wire.Members(nil), "{}", ""},
		{wire.Members{{Name: "a", Value: "1"}, {Name: "a", Value: "1"}}, "", `wire: duplicate member "a"`},
		{wire.Members{{Name: "a", Value: "{"}}, "", `wire: at /a: expected a member name, found the end of the text`},
		{[]int{1}, "", "wire: expected an object, found an array"},
		{nil, "", "wire: expected an object, found null"},
	} {
		got, err := wire.ObjectOf(row.value)
		if got != row.want || (err == nil) != (row.err == "") || !strings.HasSuffix(errorText(err), row.err) {
			t.Errorf("%#v: got %s, %v; want %s, %s", row.value, got, err, row.want, row.err)
		}
	}
}

func TestMustObject(t *testing.T) {
	if got := wire.MustObject(map[string]string{"a": "b"}); got != `{"a":"b"}` {
		t.Errorf("got %s", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for an array")
		}
	}()
	wire.MustObject([]int{})
}

func TestRawDecode(t *testing.T) {
	text := wire.Raw(` {"city": "Oslo", "days": {"z": 1, "a": 2.5}, "note": "n", "more": [1.0], "x": 1} `)
	var f forecast
	if err := text.Decode(&f); err != nil {
		t.Fatal(err)
	}
	note := "n"
	want := forecast{City: "Oslo", Days: wire.Map[float64]{{Name: "z", Value: 1}, {Name: "a", Value: 2.5}}, Note: &note, More: "[1.0]"}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var m map[string]any
	if err := wire.Object(text).Decode(&m); err != nil || m["city"] != "Oslo" {
		t.Errorf("got %v, %v", m, err)
	}
	var members wire.Map[wire.Raw]
	if err := text.Decode(&members); err != nil || members[1].Value != `{"z":1,"a":2.5}` {
		t.Errorf("got %v, %v", members, err)
	}
	var s wire.Scalar
	if err := wire.Raw(" 1.0 ").Decode(&s); err != nil || s.String() != "1.0" {
		t.Errorf("got %v, %v", s, err)
	}
}

func TestRawDecodeErrors(t *testing.T) {
	for _, row := range []struct {
		text wire.Raw
		into any
		err  string
	}{
		{"", new(any), "wire: expected a value, found nothing"},
		{`{"a":1,"a":2}`, new(map[string]int), `wire: at /a: duplicate member "a"`},
		{`{"a":1} x`, new(any), "wire: more than one value"},
		{`{"city":1}`, new(forecast), "cannot unmarshal number"},
		{`{"days":{"a":"x"}}`, new(forecast), "wire: at /a: json: cannot unmarshal string"},
		{`{"a":1,"a":2}`, new(wire.Map[int]), `wire: at /a: duplicate member "a"`},
		{`{"a":"1"}`, new(wire.Map[wire.Object]), `wire: at /a, byte 5: expected an object, found a string`},
		{`[]`, new(wire.Map[int]), `wire: at byte 0: expected an object, found an array`},
	} {
		if err := row.text.Decode(row.into); err == nil || !strings.Contains(err.Error(), row.err) {
			t.Errorf("%s into %T: got %v, want %s", row.text, row.into, err, row.err)
		}
	}
	var semantic *json.UnmarshalTypeError
	if err := wire.Raw("1").Decode(new(string)); !errors.As(err, &semantic) {
		t.Errorf("got %v, want an error of encoding/json", err)
	}
}

func TestObjectParts(t *testing.T) {
	o := wire.Object(`{ "a": "x\n", "b" : [1, 2], "\u0063": {}, "d": 1 }`)
	for name, want := range map[string]string{"a": "x\n", "b": "", "c": "", "e": ""} {
		if got := o.GetString(name); got != want {
			t.Errorf("GetString(%q) = %q, want %q", name, got, want)
		}
	}
	if got := wire.Object("").GetString("a"); got != "" {
		t.Errorf("GetString of an absent object = %q", got)
	}
	if got, want := o.Without("c", "a", "e"), wire.Object(`{"b" : [1, 2],"d": 1}`); got != want {
		t.Errorf("Without = %s, want %s", got, want)
	}
	if got := wire.Object("").Without("a"); got != "{}" {
		t.Errorf("Without of an absent object = %s", got)
	}
	want := wire.Members{{Name: "a", Value: `"x\n"`}, {Name: "b", Value: "[1, 2]"}, {Name: "c", Value: "{}"}, {Name: "d", Value: "1"}}
	if diff := cmp.Diff(want, o.Members()); diff != "" {
		t.Errorf("Members: -want +got:\n%s", diff)
	}
}

func TestBase64(t *testing.T) {
	for _, data := range []string{"", "\x00\xff", "hello, world"} {
		text := wire.EncodeBase64([]byte(data))
		if got, err := wire.DecodeBase64(text); err != nil || string(got) != data {
			t.Errorf("%q: got %q, %v", data, got, err)
		}
	}
	if got, err := wire.DecodeBase64("aGVs\r\nbG8="); err != nil || string(got) != "hello" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := wire.DecodeBase64("a%=="); errorText(err) != "wire: illegal base64 data at input byte 1" {
		t.Errorf("got %v", err)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// wantError fails the test unless err reads as want.
func wantError(t *testing.T, what string, err error, want string) {
	t.Helper()
	got := "<nil>"
	if err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("%s: error\n\t%s, want\n\t%s", what, got, want)
	}
}

func TestDecode(t *testing.T) {
	text := ` {"extra":[1, 2],"type":"text","text":"a\nb","size":1e3,"score":-0.5,"done":true,"id":"7","labels":[],` +
		`"notes":{"audience":["user"],"priority":1,"more":null},"params":{"b":1.0,"a":{}},"":0} `
	var got sample
	if err := wire.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	want := sample{
		Type:   "text",
		Text:   "a\nb",
		Size:   new(int64(1000)),
		Score:  -0.5,
		Done:   true,
		ID:     wire.ScalarOf("7"),
		Labels: []string{},
		Notes:  &notes{Audience: []string{"user"}, Priority: 1, Extra: wire.Members{{Name: "more", Value: "null"}}},
		Params: `{"b":1.0,"a":{}}`,
		Extra:  wire.Members{{Name: "extra", Value: "[1, 2]"}, {Name: "", Value: "0"}},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b wire.Scalar) bool { return a == b })); diff != "" {
		t.Errorf("wrong value (-want +got):\n%s", diff)
	}
	back, err := wire.Marshal(&got)
	if err != nil {
		t.Fatal(err)
	}
	wantText := `{"type":"text","text":"a\nb","size":1000,"score":-0.5,"done":true,"id":"7","labels":[],` +
		`"notes":{"audience":["user"],"priority":1,"more":null},"params":{"b":1.0,"a":{}},"extra":[1,2],"":0}`
	if string(back) != wantText {
		t.Errorf("written as\n\t%s, want\n\t%s", back, wantText)
	}
}

func TestDecodeErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{``, `wire: at byte 0: expected a value, found the end of the text`},
		{`[]`, `wire: at byte 0: expected an object, found an array`},
		{`[`, `wire: at /0, byte 1: expected a value, found the end of the text`},
		{`{}`, `wire: at byte 0: missing members "type", "text"`},
		{` {"text":""}`, `wire: at byte 1: missing member "type"`},
		{`{"type":"t","text":5}`, `wire: at /text, byte 19: expected a string, found a number`},
		{`{"type":"t","text":nul}`, `wire: at /text, byte 22: expected null, found '}'`},
		{`{"type":"t","text":["a]}`, `wire: at /text/0, byte 24: string without end`},
		{`{"type":"t","text":"","text":""}`, `wire: at /text, byte 22: duplicate member "text"`},
		{`{"type":"t","te\u0078t":"","text":""}`, `wire: at /text, byte 27: duplicate member "text"`},
		{`{"type":"t","text":"","x":1,"x":2}`, `wire: at /x, byte 28: duplicate member "x"`},
		{`{"type":"t","text":"","x":{"y":[0,{"z":1,"z":2}]}}`, `wire: at /x/y/1/z, byte 41: duplicate member "z"`},
		{`{"type":"t","text":"","x":}`, `wire: at /x, byte 26: expected a value, found '}'`},
		{`{"type":"t","text":"","labels":["a",null]}`, `wire: at /labels/1, byte 36: expected a string, found null`},
		{`{"type":"t","text":"","labels":{}}`, `wire: at /labels, byte 31: expected an array, found an object`},
		{`{"type":"t","text":"","size":1.5}`, `wire: at /size, byte 29: expected an integer, found 1.5`},
		{`{"type":"t","text":"","score":1e999}`, `wire: at /score, byte 30: number out of range: 1e999`},
		{`{"type":"t","text":"","done":"yes"}`, `wire: at /done, byte 29: expected a boolean, found a string`},
		{`{"type":"t","text":"","done":tru}`, `wire: at /done, byte 32: expected true, found '}'`},
		{`{"type":"t","text":"","id":1.5}`, `wire: at /id, byte 27: expected a string or an integer, found 1.5`},
		{`{"type":"t","text":"","id":null}`, `wire: at /id, byte 27: expected a string or an integer, found null`},
		{`{"type":"t","text":"","notes":{"priority":"1"}}`, `wire: at /notes/priority, byte 42: expected a number, found a string`},
		{`{"type":"t","text":""}]`, `wire: at byte 22: expected the end of the text, found ']'`},
		{`{"type":"t","text":""`, `wire: at byte 21: expected ',' or '}', found the end of the text`},
		{`{"Type":"t","TEXT":""}`, `wire: at byte 0: missing members "type", "text"`},
		{`{"type":"t","text":"","a/b~":{"":[}}`, `wire: at /a~1b~0//0, byte 34: expected a value, found '}'`},
	}
	for _, tt := range tests {
		var x sample
		wantError(t, tt.text, wire.Unmarshal([]byte(tt.text), &x), tt.want)
	}
}

// TestSticky checks that after an error nothing happens.
func TestSticky(t *testing.T) {
	r := wire.NewStringReader(`[1, "a", {"b":2}, true, null]`)
	r.BeginArray()
	r.Element()
	r.ReadString()
	err := r.Err()
	wantError(t, "first error", err, `wire: at /0, byte 1: expected a string, found a number`)
	r.Missing(nil, "a")
	r.Fail("another")
	r.End()
	var m wire.Members
	*m.Entry(r) = r.ReadRaw()
	var v wire.Raw
	got := []any{
		r.Kind(), r.BeginObject(), r.BeginArray(), r.Member(), r.Element(), r.ReadString(), r.ReadInt64(), r.ReadFloat64(),
		r.ReadBool(), r.ReadNull(), r.ReadRaw(), r.ReadObject(), r.ReadScalar(wire.KindNumber).IsZero(), r.Try(&v), len(m), v,
	}
	want := []any{
		wire.Kind(0), false, false, false, false, "", int64(0), float64(0),
		false, false, wire.Raw(""), wire.Object(""), true, false, 0, wire.Raw(""),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after an error (-want +got):\n%s", diff)
	}
	if r.Err() != err {
		t.Errorf("another error: %v", r.Err())
	}
}

// TestZeroOnError checks that the call that fails returns a zero value.
func TestZeroOnError(t *testing.T) {
	for _, text := range []string{"", "x", "1e", "1e999", "9999999999999999999", "tru", `"a`, `{"a"`, "[1", "nul"} {
		for name, read := range map[string]func(r *wire.Reader) bool{
			"ReadString":  func(r *wire.Reader) bool { return r.ReadString() != "" },
			"ReadInt64":   func(r *wire.Reader) bool { return r.ReadInt64() != 0 },
			"ReadFloat64": func(r *wire.Reader) bool { return r.ReadFloat64() != 0 },
			"ReadBool":    func(r *wire.Reader) bool { return r.ReadBool() },
			"ReadNull":    func(r *wire.Reader) bool { return r.ReadNull() },
			"ReadRaw":     func(r *wire.Reader) bool { return r.ReadRaw() != "" },
			"ReadObject":  func(r *wire.Reader) bool { return r.ReadObject() != "" },
			"ReadScalar":  func(r *wire.Reader) bool { return !r.ReadScalar(wire.KindString | wire.KindInteger).IsZero() },
			"Kind":        func(r *wire.Reader) bool { return r.Kind() != wire.Kind(0) },
			"BeginObject": func(r *wire.Reader) bool { return r.BeginObject() },
			"BeginArray":  func(r *wire.Reader) bool { return r.BeginArray() },
		} {
			r := wire.NewStringReader(text)
			if some := read(r); some && r.Err() != nil {
				t.Errorf("%s of %q returns a value with %v", name, text, r.Err())
			} else if !some && r.Err() == nil && name != "ReadNull" {
				t.Errorf("%s of %q returns a zero value and no error", name, text)
			}
		}
	}
}

// TestNoMember checks that a loop over text that nobody has checked ends.
func TestNoMember(t *testing.T) {
	for _, text := range []string{"{", "{,", "{a:1}", `{"a`, `{"a"`, `{"a" 1`, `{"a",`} {
		r := wire.Raw(text).Reader()
		if !r.BeginObject() || r.Member() || r.Err() == nil {
			t.Errorf("%s: %v", text, r.Err())
		}
	}
	for _, text := range []string{`{"a":1`, `{"a":1 "b":2}`, `{"a":1,`, `{"a":1,}`, `{"a":1]`} {
		r := wire.Raw(text).Reader()
		if !r.BeginObject() || !r.Member() || r.ReadInt64() != 1 || r.Member() || r.Err() == nil {
			t.Errorf("%s: %v", text, r.Err())
		}
	}
	for _, text := range []string{"[1", "[1 2", "[1,", "[1,]", "[1}", "["} {
		r := wire.Raw(text).Reader()
		for r.BeginArray(); r.Element(); {
			r.ReadInt64()
		}
		if r.Err() == nil {
			t.Errorf("%s: no error", text)
		}
	}
	r := wire.Raw(nest("[", "", "]", 1001)).Reader()
	for n := range 1001 {
		if got := r.BeginArray() && (n == 1000 || r.Element()); got != (n < 1000) {
			t.Errorf("level %d is opened: %v, %v", n+1, got, r.Err())
		}
	}
	for _, unread := range []string{"[1,2]", `{"a":1,"b":2}`} {
		r := wire.NewStringReader(unread)
		n := 0
		for r.BeginArray(); r.Element(); n++ {
		}
		r = wire.NewStringReader(unread)
		for r.BeginObject(); r.Member(); n++ {
		}
		if n != 1 || r.Err() == nil {
			t.Errorf("%s: %d values that nobody reads, %v", unread, n, r.Err())
		}
	}
}

func TestKind(t *testing.T) {
	for text, want := range map[string]wire.Kind{
		`null`: wire.KindNull, `true`: wire.KindBool, ` false`: wire.KindBool, `"`: wire.KindString, "\n[": wire.KindArray,
		`{`: wire.KindObject, `-1`: wire.KindNumber, `0`: wire.KindNumber, `9`: wire.KindNumber,
	} {
		r := wire.Raw(text).Reader()
		if got := r.Kind(); got != want || r.Err() != nil {
			t.Errorf("%s: %v, %v, want %v", text, got, r.Err(), want)
		}
	}
	for text, want := range map[string]string{
		"":  "wire: at byte 0: expected a value, found the end of the text",
		" ": "wire: at byte 1: expected a value, found the end of the text",
		"}": "wire: at byte 0: expected a value, found '}'",
		"+": "wire: at byte 0: expected a value, found '+'",
	} {
		r := wire.NewStringReader(text)
		if got := r.Kind(); got != wire.Kind(0) || !r.Err().(*wire.Error).Syntax {
			t.Errorf("%s: %v", text, got)
		}
		wantError(t, text, r.Err(), want)
	}
}

func TestReadNull(t *testing.T) {
	r := wire.Raw(` [null , nul]`).Reader()
	if r.ReadNull() {
		t.Error("an array is null")
	}
	r.BeginArray()
	r.Element()
	if !r.ReadNull() || !r.Element() {
		t.Fatal(r.Err())
	}
	if r.ReadNull() || r.Err() != nil {
		t.Errorf("nul is null, or %v", r.Err())
	}
	r.ReadScalar(wire.KindNull)
	wantError(t, "nul", r.Err(), "wire: at /1, byte 9: expected null, found 'n'")
}

func TestReadScalar(t *testing.T) {
	const all = wire.KindString | wire.KindNumber | wire.KindBool | wire.KindNull
	tests := []struct {
		text    string
		allowed wire.Kind
		want    wire.Scalar
		problem string
	}{
		{`"a\u0062"`, all, wire.ScalarOf("ab"), ""},
		{`1`, all, wire.ScalarOf(1), ""},
		{`true`, all, wire.ScalarOf(true), ""},
		{`false`, wire.KindBool, wire.ScalarOf(false), ""},
		{`null`, all, wire.NullScalar(), ""},
		{`1`, wire.KindInteger, wire.ScalarOf(1), ""},
		{`1.5`, wire.KindInteger | wire.KindNumber, wire.ScalarOf(1.5), ""},
		{`1.5`, wire.KindInteger, wire.Scalar{}, "expected an integer, found 1.5"},
		{`1`, wire.KindString, wire.Scalar{}, "expected a string, found a number"},
		{`null`, wire.KindString | wire.KindBool, wire.Scalar{}, "expected a string or a boolean, found null"},
		{`{}`, all, wire.Scalar{}, "expected a string, a number, a boolean or null, found an object"},
		{`nil`, all, wire.Scalar{}, "expected null, found 'i'"},
		{`tru`, all, wire.Scalar{}, "expected true, found the end of the text"},
		{`-`, all, wire.Scalar{}, "expected a digit, found the end of the text"},
		{`"`, all, wire.Scalar{}, "string without end"},
		{``, all, wire.Scalar{}, "expected a value, found the end of the text"},
		{`1`, 0, wire.Scalar{}, "expected no value, found a number"},
	}
	for _, tt := range tests {
		r := wire.NewStringReader(tt.text)
		if got := r.ReadScalar(tt.allowed); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.text, got, tt.want)
		}
		problem := ""
		if r.Err() != nil {
			problem = r.Err().(*wire.Error).Problem
		}
		if problem != tt.problem {
			t.Errorf("%s: got %q, want %q", tt.text, problem, tt.problem)
		}
	}
	for _, token := range []string{"1.0", "1e3", "9007199254740993", strings.Repeat("9", 60), "-0"} {
		r := wire.NewStringReader(token)
		if got := r.ReadScalar(wire.KindInteger); got.String() != token || r.Err() != nil {
			t.Errorf("%s: got %v, %v", token, got, r.Err())
		}
	}
}

func TestReadObject(t *testing.T) {
	r := wire.NewStringReader(` {"a": 1} `)
	if got := r.ReadObject(); got != `{"a": 1}` || r.Err() != nil {
		t.Errorf("got %q, %v", got, r.Err())
	}
	r = wire.NewStringReader(` [{}]`)
	r.ReadObject()
	wantError(t, "array", r.Err(), "wire: at byte 1: expected an object, found an array")
	r = wire.NewStringReader(`{"a":1,}`)
	r.ReadObject()
	wantError(t, "malformed", r.Err(), "wire: at byte 7: expected a member name, found '}'")
}

func TestFail(t *testing.T) {
	r := wire.NewStringReader(`{"a": [1, {"b":  "x"}]}`)
	r.BeginObject()
	r.Member()
	r.BeginArray()
	r.Element()
	r.Skip()
	r.Element()
	r.BeginObject()
	r.Member()
	r.Fail("no %s of %d kinds", r.Name(), 3)
	wantError(t, "Fail", r.Err(), `wire: at /a/1/b, byte 17: no b of 3 kinds`)
	if r.Err().(*wire.Error).Syntax {
		t.Error("Fail is about syntax")
	}
}

func TestMissing(t *testing.T) {
	tests := []struct {
		seen  []uint64
		names []string
		want  string
	}{
		{[]uint64{0b11}, []string{"a", "b"}, "<nil>"},
		{[]uint64{0b01}, []string{"a", "b"}, `wire: at /1/x, byte 10: missing member "b"`},
		{[]uint64{0}, []string{"a", "", "c"}, `wire: at /1/x, byte 10: missing members "a", "c"`},
		{nil, []string{"a"}, `wire: at /1/x, byte 10: missing member "a"`},
		{[]uint64{1<<63 | 1, 0b10}, append(make([]string, 63), "at63", "at64", "at65"), `wire: at /1/x, byte 10: missing member "at64"`},
	}
	for _, tt := range tests {
		r := wire.NewStringReader(`[1, {"x": {"y":{"z":[1]}}}]`)
		r.BeginArray()
		r.Element()
		r.Skip()
		r.Element()
		r.BeginObject()
		r.Member()
		for r.BeginObject(); r.Member(); {
			r.Skip()
		}
		r.Missing(tt.seen, tt.names...)
		wantError(t, fmt.Sprint(tt.names), r.Err(), tt.want)
	}
}

func TestEnd(t *testing.T) {
	r := wire.NewStringReader("1 \n")
	r.Skip()
	if r.End(); r.Err() != nil || r.Offset() != 3 {
		t.Errorf("%v at %d", r.Err(), r.Offset())
	}
	r = wire.NewStringReader("1 \n2")
	r.Skip()
	r.End()
	wantError(t, "two values", r.Err(), "wire: at byte 3: expected the end of the text, found '2'")
}

// TestConstants covers what generated code uses for const members.
func TestConstants(t *testing.T) {
	for text, want := range map[string]string{
		`"text"`:  "<nil>",
		`"image"`: "<nil>",
		` ""`:     `wire: at byte 1: must be "text"`,
		`1`:       `wire: at byte 0: expected a string, found a number`,
	} {
		r := wire.NewStringReader(text)
		got := r.ReadConstString("text")
		wantError(t, text, r.Err(), want)
		if r.Err() == nil && got != strings.Trim(text, `"`) {
			t.Errorf("%s: got %q", text, got)
		}
	}
	for text, want := range map[string]string{
		`2`: "<nil>", `3`: "<nil>", ` 0.0`: "wire: at byte 1: must be 2", `0.5`: "wire: at byte 0: expected an integer, found 0.5",
	} {
		r := wire.NewStringReader(text)
		r.ReadConstInt64(2)
		wantError(t, text, r.Err(), want)
	}
	r := wire.NewStringReader("0")
	if got := r.ReadConstInt64(0); got != 0 || r.Err() != nil {
		t.Errorf("0: %d, %v", got, r.Err())
	}
}

// TestPointers covers what generated code uses for optional members.
func TestPointers(t *testing.T) {
	const n = 10
	r := wire.NewStringReader("[" + strings.Repeat(`"a",1,2.5,true,`, n) + "0]")
	var strs []*string
	var ints []*int64
	var floats []*float64
	var bools []*bool
	r.BeginArray()
	for range n {
		r.Element()
		strs = append(strs, r.ReadStringPointer())
		r.Element()
		ints = append(ints, r.ReadInt64Pointer())
		r.Element()
		floats = append(floats, r.ReadFloat64Pointer())
		r.Element()
		bools = append(bools, r.ReadBoolPointer())
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	seen := map[any]bool{}
	for i := range n {
		if *strs[i] != "a" || *ints[i] != 1 || *floats[i] != 2.5 || !*bools[i] {
			t.Errorf("%d: %s, %d, %v, %v", i, *strs[i], *ints[i], *floats[i], *bools[i])
		}
		seen[strs[i]], seen[ints[i]], seen[floats[i]], seen[bools[i]] = true, true, true, true
	}
	if len(seen) != 4*n {
		t.Errorf("%d places for %d values", len(seen), 4*n)
	}
}

// TestReadStrings reads arrays of all lengths one after the other, and with scalars
// between them: nobody writes into another's memory.
func TestReadStrings(t *testing.T) {
	var text strings.Builder
	var want [][]string
	for n := range 40 {
		array := []string{}
		for i := range n {
			array = append(array, fmt.Sprint(n, "/", i))
		}
		raw, err := json.Marshal(array)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, ",%s,%q", raw, fmt.Sprint(n))
		want = append(want, array)
	}
	r := wire.NewStringReader("[" + text.String()[1:] + "]")
	var got [][]string
	var between []*string
	for r.BeginArray(); r.Element(); {
		got = append(got, r.ReadStrings())
		r.Element()
		between = append(between, r.ReadStringPointer())
	}
	for i := range got {
		_ = append(got[i], "behind the end")
	}
	if diff := cmp.Diff(want, got); diff != "" || r.Err() != nil {
		t.Error(r.Err(), diff)
	}
	for i, s := range between {
		if *s != fmt.Sprint(i) {
			t.Errorf("got %q after array %d", *s, i)
		}
	}
	r = wire.NewStringReader(`["a",1]`)
	r.ReadStrings()
	wantError(t, "a number", r.Err(), "wire: at /1, byte 5: expected a string, found a number")
}

// TestDecodeAllocates counts what decoding allocates: what the value is made of.
func TestDecodeAllocates(t *testing.T) {
	var x notes
	text := `{"priority":0.5,"audience":[]}`
	if got := testing.AllocsPerRun(100, func() {
		if err := wire.UnmarshalString(text, &x); err != nil {
			t.Error(err)
		}
	}); got > 0 {
		t.Errorf("decoding allocates %v times", got)
	}
	buf := make([]byte, 0, 1000)
	if got := testing.AllocsPerRun(100, func() {
		if _, err := x.AppendJSON(buf); err != nil {
			t.Error(err)
		}
	}); got > 0 {
		t.Errorf("appending allocates %v times", got)
	}
	if got := testing.AllocsPerRun(100, func() {
		if _, err := wire.Marshal(&x); err != nil {
			t.Error(err)
		}
	}); got > 1 {
		t.Errorf("Marshal allocates %v times", got)
	}
	var absent wire.Object // such as the _meta of a call without one
	if got := testing.AllocsPerRun(100, func() {
		if _, ok := absent.Get("a"); ok || absent.Len() > 0 {
			t.Error("an absent object has members")
		}
	}); got > 0 {
		t.Errorf("looking into an absent object allocates %v times", got)
	}
}

// FuzzUnmarshal decodes a struct, and holds that what it accepts it keeps.
func FuzzUnmarshal(f *testing.F) {
	addTexts(f)
	f.Add(`{"type":"text","text":"a","size":1e0,"score":1,"done":false,"id":1.0,"labels":["a"],"notes":{"priority":0},"params":[ 1 ],"x":{"y":null}}`)
	f.Add(`{"type":"text","text":"a","type":"b"}`)
	f.Add(`{"type":"text","text":"a","notes":{"x":1,"x":2}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var x sample
		if err := wire.UnmarshalString(text, &x); err != nil {
			checkError(t, text, err)
			if e := err.(*wire.Error); e.Syntax && wire.UnmarshalString(text, new(wire.Raw)) == nil {
				t.Errorf("%v, but the syntax is fine", e)
			}
			return
		}
		if err := wire.UnmarshalString(text, new(wire.Raw)); err != nil {
			t.Fatalf("accepted a text with %v", err)
		}
		if err := wire.Validate(&x); err != nil && len(err.(*wire.ValidationError).Problems) == 0 {
			t.Error("validation fails for no reason")
		}
		back, err := wire.Marshal(&x)
		if err != nil {
			t.Fatal(err)
		}
		var y sample
		if err := wire.Unmarshal(back, &y); err != nil {
			t.Fatalf("%s is not accepted again: %v", back, err)
		}
		if diff := cmp.Diff(x, y, cmp.Comparer(func(a, b wire.Scalar) bool { return a == b }), cmp.Comparer(wire.Equal)); diff != "" {
			t.Errorf("changed by writing and reading:\n%s", diff)
		}
	})
}

package wire_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestPeek(t *testing.T) {
	const text = ` { "a" : "x" , "b":{"c":[1,{"d":"}"}],"c2":"\""}, "n": 5 ,"i":1e3,"\u0065":"\u0041","o":{}, "a":"second"}`
	r := wire.Raw(text).Reader() // which does not mind that a member is there twice
	type found struct {
		value string
		ok    bool
	}
	str := func(name string) found { s, ok := r.PeekString(name); return found{s, ok} }
	raw := func(name string) found { s, ok := r.PeekRaw(name); return found{string(s), ok} }
	for _, tt := range []struct {
		what      string
		got, want found
	}{
		{"PeekString a", str("a"), found{"x", true}},
		{"PeekString b", str("b"), found{"", false}},
		{"PeekString e", str("e"), found{"A", true}},
		{"PeekString c", str("c"), found{"", false}},
		{"PeekString none", str("none"), found{"", false}},
		{"PeekRaw a", raw("a"), found{`"x"`, true}},
		{"PeekRaw b", raw("b"), found{`{"c":[1,{"d":"}"}],"c2":"\""}`, true}},
		{"PeekRaw n", raw("n"), found{`5`, true}},
		{"PeekRaw e", raw("e"), found{`"\u0041"`, true}},
		{"PeekRaw none", raw("none"), found{"", false}},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.what, tt.got, tt.want)
		}
	}
	if got := r.PeekHas("b", "none", "e", "a"); got != 0b1101 {
		t.Errorf("PeekHas: got %b", got)
	}
	if got := r.PeekHas(); got != 0 {
		t.Errorf("PeekHas of nothing: got %b", got)
	}
	for path, want := range map[string]bool{
		"b": true, "b.c": true, "b.c2": true, "b.c.d": false, "b.none": false, "none.c": false, "a.x": false, "o": true, "o.x": false,
	} {
		if got := r.PeekPath(strings.Split(path, ".")...); got != want {
			t.Errorf("PeekPath %s: %v", path, got)
		}
	}
	for name, want := range map[string]int64{"n": 5, "i": 1000} {
		if got, ok := r.PeekInt64(name); got != want || !ok {
			t.Errorf("PeekInt64 %s: %d, %v", name, got, ok)
		}
	}
	for _, name := range []string{"a", "b", "none"} {
		if got, ok := r.PeekInt64(name); got != 0 || ok {
			t.Errorf("PeekInt64 %s: %d", name, got)
		}
	}
	if r.Offset() != 0 || r.Err() != nil {
		t.Errorf("peeking moves to %d, or fails: %v", r.Offset(), r.Err())
	}
}

// TestPeekMalformed looks into all texts that are refused, cut at each place,
// and into what is no object: there are no answers but no harm either.
func TestPeekMalformed(t *testing.T) {
	for _, tt := range badTexts() {
		if len(tt.text) > 500 {
			continue
		}
		for _, text := range []string{tt.text, `{"x":` + tt.text, `{"x":` + tt.text + `}`} {
			r := wire.Raw(text).Reader()
			r.PeekString("a")
			r.PeekRaw("a")
			r.PeekHas("a", "b")
			r.PeekPath("x", "a")
			r.PeekRaw("x")
			if r.Offset() != 0 || r.Err() != nil {
				t.Errorf("%q: peeking moves to %d, or fails: %v", text, r.Offset(), r.Err())
			}
		}
	}
	for _, text := range []string{"", " ", "1", "[]", `["a"]`, `"a"`, "null", "{}"} {
		r := wire.Raw(text).Reader()
		if _, ok := r.PeekString("a"); ok || r.PeekHas("a") != 0 || r.PeekPath("a") || r.Err() != nil {
			t.Errorf("%q has members, or %v", text, r.Err())
		}
	}
	if r := wire.NewStringReader("{}"); r.PeekPath() != true {
		t.Error("the empty path is not there")
	}
}

// TestPeekInside looks at an object in the middle of a text.
func TestPeekInside(t *testing.T) {
	r := wire.NewStringReader(`[{"a":"1"}, {"a":"2"}]`)
	var got []string
	for r.BeginArray(); r.Element(); {
		s, _ := r.PeekString("a")
		got = append(got, s)
		r.Skip()
	}
	if strings.Join(got, ",") != "1,2" || r.Err() != nil {
		t.Errorf("got %v, %v", got, r.Err())
	}
}

func TestTry(t *testing.T) {
	const text = `{"a":[{"type":"t","text":"x","labels":["q",5]}, 7],"b":1}`
	r := wire.NewStringReader(text)
	r.BeginObject()
	r.Member()
	var x sample
	var s wire.Scalar
	var raw wire.Raw
	at := r.Offset()
	if r.Try(&x) || r.Try(&s) {
		t.Error("an array is an object or a scalar")
	}
	if r.Err() != nil || r.Offset() != at || r.Name() != "a" {
		t.Errorf("Try leaves %v, at %d in %s", r.Err(), r.Offset(), r.Name())
	}
	for r.BeginArray(); r.Element(); {
		if r.Try(&x) {
			t.Error("a label is a number")
		}
		if !r.Try(&raw) {
			t.Error(r.Err())
		}
	}
	if r.Member(); r.Name() != "b" || !r.Try(&s) || s != wire.ScalarOf(1) {
		t.Errorf("b: %v, %v", s, r.Err())
	}
	if r.Member() {
		t.Error("more members")
	}
	r.End()
	if r.Err() != nil {
		t.Error(r.Err())
	}
}

// TestTryHeedsBoth tries values that tell of an error in one way only.
func TestTryHeedsBoth(t *testing.T) {
	r := wire.NewStringReader(`"x"`)
	if r.Try(stubborn{}) || r.Try(lazy{}) {
		t.Error("an error is missed")
	}
	if got := r.ReadString(); got != "x" || r.Err() != nil {
		t.Errorf("%q, %v", got, r.Err())
	}
}

// TestTryManyMembers gives up in the middle of an object with an index of its names.
func TestTryManyMembers(t *testing.T) {
	text := manyMembers(1000)
	bad := `{"extra":` + text[:len(text)-1] + `,"priority":"no"}}`
	r := wire.NewStringReader(bad)
	for r.BeginObject(); r.Member(); {
		var x notes
		if r.Try(&x) {
			t.Error("priority is a string")
		}
		var m wire.Members
		for r.BeginObject(); r.Member(); {
			*m.Entry(r) = r.ReadRaw()
		}
		if r.Err() != nil || len(m) < 50 {
			t.Errorf("%d members, %v", len(m), r.Err())
		}
	}
	r.End()
	if r.Err() != nil {
		t.Error(r.Err())
	}
}

// TestTryIsBounded reads texts for which guessing is exponential or quadratic: without
// the bound it would not come to an end in the time a test has.
func TestTryIsBounded(t *testing.T) {
	tests := map[string]string{
		"deep":         nest("[", `"x"`, "]", 900),
		"deep and big": strings.Repeat("[", 400) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat("]", 400),
		"bad late":     strings.Repeat("[", 400) + `"` + strings.Repeat("x", 1<<20) + "\xff" + `"` + strings.Repeat("]", 400),
		"digits":       strings.Repeat("[", 400) + strings.Repeat("1", 1<<20) + strings.Repeat("]", 400),
	}
	for name, text := range tests {
		var x tree
		err := wire.UnmarshalString(text, &x)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	var x tree
	err := wire.UnmarshalString(tests["deep"], &x)
	var e *wire.Error
	if !errors.As(err, &e) || !strings.Contains(e.Problem, "read again") || e.Syntax {
		t.Errorf("deep: %v", err)
	}
	if err := wire.UnmarshalString(nest("[", "1", "]", 900), &x); err != nil || x.depth != 900 {
		t.Errorf("a text that fits at once: %v, depth %d", err, x.depth)
	}
}

// TestPeekAndTry looks at each of many values a few times, which is no abuse.
func TestPeekAndTry(t *testing.T) {
	text := "[" + strings.Repeat(`{},{"a":{"b":[1,2,3]},"c":"d"},`, 20_000) + "{}]"
	r := wire.NewStringReader(text)
	for r.BeginArray(); r.Element(); {
		r.PeekString("x")
		r.PeekHas("x", "y")
		r.PeekPath("a", "x")
		r.PeekRaw("c")
		var s wire.Scalar
		r.Try(&s)
		r.Skip()
	}
	r.End()
	if r.Err() != nil {
		t.Error(r.Err())
	}
}

// TestPeekIsBounded peeks over and over.
func TestPeekIsBounded(t *testing.T) {
	text := manyMembers(1 << 16)
	r := wire.NewStringReader(text)
	n := 0
	for ; r.Err() == nil; n++ {
		if n > 1000 {
			t.Fatal("no end of peeking")
		}
		if r.PeekPath("none") || r.PeekHas("none") != 0 {
			t.Fatal("none is there")
		}
	}
	if n < 10 {
		t.Errorf("only %d looks", n)
	}
	bad := text[:len(text)-1] + `,"` // nothing is found, all of it is searched
	for _, text := range []string{bad, `{"x":[` + bad} {
		r := wire.Raw(text).Reader()
		for n := range 1000 {
			if r.PeekString("none"); n == 999 && r.Err() == nil {
				t.Errorf("no end of peeking in malformed text")
			}
		}
	}
	wantError(t, "peeking", r.Err(), "wire: at byte 0: too much of the text has to be read again to tell what it is")
}

// FuzzPeek checks what peeking sees against what reading finds.
func FuzzPeek(f *testing.F) {
	addTexts(f)
	f.Add(`{"a":"b","c":[{"a":1,"x":"y"}],"d":{"a":{"a":"a"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		r := wire.NewStringReader(text)
		peekAll(t, r)
		r.End()
		if (r.Err() == nil) != (wire.UnmarshalString(text, new(wire.Raw)) == nil) {
			t.Errorf("peeking changes the verdict: %v", r.Err())
		}
	})
}

// FuzzUnchecked reads texts that nobody has checked as if they were well formed: the reading ends.
func FuzzUnchecked(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, text string) {
		raw := wire.Raw(text)
		walk(raw.Reader())
		_ = wire.UnmarshalChecked(raw, new(sample))
		_ = wire.UnmarshalChecked(raw, new(tree))
		raw.Str()
		raw.Elements()
		wire.Object(raw).Members()
	})
}

// peekAll reads a value, peeking at each object in it.
func peekAll(t *testing.T, r *wire.Reader) {
	switch r.Kind() {
	case wire.KindArray:
		for r.BeginArray(); r.Element(); {
			peekAll(t, r)
		}
	case wire.KindObject:
		var o wire.Object
		if !r.Try(&o) {
			r.Skip()
			return
		}
		again := wire.NewStringReader(string(o))
		for name, value := range o.All() {
			raw, ok := again.PeekRaw(name)
			if !ok || raw != value {
				t.Errorf("PeekRaw %q = %q, want %q", name, raw, value)
			}
			if again.PeekHas("", name)&2 == 0 || !again.PeekPath(name) {
				t.Errorf("%q is not seen", name)
			}
			s, isString := again.PeekString(name)
			var want wire.Scalar
			if wire.UnmarshalString(string(value), &want) != nil {
				want = wire.Scalar{}
			}
			if str, ok := want.Str(); s != str || isString != ok {
				t.Errorf("PeekString %q = %q", name, s)
			}
			for inner := range wire.Object(value).All() {
				if !again.PeekPath(name, inner) {
					t.Errorf("%q, %q is not seen", name, inner)
				}
				break
			}
		}
		for again.BeginObject(); again.Member(); {
			peekAll(t, again)
		}
	default:
		r.Skip()
	}
}

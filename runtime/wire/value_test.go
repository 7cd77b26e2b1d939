package wire_test

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestMarshal(t *testing.T) {
	// Texts of all sizes, so that buffers are reused and outgrown.
	var texts [][]byte
	var want []string
	for n := 1; n < 1<<18; n *= 2 {
		raw := `"` + strings.Repeat("x", n) + `"`
		text, err := wire.Marshal(wire.Raw(raw))
		if err != nil {
			t.Fatal(err)
		}
		texts, want = append(texts, text), append(want, raw)
		if _, err := wire.Marshal(wire.Raw(strings.Repeat("[", n))); err == nil {
			t.Fatal("malformed text is written")
		}
	}
	for i := range texts {
		if string(texts[i]) != want[i] {
			t.Errorf("a text of %d bytes has changed", len(want[i]))
		}
	}
}

// TestPools has many goroutines use the pools at once.
func TestPools(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			text := strings.Repeat(string(rune('a'+i)), 100)
			for range 200 {
				var x sample
				if err := wire.UnmarshalString(`{"type":"`+text+`","text":"","labels":["`+text+`"]}`, &x); err != nil {
					t.Error(err)
				}
				if err := wire.UnmarshalString(`{"type":"`+text+`"}`, new(sample)); err == nil {
					t.Error("no error")
				}
				got, err := wire.Marshal(wire.ScalarOf(x.Type + x.Labels[0]))
				if err != nil || string(got) != `"`+text+text+`"` {
					t.Errorf("got %s, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}

// stubborn fails without telling the Reader.
type stubborn struct{ wire.Raw }

func (stubborn) DecodeJSON(r *wire.Reader) error { return io.ErrNoProgress }

// lazy does not ask the Reader how it went.
type lazy struct{ wire.Raw }

func (lazy) DecodeJSON(r *wire.Reader) error {
	r.ReadInt64()
	return nil
}

func TestUnmarshal(t *testing.T) {
	var s wire.Scalar
	wantError(t, "two values", wire.Unmarshal([]byte("1 2"), &s), "wire: at byte 2: expected the end of the text, found '2'")
	wantError(t, "nothing", wire.Unmarshal(nil, &s), "wire: at byte 0: expected a value, found the end of the text")
	if err := wire.Unmarshal([]byte("1"), stubborn{}); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
	wantError(t, "lazy", wire.Unmarshal([]byte(`"x"`), lazy{}), "wire: at byte 0: expected an integer, found a string")
}

// pieces are the strings of a value, names among them, read in many ways.
type pieces []string

func (x *pieces) AppendJSON(dst []byte) ([]byte, error) { return dst, io.ErrNoProgress }

func (x *pieces) DecodeJSON(r *wire.Reader) error {
	switch r.Kind() {
	case wire.KindString:
		r.Attempt(func() { *x = append(*x, r.ReadString()); r.Fail("read again") })
		*x = append(*x, r.ReadString())
	case wire.KindArray:
		for r.BeginArray(); r.Element(); {
			x.DecodeJSON(r)
		}
	case wire.KindObject:
		tag, _ := r.PeekString("a")
		*x = append(*x, tag)
		for r.BeginObject(); r.Member(); {
			*x = append(*x, r.Name())
			if len(*x)%3 == 0 {
				r.Attempt(func() { x.DecodeJSON(r) })
			} else {
				x.DecodeJSON(r)
			}
			*x = append(*x, r.Name())
		}
	default:
		*x = append(*x, string(r.ReadRaw()))
	}
	return r.Err()
}

// FuzzInPlace checks that decoding a copy of a text, in which strings lose their escapes
// in their places, is the same as decoding a text that nothing may change, errors
// included, and that neither changes what the caller has.
func FuzzInPlace(f *testing.F) {
	addTexts(f)
	for _, text := range []string{
		`["\n","a\nb","\u00e9é","\ud83d\ude00\\"]`,
		`{"a":"\u0041","\u0062":"\t","c":{"a":"\"","d":"\/"}}`,
		`["\n\n",{"\u0061":"\n"},"\n\x"]`,
		`["\n\xff"]`,
		`["\u00e9\xff","\u00e9\xc3"]`,
		`{"\n":["\n","\n\n` + "\n" + `"]}`,
		`{"\n":["\n",tru]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data := []byte(text)
		var x, y pieces
		got, want := wire.Unmarshal(data, &x), wire.UnmarshalString(text, &y)
		if (got == nil) != (want == nil) || got != nil && *got.(*wire.Error) != *want.(*wire.Error) {
			t.Errorf("in place: %v, else: %v", got, want)
		}
		if string(data) != text {
			t.Errorf("the caller's text is now %q", data)
		}
		clear(data)
		if diff := cmp.Diff(y, x); diff != "" {
			t.Errorf("the strings are others:\n%s", diff)
		}
	})
}

// FuzzChecked checks that a text that has been checked is decoded as any other, and that
// nothing bad comes of one that has not.
func FuzzChecked(f *testing.F) {
	addTexts(f)
	f.Add(`{"type":"text","text":"a","notes":{"x":{"y":[1,"]"]}},"params":[ {} ,"\\\""],"x":{"y":null},"z":1}`)
	f.Add(`{"params":[}`)
	f.Fuzz(func(t *testing.T, text string) {
		var x, y sample
		got := wire.UnmarshalChecked(wire.Raw(text), &x)
		if wire.UnmarshalString(text, new(wire.Raw)) != nil {
			return
		}
		want := wire.UnmarshalString(text, &y)
		if (got == nil) != (want == nil) || got != nil && *got.(*wire.Error) != *want.(*wire.Error) {
			t.Errorf("checked: %v, else: %v", got, want)
		}
		if diff := cmp.Diff(y, x, cmp.Comparer(func(a, b wire.Scalar) bool { return a == b })); got == nil && diff != "" {
			t.Errorf("the values are others:\n%s", diff)
		}
		var raw wire.Raw
		if err := wire.UnmarshalChecked(wire.Raw(text), &raw); err != nil || string(raw) != strings.Trim(text, " \t\r\n") {
			t.Errorf("read over as %q, %v", raw, err)
		}
	})
}

// again reads a string, goes back, and reads it again.
type again struct{ first, second string }

func (again) AppendJSON(dst []byte) ([]byte, error) { return dst, nil }

func (x *again) DecodeJSON(r *wire.Reader) error {
	m := r.Mark()
	x.first = r.ReadString()
	r.Reset(m)
	x.second = r.ReadString()
	return r.Err()
}

func TestResetKeepsTheText(t *testing.T) {
	var x again
	if err := wire.Unmarshal([]byte(`"a\n\u0062\\"`), &x); err != nil || x.first != "a\nb\\" || x.second != x.first {
		t.Errorf("got %q, %v", x, err)
	}
}

// TestMust checks that values are made of the texts of a program, which must be right.
func TestMust(t *testing.T) {
	if id := wire.Must[wire.ID]("1"); id != wire.IDOf(1) {
		t.Errorf("got %v", id)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	wire.Must[wire.ID]("{")
}

// TestString checks the texts of values for people.
func TestString(t *testing.T) {
	if got := wire.String(wire.IDOf(1)); got != "1" {
		t.Errorf("got %s", got)
	}
	if got := wire.String(wire.Raw("{")); !strings.HasPrefix(got, "!(") {
		t.Errorf("got %s for a text that is not JSON", got)
	}
}

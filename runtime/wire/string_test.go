package wire_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestReadString(t *testing.T) {
	tests := []struct{ text, want string }{
		{`""`, ""},
		{`"a"`, "a"},
		{` "a b" `, "a b"},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u0000\u001F\u007f"`, "\x00\x1f\x7f"},
		{`"\u0041\u00e9\u20ac\ufffd\uFFFF"`, "Aé€\ufffd\uffff"},
		{`"\ud83d\ude00"`, "😀"},
		{`"x\uD83D\uDE00y"`, "x😀y"},
		{`"\ud800\udc00\udbff\udfff"`, "\U00010000\U0010ffff"},
		{`"\\u0041"`, `\u0041`},
		{`"12345678\n12345678"`, "12345678\n12345678"},
		{`"日本\t語"`, "日本\t語"},
		{`"a\u0062c\\"`, `abc\`},
	}
	for _, tt := range tests {
		r := wire.NewStringReader(tt.text)
		if got := r.ReadString(); got != tt.want || r.Err() != nil {
			t.Errorf("%s: got %q, %v, want %q", tt.text, got, r.Err(), tt.want)
		}
		r = wire.NewStringReader("{" + tt.text + ":" + tt.text + "}")
		if !r.BeginObject() || !r.Member() || r.Name() != tt.want || r.ReadString() != tt.want || r.Member() {
			t.Errorf("member %s: name %q, %v", tt.text, r.Name(), r.Err())
		}
		r.End()
		if r.Err() != nil {
			t.Errorf("member %s: %v", tt.text, r.Err())
		}
	}
}

// TestManyEscapes reads strings with escapes of all lengths one after the other: each has
// memory of its own.
func TestManyEscapes(t *testing.T) {
	var want []string
	for i := range 300 {
		want = append(want, strings.Repeat("a", i*i%97)+"\n", strings.Repeat("b", i*50%7000)+"\t")
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*wire.Reader{wire.NewStringReader(string(text)), wire.NewStringReader(string(text))} {
		var got []string
		for r.BeginArray(); r.Element(); {
			got = append(got, r.ReadString())
		}
		if !slices.Equal(got, want) || r.Err() != nil {
			t.Errorf("%v: read other strings than were written", r.Err())
		}
	}
}

// TestStringAtEveryLength puts what stops a scan at each place of the words
// that a scan reads at once.
func TestStringAtEveryLength(t *testing.T) {
	for n := range 40 {
		for _, tail := range []string{"", `\n`, `\"`, `\\`, "é", "\x7f", "~", " ", "!", "#", "[", "]"} {
			for _, rest := range []string{"", "bcdefghijk"} {
				text := `"` + strings.Repeat("a", n) + tail + rest + `"`
				var want string
				if err := json.Unmarshal([]byte(text), &want); err != nil {
					t.Fatal(err)
				}
				r := wire.NewStringReader("[" + text + `,"x"        ]`)
				r.BeginArray()
				r.Element()
				if got := r.ReadString(); got != want || r.Err() != nil || r.Offset() != 1+len(text) {
					t.Errorf("%s: got %q, %v at %d", text, got, r.Err(), r.Offset())
				}
				back, err := wire.AppendString(nil, want)
				if err != nil || string(back) != text {
					t.Errorf("%s: written as %s, %v", text, back, err)
				}
			}
		}
		for _, tail := range []string{"\x00", "\x1f", "\n", `\`, `\x`, "\x80", "\xff", "\xc3"} {
			text := `"` + strings.Repeat("a", n) + tail + `Bcdefghijk"`
			r := wire.NewStringReader(text)
			if got := r.ReadString(); r.Err() == nil {
				t.Errorf("%q is accepted as %q", text, got)
			} else if e := r.Err().(*wire.Error); e.Offset != int64(n+1) || !e.Syntax {
				t.Errorf("%q: %v, at byte %d", text, e, e.Offset)
			}
		}
	}
}

// TestEscapes reads all code units, in both spellings.
func TestEscapes(t *testing.T) {
	for unit := range rune(1 << 16) {
		for _, format := range []string{`"\u%04x"`, `"\u%04X"`} {
			text := fmt.Sprintf(format, unit)
			r := wire.NewStringReader(text)
			got := r.ReadString()
			if utf16.IsSurrogate(unit) != (r.Err() != nil) || r.Err() == nil && got != string(unit) {
				t.Errorf("%s: got %q, %v", text, got, r.Err())
			}
		}
	}
	for c := range 256 {
		for at := range 4 {
			text := []byte(`"\u0000"`)
			text[3+at] = byte(c)
			want := strings.IndexByte("0123456789abcdefABCDEF", byte(c)) >= 0
			if got := wire.Unmarshal(text, new(wire.Raw)) == nil; got != want && (at > 0 || c|0x20 != 'd') {
				t.Errorf("%q: accepted %v", text, got)
			}
		}
		text := []byte(`"\?"`)
		text[2] = byte(c)
		want := strings.IndexByte(`bfnrt/\"`, byte(c)) >= 0
		if got := wire.Unmarshal(text, new(wire.Raw)) == nil; got != want {
			t.Errorf("%q: accepted %v", text, got)
		}
	}
}

// TestStringsShare checks that strings, names and raws are not copies.
func TestStringsShare(t *testing.T) {
	text := `{"name":"value","raw":{"a":[1,2]}}`
	inside := func(s string) bool {
		p := uintptr(unsafe.Pointer(unsafe.StringData(s)))
		start := uintptr(unsafe.Pointer(unsafe.StringData(text)))
		return start <= p && p < start+uintptr(len(text))
	}
	r := wire.NewStringReader(text)
	r.BeginObject()
	r.Member()
	if !inside(r.Name()) {
		t.Error("the name is a copy")
	}
	if !inside(r.ReadString()) {
		t.Error("the string is a copy")
	}
	r.Member()
	if !inside(string(r.ReadRaw())) {
		t.Error("the raw is a copy")
	}
	if r.Member() || r.Err() != nil {
		t.Error(r.Err())
	}
}

func TestNewReaderCopies(t *testing.T) {
	src := []byte(`"abc"`)
	r := wire.NewStringReader(string(src))
	src[1] = 'x'
	if got := r.ReadString(); got != "abc" {
		t.Errorf("got %q", got)
	}
}

// FuzzString checks reading and writing of strings against another package.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", "a", "\x00\x1f\"\\/\u007f", "é😀\u2028\ufffd", "\xff", "\xed\xa0\x80", strings.Repeat("x", 17) + "\n", "12345678\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := wire.AppendString([]byte("ab"), s)
		if (err == nil) != utf8.ValidString(s) {
			t.Fatalf("AppendString(%q): %v", s, err)
		}
		if err != nil {
			return
		}
		want, err := jsontext.AppendQuote([]byte("ab"), s)
		if err != nil || string(got) != string(want) {
			t.Errorf("got %s, want %s, %v", got, want, err)
		}
		r := wire.NewStringReader(string(got[2:]))
		if back := r.ReadString(); back != s || r.Err() != nil {
			t.Errorf("%q is read back as %q, %v", s, back, r.Err())
		}
		name := wire.AppendName([]byte("{"), s)
		if want := "{" + string(want[2:]) + ":"; string(name) != want {
			t.Errorf("AppendName: got %s, want %s", name, want)
		}
	})
}

// FuzzUnquote checks unescaping against another package.
func FuzzUnquote(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, text string) {
		r := wire.NewStringReader(text)
		got := r.ReadString()
		r.End()
		if r.Err() != nil {
			checkError(t, text, r.Err())
			if len(text) > 0 && text[0] == '"' && jsontext.Value(text).IsValid() {
				t.Errorf("%q is refused: %v", text, r.Err())
			}
			return
		}
		want, err := jsontext.AppendUnquote(nil, strings.Trim(text, " \t\r\n"))
		if err != nil || got != string(want) {
			t.Errorf("%q: got %q, want %q, %v", text, got, want, err)
		}
	})
}

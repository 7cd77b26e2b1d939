package wire_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The ways to read all of a text. Each gives the same verdict as the others.
func readings() map[string]func(text string) error {
	return map[string]func(text string) error{
		"Skip": func(text string) error {
			r := wire.NewStringReader(text)
			r.Skip()
			r.End()
			return r.Err()
		},
		"ReadRaw": func(text string) error {
			r := wire.NewStringReader(text)
			r.ReadRaw()
			r.End()
			return r.Err()
		},
		"Unmarshal": func(text string) error {
			return wire.Unmarshal([]byte(text), new(wire.Raw))
		},
		"walk": func(text string) error {
			r := wire.NewStringReader(text)
			walk(r)
			r.End()
			return r.Err()
		},
		"Members": func(text string) error {
			r := wire.NewStringReader(text)
			collect(r)
			r.End()
			return r.Err()
		},
	}
}

// walk reads a value piece by piece.
func walk(r *wire.Reader) {
	switch r.Kind() {
	case wire.KindObject:
		for r.BeginObject(); r.Member(); {
			walk(r)
		}
	case wire.KindArray:
		for r.BeginArray(); r.Element(); {
			walk(r)
		}
	case wire.KindString:
		r.ReadString()
	case wire.KindNumber:
		r.ReadScalar(wire.KindNumber)
	case wire.KindBool:
		r.ReadBool()
	case wire.KindNull:
		if !r.ReadNull() {
			r.ReadScalar(wire.KindNull)
		}
	}
}

// collect reads a value, each object's members into Members.
func collect(r *wire.Reader) {
	if r.Kind() != wire.KindObject {
		r.Skip()
		return
	}
	var m wire.Members
	for r.BeginObject(); r.Member(); {
		*m.Entry(r) = r.ReadRaw()
	}
}

func TestRefuse(t *testing.T) {
	for how, read := range readings() {
		for _, tt := range badTexts() {
			var got *wire.Error
			if err := read(tt.text); !errors.As(err, &got) {
				t.Errorf("%s(%.60q): got %v, want an error", how, tt.text, err)
				continue
			}
			want := &wire.Error{
				Offset:  int64(tt.at),
				Pointer: tt.pointer,
				Problem: tt.problem,
				Syntax:  !strings.HasPrefix(tt.problem, "duplicate"),
			}
			if *got != *want {
				t.Errorf("%s(%.60q): wrong error:\n%s", how, tt.text, cmp.Diff(want.Error(), got.Error()))
			}
		}
	}
}

func TestAccept(t *testing.T) {
	for how, read := range readings() {
		for _, tt := range goodTexts() {
			if err := read(tt.text); err != nil {
				t.Errorf("%s(%.60q): %v", how, tt.text, err)
			}
		}
	}
}

// TestPrefixes cuts good texts short: only numbers stay good.
func TestPrefixes(t *testing.T) {
	for _, tt := range goodTexts() {
		if len(tt.compact) > 200 || len(tt.text) > 2000 {
			continue
		}
		text := strings.TrimSpace(tt.text)
		for i := range len(text) {
			want := jsontext.Value(text[:i]).IsValid()
			for how, read := range readings() {
				if err := read(text[:i]); (err == nil) != want {
					t.Errorf("%s(%q): got %v, want valid: %v", how, text[:i], err, want)
				}
			}
		}
	}
}

// TestTablesAgree keeps the tables honest: another parser has the same view of them.
func TestTablesAgree(t *testing.T) {
	for _, tt := range goodTexts() {
		if !jsontext.Value(tt.text).IsValid() {
			t.Errorf("jsontext refuses %.60q", tt.text)
		}
	}
	deep := len(deepTexts())
	bad := badTexts()
	for _, tt := range bad[:len(bad)-deep] {
		if jsontext.Value(tt.text).IsValid() {
			t.Errorf("jsontext accepts %.60q", tt.text)
		}
	}
}

func TestReadRaw(t *testing.T) {
	for _, tt := range goodTexts() {
		r := wire.NewStringReader(tt.text)
		if got, want := r.ReadRaw(), strings.TrimSpace(tt.text); string(got) != want {
			t.Errorf("ReadRaw of %.60q = %.60q", tt.text, got)
		}
		if got, want := r.Offset(), len(strings.TrimRight(tt.text, " \t\r\n")); got != want {
			t.Errorf("ReadRaw of %.60q: offset %d, want %d", tt.text, got, want)
		}
	}
}

// TestCheckAllocates checks that checking a text takes no memory but for objects
// with many members or escaped names.
func TestCheckAllocates(t *testing.T) {
	for _, tt := range goodTexts() {
		var buf []byte
		got := testing.AllocsPerRun(10, func() {
			r := *wire.NewStringReader(tt.text)
			r.Skip()
			r.End()
			if r.Err() != nil {
				t.Error(r.Err())
			}
			buf, _ = wire.Raw(tt.text).AppendJSON(buf[:0])
		})
		if (got > 0) != tt.heap {
			t.Errorf("checking %.60q allocates %v times", tt.text, got)
		}
	}
}

// FuzzVerdict checks this package against another parser, and against itself.
func FuzzVerdict(f *testing.F) {
	addTexts(f)
	readings := readings()
	f.Fuzz(func(t *testing.T, text string) {
		if depth(text) > wire.MaxDepth {
			for how, read := range readings {
				if read(text) == nil {
					t.Errorf("%s accepts too deep a text", how)
				}
			}
			return
		}
		want := jsontext.Value(text).IsValid()
		first := map[string]*wire.Error{}
		for how, read := range readings {
			err := read(text)
			if (err == nil) != want {
				t.Errorf("%s: %v, but jsontext says valid: %v", how, err, want)
			}
			if err != nil {
				first[how] = checkError(t, text, err)
			}
		}
		if a, b := first["Skip"], first["walk"]; a != nil && b != nil && a.Syntax && b.Syntax && *a != *b {
			t.Errorf("Skip fails with %v, reading piece by piece with %v", a, b)
		}
		compact, err := wire.Raw(text).AppendJSON(nil)
		if (err == nil) != want {
			t.Fatalf("AppendRaw: %v, but jsontext says valid: %v", err, want)
		}
		if !want {
			return
		}
		other := jsontext.Value(text)
		if err := other.Compact(); err != nil {
			t.Fatal(err)
		}
		if string(other) != string(compact) {
			t.Errorf("compact form: got %q, want %q", compact, other)
		}
		if !wire.Equal(wire.Raw(text), wire.Raw(compact)) || !wire.Equal(wire.Raw(string(compact)+" "), wire.Raw(text)) {
			t.Errorf("%q is not equal to its compact form", text)
		}
	})
}

// depth returns how deep the brackets outside of strings nest, in a text that is valid.
func depth(text string) int {
	deepest, now := 0, 0
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			now++
			deepest = max(deepest, now)
		case c == ']' || c == '}':
			now--
		}
	}
	return deepest
}

// checkError proves an error's offset and pointer plausible.
func checkError(t *testing.T, text string, err error) *wire.Error {
	t.Helper()
	e, ok := err.(*wire.Error)
	if !ok {
		t.Fatalf("%T is no *Error", err)
	}
	if e.Offset < 0 || e.Offset > int64(len(text)) {
		t.Errorf("offset %d outside of the text's %d bytes", e.Offset, len(text))
	}
	if e.Pointer != "" && !jsontext.Pointer(e.Pointer).IsValid() {
		t.Errorf("invalid pointer %q", e.Pointer)
	}
	if e.Problem == "" {
		t.Error("no problem in the error")
	}
	return e
}

package agreement

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/agreement/random"
)

// TestStandardLibrary checks that encoding/json reads and writes generated types as their own
// codecs do.
func TestStandardLibrary(t *testing.T) {
	eachSubject(t, func(t *testing.T, s *subject) {
		source := random.New(s.ir, uint64(setting(t, "MCPGEN_AGREEMENT_SEED", 1)))
		for _, d := range s.ir.Decls {
			if _, ok := s.fresh(t, d).(json.Marshaler); !ok {
				if !boxed(d.Type) && !d.Message {
					t.Errorf("%s has no MarshalJSON", d.Name)
				}
				continue
			}
			for i := 0; i < 20 && source.Possible(&ir.Ref{Decl: d}); i++ {
				s.compareWithStandard(t, d, source.Text(source.Valid(d)))
			}
			if err := json.Unmarshal([]byte("!"), s.fresh(t, d)); err == nil {
				t.Errorf("%s is decoded from invalid JSON", d.Name)
			}
		}
	})
}

// boxed reports whether encoding/json cannot decode a declaration: an interface, or a scalar
// type with several kinds.
func boxed(t ir.Type) bool {
	switch ir.Resolve(t).(type) {
	case *ir.Union, *ir.Scalar:
		return true
	}
	return false
}

func (s *subject) compareWithStandard(t *testing.T, d *ir.Decl, text string) {
	t.Helper()
	ours, theirs := s.fresh(t, d), s.fresh(t, d)
	if err := wire.UnmarshalString(text, ours); err != nil {
		t.Fatalf("%s: %v\n%s", d.Name, err, text)
	}
	if err := json.Unmarshal([]byte(text), theirs); err != nil {
		t.Fatalf("%s: %v\n%s", d.Name, err, text)
	}
	want, err := ours.AppendJSON(nil)
	if err != nil {
		t.Fatalf("%s: %v\n%s", d.Name, err, text)
	}
	if got, err := theirs.AppendJSON(nil); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: json.Unmarshal reads %s as %s, want %s (%v)", d.Name, text, got, want, err)
	}
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(ours); err != nil || !bytes.Equal(bytes.TrimSuffix(plain.Bytes(), []byte("\n")), want) {
		t.Errorf("%s: a json.Encoder writes %s, want %s (%v)", d.Name, plain.Bytes(), want, err)
	}
	// json.Marshal escapes HTML characters, which does not change the value.
	if escaped, err := json.Marshal(ours); err != nil || !wire.Equal(wire.Raw(escaped), wire.Raw(want)) {
		t.Errorf("%s: json.Marshal gives %s, want %s (%v)", d.Name, escaped, want, err)
	}
}

// TestPrinted checks that package fmt prints values as JSON, without addresses.
func TestPrinted(t *testing.T) {
	eachSubject(t, func(t *testing.T, s *subject) {
		source := random.New(s.ir, uint64(setting(t, "MCPGEN_AGREEMENT_SEED", 1)))
		for _, d := range s.ir.Decls {
			for i := 0; i < 20 && source.Possible(&ir.Ref{Decl: d}); i++ {
				v := s.fresh(t, d)
				if err := wire.UnmarshalString(source.Text(source.Valid(d)), v); err != nil {
					t.Fatal(err)
				}
				if text := fmt.Sprint(v); address.MatchString(text) {
					t.Errorf("%s is printed with addresses: %s", d.Name, text)
				}
				switch ir.Resolve(d.Type).(type) {
				case *ir.Union, *ir.Open:
					continue // the box of a union, and a text
				}
				if strings.Contains(reflect.TypeOf(v).Elem().PkgPath(), "/runtime/") {
					continue // such as a whole message
				}
				want, err := v.AppendJSON(nil)
				if kind := wire.Raw(want).Kind(); err != nil || (kind == wire.KindObject || kind == wire.KindArray) && fmt.Sprint(v) != string(want) {
					t.Errorf("%s is printed as %s, want %s (%v)", d.Name, fmt.Sprint(v), want, err)
				}
			}
		}
	})
}

// address matches an address as package fmt prints it.
var address = regexp.MustCompile(`0xc0[0-9a-f]{6,}`)

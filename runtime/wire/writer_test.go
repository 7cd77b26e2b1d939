package wire_test

import (
	"errors"
	"math"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestWriter(t *testing.T) {
	s, i, f, b := "x", int64(-3), 0.5, true
	w := wire.NewWriter([]byte("["))
	w.BeginObject()
	w.String("s", "é\n")
	w.StringPointer("sp", &s)
	w.StringPointer("none", nil)
	w.Int64("i", 1)
	w.Int64Pointer("ip", &i)
	w.Int64Pointer("none", nil)
	w.Float64("f", 1.5)
	w.Float64Pointer("fp", &f)
	w.Float64Pointer("none", nil)
	w.Bool("b", false)
	w.BoolPointer("bp", &b)
	w.BoolPointer("none", nil)
	w.NullIf("n", true)
	w.NullIf("none", false)
	w.Value("v", wire.Raw(`{ "a": 1 }`))
	w.Name("list")
	w.BeginArray()
	for range 2 {
		w.Element()
		w.BeginArray()
		w.EndArray()
	}
	w.EndArray()
	w.Key("key")
	w.PutNull()
	w.Members(wire.Members{{Name: "m", Value: "[]"}}, "s")
	w.EndObject()
	got, err := w.End()
	if want := `[{"s":"é\n","sp":"x","i":1,"ip":-3,"f":1.5,"fp":0.5,"b":false,"bp":true,"n":null,"v":{"a":1},"list":[[],[]],"key":null,"m":[]}`; string(got) != want || err != nil {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

func TestWriterErrors(t *testing.T) {
	for _, test := range []struct {
		name, pointer string
		write         func(w *wire.Writer)
	}{
		{"the value", "", func(w *wire.Writer) { w.PutString("\xff") }},
		{"a member", "/a~1b", func(w *wire.Writer) { w.BeginObject(); w.Int64("x", 1); w.String("a/b", "\xff"); w.EndObject() }},
		{"a missing member", "/u", func(w *wire.Writer) { w.BeginObject(); w.Value("u", nil) }},
		{"an element", "/l/1", func(w *wire.Writer) {
			w.BeginObject()
			w.Name("l")
			w.BeginArray()
			w.Element()
			w.PutFloat64(1)
			w.Element()
			w.PutFloat64(math.NaN())
		}},
		{"inside a member", "/o/in", func(w *wire.Writer) {
			w.BeginObject()
			w.Value("o", appenderFunc(func(dst []byte) ([]byte, error) {
				inner := wire.NewWriter(dst)
				inner.BeginObject()
				inner.String("in", "\xff")
				return inner.End()
			}))
		}},
		{"a name", "", func(w *wire.Writer) { w.BeginObject(); w.Key("\xff") }},
		{"names that stand twice", "", func(w *wire.Writer) { w.Fail(wire.Map[int]{{"a", 1}, {"a", 2}}.Check()) }},
		{"a member that is there already", "", func(w *wire.Writer) { w.BeginObject(); w.Members(wire.Members{{Name: "a", Value: "1"}}, "a") }},
	} {
		w := wire.NewWriter([]byte(`{"outer":`))
		test.write(&w)
		w.String("after", "the error")
		_, err := w.End()
		var e *wire.Error
		if !errors.As(err, &e) || e.Pointer != test.pointer {
			t.Errorf("%s: %v, want the pointer %q", test.name, err, test.pointer)
		}
	}
}

type appenderFunc func([]byte) ([]byte, error)

func (f appenderFunc) AppendJSON(dst []byte) ([]byte, error) { return f(dst) }

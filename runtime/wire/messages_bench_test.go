package wire_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// forms are the ways to read and write a message that are measured.
func forms(tb testing.TB, m message) []form {
	text := m.text(tb)
	s, buf := string(text), make([]byte, 0, 2*len(text))
	forms := []form{
		{"decode", func() error { return wire.Unmarshal(text, m.fresh()) }},
		{"decode-string", func() error { return wire.UnmarshalString(s, m.fresh()) }},
		{"encode", func() error {
			_, err := m.value.AppendJSON(buf)
			return err
		}},
		{"validate", func() error { return wire.Validate(m.value) }},
		// The floor: the grammar is checked and nothing kept.
		{"scan", func() error {
			r := wire.NewStringReader(s)
			r.Skip()
			return r.Err()
		}},
	}
	if m.std == nil {
		return forms
	}
	value := m.std()
	if err := json.Unmarshal(text, value); err != nil {
		tb.Fatal(err)
	}
	return append(forms,
		form{"decode-encoding-json", func() error { return json.Unmarshal(text, m.std()) }},
		form{"encode-encoding-json", func() error {
			_, err := json.Marshal(value)
			return err
		}},
	)
}

// A form is done once.
type form struct {
	name string
	do   func() error
}

func BenchmarkMessages(b *testing.B) {
	for _, m := range messages() {
		b.Run(m.name, func(b *testing.B) { bench(b, m) })
	}
}

// BenchmarkGrowth shows how the time for a byte changes while messages grow: not.
func BenchmarkGrowth(b *testing.B) {
	for _, g := range growing() {
		for _, times := range []int{1, 10, 100} {
			b.Run(g.name+"/"+strconv.Itoa(times), func(b *testing.B) { bench(b, g.message(times)) })
		}
	}
}

func bench(b *testing.B, m message) {
	size := int64(len(m.text(b)))
	for _, f := range forms(b, m) {
		b.Run(f.name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if err := f.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

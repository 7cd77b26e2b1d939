package eventstream

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

const benchData = 300 // bytes of data in an event

func benchEvent() []byte {
	return Append(nil, []byte("k3jd9fk2lm_17"), "", 0, []byte(strings.Repeat("x", benchData)))
}

func BenchmarkAppend(b *testing.B) {
	data := []byte(strings.Repeat("x", benchData))
	buf := make([]byte, 0, 1<<10)
	b.ReportAllocs()
	for b.Loop() {
		buf = Append(buf[:0], []byte("k3jd9fk2lm_17"), "", 0, data)
		io.Discard.Write(buf)
	}
}

func BenchmarkRead(b *testing.B) {
	small := bytes.Repeat([]byte("data: x\n\n"), 1000)
	for name, text := range map[string][]byte{
		"one":  benchEvent(),
		"many": small,
		"CRLF": bytes.ReplaceAll(small, []byte("\n"), []byte("\r\n")),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r := NewReader(repeat{text}, 1<<20)
			for b.Loop() {
				if _, err := r.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// repeat is an endless stream of one text that fills each Read.
type repeat struct{ text []byte }

func (r repeat) Read(p []byte) (int, error) { return copy(p, r.text), nil }

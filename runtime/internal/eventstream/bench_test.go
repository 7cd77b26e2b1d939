package eventstream

import (
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
	b.ReportAllocs()
	r := NewReader(repeat{benchEvent()}, 1<<20)
	for b.Loop() {
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
}

// repeat is an endless stream of one event, a Read for each.
type repeat struct{ text []byte }

func (r repeat) Read(p []byte) (int, error) { return copy(p, r.text), nil }

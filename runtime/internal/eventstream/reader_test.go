package eventstream

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// show returns an event's fields as text, with absent ones distinct from empty ones.
func show(e Event) string {
	var parts []string
	if e.HasID {
		parts = append(parts, fmt.Sprintf("id=%q", e.ID))
	}
	if e.Type != "" {
		parts = append(parts, fmt.Sprintf("type=%q", e.Type))
	}
	if e.HasRetry {
		parts = append(parts, fmt.Sprintf("retry=%v", e.Retry))
	}
	if e.HasData {
		parts = append(parts, fmt.Sprintf("data=%q", e.Data))
	}
	return strings.Join(parts, " ")
}

// readAll reads events until the source ends and returns its error.
func readAll(src io.Reader, max int) (events []string, end error) {
	r := NewReader(src, max)
	for {
		e, err := r.Next()
		switch {
		case err == nil:
			events = append(events, show(e))
		case errors.Is(err, ErrTooLong):
			events = append(events, "too long")
		default:
			return events, err
		}
	}
}

// cases lists texts and the events they contain. They also feed the fuzz test.
var cases = []struct {
	name, text string
	want       []string
	end        error // nil means io.EOF
}{
	{name: "nothing"},
	{name: "one event", text: "data: x\n\n", want: []string{`data="x"`}},
	{name: "all fields", text: "event: message\nid: 7\nretry: 1500\ndata: x\n\n", want: []string{`id="7" type="message" retry=1.5s data="x"`}},
	{name: "lines of data", text: "data: a\ndata\ndata:b\n\n", want: []string{`data="a\n\nb"`}},
	{name: "one space is dropped", text: "data:  x \n\n", want: []string{`data=" x "`}},
	{name: "CRLF", text: "data: a\r\n\r\ndata: b\r\n\r\n", want: []string{`data="a"`, `data="b"`}},
	{name: "CR", text: "data: a\r\rdata: b\r\r", want: []string{`data="a"`, `data="b"`}},
	{name: "mixed ends", text: "data: a\rdata: b\n\r\ndata: c\r\n\n", want: []string{`data="a\nb"`, `data="c"`}},
	{name: "comments", text: ": hi\n\n:\ndata: x\n: y\n\n", want: []string{`data="x"`}},
	{name: "unknown fields", text: "foo: 1\nDATA: y\n data: z\n\ndata: x\n\n", want: []string{`data="x"`}},
	{name: "byte order mark", text: "\ufeffdata: x\n\n\ufeffdata: y\n\n", want: []string{`data="x"`}},
	{name: "priming event", text: "id: a_0\ndata:\n\n", want: []string{`id="a_0" data=""`}},
	{name: "id alone", text: "id: 3\n\n", want: []string{`id="3"`}},
	{name: "empty id", text: "id\ndata: x\n\n", want: []string{`id="" data="x"`}},
	{name: "id with NUL", text: "id: a\x00b\ndata: x\n\n", want: []string{`data="x"`}},
	{name: "retry is no number", text: "retry: 1s\ndata: x\n\nretry: -1\n\nretry:\n\n", want: []string{`data="x"`}},
	{name: "retry beyond all bounds", text: "retry: 99999999999999999999999\n\n", want: []string{`retry=24h0m0s`}},
	{name: "cut in a line", text: "data: a\n\ndata: b", want: []string{`data="a"`}, end: io.ErrUnexpectedEOF},
	{name: "cut after a line", text: "data: a\n\nid: 1\ndata: b\n", want: []string{`data="a"`}, end: io.ErrUnexpectedEOF},
	{name: "too long", text: "data: " + strings.Repeat("x", 100) + "\nid: 5\n\ndata: y\n\n", want: []string{"too long", `data="y"`}},
	{name: "too long in sum", text: strings.Repeat("data: x\n", 20) + "\ndata: y\n\n", want: []string{"too long", `data="y"`}},
	{name: "too long at the end", text: "data: " + strings.Repeat("x", 100), end: io.ErrUnexpectedEOF},
	{name: "comments do not count", text: strings.Repeat(": beat\n", 100) + "data: x\n\n", want: []string{`data="x"`}},
}

const testMax = 64

func TestReader(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want := c.end
			if want == nil {
				want = io.EOF
			}
			for name, src := range map[string]io.Reader{
				"whole":   strings.NewReader(c.text),
				"by byte": iotest.OneByteReader(strings.NewReader(c.text)),
				"halves":  iotest.HalfReader(strings.NewReader(c.text)),
			} {
				got, end := readAll(src, testMax)
				if !slices.Equal(got, c.want) || end != want {
					t.Errorf("%s: %q, %v; want %q, %v", name, got, end, c.want, want)
				}
			}
		})
	}
}

// TestReadsAtOnce checks that an event is returned as soon as its last byte has arrived.
func TestReadsAtOnce(t *testing.T) {
	for _, text := range []string{"data: x\n\n", "data: x\r\n\r\n", "data: x\r\r"} {
		pr, pw := io.Pipe()
		go io.WriteString(pw, text)
		e, err := NewReader(pr, testMax).Next()
		if err != nil || e.Data != "x" {
			t.Errorf("%q: %q, %v", text, e.Data, err)
		}
		pr.Close()
	}
}

// TestLongEvents checks that lines longer than the reader's buffer are complete, and that
// many lines of data are not copied again and again.
func TestLongEvents(t *testing.T) {
	long := strings.Repeat("x", 5*readSize+7)
	lines := strings.Repeat("data: y\n", 1<<20)
	r := NewReader(strings.NewReader("data: "+long+"\n\n"+lines+"\n"), 64<<20)
	if e, err := r.Next(); err != nil || e.Data != long {
		t.Errorf("%d bytes, %v; want %d", len(e.Data), err, len(long))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if e, err := r.Next(); err != nil || len(e.Data) != 2<<20-1 {
		t.Errorf("%d bytes, %v", len(e.Data), err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 16*uint64(len(lines)) {
		t.Errorf("%d bytes were allocated for %d bytes", n, len(lines))
	}
}

func TestAppend(t *testing.T) {
	for _, c := range []struct {
		id, typ string
		retry   time.Duration
		data    string
		want    string
	}{
		{data: "{}", want: "data: {}\n\n"},
		{id: "a_1", typ: "endpoint", retry: 1500 * time.Millisecond, data: "x", want: "id: a_1\nevent: endpoint\nretry: 1500\ndata: x\n\n"},
		{id: "a_0", want: "id: a_0\ndata: \n\n"},
		{retry: time.Microsecond, want: "retry: 1\ndata: \n\n"},
		{data: "a\nb\r\nc\rd\n", want: "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n"},
	} {
		if got := string(Append(nil, []byte(c.id), c.typ, c.retry, []byte(c.data))); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// FuzzReader checks that the events do not depend on how the text arrives, that memory is
// bounded, and that an event survives a round trip.
func FuzzReader(f *testing.F) {
	for _, c := range cases {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole, end := readAll(strings.NewReader(text), testMax)
		bytes, end2 := readAll(iotest.OneByteReader(strings.NewReader(text)), testMax)
		if !slices.Equal(whole, bytes) || end != end2 {
			t.Fatalf("whole %q %v, by byte %q %v", whole, end, bytes, end2)
		}
		if end != io.EOF && end != io.ErrUnexpectedEOF {
			t.Fatal(end)
		}
		r := NewReader(strings.NewReader(text), testMax)
		for {
			e, err := r.Next()
			if err == ErrTooLong {
				continue
			}
			if err != nil {
				break
			}
			if len(e.Data)+len(e.ID)+len(e.Type) > testMax {
				t.Fatalf("%d bytes", len(e.Data))
			}
			again, err := NewReader(strings.NewReader(string(Append(nil, []byte(e.ID), e.Type, e.Retry, []byte(e.Data)))), 10*testMax).Next()
			if err != nil || again.Data != e.Data || again.ID != e.ID || again.Type != e.Type || again.Retry != e.Retry.Truncate(time.Millisecond) {
				t.Fatalf("%s became %s, %v", show(e), show(again), err)
			}
		}
	})
}

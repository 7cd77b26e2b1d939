// Package eventstest checks implementations of streamable.EventStore, as testing/fstest checks those of fs.FS.
package eventstest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// Open returns an empty store as two processes see it: what one of the two appends, the other one replays.
// They are the same value if only one process can use the store. The store keeps about limit bytes; 0 means
// that the test needs no limit. Open registers with t what closes the store.
type Open func(t testing.TB, limit int) (one, other streamable.EventStore)

// Test checks that a store does what streamable.EventStore demands. Each test opens a store of its own.
func Test(t *testing.T, open Open) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Open)
	}{
		{"After", testAfter},
		{"Streams", testStreams},
		{"Memory", testMemory},
		{"Drop", testDrop},
		{"OddIDs", testOddIDs},
		{"Limit", testLimit},
		{"Parallel", testParallel},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
}

func add(t testing.TB, s streamable.EventStore, session, stream string, n uint64, text string) {
	t.Helper()
	if err := s.Append(t.Context(), session, stream, n, []byte(text)); err != nil {
		t.Fatalf("Append event %d of %s: %v", n, stream, err)
	}
}

// after returns the events after number n, or the error that it yields alone.
func after(t testing.TB, s streamable.EventStore, session, stream string, n uint64) (events []string, err error) {
	t.Helper()
	for data, e := range s.After(t.Context(), session, stream, n) {
		if err != nil || e != nil && len(events) > 0 {
			t.Errorf("After yields %d events and %v, and goes on with %.20q, %v", len(events), err, data, e)
		}
		if err = e; err == nil {
			events = append(events, string(data))
		}
	}
	return events, err
}

func want(t testing.TB, s streamable.EventStore, session, stream string, n uint64, events ...string) {
	t.Helper()
	if got, err := after(t, s, session, stream, n); !slices.Equal(got, events) || err != nil {
		t.Errorf("after event %d of %s: %s, %v, want %s", n, stream, brief(got), err, brief(events))
	}
}

// brief describes events by their number and the beginnings of the first ones.
func brief(events []string) string {
	return fmt.Sprintf("%d events %.20q", len(events), events[:min(3, len(events))])
}

func wantLost(t testing.TB, s streamable.EventStore, session, stream string, n uint64) {
	t.Helper()
	if got, err := after(t, s, session, stream, n); !errors.Is(err, streamable.ErrEventsLost) {
		t.Errorf("after event %d of %.20q: %s, %v, want ErrEventsLost", n, stream, brief(got), err)
	}
}

// testAfter checks that both processes find all events of a stream at once, in order, from each number on.
func testAfter(t *testing.T, open Open) {
	one, other := open(t, 0)
	wantLost(t, one, "s", "a", 0)
	events := []string{`{"a":1}`, `{"text":"☃\n\u0000"}`, strings.Repeat("x", 100_000), "", "last"}
	for i, text := range events {
		add(t, one, "s", "a", uint64(i+1), text)
		for n := range i + 2 {
			want(t, other, "s", "a", uint64(n), events[n:i+1]...)
		}
		wantLost(t, other, "s", "a", uint64(i+2))
	}
	for i := len(events); i < 30; i++ {
		events = append(events, strconv.Itoa(i))
		add(t, one, "s", "a", uint64(i+1), events[i])
	}
	want(t, other, "s", "a", 0, events...)
	want(t, other, "s", "a", 9, events[9:]...)
	for data, err := range other.After(t.Context(), "s", "a", 0) {
		if string(data) != events[0] || err != nil {
			t.Errorf("the first event is %q, %v", data, err)
		}
		break // which ends the iteration
	}
}

// testStreams checks that streams and sessions whose ids resemble each other have events of their own.
func testStreams(t *testing.T, open Open) {
	one, other := open(t, 0)
	sessions := []string{"s", "S", "s.a", "ann:s", "s:a", "*", "s s", "ann ☃:s", strings.Repeat("s", 2000)}
	streams := []string{"a", "A", "aa", "ABg1", "ABg11"}
	for _, session := range sessions {
		for _, stream := range streams {
			add(t, one, session, stream, 1, session+" "+stream)
		}
	}
	for _, session := range sessions {
		for _, stream := range streams {
			want(t, other, session, stream, 0, session+" "+stream)
			want(t, other, session, stream, 1)
		}
		wantLost(t, other, session, "b", 0)
	}
	wantLost(t, other, "t", "a", 0)
}

// testMemory checks that a store shares no memory with its callers.
func testMemory(t *testing.T, open Open) {
	one, other := open(t, 0)
	data := []byte("hello")
	if err := one.Append(t.Context(), "s", "a", 1, data); err != nil {
		t.Fatalf("Append: %v", err)
	}
	clear(data)
	want(t, other, "s", "a", 0, "hello")
}

// testDrop checks that the events of a session are gone when it has ended, and no others.
func testDrop(t *testing.T, open Open) {
	one, other := open(t, 0)
	for _, session := range []string{"s", "s.a", "t"} {
		add(t, one, session, "a", 1, "x")
		add(t, one, session, "b", 1, "x")
	}
	for _, session := range []string{"s", "s", "unknown", "*", ">"} {
		if err := other.Drop(t.Context(), session); err != nil {
			t.Errorf("Drop %q: %v", session, err)
		}
	}
	for _, stream := range []string{"a", "b"} {
		wantLost(t, one, "s", stream, 0)
		want(t, one, "s.a", stream, 0, "x")
		want(t, one, "t", stream, 0, "x")
	}
}

// testOddIDs checks that ids of streams which the server has not made have no events: they come from clients.
func testOddIDs(t *testing.T, open Open) {
	one, _ := open(t, 0)
	add(t, one, "s", "a", 1, "x")
	for _, stream := range []string{"", "*", ">", "?", "a.1", "a.", "a ", "a\n", "\x00", "../a", "%61", "ä", "\xff", "$JS", strings.Repeat("a", 1<<17)} {
		wantLost(t, one, "s", stream, 0)
		wantLost(t, one, "s", stream, 1)
	}
	for _, n := range []uint64{2, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
		wantLost(t, one, "s", "a", n)
	}
}

// testLimit checks that a full store forgets the oldest events, and says so.
func testLimit(t *testing.T, open Open) {
	const limit, size = 1 << 20, 10_000
	one, other := open(t, limit)
	const count = 4 * limit / size
	event := func(n uint64) string { return fmt.Sprint(n, " ") + strings.Repeat("x", size) }
	for n := range uint64(count) {
		add(t, one, "s", "a", n+1, event(n+1))
	}
	wantLost(t, other, "s", "a", 0)
	wantLost(t, other, "s", "a", 1)
	want(t, other, "s", "a", count)
	want(t, other, "s", "a", count-1, event(count))
	kept := 0
	for n := uint64(count); n > 0; n-- {
		got, err := after(t, other, "s", "a", n-1)
		if errors.Is(err, streamable.ErrEventsLost) {
			break
		}
		if kept++; err != nil || len(got) != kept || got[0] != event(n) {
			t.Fatalf("after event %d: %d events, %v, want %d", n-1, len(got), err, kept)
		}
	}
	if kept*size > 2*limit || kept < 5 {
		t.Errorf("%d events of %d bytes are kept, the limit is %d", kept, size, limit)
	}
	// A stream that has lost its first events goes on.
	add(t, one, "s", "a", count+1, "next")
	want(t, other, "s", "a", count, "next")
}

// testParallel checks streams that are written at the same time, while others read them.
func testParallel(t *testing.T, open Open) {
	one, other := open(t, 0)
	const streams, count = 8, 25
	var all sync.WaitGroup
	for i := range streams {
		stream := fmt.Sprint("a", i)
		all.Go(func() {
			for n := range uint64(count) {
				if err := one.Append(t.Context(), "s", stream, n+1, fmt.Append(nil, stream, " ", n+1)); err != nil {
					t.Errorf("Append: %v", err)
				}
			}
		})
		all.Go(func() {
			for n := uint64(0); n < count; {
				got, err := after(t, other, "s", stream, n)
				if err != nil && !(n == 0 && errors.Is(err, streamable.ErrEventsLost)) {
					t.Errorf("after event %d: %v", n, err)
					return
				}
				for _, text := range got {
					if n++; text != fmt.Sprint(stream, " ", n) {
						t.Errorf("event %d of %s is %q", n, stream, text)
					}
				}
			}
		})
	}
	all.Wait()
}

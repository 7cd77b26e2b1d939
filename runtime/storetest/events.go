package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// Events checks that a store does what streamable.EventStore demands.
func Events(t *testing.T, open Open[streamable.EventStore]) { run(t, open, eventsChecks) }

var eventsChecks = []check[streamable.EventStore]{
	{"After", 0, eventsAfter},
	{"Streams", 0, eventsStreams},
	{"Memory", 0, eventsMemory},
	{"Drop", 0, eventsDrop},
	{"OddIDs", 0, eventsOddIDs},
	{"Limit", eventsMost, eventsLimit},
	{"Parallel", 0, eventsParallel},
}

// eventsMost is the limit of the store in eventsLimit, in bytes.
const eventsMost = 1 << 20

func add(t testing.TB, s streamable.EventStore, session, stream string, n uint64, text string) {
	t.Helper()
	must(t, s.Append(t.Context(), session, stream, n, []byte(text)), "Append event %d of %s", n, stream)
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

func wantEvents(t testing.TB, s streamable.EventStore, session, stream string, n uint64, events ...string) {
	t.Helper()
	if got, err := after(t, s, session, stream, n); !slices.Equal(got, events) || err != nil {
		t.Errorf("after event %d of %s: %s, %v, want %s", n, stream, brief(got), err, brief(events))
	}
}

func wantLost(t testing.TB, s streamable.EventStore, session, stream string, n uint64) {
	t.Helper()
	got, err := after(t, s, session, stream, n)
	wantErr(t, err, streamable.ErrEventsLost, "after event %d of %.20q: %s", n, stream, brief(got))
}

// brief describes events by their number and the beginnings of the first ones.
func brief(events []string) string {
	return fmt.Sprintf("%d events %.20q", len(events), events[:min(3, len(events))])
}

// eventsAfter checks that both processes find all events of a stream at once, in order, from each number on.
func eventsAfter(t testing.TB, one, other streamable.EventStore) {
	wantLost(t, one, "s", "a", 0)
	events := []string{`{"a":1}`, `{"text":"☃\n\u0000"}`, strings.Repeat("x", 100_000), "", "last"}
	for i, text := range events {
		add(t, one, "s", "a", uint64(i+1), text)
		for n := range i + 2 {
			wantEvents(t, other, "s", "a", uint64(n), events[n:i+1]...)
		}
		wantLost(t, other, "s", "a", uint64(i+2))
	}
	for i := len(events); i < 30; i++ {
		events = append(events, strconv.Itoa(i))
		add(t, one, "s", "a", uint64(i+1), events[i])
	}
	wantEvents(t, other, "s", "a", 0, events...)
	wantEvents(t, other, "s", "a", 9, events[9:]...)
	for data, err := range other.After(t.Context(), "s", "a", 0) {
		wantErr(t, err, nil, "the first event")
		want(t, string(data), events[0], "the first event")
		break // which ends the iteration
	}
}

// eventsStreams checks that streams and sessions whose ids resemble each other have events of their own.
func eventsStreams(t testing.TB, one, other streamable.EventStore) {
	sessions := []string{"s", "S", "s.a", "ann:s", "s:a", "*", "s s", "ann ☃:s", strings.Repeat("s", 2000)}
	streams := []string{"a", "A", "aa", "ABg1", "ABg11"}
	for _, session := range sessions {
		for _, stream := range streams {
			add(t, one, session, stream, 1, session+" "+stream)
		}
	}
	for _, session := range sessions {
		for _, stream := range streams {
			wantEvents(t, other, session, stream, 0, session+" "+stream)
			wantEvents(t, other, session, stream, 1)
		}
		wantLost(t, other, session, "b", 0)
	}
	wantLost(t, other, "t", "a", 0)
}

// eventsMemory checks that a store shares no memory with its callers.
func eventsMemory(t testing.TB, one, other streamable.EventStore) {
	data := []byte("hello")
	must(t, one.Append(t.Context(), "s", "a", 1, data), "Append")
	clear(data)
	wantEvents(t, other, "s", "a", 0, "hello")
}

// eventsDrop checks that the events of a session are gone when it has ended, and no others.
func eventsDrop(t testing.TB, one, other streamable.EventStore) {
	for _, session := range []string{"s", "s.a", "t"} {
		add(t, one, session, "a", 1, "x")
		add(t, one, session, "b", 1, "x")
	}
	for _, session := range []string{"s", "s", "unknown", "*", ">"} {
		wantErr(t, other.Drop(t.Context(), session), nil, "Drop %q", session)
	}
	for _, stream := range []string{"a", "b"} {
		wantLost(t, one, "s", stream, 0)
		wantEvents(t, one, "s.a", stream, 0, "x")
		wantEvents(t, one, "t", stream, 0, "x")
	}
}

// eventsOddIDs checks that ids of streams which the server has not made have no events: they come from clients.
func eventsOddIDs(t testing.TB, one, _ streamable.EventStore) {
	add(t, one, "s", "a", 1, "x")
	for _, stream := range append(names[1:], oddNames...) {
		wantLost(t, one, "s", stream, 0)
		wantLost(t, one, "s", stream, 1)
	}
	for _, n := range []uint64{2, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
		wantLost(t, one, "s", "a", n)
	}
}

// eventsLimit checks that a full store forgets the oldest events, and says so.
func eventsLimit(t testing.TB, one, other streamable.EventStore) {
	const size, count = 10_000, 4 * eventsMost / 10_000
	event := func(n uint64) string { return fmt.Sprint(n, " ") + strings.Repeat("x", size) }
	for n := range uint64(count) {
		add(t, one, "s", "a", n+1, event(n+1))
	}
	wantLost(t, other, "s", "a", 0)
	wantLost(t, other, "s", "a", 1)
	wantEvents(t, other, "s", "a", count)
	wantEvents(t, other, "s", "a", count-1, event(count))
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
	if kept*size > 2*eventsMost || kept < 5 {
		t.Errorf("%d events of %d bytes are kept, the limit is %d", kept, size, eventsMost)
	}
	// A stream that has lost its first events goes on.
	add(t, one, "s", "a", count+1, "next")
	wantEvents(t, other, "s", "a", count, "next")
}

// eventsParallel checks streams that are written at the same time, while others read them.
func eventsParallel(t testing.TB, one, other streamable.EventStore) {
	const streams, count = 8, 25
	together(2*streams, one, other, func(i int, s streamable.EventStore) {
		stream := fmt.Sprint("a", i/2)
		event := func(n uint64) string { return fmt.Sprint(stream, " ", n) }
		if i%2 == 0 { // it writes
			for n := range uint64(count) {
				wantErr(t, s.Append(t.Context(), "s", stream, n+1, []byte(event(n+1))), nil, "Append")
			}
			return
		}
		for n := uint64(0); n < count; {
			got, err := after(t, s, "s", stream, n)
			if err != nil && !(n == 0 && errors.Is(err, streamable.ErrEventsLost)) {
				t.Errorf("after event %d: %v", n, err)
				return
			}
			for _, text := range got {
				n++
				want(t, text, event(n), "event %d of %s", n, stream)
			}
		}
	})
}

package eventstest_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/flaws"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/streamable/eventstest"
)

func open(_ testing.TB, limit int) (one, other streamable.EventStore) {
	if limit == 0 {
		limit = 1 << 30
	}
	m := streamable.NewMemoryEvents(limit)
	return m, m
}

func TestMemoryEvents(t *testing.T) { eventstest.Test(t, open) }

// known are the mistakes that a store may have, each with the test that finds it and what that reports.
var known = []flaws.Flaw{
	{"repeats", "After", "after event 1 of a"},
	{"invents", "After", "want ErrEventsLost"},
	{"mixes", "Streams", "after event 0 of a"},
	{"keeps", "Memory", `1 events ["\x00`},
	{"hoards", "Drop", "want ErrEventsLost"},
	{"empties", "Drop", "streamable: events are no longer kept"},
	{"wildcards", "OddIDs", `after event 0 of "*"`},
	{"skips", "Limit", "after event 0"},
	{"overflows", "Limit", "events of 10000 bytes are kept"},
}

// TestFlaws checks that each flaw is found, and that a store without any passes.
func TestFlaws(t *testing.T) { flaws.Run(t, known) }

// TestFlawed tests a store with the flaw in the environment.
func TestFlawed(t *testing.T) {
	flaw := flaws.Current()
	if flaw == "" {
		return // TestFlaws runs it in a process for each flaw
	}
	eventstest.Test(t, func(_ testing.TB, limit int) (one, other streamable.EventStore) {
		if flaw == "overflows" || limit == 0 {
			limit = 1 << 30
		}
		s := &flawed{MemoryEvents: streamable.NewMemoryEvents(limit), flaw: flaw}
		return s, s
	})
}

// flawed is a store with a flaw.
type flawed struct {
	*streamable.MemoryEvents
	flaw string
	held []byte // an event that is stored when it is read
}

func (s *flawed) Append(ctx context.Context, session, stream string, n uint64, data []byte) error {
	switch s.flaw {
	case "mixes":
		session = strings.ToLower(session)
	case "keeps":
		s.held = data
		return nil
	}
	return s.MemoryEvents.Append(ctx, session, stream, n, data)
}

func (s *flawed) After(ctx context.Context, session, stream string, n uint64) iter.Seq2[[]byte, error] {
	lost := s.flaw
	switch {
	case s.flaw == "repeats" && n > 0:
		n--
	case s.flaw == "mixes":
		session = strings.ToLower(session)
	case s.flaw == "wildcards" && stream == "*":
		stream = "a"
	case s.flaw == "keeps":
		_ = s.MemoryEvents.Append(ctx, session, stream, 1, s.held)
	case s.flaw == "skips":
		lost = "invents"
		for first := n; first < n+1000; first++ {
			if _, err := s.first(ctx, session, stream, first); err == nil {
				return s.MemoryEvents.After(ctx, session, stream, first)
			}
		}
	}
	if lost != "invents" {
		return s.MemoryEvents.After(ctx, session, stream, n)
	}
	return func(yield func([]byte, error) bool) {
		for data, err := range s.MemoryEvents.After(ctx, session, stream, n) {
			if err != nil || !yield(data, nil) {
				return
			}
		}
	}
}

// first returns the first event after a number.
func (s *flawed) first(ctx context.Context, session, stream string, n uint64) ([]byte, error) {
	for data, err := range s.MemoryEvents.After(ctx, session, stream, n) {
		return data, err
	}
	return nil, nil
}

func (s *flawed) Drop(ctx context.Context, session string) error {
	switch s.flaw {
	case "hoards":
		return nil
	case "empties":
		_ = s.MemoryEvents.Drop(ctx, "t")
	}
	return s.MemoryEvents.Drop(ctx, session)
}

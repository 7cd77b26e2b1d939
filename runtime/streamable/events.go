package streamable

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ErrEventsLost is the error of an EventStore that no longer has the events that a client missed.
var ErrEventsLost = errors.New("streamable: events are no longer kept")

// EventStore stores the events of streams for clients that have lost their connection (section
// Resumability and Redelivery). Replicas of a server that share a store can all replay its events. It
// must be safe for concurrent use. Package runtime/storetest checks stores.
//
// The events of a stream are numbered 1, 2, 3 without gaps. One process appends to a stream, one
// event after the other. An event without data ends a stream that gets no answer, because its request
// was cancelled.
type EventStore interface {
	// Append stores event n of the stream. It must not retain data, but may retain a copy. After an
	// error, the event may have been stored; the next call has the same number and replaces it.
	Append(ctx context.Context, session, stream string, n uint64, data []byte) error
	// After yields the events after number n in order, as they are stored when it is called. If some
	// of them are no longer stored, or the stream or number n is unknown, it yields only ErrEventsLost.
	// The id of the stream may come from a client and have any form.
	After(ctx context.Context, session, stream string, n uint64) iter.Seq2[[]byte, error]
	// Drop removes the streams of a session that has ended.
	Drop(ctx context.Context, session string) error
}

// eventID returns the id of event n of a stream, by which the stream can be found again. Number 0 is
// the beginning of the stream.
func eventID(stream string, n uint64) []byte {
	return strconv.AppendUint(append(append(make([]byte, 0, 48), stream...), '_'), n, 10)
}

func parseEventID(id string) (stream string, n uint64, ok bool) {
	stream, number, _ := strings.Cut(id, "_")
	n, err := strconv.ParseUint(number, 10, 64)
	return stream, n, err == nil && stream != ""
}

// DefaultMemoryEvents is the size of a handler's own event store, in bytes.
const DefaultMemoryEvents = 16 << 20

const (
	// eventOverhead is the size of an event beyond its data, in bytes.
	eventOverhead = 256
	// sessionShare is the fraction of a store that one session may fill.
	sessionShare = 8
)

// MemoryEvents is an EventStore in memory. Its size is limited, and one session may fill an eighth of
// it. When there is no room, it removes the oldest events. Append returns an error for an event that is larger
// than that eighth.
type MemoryEvents struct {
	limit int

	mu       sync.Mutex
	size     int
	events   list.List // of *memoryEvent, the oldest first
	sessions map[string]*memorySession
}

type memorySession struct {
	id     string
	size   int
	events []*list.Element // the oldest first
}

type memoryEvent struct {
	session *memorySession
	stream  string
	n       uint64
	data    []byte
}

// NewMemoryEvents returns a store that holds about this many bytes.
func NewMemoryEvents(bytes int) *MemoryEvents {
	return &MemoryEvents{limit: bytes, sessions: make(map[string]*memorySession)}
}

// Append implements EventStore.
func (m *MemoryEvents) Append(_ context.Context, session, stream string, n uint64, data []byte) error {
	size := len(data) + eventOverhead
	if size > m.limit/sessionShare {
		return fmt.Errorf("streamable: an event of %d bytes; the store keeps up to %d of a session", size, m.limit/sessionShare)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[session]
	if s == nil {
		s = &memorySession{id: session}
		m.sessions[session] = s
	}
	s.events = append(s.events, m.events.PushBack(&memoryEvent{s, stream, n, slices.Clone(data)}))
	m.size += size
	s.size += size
	for s.size > m.limit/sessionShare {
		m.removeOldest(s)
	}
	for m.size > m.limit {
		m.removeOldest(m.events.Front().Value.(*memoryEvent).session)
	}
	return nil
}

// removeOldest removes the oldest event of a session, which is also the oldest one of its stream.
func (m *MemoryEvents) removeOldest(s *memorySession) {
	e := m.events.Remove(s.events[0]).(*memoryEvent)
	s.events[0] = nil
	s.events = s.events[1:]
	size := len(e.data) + eventOverhead
	m.size -= size
	s.size -= size
	if len(s.events) == 0 {
		delete(m.sessions, s.id)
	}
}

// After implements EventStore.
func (m *MemoryEvents) After(_ context.Context, session, stream string, n uint64) iter.Seq2[[]byte, error] {
	events, err := m.after(session, stream, n)
	return func(yield func([]byte, error) bool) {
		if err != nil {
			yield(nil, err)
			return
		}
		for _, data := range events {
			if !yield(data, nil) {
				return
			}
		}
	}
}

// after looks at all events of the session, which the limit bounds.
func (m *MemoryEvents) after(session, stream string, n uint64) (events [][]byte, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[session]
	if s == nil {
		return nil, ErrEventsLost
	}
	known := false // event n is stored, or the one after it
	for _, element := range s.events {
		e := element.Value.(*memoryEvent)
		if e.stream != stream {
			continue
		}
		known = known || e.n == n || e.n == n+1
		if e.n > n {
			events = append(events, e.data)
		}
	}
	if !known {
		return nil, ErrEventsLost
	}
	return events, nil
}

// Drop implements EventStore.
func (m *MemoryEvents) Drop(_ context.Context, session string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[session]; s != nil {
		for len(s.events) > 0 {
			m.removeOldest(s)
		}
	}
	return nil
}

// Len returns the number of events in the store.
func (m *MemoryEvents) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.events.Len()
}

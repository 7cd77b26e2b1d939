package streamable

import (
	"container/list"
	"context"
	"iter"
	"slices"
	"sync"
)

// DefaultMemoryEvents is the size of a handler's own event store, in bytes.
const DefaultMemoryEvents = 16 << 20

const (
	// eventOverhead is the size of an event beyond its data, in bytes.
	eventOverhead = 256
	// sessionShare is the fraction of a store that one session may fill.
	sessionShare = 8
)

// MemoryEvents is an EventStore in memory. Its size is limited, and one session may fill an eighth of
// it. When there is no room, it removes the oldest events.
type MemoryEvents struct {
	limit int

	mu       sync.Mutex
	size     int
	events   list.List // of *memoryEvent, the oldest first
	sessions map[string]*memorySession
}

type memorySession struct {
	id      string
	size    int
	events  list.List // of *memoryEvent, the oldest first
	streams map[string]*memoryStream
}

type memoryStream struct {
	name   string
	first  uint64 // number of the first event
	events [][]byte
}

type memoryEvent struct {
	session  *memorySession
	stream   *memoryStream
	all, own *list.Element // in the lists of the store and of the session
	size     int
}

// NewMemoryEvents returns a store that holds about this many bytes.
func NewMemoryEvents(bytes int) *MemoryEvents {
	return &MemoryEvents{limit: bytes, sessions: make(map[string]*memorySession)}
}

// Append implements EventStore.
func (m *MemoryEvents) Append(_ context.Context, session, stream string, n uint64, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[session]
	if s == nil {
		s = &memorySession{id: session, streams: make(map[string]*memoryStream)}
		m.sessions[session] = s
	}
	st := s.streams[stream]
	if st == nil {
		st = &memoryStream{name: stream, first: n}
		s.streams[stream] = st
	}
	st.events = append(st.events, slices.Clone(data))
	e := &memoryEvent{session: s, stream: st, size: len(data) + eventOverhead}
	e.all, e.own = m.events.PushBack(e), s.events.PushBack(e)
	m.size += e.size
	s.size += e.size
	for s.size > m.limit/sessionShare {
		m.remove(s.events.Front())
	}
	for m.size > m.limit {
		m.remove(m.events.Front())
	}
	return nil
}

// remove removes the oldest event of a session, which is also the oldest one of its stream.
func (m *MemoryEvents) remove(oldest *list.Element) {
	e := oldest.Value.(*memoryEvent)
	s, st := e.session, e.stream
	m.events.Remove(e.all)
	s.events.Remove(e.own)
	m.size -= e.size
	s.size -= e.size
	st.events[0] = nil
	st.events = st.events[1:]
	st.first++
	if len(st.events) == 0 {
		delete(s.streams, st.name)
	}
	if s.events.Len() == 0 {
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

func (m *MemoryEvents) after(session, stream string, n uint64) ([][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[session]
	if s == nil || s.streams[stream] == nil {
		return nil, ErrEventsLost
	}
	st := s.streams[stream]
	if n+1 < st.first || n >= st.first+uint64(len(st.events)) {
		return nil, ErrEventsLost
	}
	return slices.Clone(st.events[n+1-st.first:]), nil
}

// Drop implements EventStore.
func (m *MemoryEvents) Drop(_ context.Context, session string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[session]; s != nil {
		for s.events.Len() > 0 {
			m.remove(s.events.Front())
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

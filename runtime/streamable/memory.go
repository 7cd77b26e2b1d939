package streamable

import (
	"context"
	"iter"
	"slices"
	"sync"
)

// DefaultMemoryEvents is how much a handler's own store of events holds, in bytes.
const DefaultMemoryEvents = 16 << 20

// eventOverhead is what an event is counted as beyond its data.
const eventOverhead = 256

// sessionShare is the part of a store that one session may fill.
const sessionShare = 8

// MemoryEvents is an EventStore in memory. It holds a number of bytes, of which one
// session may have an eighth; when there is no room, the oldest events go first.
type MemoryEvents struct {
	limit int

	mu       sync.Mutex
	size     int
	count    int
	ends     memoryEvent // newer is the oldest of all, older the newest
	sessions map[string]*memorySession
}

type memorySession struct {
	id             string
	size           int
	oldest, newest *memoryEvent // nil when there is none
	streams        map[string]*memoryStream
}

type memoryStream struct {
	name   string
	first  uint64 // number of events[0]
	events []*memoryEvent
}

type memoryEvent struct {
	data         []byte
	session      *memorySession
	stream       *memoryStream
	older, newer *memoryEvent // of all, in a ring with ends
	next         *memoryEvent // of the session
}

func (e *memoryEvent) size() int { return len(e.data) + eventOverhead }

// NewMemoryEvents makes a store that holds about as many bytes.
func NewMemoryEvents(bytes int) *MemoryEvents {
	m := &MemoryEvents{limit: bytes, sessions: make(map[string]*memorySession)}
	m.ends.older, m.ends.newer = &m.ends, &m.ends
	return m
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
	e := &memoryEvent{data: slices.Clone(data), session: s, stream: st}
	st.events = append(st.events, e)
	m.add(e)
	for s.size > m.limit/sessionShare {
		m.remove(s.oldest)
	}
	for m.size > m.limit {
		m.remove(m.ends.newer)
	}
	return nil
}

// add makes e the newest event of all and of its session.
func (m *MemoryEvents) add(e *memoryEvent) {
	s := e.session
	e.older, e.newer = m.ends.older, &m.ends
	e.older.newer, m.ends.older = e, e
	if s.newest == nil {
		s.oldest = e
	} else {
		s.newest.next = e
	}
	s.newest = e
	s.size += e.size()
	m.size += e.size()
	m.count++
}

// remove removes an event, which must be the oldest of its session and so of its stream.
// It clears the links of the event: a reference to a removed event must not keep the
// events that came after it.
func (m *MemoryEvents) remove(e *memoryEvent) {
	s, st := e.session, e.stream
	e.older.newer, e.newer.older = e.newer, e.older
	if s.oldest = e.next; s.oldest == nil {
		s.newest = nil
	}
	e.older, e.newer, e.next = nil, nil, nil
	m.size -= e.size()
	s.size -= e.size()
	m.count--
	st.events[0] = nil
	st.events = st.events[1:]
	st.first++
	if len(st.events) == 0 {
		delete(s.streams, st.name)
	}
	if s.oldest == nil && len(s.streams) == 0 {
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
		for _, e := range events {
			if !yield(e.data, nil) {
				return
			}
		}
	}
}

func (m *MemoryEvents) after(session, stream string, n uint64) ([]*memoryEvent, error) {
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
	s := m.sessions[session]
	if s == nil {
		return nil
	}
	for s.oldest != nil {
		m.remove(s.oldest)
	}
	return nil
}

// Len is the number of events that are kept.
func (m *MemoryEvents) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.count
}

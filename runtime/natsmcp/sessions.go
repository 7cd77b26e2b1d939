package natsmcp

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// sessions holds the tasks of sessions, as the messages of the stream have it.
type sessions struct {
	mu sync.Mutex
	of map[string]map[string]int64 // when each task of a session expires, in nanoseconds since 1970, by its id
}

// set changes a task of a session, which is "" for other tasks. If the task is created, what the stream has said
// about it already is newer.
func (s *sessions) set(session, id string, expires int64, created bool) {
	if session == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := s.of[session]
	if _, known := ids[id]; known && created {
		return
	}
	if ids == nil {
		if s.of == nil {
			s.of = map[string]map[string]int64{}
		}
		ids = map[string]int64{}
		s.of[session] = ids
	}
	ids[id] = expires
}

// list returns the tasks of a session, sorted.
func (s *sessions) list(session string, now time.Time) []string {
	at := nanoseconds(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := s.of[session]
	maps.DeleteFunc(ids, func(_ string, expires int64) bool { return expires <= at })
	return slices.Sorted(maps.Keys(ids))
}

// forget forgets the tasks whose lifetime has ended, for which there is no message.
func (s *sessions) forget(now time.Time) {
	at := nanoseconds(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	for session, ids := range s.of {
		maps.DeleteFunc(ids, func(_ string, expires int64) bool { return expires <= at })
		if len(ids) == 0 {
			delete(s.of, session)
		}
	}
}

package streamable

import (
	"slices"
	"strconv"
	"strings"
)

// ownMark is in the names of streams of what the server sends on its own, and in no others.
const ownMark = "g"

// isOwn reports whether a name is that of a stream of what the server sends on its own.
func isOwn(name string) bool { return strings.Contains(name, ownMark) }

// ownStream returns the stream for a message that the server sends on its own. A client may have
// several open; each message goes to one of them (section Multiple Connections): the one that
// was opened last, or if none is open, the one that was open last, where it waits.
func (s *session) ownStream() *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range slices.Backward(s.own) {
		if st.followers > 0 {
			return st
		}
	}
	if len(s.own) == 0 {
		s.addOwnLocked()
	}
	return s.own[len(s.own)-1]
}

// claim returns the own stream for a GET: st, or if that is nil the last one that no GET
// follows, or a new one. No GET takes over the stream of another, unless it names st. Unclaim
// must follow.
func (s *session) claim(st *stream) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st == nil {
		for _, idle := range slices.Backward(s.own) {
			if idle.followers == 0 {
				st = idle
				break
			}
		}
	}
	if st == nil {
		st = s.addOwnLocked()
	}
	st.followers++
	i := slices.Index(s.own, st)
	s.own = append(slices.Delete(s.own, i, i+1), st)
	return st
}

// unclaim is called when a GET no longer follows a stream.
func (s *session) unclaim(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.followers--
}

func (s *session) addOwnLocked() *stream {
	st := &stream{own: true}
	st.init(s)
	s.own = append(s.own, st)
	return st
}

// nameLocked returns a name for a stream. Every process that has the session has other names.
func (s *session) nameLocked(own bool) string {
	s.named++
	mark := ""
	if own {
		mark = ownMark
	}
	return s.prefix + mark + strconv.FormatUint(s.named, 10)
}

// isForeign reports whether a stream that is not registered may be one that another process goes
// on with.
func (s *session) isForeign(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handler.opts.Sessions != nil && (s.prefix == "" || !strings.HasPrefix(name, s.prefix))
}

package streamable

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// ownMark is part of the names of streams for the server's own messages, and of no others.
const ownMark = "g"

// get opens a stream for the server's own messages, or resumes a stream (sections Listening for
// Messages from the Server, Resumability and Redelivery).
func (h *Handler) get(w http.ResponseWriter, r *http.Request) error {
	if refusal := web.CheckGet(r); refusal != nil {
		return refusal
	}
	s, err := h.find(r)
	if err != nil {
		return err
	}
	defer s.leave()
	c := &connection{request: r}
	c.Init(w, h.opts.IOTimeout, h.budget)
	defer c.Finish()
	return getError(h.resume(s, c), c)
}

// resume writes the stream that the client asks for with Last-Event-ID.
func (h *Handler) resume(s *session, c *connection) error {
	ctx, last := c.request.Context(), c.request.Header.Get(headerLast)
	if last == "" {
		return h.listen(s, c, "", 0)
	}
	name, n, ok := parseEventID(last)
	if !ok {
		return errEventID
	}
	take := func(st *stream) error { return st.resume(ctx, c, n) }
	switch st := s.stream(name); {
	case st != nil && st.own && h.sessions.Closing():
		return web.ErrClosing
	case st != nil && st.own:
		defer s.getClosed()
		defer s.unclaim(s.claim(st))
		s.getOpened()
		s.tellGet()
		s.renew(ctx, st)
		return h.follow(st, c, take)
	case st != nil:
		if err := h.follow(st, c, take); err != errEnded {
			return err
		}
	case strings.Contains(name, ownMark):
		// The stream is that of another process, or unclaim has removed it.
		return h.listen(s, c, name, n)
	case s.onBus() && s.isForeign(name):
		return s.pursue(ctx, c, name, n)
	}
	return s.replay(ctx, c, name, n)
}

// listen writes the server's own messages. If the client had another stream up to event n, it first gets
// the events of that stream that it has missed.
func (h *Handler) listen(s *session, c *connection, former string, n uint64) error {
	if h.sessions.Closing() {
		return web.ErrClosing
	}
	ctx := c.request.Context()
	st := s.claim(nil)
	defer s.getClosed()
	defer s.unclaim(st)
	s.getOpened()
	if former != "" {
		if err := s.leaveFormer(ctx, c, former, n); err != nil {
			return err
		}
	}
	s.tellGet()
	s.renew(ctx, st)
	return h.follow(st, c, func(st *stream) error { return st.listen(ctx, c) })
}

// leaveFormer sends the client the events that it has missed on a stream of the server's own messages
// that it has left. A replica that has the stream passes them on; otherwise they come from the store.
func (s *session) leaveFormer(ctx context.Context, c *connection, former string, n uint64) error {
	if s.onBus() && s.isForeign(former) {
		at, err := s.handler.sharing.ask(ctx, question{session: s.key, stream: former, after: n, release: true})
		if err == nil && at.known {
			return nil
		}
	}
	switch err := s.replay(ctx, c, former, n); {
	case err == errEnded:
	case errors.Is(err, ErrEventsLost) && s.shared != nil:
		s.setStale()
	default:
		return err
	}
	return nil
}

// follow lets a connection take over a stream and waits until either has ended.
func (h *Handler) follow(st *stream, c *connection, take func(*stream) error) error {
	c.stream = st
	if err := take(st); err != nil {
		return err
	}
	defer st.disconnect(c)
	c.startBeats(h.opts.KeepAlive)
	st.wait(c.request.Context(), c)
	return nil
}

// errEnded reports that a stream has ended and the client has all of it.
var errEnded = errors.New("streamable: the stream has ended")

// Refusals of a GET.
var (
	errEventID     = web.Refuse(http.StatusBadRequest, "invalid request: the Last-Event-ID header is not an id of this server")
	errNothingLeft = web.Refuse(http.StatusMethodNotAllowed, "the stream of Last-Event-ID has ended, and nothing comes after that event")
	errEventsGone  = web.Refuse(http.StatusBadRequest, "invalid request: the events after Last-Event-ID are no longer kept")
)

// getError returns the refusal of a GET for which there are no events, unless its response has begun.
func getError(err error, c *connection) error {
	if err == nil || c.Streaming() {
		return nil
	}
	_, refused := errors.AsType[*web.Refusal](err)
	switch {
	case refused:
		return err
	case errors.Is(err, errEnded):
		// Clients treat most other statuses as failures, and would request an empty stream again.
		// Status 405 says that there is no stream.
		c.Header().Set("Allow", "POST, DELETE")
		return errNothingLeft
	case errors.Is(err, ErrEventsLost):
		return errEventsGone
	case errors.Is(err, runtime.ErrClosed):
		return web.ErrNoSession
	}
	return web.Refuse(http.StatusServiceUnavailable, "unavailable: the events cannot be read")
}

// ownStream returns the stream for a message of the server's own. A client may have several open.
// Each message goes to one of them (section Multiple Connections): the one that was opened last. If
// none is open, the message waits on the one that was open last.
func (s *session) ownStream() *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range slices.Backward(s.own) {
		if st.followers > 0 {
			return st
		}
	}
	if len(s.own) == 0 {
		return s.addOwnLocked()
	}
	return s.own[len(s.own)-1]
}

// claim returns the stream of the server's own messages for a GET: st or, if st is nil, one that no
// GET follows. It takes only st from another GET. unclaim must follow.
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
	s.own = append(slices.DeleteFunc(s.own, func(other *stream) bool { return other == st }), st)
	return st
}

// unclaim records that a GET no longer follows a stream. Among the streams that no GET follows, it
// keeps only the last one, where messages wait. A client that names one of the others gets its
// events from the store.
func (s *session) unclaim(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.followers--
	kept := false
	for i := len(s.own) - 1; i >= 0; i-- {
		idle := s.own[i]
		if idle.followers > 0 {
			continue
		}
		if kept {
			s.own = slices.Delete(s.own, i, i+1)
			delete(s.streams, idle.name)
		}
		kept = true
	}
}

func (s *session) addOwnLocked() *stream {
	st := newStream(s)
	st.own = true
	s.own = append(s.own, st)
	return st
}

// replay writes the stored events of a stream that has ended or that belongs to another process.
func (s *session) replay(ctx context.Context, c *connection, stream string, n uint64) error {
	foreign := s.isForeign(stream)
	missed, ended, err := s.missed(ctx, stream, n)
	switch {
	case errors.Is(err, ErrEventsLost) && n == 0 && (foreign || strings.Contains(stream, ownMark)):
		// The stream has begun, and nothing was sent on it yet.
	case err != nil:
		return err
	case len(missed) == 0 && !ended && foreign:
		if ended, err = s.answered(ctx, stream, n); err != nil {
			return err
		}
	}
	for _, data := range missed {
		n++
		if err := c.Event(eventID(stream, n), "", 0, data); err != nil {
			return err
		}
	}
	switch {
	case len(missed) > 0:
		return nil
	case ended || !foreign:
		return errEnded
	}
	// Another process writes the stream. The client asks again until there are more events.
	return s.prime(c, eventID(stream, n))
}

// missed returns the stored events after number n. ended means that the stream ends after them
// without an answer.
func (s *session) missed(ctx context.Context, stream string, n uint64) (events [][]byte, ended bool, err error) {
	for data, err := range s.handler.opts.Events.After(ctx, s.key, stream, n) {
		if err != nil {
			return nil, false, err
		}
		if len(data) == 0 {
			return events, true, nil
		}
		events = append(events, data)
	}
	return events, false, nil
}

// answered reports whether event n is the answer, after which the stream ends.
func (s *session) answered(ctx context.Context, stream string, n uint64) (bool, error) {
	if n == 0 {
		return false, nil
	}
	events, _, err := s.missed(ctx, stream, n-1)
	if errors.Is(err, ErrEventsLost) || len(events) == 0 {
		return false, nil
	}
	return isResponse(string(events[0])), err
}

package streamable

import (
	"context"
	"errors"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// stream writes what the client of a GET has asked for.
func (h *Handler) stream(r *http.Request, s *session, sink *web.Sink) error {
	last := r.Header.Get(headerLast)
	if last == "" {
		return h.listen(r.Context(), s, sink)
	}
	name, n, ok := parseEventID(last)
	if !ok {
		return errEventID
	}
	resume := func(st *stream) error { return st.resume(r.Context(), sink, n) }
	switch st := s.stream(name); {
	case st != nil && st.own && h.all.Closing():
		return web.ErrClosing
	case st != nil && st.own:
		defer s.unclaim(s.claim(st))
		return h.follow(r.Context(), st, sink, resume)
	case st != nil:
		if err := h.follow(r.Context(), st, sink, resume); err != errEnded {
			return err
		}
	case isOwn(name):
		// Of another process: what it has kept, and then what this one sends.
		if err := s.replay(r.Context(), sink, name, n); err != nil && err != errEnded {
			return err
		}
		return h.listen(r.Context(), s, sink)
	}
	return s.replay(r.Context(), sink, name, n)
}

// listen writes what the server sends on its own.
func (h *Handler) listen(ctx context.Context, s *session, sink *web.Sink) error {
	if h.all.Closing() {
		return web.ErrClosing
	}
	st := s.claim(nil)
	defer s.unclaim(st)
	return h.follow(ctx, st, sink, func(st *stream) error { return st.listen(ctx, sink) })
}

// follow has a sink take over a stream and waits until either is done.
func (h *Handler) follow(ctx context.Context, st *stream, sink *web.Sink, take func(*stream) error) error {
	if err := take(st); err != nil {
		return err
	}
	defer st.disconnect(sink)
	h.wait(ctx, st, sink, h.opts.KeepAlive, func() { st.beat(ctx) })
	return nil
}

// errEnded tells that a stream has ended and the client has got all of it.
var errEnded = errors.New("streamable: the stream has ended")

// replayError returns what a client is answered that does not get events, if nothing was
// written yet.
func replayError(err error, sink *web.Sink) error {
	if err == nil || sink.Streaming() {
		return nil
	}
	_, refused := errors.AsType[*web.Refusal](err)
	switch {
	case refused:
		return err
	case errors.Is(err, errEnded):
		// Clients take any other answer for a failure, and an empty stream for one that they
		// have to ask for again. This one says that there is no stream.
		sink.Header().Set("Allow", "POST, DELETE")
		return errNothingLeft
	case errors.Is(err, ErrEventsLost):
		return errEventsGone
	case errors.Is(err, runtime.ErrClosed):
		return web.ErrNoSession
	}
	return web.Refuse(http.StatusServiceUnavailable, "unavailable: the events cannot be read")
}

// replay writes what is kept of a stream that has ended or is of another process.
func (s *session) replay(ctx context.Context, sink *web.Sink, stream string, n uint64) error {
	foreign := s.isForeign(stream)
	missed, ended, err := s.missed(ctx, stream, n)
	switch {
	case errors.Is(err, ErrEventsLost) && n == 0 && foreign:
		// Another process has begun the stream, and nothing has been sent on it yet.
	case err != nil:
		return err
	case len(missed) == 0 && !ended && foreign:
		if ended, err = s.answered(ctx, stream, n); err != nil {
			return err
		}
	}
	if len(missed) > 0 {
		return s.rewrite(sink, stream, n, missed)
	}
	if ended || !foreign {
		return errEnded
	}
	// Another process goes on with it. The client asks again, until that has kept more.
	return s.prime(sink, eventID(stream, n))
}

// missed returns the events after number n that are kept, and whether the stream ends with them
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

// answered reports whether event n is the answer, after which nothing comes.
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

// rewrite writes events that are kept, of which the first is the one after number n.
func (s *session) rewrite(sink *web.Sink, stream string, n uint64, events [][]byte) error {
	for _, data := range events {
		n++
		if err := sink.Event(eventID(stream, n), "", 0, data); err != nil {
			return err
		}
	}
	return nil
}

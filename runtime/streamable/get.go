package streamable

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// get is a GET request: its response carries the server's own messages, or what the client has missed of a stream.
type get struct {
	connection
	session *Session
}

// get opens a stream for the server's own messages, or resumes a stream (sections Listening for
// Messages from the Server, Resumability and Redelivery).
func (h *Handler) get(w http.ResponseWriter, r *http.Request) error {
	if refusal := checkGet(r); refusal != nil {
		return refusal
	}
	s, err := h.checkSessionID(r)
	if err != nil {
		return err
	}
	defer s.Leave()
	g := &get{session: s}
	g.init(h, w, r)
	defer g.finish()
	return g.refusal(g.serve())
}

// serve writes the stream that the client asks for with Last-Event-ID.
func (g *get) serve() error {
	s, last := g.session, g.request.Header.Get(headerLast)
	if last == "" {
		return g.listen(nil, "", 0)
	}
	name, n, ok := parseEventID(last)
	if !ok {
		return errEventID
	}
	st := s.streams.find(name)
	switch {
	case st != nil && st.own, strings.Contains(name, ownMark): // unclaim may have removed it
		return g.listen(st, name, n)
	case st == nil && s.handler.opts.Sharing != nil:
		return g.followShared(name, n)
	case st != nil:
		err := g.follow(st, true, n)
		if err != errEnded {
			return err
		}
	}
	return g.replay(name, n)
}

// listen writes the server's own messages. The client may have got a stream with them up to event n before. If that
// stream is st, it goes on; otherwise the client first gets the events that it has missed of it.
func (g *get) listen(st *stream, former string, n uint64) error {
	s, resumes := g.session, st != nil
	if s.handler.sessions.closing.Load() {
		return errClosing
	}
	st = s.streams.claim(st)
	defer s.streams.unclaim(st)
	if resumes {
		former = ""
	}
	stop, err := g.leave(former, n)
	if err != nil {
		return err
	}
	defer stop()
	return g.follow(st, resumes, n)
}

// leave writes the events that the client has missed of a stream that it has left; "" for none. The caller calls stop
// when the GET has ended.
func (g *get) leave(former string, n uint64) (stop func(), err error) {
	replay := func() error {
		if former == "" {
			return nil
		}
		if err := g.replay(former, n); err != errEnded {
			return err
		}
		return nil
	}
	if sharing := g.session.handler.opts.Sharing; sharing != nil {
		return sharing.Listen(g.request.Context(), g.session, former, n, replay)
	}
	return func() {}, replay()
}

// follow lets the connection take over a stream and waits until either has ended.
func (g *get) follow(st *stream, resumes bool, n uint64) error {
	g.stream = st
	if err := st.attach(g.request.Context(), &g.connection, resumes, n); err != nil {
		return err
	}
	defer st.disconnect(&g.connection)
	g.startKeepAlive(false)
	st.wait(g.request.Context(), &g.connection)
	return nil
}

// replay writes the stored events of a stream that has ended.
func (g *get) replay(stream string, n uint64) error {
	missed, err := g.session.missed(g.request.Context(), stream, n)
	switch {
	case errors.Is(err, ErrEventsLost) && n == 0 && strings.Contains(stream, ownMark):
		return errEnded // the stream has begun, and nothing was sent on it
	case err != nil:
		return err
	case len(missed) == 0:
		return errEnded
	}
	for _, data := range missed {
		n++
		if err := g.writeEvent(eventID(stream, n), "", 0, data); err != nil {
			return err
		}
	}
	return nil
}

// followShared writes a stream of another process: the stored events, and then the new ones.
func (g *get) followShared(stream string, n uint64) error {
	s, written := g.session, time.Now()
	for data, err := range s.handler.opts.Sharing.Follow(g.request.Context(), s, stream, n) {
		every := s.handler.opts.KeepAlive
		switch {
		case err != nil:
			return err
		case len(data) > 0:
			n++
			err = g.writeEvent(eventID(stream, n), "", 0, data)
		case !g.streaming:
			err = g.prime(s, eventID(stream, n))
		case every > 0 && time.Since(written) >= every:
			err = g.writeComment()
		default:
			continue
		}
		if err != nil {
			return err
		}
		written = time.Now()
	}
	if !g.streaming {
		return errEnded
	}
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

// refusal returns the refusal of a GET for which there are no events, unless its response has begun.
func (g *get) refusal(err error) error {
	if err == nil || g.streaming {
		return nil
	}
	_, refused := errors.AsType[*web.Refusal](err)
	switch {
	case refused:
		return err
	case errors.Is(err, errEnded):
		// Clients treat most other statuses as failures, and would request an empty stream again.
		// Status 405 says that there is no stream.
		g.w.Header().Set("Allow", "POST, DELETE")
		return errNothingLeft
	case errors.Is(err, ErrEventsLost):
		return errEventsGone
	case errors.Is(err, runtime.ErrClosed):
		return errNoSession
	}
	return web.Refuse(http.StatusServiceUnavailable, "unavailable: the events cannot be read")
}

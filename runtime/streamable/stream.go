package streamable

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// errDisconnected is the error of a message that nobody can be given any more.
var errDisconnected = errors.New("streamable: the client is not connected")

// stream is a sequence of messages to the client: the answer to one POST, or what the
// server sends on its own. It is the runtime.Route of what it belongs to. It outlives
// the connection it is written to, its sink, and may get another one.
//
// Events go to the store first and then to the sink, under the lock, so that what a
// client gets after reconnecting continues what it got before: nothing twice, nothing
// left out.
type stream struct {
	session *session
	opening bool // the answer to initialize, which carries the session's id
	own     bool // what the server sends on its own; never done

	followers int // GETs that write it, for an own stream; under the session's mu

	over atomic.Bool // nothing more comes

	// lock holds a token while the fields below are in use. It is a channel because a
	// write may take long, and who waits for it may give up.
	lock       chan struct{}
	name       string        // "" until it is an event stream
	last       uint64        // number of the last event
	sent       uint64        // number of the last event that was written to a sink
	sink       *web.Sink     // nil when no connection is there
	left       chan struct{} // closed when sink is let go of; nil when nobody waits for that
	done       chan struct{} // closed when nothing more comes; nil when nobody waits for that
	answered   bool          // the sink has been given the answer as JSON
	lingers    bool          // it is among those that flush is called for
	unanswered bool

	live atomic.Pointer[web.Sink] // sink, for who has not the lock
}

// init makes a stream ready for use.
func (st *stream) init(s *session) { st.session, st.lock = s, make(chan struct{}, 1) }

// acquire takes the lock; false when ctx or the session ends first.
func (st *stream) acquire(ctx context.Context) bool {
	select {
	case st.lock <- struct{}{}:
		return true
	default:
	}
	select {
	case st.lock <- struct{}{}:
		return true
	case <-ctx.Done():
	case <-st.session.gone:
	}
	return false
}

func (st *stream) release() { <-st.lock }

// connect makes the sink that of a stream that has none. Under the lock, but for a stream that
// is not in use yet.
func (st *stream) connect(sink *web.Sink) {
	st.sink, st.left = sink, nil
	st.live.Store(sink)
}

// closed is a channel that is.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// watch returns a channel that is closed when nothing more comes, and one that is when the
// sink is not used any more; false when ctx or the session ends first.
func (st *stream) watch(ctx context.Context, sink *web.Sink) (done, left <-chan struct{}, ok bool) {
	if !st.acquire(ctx) {
		return nil, nil, false
	}
	defer st.release()
	done, left = closed, closed
	if !st.over.Load() {
		if st.done == nil {
			st.done = make(chan struct{})
		}
		done = st.done
	}
	if st.sink == sink {
		if st.left == nil {
			st.left = make(chan struct{})
		}
		left = st.left
	}
	return done, left, true
}

// drop lets go of the sink, if there is one. Under the lock.
func (st *stream) drop() {
	if st.sink != nil {
		st.sink = nil
		st.live.Store(nil)
		if st.left != nil {
			close(st.left)
		}
	}
}

// disconnect makes sure that the sink is not used any more, whatever it waits for.
func (st *stream) disconnect(sink *web.Sink) {
	defer sink.Finish()
	if st.live.Load() != sink {
		return // whoever let go of it does not use it any more
	}
	select {
	case st.lock <- struct{}{}:
	default:
		if !st.over.Load() { // else only flush may use it, and the answer is still to leave
			sink.Interrupt()
		}
		st.lock <- struct{}{}
	}
	defer st.release()
	if st.sink == sink {
		st.drop()
	}
}

// send writes a message, or keeps it for a client that comes back. False: the stream is
// done, and the message belongs elsewhere. The part belongs into the text at the index.
func (st *stream) send(ctx context.Context, m runtime.Outgoing, at int, part string) (bool, error) {
	if !st.acquire(ctx) {
		return true, st.session.whyNot(ctx)
	}
	defer st.release()
	if st.over.Load() {
		return false, nil
	}
	if m.Kind == jsonrpc.Response && st.name == "" && !(st.sink != nil && st.sink.Streaming()) {
		return true, st.answer(m, at, part)
	}
	if st.name == "" && st.sink == nil && !st.own {
		return true, errDisconnected // no event has an id yet, so nobody can come back
	}
	if part != "" {
		m.Text = slices.Concat(m.Text[:at], []byte(part), m.Text[at:])
	}
	return true, st.event(ctx, m)
}

// answer writes the whole answer to a POST as one JSON text. Under the lock.
func (st *stream) answer(m runtime.Outgoing, at int, part string) error {
	if st.sink == nil {
		return errDisconnected
	}
	st.answered = true
	if st.opening && st.session.negotiated() {
		st.announce()
	}
	status := http.StatusOK
	if m.ID.IsZero() && len(m.Text) > 0 && m.Text[0] == '{' || m.ID.Is(wire.ScalarNull) {
		// An error whose request is unknown: the message could not be accepted.
		status = http.StatusBadRequest
	}
	if m.NotBegun {
		status = http.StatusServiceUnavailable
		st.sink.Header().Set("Retry-After", web.RetryAfter)
	}
	err := st.sink.JSON(status, m.Text, at, part)
	if err == nil && m.Abandoned {
		err = st.sink.Flush()
	}
	if err != nil {
		st.drop()
	}
	return err
}

// announce puts the session's id on the answer to initialize (section Session
// Management, 1).
func (st *stream) announce() {
	st.sink.Header().Set(headerSession, st.session.id)
}

// event keeps a message as the next event and writes it, if somebody is there. Under the
// lock.
func (st *stream) event(ctx context.Context, m runtime.Outgoing) error {
	st.begin()
	n := st.last + 1
	kept := st.session.keep(ctx, st.name, n, m.Text)
	if kept == nil {
		st.last = n
	}
	if st.sink == nil {
		return kept
	}
	var id []byte
	var retry time.Duration
	if kept == nil {
		id = eventID(st.name, n)
		if n == 1 {
			retry = st.session.handler.opts.Retry
		}
	}
	var err error
	if st.own || m.Kind == jsonrpc.Request || m.Abandoned {
		err = st.sink.Event(id, "", retry, m.Text)
	} else {
		err = st.sink.Put(id, "", retry, m.Text)
	}
	if m.Kind == jsonrpc.Notification && !st.own && !st.lingers {
		st.lingers = true
		st.session.handler.lingering.add(st)
	}
	if err != nil {
		st.drop()
		if kept == nil {
			return nil
		}
		return err
	}
	st.sent = st.last
	return nil
}

// begin makes an event stream of it, with a name under which it is found again. Under the
// lock.
func (st *stream) begin() {
	if st.name == "" {
		st.session.register(st)
		if st.opening && st.sink != nil {
			st.announce()
		}
	}
}

// resume has the sink take over the stream: the client gets the events after number n
// and then what comes. The error is errEnded when nothing comes any more.
func (st *stream) resume(ctx context.Context, sink *web.Sink, n uint64) error {
	if !st.take(ctx) {
		return st.session.whyNot(ctx)
	}
	defer st.release()
	if st.over.Load() {
		return errEnded
	}
	st.drop()
	if n > st.last {
		return ErrEventsLost
	}
	if err := st.replay(ctx, sink, n); err != nil {
		return err
	}
	st.connect(sink)
	return nil
}

// listen is resume for a client that names no event: it gets what nobody has been sent
// yet, as far as it is kept.
func (st *stream) listen(ctx context.Context, sink *web.Sink) error {
	if !st.take(ctx) {
		return st.session.whyNot(ctx)
	}
	defer st.release()
	st.drop()
	err := st.replay(ctx, sink, st.sent)
	if errors.Is(err, ErrEventsLost) {
		st.session.handler.log.Warn("events were lost before a client asked for them")
		st.sent = st.last
		err = st.replay(ctx, sink, st.sent)
	}
	if err != nil {
		return err
	}
	st.connect(sink)
	return nil
}

// take acquires the lock from whoever writes to a connection that may be dead.
func (st *stream) take(ctx context.Context) bool {
	select {
	case st.lock <- struct{}{}:
		return true
	default:
	}
	if sink := st.live.Load(); sink != nil {
		sink.Interrupt()
	}
	return st.acquire(ctx)
}

// replay writes the events after number n, and before them one that says where the
// stream goes on. Under the lock.
func (st *stream) replay(ctx context.Context, sink *web.Sink, n uint64) error {
	st.begin()
	var missed [][]byte
	if n < st.last {
		for data, err := range st.session.handler.opts.Events.After(ctx, st.session.key, st.name, n) {
			if err != nil {
				return err
			}
			missed = append(missed, data)
		}
	}
	if err := st.session.prime(sink, eventID(st.name, n)); err != nil {
		return err
	}
	for _, data := range missed {
		n++
		if err := sink.Event(eventID(st.name, n), "", 0, data); err != nil {
			return err
		}
		st.sent = max(st.sent, n)
	}
	return nil
}

// hangUp ends the connection of the stream.
func (st *stream) hangUp(ctx context.Context) {
	if st.take(ctx) {
		defer st.release()
		st.drop()
	}
}

// beat keeps a silent connection in use. The answer to a POST that has taken so long becomes an
// event stream, which the client can resume from its beginning if the revision allows it.
func (st *stream) beat(ctx context.Context) {
	select {
	case st.lock <- struct{}{}:
	default:
		return // it is not silent
	}
	defer st.release()
	if st.sink == nil || st.over.Load() || st.answered {
		return
	}
	var err error
	if st.name == "" && !st.opening {
		st.begin()
		err = st.session.prime(st.sink, eventID(st.name, 0))
	} else if st.name != "" {
		err = st.sink.Beat()
	}
	if err != nil {
		st.drop()
	}
}

// part ends the connection, but not the stream: the client is to come back after the
// time given.
func (st *stream) part(ctx context.Context, retry time.Duration) error {
	if !st.acquire(ctx) {
		return st.session.whyNot(ctx)
	}
	defer st.release()
	switch {
	case st.sink == nil || st.over.Load():
		return nil
	case st.sink.Held():
		return errors.New("streamable: Disconnect needs Options.Disconnect")
	case !st.session.primes() && st.last == 0:
		return errors.New("streamable: the revision has no way to tell the client where to go on")
	}
	st.begin()
	if st.session.primes() {
		if err := st.sink.Event(eventID(st.name, st.last), "", retry, nil); err != nil {
			st.drop()
			return nil // the connection has ended by itself
		}
	}
	st.drop()
	return nil
}

// end is called when nothing more comes. That a stream ends without an answer is kept, as an event
// without data, for a client that comes back for the answer.
func (st *stream) end(unanswered bool) {
	st.lock <- struct{}{}
	st.unanswered = unanswered
	if unanswered && st.name != "" && !st.session.forgotten() {
		_ = st.session.keep(st.session.handler.all.Context(), st.name, st.last+1, nil)
	}
	st.over.Store(true)
	name, done := st.name, st.done
	st.release()
	if done != nil {
		close(done) // not under the lock, or who is told would take it for one that is held up
	}
	if name != "" {
		st.session.unregister(name)
	}
}

// Disconnect ends the connection on which the client waits for the answer to the request
// that ctx is of, and tells it to come back after the time given for what the handler
// sends from now on (section Sending Messages to the Server). So a handler that takes long
// holds no connection. It does nothing outside of handlers and for other transports. The
// revision must be 2025-11-25 or later, unless the handler has sent something already, and the
// handler must have been made with Options.Disconnect.
func Disconnect(ctx context.Context, retry time.Duration) error {
	if call := runtime.CallOf(ctx); call != nil {
		if st, ok := call.Route().(*stream); ok {
			return st.part(ctx, retry)
		}
	}
	return nil
}

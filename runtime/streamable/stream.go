package streamable

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// errDisconnected is the error of a message that no client can receive any more.
var errDisconnected = errors.New("streamable: the client is not connected")

// ownMark is part of the names of streams for the server's own messages, and of no others.
const ownMark = "g"

// streams are the event streams of a session. A client that comes back finds them by their names.
type streams struct {
	session *Session

	mu     sync.Mutex
	byName map[string]*stream
	own    []*stream // for the server's own messages; the one that was opened last is the last
	prefix string    // of the names of streams in this process
	named  uint64    // the number of names that were given
}

// add gives a stream a name. Each process that has the session gives different names.
func (t *streams) add(st *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byName == nil {
		t.byName = make(map[string]*stream)
		t.prefix = rand.Text()[:12]
	}
	t.named++
	mark := ""
	if st.own {
		mark = ownMark
	}
	st.name = t.prefix + mark + strconv.FormatUint(t.named, 10)
	if sharing := t.session.handler.opts.Sharing; sharing != nil {
		st.name = sharing.Name(st.name, st.request)
	}
	t.byName[st.name] = st
}

// remove removes a stream that has ended.
func (t *streams) remove(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byName, name)
}

// find returns the stream with a name, or nil.
func (t *streams) find(name string) *stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byName[name]
}

// current returns the stream for a message of the server's own. A client may have several open.
// Each message goes to one of them (section Multiple Connections): the one that was opened last. If
// none is open, the message waits on the one that was open last.
func (t *streams) current() *stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, st := range slices.Backward(t.own) {
		if st.listeners > 0 {
			return st
		}
	}
	if len(t.own) == 0 {
		return t.openLocked()
	}
	return t.own[len(t.own)-1]
}

// heard reports whether the client has a GET open for the server's own messages.
func (t *streams) heard() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.own, func(st *stream) bool { return st.listeners > 0 })
}

// claim returns the stream of the server's own messages for a GET: st or, if st is nil, one that no
// GET follows. Another GET may follow st already. unclaim must be called later.
func (t *streams) claim(st *stream) *stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	if st == nil {
		for _, idle := range slices.Backward(t.own) {
			if idle.listeners == 0 {
				st = idle
				break
			}
		}
	}
	if st == nil {
		st = t.openLocked()
	}
	st.listeners++
	t.own = append(slices.DeleteFunc(t.own, func(other *stream) bool { return other == st }), st)
	return st
}

// unclaim records that a GET no longer follows a stream. Among the streams that no GET follows, it
// keeps only the last one, where messages wait. A client that names one of the others gets its
// events from the store.
func (t *streams) unclaim(st *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	st.listeners--
	waiting := false
	for i := len(t.own) - 1; i >= 0; i-- {
		idle := t.own[i]
		if idle.listeners > 0 {
			continue
		}
		if waiting {
			t.own = slices.Delete(t.own, i, i+1)
			delete(t.byName, idle.name)
		}
		waiting = true
	}
}

func (t *streams) openLocked() *stream {
	st := &stream{session: t.session, own: true, lock: make(chan struct{}, 1)}
	t.own = append(t.own, st)
	return st
}

// listening returns the streams for the server's own messages.
func (t *streams) listening() []*stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.own)
}

// closeConnections ends the connections of the streams for the server's own messages.
func (t *streams) closeConnections(ctx context.Context) {
	for _, st := range t.listening() {
		if st.acquireInterrupting(ctx) == nil {
			st.dropConnection()
			st.release()
		}
	}
}

// stream is a sequence of messages to the client: the answer to one POST, or messages of the
// server's own. It is the runtime.Reply of the messages that belong to it. It outlives its
// connection and may get another one.
//
// Under the lock, events go first to the store and then to the connection, so that a client that
// comes back gets exactly the events that it has missed.
type stream struct {
	session   *Session
	opening   bool        // it answers initialize, so its response carries the session's id
	own       bool        // it is for the server's own messages and never ends
	request   wire.Scalar // the id of the request that it answers; zero for none or several
	answers   bool        // it answers requests; anything else gets an HTTP status and no events
	inline    *connection // of the POST whose goroutine runs the message's handler; nil if another one does
	listeners int         // GETs that write an own stream; guarded by streams.mu
	admission admission   // of the POST that it answers

	over atomic.Bool // nothing more comes

	// lock holds a token while the fields below are in use. It is a channel because a write may
	// take long, and others may give up waiting for the lock.
	lock       chan struct{}
	name       string                     // "" until it is an event stream
	last       uint64                     // number of the last event
	sent       uint64                     // number of the last event that was written to a connection
	next       chan struct{}              // closed with the next event or the end; nil if nothing waits for it
	conn       atomic.Pointer[connection] // nil if there is none; take and disconnect also read it without the lock
	wroteJSON  bool                       // the answer was written as one JSON text
	answered   bool                       // the answer was sent or stored
	unanswered bool                       // the request gets no answer
}

// acquire takes the lock. It returns an error if ctx or the session ends first.
func (st *stream) acquire(ctx context.Context) error {
	select {
	case st.lock <- struct{}{}:
		return nil
	default:
	}
	select {
	case st.lock <- struct{}{}:
		return nil
	case <-ctx.Done():
	case <-st.session.gone():
	}
	if st.session.over.Load() {
		return runtime.ErrClosed
	}
	return context.Cause(ctx)
}

func (st *stream) release() { <-st.lock }

// wait waits until the stream has ended or released the connection. It reports whether nothing more
// comes.
func (st *stream) wait(ctx context.Context, c *connection) bool {
	if st.acquire(ctx) != nil {
		return st.over.Load()
	}
	if st.over.Load() || st.conn.Load() != c {
		st.release()
		return st.over.Load()
	}
	left := make(chan struct{})
	c.left = left
	st.release()
	select {
	case <-left:
	case <-st.session.gone(): // a session for one message ends with its stream
	case <-ctx.Done():
	}
	return st.over.Load()
}

// dropConnection releases the connection, if there is one. The lock must be held.
func (st *stream) dropConnection() {
	c := st.conn.Swap(nil)
	if c == nil {
		return
	}
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.left != nil {
		close(c.left)
		c.left = nil
	}
}

// disconnect makes sure that the connection is no longer used, even if a write to it is blocked.
func (st *stream) disconnect(c *connection) {
	defer c.finish()
	if st.conn.Load() != c {
		return // nothing uses a connection that the stream has released
	}
	select {
	case st.lock <- struct{}{}:
	default:
		if !st.over.Load() { // otherwise only keepAlive may use it, and the answer must still leave
			c.interrupt()
		}
		st.lock <- struct{}{}
	}
	defer st.release()
	if st.conn.Load() == c {
		st.dropConnection()
	}
}

// Send implements runtime.Reply. It writes a message, or stores it for a client that comes back. A message after the
// end goes where messages without a request go.
func (st *stream) Send(ctx context.Context, m runtime.Outgoing) error {
	s := st.session
	switch {
	case s.over.Load():
		return runtime.ErrClosed
	case m.Kind == jsonrpc.Request && s.single():
		return errStateless
	}
	if err := st.acquire(ctx); err != nil {
		return err
	}
	if st.over.Load() { // never a stream of the server's own messages
		st.release()
		return s.outbox.Send(ctx, m)
	}
	defer st.release()
	if m.Kind == jsonrpc.Response {
		st.answered = true
		if m.Abandoned && !st.own {
			defer st.finish(false)
		}
	}
	c := st.conn.Load()
	switch {
	case st.name == "" && c == nil && !st.own:
		return errDisconnected // without event ids, a client cannot come back
	case st.name == "" && m.Kind == jsonrpc.Response && c != nil && !c.streaming:
		return st.writeJSON(c, &m)
	}
	return st.writeEvent(ctx, m)
}

// writeJSON writes the whole response to a POST as one JSON text. The lock must be held.
func (st *stream) writeJSON(c *connection, m *runtime.Outgoing) error {
	s := st.session
	st.wroteJSON = true
	if st.opening && s.negotiated() != "" {
		c.setSessionID(s)
	}
	status := status(m, s.stateless)
	if status == http.StatusServiceUnavailable {
		c.w.Header().Set("Retry-After", web.RetryAfter)
	}
	if denied, ok := errors.AsType[*runtime.DeniedError](m.Err); ok {
		c.w.Header()["Www-Authenticate"] = denied.Challenges
	}
	switch {
	case m.NotBegun:
		s.handler.gate.refuse(reasonDraining)
	case m.Refused && m.Code() == jsonrpc.CodeServerBusy:
		s.handler.gate.refuse(reasonSession)
	}
	err := c.writeJSON(status, m.Text)
	if err == errBytes {
		err = c.writeJSON(http.StatusInternalServerError, st.lostAnswer(m))
	}
	if err == nil && m.Abandoned {
		err = c.flush()
	}
	if err != nil {
		st.dropConnection()
	}
	return err
}

// lostAnswer returns the error in place of an answer for which Options.MaxBytes leaves no room.
func (st *stream) lostAnswer(m *runtime.Outgoing) []byte {
	st.session.handler.log.Warn("answer lost: too many bytes wait for clients", "bytes", len(m.Text))
	return replaced(m, "the answer of %d bytes is lost, because too many bytes wait for clients that do not read; the request was handled", len(m.Text))
}

// replaced returns the text of an error that takes the place of an answer.
func replaced(m *runtime.Outgoing, format string, args ...any) []byte {
	// An id that was read can be written.
	text, _ := jsonrpc.Errorf(jsonrpc.CodeInternalError, format, args...).Answer(m.ID).AppendJSON(nil)
	return text
}

// writeEvent stores a message as the next event and writes it if there is a connection. The lock must be
// held.
func (st *stream) writeEvent(ctx context.Context, m runtime.Outgoing) error {
	st.ensureName()
	n := st.last + 1
	stored := st.session.store(ctx, st.name, n, m.Text)
	if stored != nil && m.Kind == jsonrpc.Response && !m.ID.IsZero() && st.session.keeps {
		// The client may lose the answer and come back for it.
		stored = st.session.store(ctx, st.name, n, replaced(&m, "the answer of %d bytes was lost with its connection, because it could not be kept; the request was handled", len(m.Text)))
	}
	if stored == nil {
		st.last = n
	}
	st.signalNext()
	c := st.conn.Load()
	if c == nil {
		return stored
	}
	var id []byte
	var typ string
	var retry time.Duration
	if st.session.handler.opts.sse {
		typ = "message"
	}
	if stored == nil {
		id = eventID(st.name, n)
		if n == 1 {
			retry = st.session.handler.opts.Retry
		}
	}
	err := c.bufferEvent(id, typ, retry, m.Text)
	if err == errBytes && stored != nil && m.Kind == jsonrpc.Response {
		err = c.bufferEvent(id, typ, retry, st.lostAnswer(&m))
	}
	switch {
	case err == errBytes && st.session.single():
		return err // nothing was written, and the answer still needs the connection
	case err != nil:
	case m.Kind != jsonrpc.Response || m.Abandoned || st.own:
		err = c.flush()
	}
	if err != nil {
		st.dropConnection()
		if stored == nil {
			return nil
		}
		return err
	}
	st.sent = st.last
	return nil
}

// ensureName gives the stream a name by which a client can resume it, if its session keeps events. The lock must be
// held.
func (st *stream) ensureName() {
	if st.name == "" && st.session.keeps {
		st.session.streams.add(st)
		if c := st.conn.Load(); st.opening && c != nil {
			c.setSessionID(st.session)
		}
	}
}

// attach lets a connection take over the stream: the client gets the events after number n and then the new ones. A
// client that resumes nothing gets those that were not sent to any client. The error is errEnded if there are no more
// events.
func (st *stream) attach(ctx context.Context, c *connection, resumes bool, n uint64) error {
	if err := st.acquireInterrupting(ctx); err != nil {
		return err
	}
	defer st.release()
	if st.over.Load() {
		return errEnded
	}
	st.dropConnection()
	if !resumes {
		n = st.sent
	}
	err := ErrEventsLost
	if n <= st.last {
		err = st.replay(ctx, c, n)
	}
	if !resumes && errors.Is(err, ErrEventsLost) {
		st.session.handler.log.Warn("events were lost before a client asked for them")
		st.sent = st.last
		err = st.replay(ctx, c, st.sent)
	}
	if err == nil {
		st.conn.Store(c)
	}
	return err
}

// acquireInterrupting acquires the lock for a new connection. The old one may be dead, so a write to it is not
// waited for.
func (st *stream) acquireInterrupting(ctx context.Context) error {
	select {
	case st.lock <- struct{}{}:
		return nil
	default:
	}
	if c := st.conn.Load(); c != nil {
		c.interrupt()
	}
	return st.acquire(ctx)
}

// replay writes the stored events after number n, and before them an event from which the client can
// resume. The lock must be held.
func (st *stream) replay(ctx context.Context, c *connection, n uint64) error {
	st.ensureName()
	var missed [][]byte
	if n < st.last {
		var err error
		if missed, err = st.session.missed(ctx, st.name, n); err != nil {
			return err
		}
	}
	if err := c.prime(st.session, eventID(st.name, n)); err != nil {
		return err
	}
	for _, data := range missed {
		n++
		if err := c.writeEvent(eventID(st.name, n), "", 0, data); err != nil {
			return err
		}
		st.sent = max(st.sent, n)
	}
	return nil
}

// disconnectFor ends the connection but not the stream, and asks the client to come back after the given time.
func (st *stream) disconnectFor(ctx context.Context, retry time.Duration) error {
	if err := st.acquire(ctx); err != nil {
		return err
	}
	defer st.release()
	c := st.conn.Load()
	switch {
	case c == nil || st.over.Load() || !st.session.keeps:
		return nil // no client can come back
	case c == st.inline:
		return errors.New("streamable: Disconnect requires Options.Disconnect")
	case !st.session.resumable() && st.last == 0:
		return errors.New("streamable: revisions before " + revisionPriming + " cannot disconnect before the first message")
	}
	st.ensureName()
	if st.session.resumable() {
		if err := c.writeEvent(eventID(st.name, st.last), "", retry, nil); err != nil {
			st.dropConnection()
			return nil // the connection was lost anyway
		}
	}
	st.dropConnection()
	return nil
}

// end records that the message of the stream is handled. Request means that it has requests, which may
// have no answer.
func (st *stream) end(request bool) {
	st.lock <- struct{}{}
	defer st.release()
	st.finish(request && !st.answered)
}

// finish records that nothing more comes. An end without an answer is stored as an event without data,
// for a client that comes back for the answer. The lock must be held.
func (st *stream) finish(unanswered bool) {
	if st.over.Load() {
		return // the answer was abandoned
	}
	st.admission.leave()
	st.unanswered = unanswered
	if st.name != "" {
		if unanswered && !st.session.over.Load() {
			_ = st.session.store(st.session.handler.sessions.ctx, st.name, st.last+1, nil)
		}
		st.session.streams.remove(st.name)
	}
	st.over.Store(true)
	st.signalNext()
	st.dropConnection()
}

// signalNext tells those who wait for news of the stream that there are some. The lock must be held.
func (st *stream) signalNext() {
	if st.next != nil {
		close(st.next)
		st.next = nil
	}
}

// Disconnect ends the connection on which the client waits for the answer to the request of ctx, and
// asks the client to come back after the time for what the handler sends from now on (section
// Sending Messages to the Server), so that a slow handler occupies no connection. Outside of handlers
// and for other transports it does nothing. The handler must have been created with
// Options.Disconnect, and the revision must be 2025-11-25 or later unless a message was sent before.
func Disconnect(ctx context.Context, retry time.Duration) error {
	if call := runtime.CallOf(ctx); call != nil {
		to := call.Reply()
		if batched, ok := to.(interface{ Unwrap() runtime.Reply }); ok {
			to = batched.Unwrap()
		}
		if st, ok := to.(*stream); ok {
			return st.disconnectFor(ctx, retry)
		}
	}
	return nil
}

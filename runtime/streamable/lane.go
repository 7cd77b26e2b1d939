package streamable

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// lane is a connection with the server that carries stateless requests, one at a time. A lane is used for
// many requests, of any client, because opening one takes longer than a quick request. No state of a
// request remains on it. A lane is the runtime.Outbox of its connection.
type lane struct {
	web.Response // to the current request
	lanes        *lanes
	inbox        runtime.Inbox
	over         bool // the connection takes no further request; guarded by lanes.mu

	mu      sync.Mutex // also held while the response is written
	current *reply     // nil between requests
	timer   *time.Timer
	due     time.Time // when beat is to be called; zero for not at all

	// Of the current request.
	answered   bool // the response is complete
	unanswered bool // there will be no answer
	buffered   bool // an event waits to be sent
}

// reply is the runtime.Route of what belongs to one request.
type reply struct{ lane *lane }

// serve serves a message in the goroutine of its HTTP request. It returns errNotBegun if the connection with the
// server has ended before it took the message. Otherwise it clears the text, which is then not used any more,
// because a request may last long.
func (l *lane) serve(r *http.Request, text *string) error {
	route := &reply{l}
	l.begin(route)
	returned := false
	defer func() { l.end(returned) }()
	serve := l.inbox.Accept(runtime.Incoming{Text: *text, Route: route, Header: r.Header, Context: r.Context(), Bound: true})
	if serve == nil {
		returned = true
		return l.finish(r.Context(), *text, false)
	}
	if m := r.Header[headers.Method]; len(m) > 0 && m[0] == methodListen && arrivingListen(*text) {
		l.Body.Release() // the server does not keep the message either
	}
	*text = ""
	l.startBeats()
	serve()
	returned = true
	return l.finish(r.Context(), "", true)
}

// begin makes the route the current one.
func (l *lane) begin(route *reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current = route
	l.answered, l.unanswered, l.buffered = false, false, false
}

// startBeats starts the timer for a request that takes a while.
func (l *lane) startBeats() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.buffered && !l.answered { // a proxy's server is concurrent
		l.after(l.lanes.handler.opts.KeepAlive)
	}
}

// after schedules beat after a duration, which replaces the time set before. A duration that is not positive
// is for ever. The lock must be held.
func (l *lane) after(d time.Duration) {
	if d <= 0 {
		l.stop()
		return
	}
	l.due = time.Now().Add(d)
	l.timer.Reset(d)
}

// stop cancels after. The timer may have fired: then beat waits for the lock. The lock must be held.
func (l *lane) stop() {
	l.due = time.Time{}
	l.timer.Stop()
}

// end ends the response. Messages that belong to the request are no longer sent.
func (l *lane) end(returned bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current = nil
	l.stop()
	if !returned { // the handler has ended the goroutine, and net/http closes the connection
		_ = l.Flush()
	}
	l.Finish()
}

// finish completes the response to a message that was not answered. The text is that of a message that was
// not begun, because it is no request or the connection with the server has ended.
func (l *lane) finish(ctx context.Context, text string, begun bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.answered || l.Streaming() || ctx.Err() != nil:
		return nil
	case l.unanswered && !begun:
		return errNotBegun
	case l.unanswered || begun:
		return l.lanes.refusal()
	}
	return l.accept(text)
}

// accept completes the response to a text without a request ("Sending Messages", 4 and 5). The server
// has taken it if it is a notification. A client must not send a response.
func (l *lane) accept(text string) error {
	if m, err := jsonrpc.Parse(text); err != nil || m.Kind != jsonrpc.Notification {
		return errNoRequest
	}
	l.Empty(http.StatusAccepted)
	return nil
}

var errNoRequest = web.Refuse(http.StatusBadRequest, "invalid request: the body must be a request or a notification")

// beat is called by the timer. The call that finds another time set was meant for an earlier request, or for
// an earlier event of this one.
func (l *lane) beat() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.due.IsZero() || time.Now().Before(l.due) {
		return
	}
	var err error
	if l.buffered {
		l.buffered = false
		err = l.Flush()
	} else {
		err = l.Beat()
	}
	if err == nil {
		l.after(l.lanes.handler.opts.KeepAlive)
	} else {
		l.stop()
	}
}

// Send implements runtime.Outbox.
func (l *lane) Send(_ context.Context, m runtime.Outgoing) error {
	route, _ := m.Route.(*reply)
	l.mu.Lock()
	defer l.mu.Unlock()
	if route == nil || l.current != route || l.answered || m.Kind == jsonrpc.Request {
		return errStateless
	}
	if m.Kind != jsonrpc.Response {
		return l.notify(m.Text)
	}
	l.answered = true
	l.stop()
	if !l.Streaming() {
		return l.answer(&m)
	}
	err := l.Put(nil, "", 0, m.Text)
	if err == web.ErrBudget {
		err = l.Put(nil, "", 0, l.lanes.handler.lostAnswer(&m))
	}
	if err == nil && m.Abandoned {
		err = l.Flush()
	}
	return err
}

// answer writes the whole response as one JSON text. The lock must be held.
func (l *lane) answer(m *runtime.Outgoing) error {
	status := statusOf(m)
	if status == http.StatusServiceUnavailable {
		l.Header().Set("Retry-After", web.RetryAfter)
	}
	l.lanes.handler.countAnswer(m)
	challenge(l.Header(), m)
	err := l.JSON(status, m.Text)
	if err == web.ErrBudget {
		err = l.JSON(http.StatusInternalServerError, l.lanes.handler.lostAnswer(m))
	}
	if err == nil && m.Abandoned {
		err = l.Flush()
	}
	return err
}

// notify writes a notification, which leaves with the answer or soon. The lock must be held.
func (l *lane) notify(text []byte) error {
	if err := l.Put(nil, "", 0, text); err != nil {
		return err
	}
	if !l.buffered {
		l.buffered = true
		l.after(waits.Flush)
	}
	return nil
}

// Done implements runtime.RouteEnder.
func (l *lane) Done(route runtime.Route, unanswered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r, ok := route.(*reply); ok && l.current == r {
		l.unanswered = unanswered
	}
}

// Close implements runtime.Outbox. The connection takes no further request, although requests may be in progress.
func (l *lane) Close() error {
	l.lanes.retire(l)
	return nil
}

// ended is called when the connection has ended.
func (l *lane) ended(err error) {
	if err != nil && !errors.Is(err, runtime.ErrClosed) {
		l.lanes.handler.log.Warn("a connection for requests without a session failed", "error", err)
	}
	l.lanes.gone(l)
}

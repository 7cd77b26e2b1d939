package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Handler answers a request or takes a notification, see Binding.Handle.
type Handler func(ctx context.Context, method string, params wire.Raw) (wire.Appender, error)

// Sender sends a message: a request, for whose answer it waits, or a notification.
type Sender func(ctx context.Context, m *Message) error

// Middleware wraps the messages of every session of a server or a client. Either function may be nil. Each
// is called when a server, client or session is made, not for each message; the functions that they return
// are called concurrently.
type Middleware struct {
	// Handle returns a handler that wraps next, for the requests and notifications of the peer. They
	// include initialize and the requests that the runtime answers itself, but not messages that are
	// refused because of the handshake or a capability. CallOf returns more about a message; its
	// Revision is "" before initialize is answered. An error of the handler is sent to the peer like
	// that of any handler. The handler must not recover from a panic of next.
	Handle func(next Handler) Handler

	// Send returns a sender that wraps next, for the requests and notifications that this side sends
	// through a [Caller] or the methods of [Call], and for the handshake, but not for cancellations and
	// the pings of KeepAlive. If a handler sends a message with its own context, CallOf returns the
	// handler's call.
	Send func(next Sender) Sender
}

// Message is a request or notification on its way to the peer. Middleware may change the exported fields
// before it passes the message on. It must not send a message twice at the same time.
type Message struct {
	Params wire.Appender // nil for none
	Result wire.Value    // what the result is decoded into; nil to discard it, and for notifications

	peer    *peer
	kind    jsonrpc.Kind
	request request // of a notification: method, reply and terms
	reply   wire.Raw
}

// Kind returns jsonrpc.Request or jsonrpc.Notification.
func (m *Message) Kind() jsonrpc.Kind { return m.kind }

// Method returns the method.
func (m *Message) Method() string { return m.request.method }

// Revision returns the negotiated revision; for initialize it is "" until the answer has come.
func (m *Message) Revision() string {
	if m.request.terms == nil && m.request.method == methodInitialize {
		return wire.Object(m.reply).GetString("protocolVersion")
	}
	return m.request.terms.spoken()
}

// SessionID returns the transport's name of the session, or "" if it has none.
func (m *Message) SessionID() string { return m.peer.sessionID() }

// ID returns the id that the request was sent with; zero before that, and for notifications.
func (m *Message) ID() wire.Scalar {
	if m.request.id == 0 {
		return wire.Scalar{}
	}
	return wire.IntScalar(m.request.id)
}

// Reply returns the text of the result, or "" until the request is answered with one.
func (m *Message) Reply() wire.Raw { return m.reply }

// transmit is the innermost Sender.
func transmit(ctx context.Context, m *Message) error {
	if m.kind == jsonrpc.Notification {
		return m.peer.announce(ctx, m.request.terms, m.request.method, m.Params, m.request.to, m.request.call)
	}
	m.request.params, m.request.id, m.reply = m.Params, 0, ""
	var err error
	if m.reply, err = m.peer.exchange(ctx, &m.request); err != nil {
		return err
	}
	return m.peer.decodeResult(ctx, &m.request, m.reply, m.Result)
}

// layers is the middleware of a server or client; the first is the outermost.
type layers []Middleware

// handler wraps h in the layers.
func (l layers) handler(h Handler) Handler {
	for _, m := range slices.Backward(l) {
		if m.Handle != nil {
			h = m.Handle(h)
		}
	}
	return h
}

// sender wraps transmit in the layers. It returns nil if no layer has a Send.
func (l layers) sender() Sender {
	var s Sender
	for _, m := range slices.Backward(l) {
		if m.Send == nil {
			continue
		}
		if s == nil {
			s = transmit
		}
		s = m.Send(s)
	}
	return s
}

// LogRequests returns middleware that logs every request and notification, in both directions, after it
// is handled or sent. The records have the given level. Failures are logged at least as warnings, except
// for error answers and cancellations. A nil logger means slog.Default(). The attributes of a record are:
//
//	method    of the message
//	id        of the request; not for notifications
//	revision  the negotiated revision, once there is one
//	session   LogID of the session's id, when it has one
//	duration  until the handler returned or the answer came
//	code      of the JSON-RPC error that is the answer
//	error     the error
func LogRequests(l *slog.Logger, level slog.Level) Middleware {
	r := requestLog{logs.Or(l, level), level}
	return Middleware{Handle: r.handle, Send: r.send}
}

type requestLog struct {
	log   *slog.Logger
	level slog.Level
}

var errPanicked = errors.New("runtime: the handler panicked")

func (r requestLog) handle(next Handler) Handler {
	return func(ctx context.Context, method string, params wire.Raw) (result wire.Appender, err error) {
		start := time.Now()
		err = errPanicked // unless next returns
		defer func() {
			c := CallOf(ctx)
			e := entry{"request handled", method, c.ID(), c.Revision(), c.SessionID(), start, err}
			if e.id.IsZero() {
				e.text = "notification handled"
			}
			if _, cancelled := errors.AsType[*CancelledError](context.Cause(ctx)); cancelled && err != nil {
				e.err = context.Cause(ctx)
			}
			r.write(ctx, e)
		}()
		result, err = next(ctx, method, params)
		return result, err
	}
}

func (r requestLog) send(next Sender) Sender {
	return func(ctx context.Context, m *Message) error {
		start := time.Now()
		err := next(ctx, m)
		e := entry{"request sent", m.Method(), m.ID(), m.Revision(), m.SessionID(), start, err}
		if m.Kind() == jsonrpc.Notification {
			e.text = "notification sent"
		}
		r.write(ctx, e)
		return err
	}
}

// entry is the content of a record.
type entry struct {
	text     string
	method   string
	id       wire.Scalar
	revision string
	session  string
	start    time.Time
	err      error
}

func (r requestLog) write(ctx context.Context, e entry) {
	level := r.level
	answered, isAnswer := errors.AsType[*jsonrpc.Error](e.err)
	_, asked := errors.AsType[*QuestionsError](e.err)
	if e.err != nil && !isAnswer && !asked && !errors.Is(e.err, context.Canceled) {
		level = max(level, slog.LevelWarn)
	}
	if !r.log.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 7)
	attrs = append(attrs, slog.String("method", e.method))
	if !e.id.IsZero() {
		attrs = append(attrs, loggedID(e.id))
	}
	if e.revision != "" {
		attrs = append(attrs, slog.String("revision", e.revision))
	}
	if e.session != "" {
		attrs = append(attrs, slog.String("session", LogID(e.session)))
	}
	attrs = append(attrs, slog.Duration("duration", time.Since(e.start)))
	if isAnswer {
		attrs = append(attrs, slog.Int64("code", answered.Code))
	}
	if e.err != nil {
		attrs = append(attrs, slog.Any("error", e.err))
	}
	r.log.LogAttrs(ctx, level, e.text, attrs...)
}

// loggedID returns the attribute of a record for the id of a request. That of an integer needs no memory.
func loggedID(id wire.Scalar) slog.Attr {
	if n, ok := id.Int64(); ok {
		return slog.Int64("id", n)
	}
	return slog.Any("id", id)
}

// LogID returns the name of a session in logs and traces: 12 digits of a digest of its id. The id itself
// is secret, because a client that knows it can use the session. LogID("") is "".
func LogID(session string) string {
	if session == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:6])
}

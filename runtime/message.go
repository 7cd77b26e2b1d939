package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Handler handles a message: it returns the result of a request, and nil for a notification. Everything that
// messages pass through is a Handler: the code of a server or a client, what wraps it, and, for the messages
// of this side, the way to the peer. It is called concurrently. The answer is the return value, so a request
// has one answer; what belongs to the request but comes before the answer is sent through [CallOf]. The result
// of a request of this side is valid until the same Message is sent again.
type Handler func(ctx context.Context, m *Message) (wire.Appender, error)

// Middleware wraps a Handler. It is called when a server, a client or a binding is made, not for each message.
type Middleware func(next Handler) Handler

// layers is the middleware of a server or client; the first is the outermost. Those that are nil do nothing.
type layers []Middleware

// around wraps h in the layers.
func (l layers) around(h Handler) Handler {
	for _, wrap := range slices.Backward(l) {
		if wrap != nil {
			h = wrap(h)
		}
	}
	return h
}

// Notification is a notification of a server.
type Notification struct {
	Method string
	Params wire.Raw // "" or an object
}

// Message is a request or a notification, of the peer or of this side. A Handler does not change it, and passes
// on a copy with other params that With returns.
type Message struct {
	Kind   jsonrpc.Kind // jsonrpc.Request or jsonrpc.Notification
	Method string
	Params wire.Appender // nil for none; see Text and Object

	call *Call // of a message that the peer has sent; otherwise nil
	sent *sent // nil for a message of the peer
}

// NewMessage returns a message for a Handler that is called directly. Params is nil for none.
func NewMessage(kind jsonrpc.Kind, method string, params wire.Appender) *Message {
	return &Message{Kind: kind, Method: method, Params: params}
}

// With returns a copy of the message with other params.
func (m *Message) With(params wire.Appender) *Message {
	changed := *m
	changed.Params = params
	return &changed
}

// Text returns the params as a JSON text, or "" for none.
func (m *Message) Text() (wire.Raw, error) { return TextOf(m.Params) }

// ParamsOf returns a JSON text as params, or nil for "". [TextOf] is its reverse.
func ParamsOf(text wire.Raw) wire.Appender {
	if text == "" {
		return nil
	}
	return text
}

// TextOf returns the JSON text of params or of a result, or "" for nil. It does not encode a text again.
func TextOf(v wire.Appender) (wire.Raw, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case *wire.Raw:
		return *v, nil
	case wire.Raw:
		return v, nil
	case wire.Object:
		return wire.Raw(v), nil
	}
	text, err := wire.MarshalString(v)
	return wire.Raw(text), err
}

// objectOf returns the text of capabilities; nil is an empty object.
func objectOf(capabilities wire.Appender) (wire.Object, error) {
	if capabilities == nil {
		return "{}", nil
	}
	text, err := wire.MarshalString(capabilities)
	if err == nil && wire.Object(text).Kind() != wire.KindObject {
		err = errors.New("not an object")
	}
	if err != nil {
		return "", fmt.Errorf("runtime: capabilities: %w", err)
	}
	return wire.Object(text), nil
}

// Object returns the params as an object. It returns "" if there are none or they cannot be encoded, which is
// an error when the message is sent.
func (m *Message) Object() wire.Object {
	text, _ := TextOf(m.Params)
	return wire.Object(text)
}

// Into returns what the sender of a request decodes the result into. It is nil for the messages of the peer, and
// if the sender needs no result.
func (m *Message) Into() wire.Value {
	if m.sent == nil {
		return nil
	}
	return m.sent.into
}

// Sent reports whether this side sends the message.
func (m *Message) Sent() bool { return m.sent != nil }

// ID returns the id of the request. It is zero for a notification, and for a request of this side until it is
// sent.
func (m *Message) ID() wire.Scalar {
	switch {
	case m.sent != nil && m.sent.id != 0:
		return wire.IntScalar(m.sent.id)
	case m.call != nil:
		return m.call.id
	}
	return wire.Scalar{}
}

// Revision returns the revision that the message has, or "" before it is negotiated. For initialize that is
// until the answer has come.
func (m *Message) Revision() string {
	switch {
	case m.sent != nil && m.sent.peer.Revision == "":
		return wire.Object(m.sent.answer).GetString("protocolVersion")
	case m.sent != nil:
		return m.sent.peer.Revision
	case m.call != nil:
		return m.call.Revision()
	}
	return ""
}

// SessionID returns the transport's name of the session, or "" if it has none.
func (m *Message) SessionID() string {
	switch {
	case m.sent != nil && m.sent.conn != nil:
		return m.sent.conn.sessionID()
	case m.call != nil:
		return m.call.SessionID()
	}
	return ""
}

// Caller returns a Caller for further messages that belong to the same request as m, and that go the same way.
func (m *Message) Caller(next Handler) Caller {
	var s sender
	switch {
	case m.sent != nil:
		s = m.sent.sender
	case m.call != nil:
		s = m.call.caller()
	}
	s.way = next
	return s
}

// sent is the part of a Message that only those of this side have. The copies of a message share it.
type sent struct {
	sender
	row     *Method    // of the message
	key     string     // of a question that a stateless call has asked and the client answered; "" otherwise
	id      int64      // 0 before it is sent
	answer  wire.Raw   // the last result; "" before
	into    wire.Value // see Message.Into
	decoded bool       // into holds the result

	accept   func(engine.Answer) engine.Answer // see engine.Options
	progress func(engine.Report)               // receives the progress until the answer; nil if the caller does not want any
	follow   *engine.Feed                      // receives it also after the answer, in place of progress; nil for none
	begun    func(id int64)                    // called with the id before the request is sent; nil for none
	lookup   *lookup                           // with which the result is kept; nil if it is not
}

// LogRequests returns middleware that logs every request and notification, after it is handled as Receiving, and
// after it is sent as Sending. The records have the given level. Failures are logged at least as warnings, except
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
	log := logs.Or(l, level)
	return func(next Handler) Handler {
		return func(ctx context.Context, m *Message) (result wire.Appender, err error) {
			start := time.Now()
			err = errPanicked // unless next returns
			defer func() { logRequest(ctx, log, level, m, time.Since(start), err) }()
			return next(ctx, m)
		}
	}
}

var errPanicked = errors.New("runtime: the handler panicked")

// logRequest writes the record of a message that was handled or sent.
func logRequest(ctx context.Context, log *slog.Logger, level slog.Level, m *Message, took time.Duration, err error) {
	text := m.Kind.String() + " sent"
	if !m.Sent() {
		text = m.Kind.String() + " handled"
		if _, cancelled := errors.AsType[*CancelledError](context.Cause(ctx)); cancelled && err != nil {
			err = context.Cause(ctx)
		}
	}
	answered, isAnswer := errors.AsType[*jsonrpc.Error](err)
	_, asked := errors.AsType[*QuestionsError](err)
	if err != nil && !isAnswer && !asked && !errors.Is(err, context.Canceled) {
		level = max(level, slog.LevelWarn)
	}
	if !log.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 7)
	attrs = append(attrs, slog.String("method", m.Method))
	if id := m.ID(); !id.IsZero() {
		attrs = append(attrs, loggedID(id))
	}
	if revision := m.Revision(); revision != "" {
		attrs = append(attrs, slog.String("revision", revision))
	}
	if session := m.SessionID(); session != "" {
		attrs = append(attrs, slog.String("session", LogID(session)))
	}
	attrs = append(attrs, slog.Duration("duration", took))
	if isAnswer {
		attrs = append(attrs, slog.Int64("code", answered.Code))
	}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	log.LogAttrs(ctx, level, text, attrs...)
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

package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"

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

// Caller sends messages to the peer. Generated typed callers wrap one.
type Caller interface {
	// Call sends a request and decodes its result. If params is nil, the request has none; if result
	// is nil, the result is discarded. The error is a *jsonrpc.Error if the peer has answered with
	// one, the error of ctx if that ends first (the peer is then told that the request is cancelled),
	// a *TimeoutError, a *CapabilityError if the peer has not declared the capability that the
	// request needs, a *MethodError if the negotiated revision does not have the request, and
	// ErrClosed after the end of the session. After the last three, nothing was sent.
	Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error
	// Notify sends a notification. The error is a *CapabilityError if this side has not declared the
	// capability that the notification needs, and a *MethodError if the negotiated revision does not
	// have the notification.
	Notify(ctx context.Context, method string, params wire.Appender) error
}

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

// updateOf returns the notification of an update of a resource.
func updateOf(uri string) Notification {
	text, _ := wire.MarshalString(uriParams(uri)) // a URI of a request is valid UTF-8
	return Notification{methodUpdated, wire.Raw(text)}
}

// resource returns the resource that the notification is an update of, or "".
func (n Notification) resource() string {
	if n.Method != methodUpdated {
		return ""
	}
	return wire.Object(n.Params).GetString("uri")
}

// contains reports whether one of the resources is the one with a URI, or contains it: a client that has subscribed to
// a resource gets the updates of its parts (ResourceUpdatedNotification in the schema of every revision).
func contains(resources []string, uri string) bool {
	for of := range containers(uri) {
		if slices.Contains(resources, of) {
			return true
		}
	}
	return false
}

// containers yields the URI of a resource and then those of the resources that contain it: what is before a slash, and
// that with the slash.
func containers(uri string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(uri) {
			return
		}
		for i := range len(uri) {
			if uri[i] == '/' && (!yield(uri[:i]) || i+1 < len(uri) && !yield(uri[:i+1])) {
				return
			}
		}
	}
}

// Message is a request or a notification, of the peer or of this side. A Handler does not change it, and passes
// on a copy with other params that With returns. A program that calls a Handler directly makes one with these fields.
type Message struct {
	Kind   jsonrpc.Kind // jsonrpc.Request or jsonrpc.Notification
	Method string
	Params wire.Appender // nil for none; see Text and Object

	call *Call // of a message that the peer has sent; otherwise nil
	sent *sent // nil for a message of the peer
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
		return wire.ScalarOf(m.sent.id)
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
	s.send = next
	return s
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

// emptyResult is the result of methods that return nothing.
const emptyResult = wire.Raw("{}")

// stringParam are params with one member, a string.
func stringParam(name, value string) wire.Appender {
	return appendFunc(func(dst []byte) ([]byte, error) {
		w := wire.ObjectWriter(dst)
		w.String(name, value)
		return w.Close()
	})
}

// uriParams are params with a URI.
func uriParams(uri string) wire.Appender { return stringParam("uri", uri) }

// appendFunc is a function that is a wire.Appender.
type appendFunc func(dst []byte) ([]byte, error)

// AppendJSON calls f.
func (f appendFunc) AppendJSON(dst []byte) ([]byte, error) { return f(dst) }

// The methods that the runtime itself sends or understands.
const (
	methodInitialize   = "initialize"
	methodInitialized  = "notifications/initialized"
	methodPing         = "ping"
	methodCancelled    = "notifications/cancelled"
	methodProgress     = "notifications/progress"
	methodMessage      = "notifications/message"
	methodSetLevel     = "logging/setLevel"
	methodElicit       = "elicitation/create"
	methodSample       = "sampling/createMessage"
	methodTaskResult   = "tasks/result"
	methodListRoots    = "roots/list"
	methodCallTool     = "tools/call"
	methodDiscover     = "server/discover"
	methodListen       = "subscriptions/listen"
	methodAck          = "notifications/subscriptions/acknowledged"
	methodListTools    = "tools/list"
	methodToolsChanged = "notifications/tools/list_changed"
	methodSubscribe    = "resources/subscribe"
	methodUnsubscribe  = "resources/unsubscribe"
	methodUpdated      = "notifications/resources/updated"
)

package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// era determines the terms of each message: the revision, and the identity and capabilities of the
// peer. In revisions with sessions, both sides agree on them once, in the initialize handshake
// (sessionEra). In stateless revisions, each request carries its own (era_stateless.go). A connection
// may have messages of both. The rest of the package depends on the terms, not on the era.
//
// The goroutine that reads calls admit, batches and unknownID, in order of arrival. The other
// methods are called concurrently.
type era interface {
	// admit returns how a request or notification is handled. If it returns an error, a request is
	// answered with the error, and a notification is dropped. The headers are those of the HTTP request
	// that brought the message, or nil.
	admit(m jsonrpc.Message, h headers.Header) (admission, error)
	// batches reports whether the peer may send a batch now.
	batches() bool
	// unknownID returns the id for the error answer to a request whose id cannot be read: null, or
	// zero for an answer without an id. It returns false if this side does not answer at all.
	unknownID() (id wire.Scalar, answered bool)
	// silent reports whether this side does not answer requests. A client without a session gets
	// none.
	silent() bool
	// notified is called for each notification that is admitted. If it returns true, the
	// notification is not passed to a handler.
	notified(m jsonrpc.Message) bool
	// appendParams appends the member params of a message, with what the terms add to params, which may be
	// nil.
	appendParams(dst []byte, t *terms, method string, params wire.Appender) ([]byte, error)
	// ask sends a request. A client repeats it where the protocol allows or requires that; servers do not link
	// what that needs.
	ask(ctx context.Context, m *Message) (wire.Appender, error)
	// complete returns the complete result of a request without the parts that this side cannot use. The error is
	// a *[QuestionsError] if the server asks instead.
	complete(ctx context.Context, m *Message, text wire.Raw) (wire.Raw, error)
	// logs reports whether the peer wants log messages with a severity.
	logs(t *terms, severity int) bool
	// setLogLevel is called when the peer asks for log messages of at least a severity.
	setLogLevel(ctx context.Context, severity int) error
	// server returns the server's session, or nil if there is none. Stateless requests on the same
	// connection do not belong to it.
	server() *ServerSession
	// ended is called after the end of the session. Err is nil after a normal end.
	ended(err error)
}

// admission is how a message is handled.
type admission struct {
	terms  *terms
	inline bool // it is handled before the next message is read
}

// terms are the conditions under which a message is handled. They are immutable, because messages
// share them.
type terms struct {
	revision     string
	handle       Handler
	info         wire.Object // the peer's Implementation
	capabilities wire.Object // the peer's
	declared     wire.Object // the capabilities of this side

	bound     *bound // nil before the revision is known
	peer, own grants

	severity int    // the lowest severity of the log messages that a stateless request asks for; noLogs for none
	envelope string // on a client's side, the members of _meta that its stateless requests carry
}

// stateless reports whether the message belongs to no session.
func (t *terms) stateless() bool { return t != nil && t.bound != nil && t.bound.stateless }

// serving reports whether this side is the server of a stateless request, which sends no request itself
// ("Requests" in basic, 2026-07-28).
func (t *terms) serving() bool { return t.stateless() && t.bound.Direction == ToServer }

// spoken returns the revision, or "" before it is known.
func (t *terms) spoken() string {
	if t == nil {
		return ""
	}
	return t.revision
}

// asking reports whether this side is the client of a stateless request.
func (t *terms) asking() bool { return t.stateless() && t.bound.Direction == ToClient }

// revisionSent returns the revision if each message carries its own terms, otherwise "".
func (t *terms) revisionSent() string {
	if !t.stateless() {
		return ""
	}
	return t.revision
}

// around reports whether the binding wraps the messages that it sends.
func (t *terms) around() bool { return t != nil && t.bound != nil && t.bound.Around != nil }

// The errors of messages that are not handled.
var (
	errNotInitialized     = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the session is not initialized")
	errAlreadyInitialized = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the session is already initialized")
	errNotARequest        = errors.New("runtime: a request without an id")
	errStatelessServer    = errors.New("runtime: the server has no binding of a revision with initialize")
	errNoSessions         = errors.New("runtime: the client has no binding of a revision with initialize")
)

// Handshake is the result of initialize for one side and, on a server's side, the log level and the
// subscriptions that the client has set since. Another Server with the same bindings can continue the session with it.
type Handshake struct {
	Revision         string      // the negotiated revision
	PeerInfo         wire.Object // the peer's Implementation object; "" if unknown
	PeerCapabilities wire.Object // the capabilities that the peer declared; "" if unknown
	Capabilities     wire.Object // the capabilities that this side declared; "" for those of the options
	LogLevel         LogLevel    // the least severe log messages that the client wants; "" for all
	Subscriptions    []string    // the URIs of the resources that the client has subscribed to

	// Stateless means that there is no session and no handshake: each request carries its own terms,
	// and initialize is refused. The other members are ignored.
	Stateless bool
	// SessionOnly means that the transport belongs to revisions with sessions, so a request cannot carry
	// its own terms. Open returns an error if the server has no such revision.
	SessionOnly bool
	// Shared means that other servers may have the session too, so that notifications/initialized may
	// come to one of them.
	Shared bool
}

// sessionEra is the part of the era of sessions that both sides share. The handshake of each side
// is in era_server.go and era_client.go.
type sessionEra struct {
	peer   *peer
	terms  *terms       // nil before the handshake has fixed the revision
	opened atomic.Int64 // the time of the handshake, in nanoseconds; 0 before

	logLevel atomic.Int32 // the lowest severity of the log messages that the client wants
}

func (e *sessionEra) batches() bool { return e.terms != nil && allowsBatches(e.terms.revision) }

func (e *sessionEra) appendParams(dst []byte, _ *terms, _ string, params wire.Appender) ([]byte, error) {
	return jsonrpc.AppendParams(dst, params)
}

func (e *sessionEra) server() *ServerSession { return nil }

func (e *sessionEra) silent() bool { return false }

func (e *sessionEra) notified(jsonrpc.Message) bool { return false }

// admit admits a message under terms whose revision is known.
func (t *terms) admit(m jsonrpc.Message) (admission, error) {
	switch r := t.bound.row(m.Method); {
	case m.Kind == jsonrpc.Request && (r.kind == jsonrpc.Notification || !t.offers(r.need)):
		return admission{}, MethodNotFound(m.Method)
	case m.Kind == jsonrpc.Notification && r.kind == jsonrpc.Request:
		return admission{}, errNotARequest
	case m.Kind == jsonrpc.Notification && !t.peer.has(r.need):
		return admission{}, &CapabilityError{Method: m.Method, Capability: t.bound.needs[r.need]}
	}
	return admission{terms: t}, nil
}

// admitEarly admits a message before the handshake, which must be a ping. The error for a method that
// no binding has is MethodNotFound, so that the peer does not try again after the handshake.
func admitEarly(m jsonrpc.Message, bindings []*bound) (admission, error) {
	if m.Kind == jsonrpc.Request && m.Method == methodPing {
		pong := func(context.Context, *Message) (wire.Appender, error) { return emptyResult, nil }
		return admission{terms: &terms{handle: pong}, inline: true}, nil
	}
	for _, b := range bindings {
		if len(b.rows) == 0 || b.row(m.Method).kind != 0 {
			return admission{}, errNotInitialized
		}
	}
	return admission{}, MethodNotFound(m.Method)
}

// logs implements era. A client that has not set a level gets all messages.
func (e *sessionEra) logs(_ *terms, severity int) bool { return severity >= int(e.logLevel.Load()) }

func (e *sessionEra) setLogLevel(ctx context.Context, severity int) error {
	if err := e.peer.keep(ctx, Change{LogLevel: logLevels[severity]}); err != nil {
		return err
	}
	e.logLevel.Store(int32(severity))
	return nil
}

// keep passes a change of the session to a transport that keeps changes.
func (p *peer) keep(ctx context.Context, c Change) error {
	if k, ok := p.transport.(Keeper); ok {
		return k.Keep(ctx, c)
	}
	return nil
}

// negotiated begins the session under the terms of the handshake. The goroutine that reads calls it.
func (e *sessionEra) negotiated(t *terms) error {
	if n, ok := e.peer.transport.(Negotiator); ok {
		h := Handshake{Revision: t.revision, PeerInfo: t.info, PeerCapabilities: t.capabilities, Capabilities: t.declared}
		if err := n.Negotiated(h); err != nil {
			return err
		}
	}
	e.terms = t
	e.begin("session opened")
	return nil
}

// begin logs that the session is open and starts the pings.
func (e *sessionEra) begin(event string) {
	e.opened.Store(time.Now().UnixNano())
	e.logConnected(event)
	e.peer.keepAlive()
}

func (e *sessionEra) logConnected(event string) {
	if !e.peer.log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	e.peer.logger().Info(event, "revision", e.terms.revision,
		"peer", fmt.Sprintf("%.100s", e.terms.info.GetString("name")),
		"version", fmt.Sprintf("%.100s", e.terms.info.GetString("version")))
}

// ended logs the end of a session that was open.
func (e *sessionEra) ended(err error) {
	opened := e.opened.Load()
	if opened == 0 {
		return
	}
	attrs := []slog.Attr{slog.Duration("duration", time.Since(time.Unix(0, opened)))}
	level := slog.LevelInfo
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
		if !errors.Is(err, context.Canceled) { // a cancelled context is a normal end of the program
			level = slog.LevelWarn
		}
	}
	e.peer.event(level, "session ended", attrs...)
}

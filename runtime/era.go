package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// side is what differs between a server's and a client's side of a connection. Each message is handled under
// terms: the revision, and the identity and capabilities of the peer. In revisions with sessions, both sides agree
// on them once, in the initialize handshake. In stateless revisions, each request carries its own
// (era_stateless.go). A connection may have messages of both. The rest of the package depends on the terms only.
type side interface {
	// admit returns how a request or notification is handled. If it returns an error, a request is
	// answered with the error, and a notification is dropped. The headers are those of the HTTP request
	// that brought the message, or nil. It is called in order of arrival.
	admit(m jsonrpc.Message, h headers.Header) (admission, error)
	// notified is called for each notification that is admitted. If it returns true, the
	// notification is not passed to a handler.
	notified(m jsonrpc.Message) bool
	// ask sends a request. A client repeats it where the protocol allows or requires that; servers do not link
	// what that needs.
	ask(ctx context.Context, m *Message) (wire.Appender, error)
	// complete returns the complete result of a request without the parts that this side cannot use. The error is
	// a *[QuestionsError] if the server asks instead.
	complete(ctx context.Context, m *Message, text wire.Raw) (wire.Raw, error)
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

	bound        *bound // nil before the revision is known
	theirs, ours grants

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

// batches reports whether the peer may send a batch now.
func (p *conn) batches() bool { return p.terms != nil && allowsBatches(p.terms.revision) }

// unknownID returns the id for the error answer to a request whose id cannot be read: null, or zero for an answer
// without an id. It returns false if this side does not answer at all: a client does not answer text that is not a
// message, such as a line of the server's log, because the server does not expect answers to it.
func (p *conn) unknownID() (id wire.Scalar, answered bool) {
	switch {
	case p.server == nil:
		return wire.Scalar{}, false
	case p.terms == nil && p.server.stateless(): // the text may be meant as a stateless request, whose revisions do not allow null
		return wire.Scalar{}, true
	}
	return unknownID(p.terms.spoken()), true
}

// silent reports whether this side does not answer requests, as a client without a session, which gets none
// ("Sending Messages" in basic/transports/stdio, 2026-07-28).
func (p *conn) silent() bool { return p.server == nil && p.terms.stateless() }

// admit admits a message under terms whose revision is known.
func (t *terms) admit(m jsonrpc.Message) (admission, error) {
	switch r := t.bound.row(m.Method); {
	case m.Kind == jsonrpc.Request && (r.kind == jsonrpc.Notification || !t.offers(r.need)):
		return admission{}, MethodNotFound(m.Method)
	case m.Kind == jsonrpc.Notification && r.kind == jsonrpc.Request:
		return admission{}, errNotARequest
	case m.Kind == jsonrpc.Notification && !t.theirs.has(r.need):
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

// logs reports whether the peer wants log messages with a severity. A client that has not set a level gets all
// messages.
func (p *conn) logs(t *terms, severity int) bool {
	if t.serving() {
		return severity >= t.severity
	}
	return severity >= int(p.logLevel.Load())
}

// keepLogLevel is called when the peer asks for log messages of at least a severity.
func (p *conn) keepLogLevel(ctx context.Context, severity int) error {
	if err := p.keep(ctx, Change{LogLevel: logLevels[severity]}); err != nil {
		return err
	}
	p.logLevel.Store(int32(severity))
	return nil
}

// keep passes a change of the session to a transport that keeps changes.
func (p *conn) keep(ctx context.Context, c Change) error {
	if k, ok := p.transport.(Replicated); ok {
		return k.Keep(ctx, c)
	}
	return nil
}

// negotiated begins the session under the terms of the handshake. The goroutine that reads calls it.
func (p *conn) negotiated(t *terms) error {
	if n, ok := p.transport.(Identified); ok {
		h := Handshake{Revision: t.revision, PeerInfo: t.info, PeerCapabilities: t.capabilities, Capabilities: t.declared}
		if err := n.Negotiated(h); err != nil {
			return err
		}
	}
	p.terms = t
	p.beginSession("session opened")
	return nil
}

// beginSession logs that the session is open and starts the pings.
func (p *conn) beginSession(event string) {
	p.opened.Store(time.Now().UnixNano())
	p.logConnected(event)
	p.keepAlive()
}

func (p *conn) logConnected(event string) {
	if !p.log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	p.logger().Info(event, "revision", p.terms.revision,
		"peer", fmt.Sprintf("%.100s", p.terms.info.GetString("name")),
		"version", fmt.Sprintf("%.100s", p.terms.info.GetString("version")))
}

// logEnd logs the end of a session that was open. Err is nil after a normal end.
func (p *conn) logEnd(err error) {
	opened := p.opened.Load()
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
	p.event(level, "session ended", attrs...)
}

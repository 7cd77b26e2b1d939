package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The reasons not to handle a message.
var (
	errNotInitialized     = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the session is not initialized")
	errAlreadyInitialized = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the session is already initialized")
	errNotARequest        = errors.New("runtime: a request without an id")
)

// Handshake is what one side has learned of a session by initialize, and on a server's side what the
// client has set since. It is all that another Server with the same bindings needs to go on with
// the session.
type Handshake struct {
	Revision         string      // the negotiated revision
	PeerInfo         wire.Object // the peer's Implementation object; "" if unknown
	PeerCapabilities wire.Object // the capabilities that the peer declared; "" if unknown
	Capabilities     wire.Object // the capabilities that this side declared; "" for those of the options
	LogLevel         LogLevel    // the least severe log messages that the client wants; "" for all
}

// sessionEra is the part of the era of sessions that both sides share. The handshake of each side
// is in era_server.go and era_client.go.
type sessionEra struct {
	peer   *peer
	terms  *terms       // nil before the handshake has fixed the revision
	opened atomic.Int64 // when it did, in nanoseconds; 0 before

	logLevel atomic.Int32 // the least severity that the client wants to be told of
	telling  sync.Mutex   // held while the transport is told of the handshake
}

func (e *sessionEra) batches() bool { return e.terms != nil && allowsBatches(e.terms.revision) }

func (e *sessionEra) outgoing(_ *terms, _ string, params wire.Appender) wire.Appender { return params }

func (e *sessionEra) server() *ServerSession { return nil }

// admitOpen admits a message once the revision is known.
func (e *sessionEra) admitOpen(m jsonrpc.Message) (admission, error) {
	t := e.terms
	switch r := t.bound.rows[m.Method]; {
	case m.Kind == jsonrpc.Request && (r.kind == jsonrpc.Notification || !t.own.has(r.need)):
		return admission{}, MethodNotFound(m.Method)
	case m.Kind == jsonrpc.Notification && r.kind == jsonrpc.Request:
		return admission{}, errNotARequest
	case m.Kind == jsonrpc.Notification && !t.peer.has(r.need):
		return admission{}, &CapabilityError{Method: m.Method, Capability: t.bound.needs[r.need]}
	}
	return admission{terms: t, handle: t.handle}, nil
}

// admitEarly admits a message before the handshake: only a ping is answered. A method that is in
// no binding is not found, rather than not yet allowed, so that the peer learns at once that it
// does not exist here.
func admitEarly(m jsonrpc.Message, bindings []*bound) (admission, error) {
	if m.Kind == jsonrpc.Request && m.Method == methodPing {
		pong := func(context.Context, string, wire.Raw) (wire.Appender, error) { return emptyResult, nil }
		return admission{terms: &terms{}, handle: pong, inline: true}, nil
	}
	for _, b := range bindings {
		if len(b.rows) == 0 || b.rows[m.Method].kind != 0 {
			return admission{}, errNotInitialized
		}
	}
	return admission{}, MethodNotFound(m.Method)
}

// logs implements era. As long as the client has not set a level, it gets all messages.
func (e *sessionEra) logs(_ *terms, severity int) bool { return severity >= int(e.logLevel.Load()) }

func (e *sessionEra) setLogLevel(t *terms, severity int) {
	if e.logLevel.Swap(int32(severity)) != int32(severity) {
		e.tellTransport(t)
	}
}

// negotiated begins the session under the terms that the handshake has led to. It is called by the
// goroutine that reads.
func (e *sessionEra) negotiated(t *terms) {
	e.terms = t
	e.begin("session opened")
	e.tellTransport(t)
}

// begin begins what an open session does by itself.
func (e *sessionEra) begin(event string) {
	e.opened.Store(time.Now().UnixNano())
	e.peer.logger().Info(event, "revision", e.terms.revision,
		"peer", fmt.Sprintf("%.100s", stringMember(e.terms.info, "name")),
		"version", fmt.Sprintf("%.100s", stringMember(e.terms.info, "version")))
	e.peer.keepAlive()
}

// tellTransport tells the transport what is known of the session. The last call tells what is
// known last.
func (e *sessionEra) tellTransport(t *terms) {
	n, ok := e.peer.transport.(Negotiator)
	if !ok {
		return
	}
	e.telling.Lock()
	defer e.telling.Unlock()
	h := Handshake{Revision: t.revision, PeerInfo: t.info, PeerCapabilities: t.capabilities, Capabilities: t.declared}
	if severity := e.logLevel.Load(); severity > 0 {
		h.LogLevel = logLevels[severity]
	}
	n.Negotiated(h)
}

// ended logs the end of a session that was open.
func (e *sessionEra) ended(err error) {
	opened := e.opened.Load()
	if opened == 0 {
		return
	}
	attrs := []any{"duration", time.Since(time.Unix(0, opened))}
	level := slog.LevelInfo
	if err != nil {
		attrs = append(attrs, "error", err)
		if !errors.Is(err, context.Canceled) { // else the program ends
			level = slog.LevelWarn
		}
	}
	e.peer.logger().Log(context.Background(), level, "session ended", attrs...)
}

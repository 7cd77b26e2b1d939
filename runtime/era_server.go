package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// serverSide is a server's side of a connection: that of its session, if there is one, and of its
// stateless requests.
type serverSide struct {
	*conn
	of      *Server
	session ServerSession
	ready   bool // the client has sent notifications/initialized

	sessionless bool // there can be no session, see Handshake.Stateless
	sessionOnly bool // requests cannot carry their own terms, see Handshake.SessionOnly
}

// stateless reports whether a request may carry its own terms.
func (e *serverSide) stateless() bool { return len(e.of.stateless) > 0 && !e.sessionOnly }

// current returns the session, or nil before the client is known to be initialized.
func (e *serverSide) current() *ServerSession {
	if e.session.terms == nil {
		return nil
	}
	return &e.session
}

func (e *serverSide) admit(m jsonrpc.Message, h headers.Header) (admission, error) {
	if e.stateless() {
		switch t, err := e.requestTerms(&m, h); {
		case err != nil:
			return admission{}, err
		case t != nil:
			return t.admit(m)
		}
	}
	if m.Kind == jsonrpc.Request && m.Method == methodInitialize {
		if e.terms != nil {
			return admission{}, errAlreadyInitialized
		}
		return admission{terms: &terms{handle: e.of.layers.around(e.initialize)}, inline: true}, nil
	}
	if e.terms == nil {
		return admitEarly(m, e.of.sessions)
	}
	e.announce()
	if m.Kind == jsonrpc.Notification && !e.ready {
		switch m.Method {
		case methodInitialized:
			e.ready = true
		case methodCancelled:
		default:
			return admission{}, errNotInitialized
		}
	}
	return e.terms.admit(m)
}

// initialize handles the request initialize. If the binding has no handler for it, the result is
// made from the options of the server. In both cases the result has the revision of the binding.
func (e *serverSide) initialize(ctx context.Context, m *Message) (wire.Appender, error) {
	var client greeting
	if err := client.read(cmp.Or(wire.Raw(m.Object()), "{}"), "clientInfo"); err != nil {
		return nil, invalidParams(err)
	}
	if err := checkPeerSize("/clientInfo, /capabilities", client.info, client.capabilities); err != nil {
		return nil, err
	}
	b := e.of.choose(client.revision)
	CallOf(ctx).terms = b.terms(client.info, client.capabilities, "")
	result, err := b.handle(ctx, m)
	if isMethodNotFound(err) {
		result, err = e.of.greeting(b.Binding)
	}
	if err != nil {
		return nil, err
	}
	text, err := settle(result, b.Revision)
	if err != nil {
		return nil, err
	}
	own, _ := wire.Object(text).Get("capabilities")
	if err := e.negotiated(b.terms(client.info, client.capabilities, cmp.Or(wire.Object(own).Clone(), "{}"))); err != nil {
		return nil, err
	}
	return text, nil
}

// settle encodes the result of initialize with the negotiated revision. It does so before the session
// counts as initialized, because encoding may fail.
func settle(result wire.Appender, revision string) (wire.Raw, error) {
	if result == nil {
		return "", errors.New("runtime: the handler of initialize returned no result")
	}
	text, err := wire.MarshalString(result)
	if err != nil {
		return "", fmt.Errorf("runtime: result of initialize: %w", err)
	}
	if wire.Object(text).GetString("protocolVersion") == revision {
		return wire.Raw(text), nil
	}
	version, err := wire.AppendString(nil, revision)
	if err != nil {
		return "", err
	}
	o, err := wire.Object(text).With("protocolVersion", wire.Raw(version))
	if err != nil {
		return "", fmt.Errorf("runtime: result of initialize: %w", err)
	}
	return wire.Raw(o), nil
}

// resume sets the terms of a session from its handshake with another server.
func (e *serverSide) resume(h Handshake) error {
	for _, b := range e.of.sessions {
		if b.Revision != h.Revision {
			continue
		}
		own := h.Capabilities
		if own == "" {
			var err error
			if own, err = b.declared(e.of.opts.Capabilities); err != nil {
				return err
			}
		}
		e.terms, e.ready = b.terms(h.PeerInfo, h.PeerCapabilities, own), true
		return nil
	}
	return fmt.Errorf("runtime: resume: the server has no binding of revision %.50q", h.Revision)
}

// resumed begins a resumed session. A transport that implements Identified but returns no session id
// carries a single message, so no session begins.
func (e *serverSide) resumed(h Handshake) {
	e.restore(h)
	if _, ok := e.conn.transport.(Identified); !ok || e.conn.sessionID() != "" {
		// The ids of requests must differ from those that another server has used in the session, and
		// must be integers that all peers can read ("Requests" in basic of every revision).
		e.conn.pending.StartAt(int64(rand.Uint32()) << 20)
		e.beginSession("session resumed")
	}
	e.announce()
}

// restore sets the log level and the subscriptions to those of h.
func (e *serverSide) restore(h Handshake) {
	e.logLevel.Store(int32(max(h.LogLevel.severity(), 0)))
	e.session.restore(h.Subscriptions)
}

// announce calls Binding.Opened at the client's first message after initialize, which shows that the
// client has the answer. Before that, a server must not send messages of its own ("Initialization"
// in basic/lifecycle).
func (e *serverSide) announce() {
	s := &e.session
	if s.terms != nil {
		return
	}
	s.terms = e.terms
	if opened := e.terms.bound.Opened; opened != nil && e.conn.life.Context().Err() == nil {
		e.conn.life.Do(func() { s.closed = opened(s) })
	}
}

// notified implements side.
func (e *serverSide) notified(jsonrpc.Message) bool { return false }

// ask implements side.
func (e *serverSide) ask(ctx context.Context, m *Message) (wire.Appender, error) {
	return e.conn.transmit(ctx, m)
}

// complete implements side.
func (e *serverSide) complete(_ context.Context, m *Message, text wire.Raw) (wire.Raw, error) {
	return text, m.checkAnswered(text)
}

package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Server serves sessions and requests without one. It is safe for concurrent use.
type Server struct {
	opts     ServerOptions
	sessions []*protocol // the bindings of revisions with sessions, newest first
	err      error       // error in the bindings or the options
	*settings

	stateless    []*protocol // the bindings of revisions without
	revisions    []string    // all revisions, newest first
	known        peerCache
	listening    atomic.Int64 // requests that listen for notifications
	audience     audience
	tellReplicas func(Notification) // passes a notification to the other replicas; nil without any
	ring         *seal.Ring         // of the states of stateless requests
	named        wire.Raw           // the Implementation that names the server in the _meta of results; "" for none
}

// NewServer returns a server that speaks the revisions of the bindings. Each binding has another
// revision. A client that opens a session with a revision without a binding gets the newest one that has
// sessions. A request that carries a revision without a binding is refused. One connection may carry a
// session and stateless requests ("Backward Compatibility with Initialization-Based Versions" in
// basic/versioning, 2026-07-28). Errors in the bindings and the options are returned by Err and Serve.
func NewServer(opts ServerOptions, bindings ...Binding) *Server {
	s := &Server{opts: opts, settings: newSettings(opts.Logger, opts.Receiving, opts.Sending, opts.Limits, opts.Grace)}
	all, err := bindAll(ToServer, bindings, s.layers)
	s.sessions, s.stateless, s.revisions = ofEra(all, false), ofEra(all, true), revisions(all)
	for _, b := range s.stateless {
		b.server = s
	}
	s.err = errors.Join(err, checkCapabilities(opts.Capabilities), opts.Cache.check())
	if len(s.stateless) > 0 && !opts.Unnamed {
		var self error
		s.named, self = s.self().text()
		s.err = errors.Join(s.err, self)
	}
	if len(s.stateless) > 0 {
		var keys error
		if s.ring, keys = seal.NewRing(opts.Rounds.Keys...); keys != nil {
			s.err = errors.Join(s.err, fmt.Errorf("runtime: Rounds.Keys: %w", keys))
		}
	}
	if opts.Replicas != nil && s.err == nil {
		s.err = s.join()
	}
	for _, b := range all {
		if b.Served != nil && s.err == nil {
			b.Served(s)
		}
	}
	return s
}

func (s *Server) self() implementation {
	return implementation{s.opts.Name, s.opts.Title, s.opts.Version, s.opts.Details}
}

// Err returns the error in the options or the bindings that NewServer was called with, or nil.
func (s *Server) Err() error { return s.err }

// Serve serves one session until the client ends it, the transport fails, or ctx ends. It returns nil,
// the error of the transport or the cause of ctx.
//
// When ctx or the client's input ends, requests in flight have the Grace of the options to be
// answered, and new requests are refused with an error which says that they were not begun.
// Handlers get the values of ctx, but their contexts end only when Grace is over. When Serve
// returns, the transport is closed and all handlers have returned, except those that ignore the end
// of their contexts for seconds, which are logged.
func (s *Server) Serve(ctx context.Context, t Transport) error {
	return Serve(ctx, s, t)
}

// Resume is Serve for a session without a handshake: another Server has done it, or the transport gets
// its content with each message. The server must have a binding of the revision in h.
func (s *Server) Resume(ctx context.Context, t Transport, h Handshake) error {
	if h.Revision == "" {
		return errors.Join(s.err, errors.New("runtime: a session without a revision"), t.Close())
	}
	return serve(ctx, s, t, h)
}

// Serve serves one session with a server, or with what passes messages on to one, as [Server.Serve] does.
func Serve(ctx context.Context, s SessionServer, t Transport) error {
	return serve(ctx, s, t, Handshake{})
}

func serve(ctx context.Context, s SessionServer, t Transport, h Handshake) error {
	ended := make(chan error, 1)
	in, err := s.Open(context.WithoutCancel(ctx), t, h, func(err error) { ended <- err })
	if err != nil {
		return err
	}
	t.Start(in, s.MaxMessage())
	if h.Revision != "" {
		in.Listens(false)
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(s.Grace(), 0))
	defer cancel()
	in.Shutdown(deadline)
	<-ended
	return context.Cause(ctx)
}

// Open begins a session whose messages the caller puts into the returned inbox. With h.Stateless, it serves
// requests without a session of any clients instead. Without KeepAlive, it has no goroutine while no message is
// being handled. It lasts until End or Shutdown of the inbox is called, or the client stops answering the pings
// of KeepAlive. Ctx provides values for the handlers; its end has no effect. After the end, when out is closed
// and all handlers that Serve would wait for have returned, ended is called in a goroutine with the error
// that Serve would return. If h has a revision, the session is resumed, see Resume. If Open returns an
// error, out is closed and ended is not called.
func (s *Server) Open(ctx context.Context, out Outbox, h Handshake, ended func(error)) (Inbox, error) {
	if err := checkNotNil("transport", out); err != nil {
		return nil, errors.Join(s.err, err)
	}
	ss := &serverSide{server: s, sessionless: h.Stateless || len(s.sessions) == 0, stateless: len(s.stateless) > 0 && !h.SessionOnly}
	_, ss.ready = out.(Replicated) // notifications/initialized may come to another server
	err := s.err
	if err == nil && h.SessionOnly && len(s.sessions) == 0 {
		err = errNoSessionBinding
	}
	cn := newConn(context.WithoutCancel(ctx), out, s.settings, h.Stateless)
	cn.ended, cn.side, cn.serverSide, ss.conn, ss.session.conn = ended, ss, ss, cn, cn
	if err == nil && h.Revision != "" && !h.Stateless {
		err = ss.resume(h)
	}
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	if ss.peer.Revision != "" {
		ss.resumed(h)
	}
	return inbox{cn}, nil
}

// MaxMessage returns the maximum length of a message, in bytes, for transports that read messages
// before a session asks for them.
func (s *Server) MaxMessage() int { return s.limits.MaxMessage }

// Grace returns how long requests may continue when their session shuts down.
func (s *Server) Grace() time.Duration { return max(s.grace, 0) }

// Logger returns the Logger of the options, or one that passes warnings and errors to slog.Default.
func (s *Server) Logger() *slog.Logger { return s.log }

// Scopes returns the scopes that the tools, prompts and resources of the bindings require, sorted.
func (s *Server) Scopes() []string {
	var all []string
	for _, b := range slices.Concat(s.sessions, s.stateless) {
		if b.Scopes != nil {
			all = append(all, b.Scopes()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Revisions returns the revisions of the server that have sessions, newest first.
func (s *Server) Revisions() []string { return revisions(s.sessions) }

// StatelessRevisions returns the revisions of the server that have no sessions, newest first. A request
// may have any of them.
func (s *Server) StatelessRevisions() []string { return revisions(s.stateless) }

// chooseRevision returns the binding for a client that asks for a revision: that revision or the newest.
func (s *Server) chooseRevision(revision string) *protocol {
	return cmp.Or(ofRevision(s.sessions, revision), s.sessions[0])
}

// greeting returns the result of initialize that follows from the options.
func (s *Server) greeting(b Binding) (wire.Appender, error) {
	capabilities, err := b.declared(s.opts.Capabilities)
	if err != nil {
		return nil, err
	}
	return appendFunc(func(dst []byte) ([]byte, error) {
		return appendGreeting(dst, b.Revision, capabilities, "serverInfo", s.self(), s.opts.Instructions)
	}), nil
}

// Stats describes the current activity of a handler over HTTP. Package otelmcp reports it as metrics.
type Stats struct {
	Requests      int  // POST requests in progress, including those of subscriptions
	Sessions      int  // open sessions
	Subscriptions int  // clients that listen for notifications with subscriptions/listen
	Draining      bool // the handler is being shut down

	// Refused counts the requests that were not begun, and that clients may repeat, by the reason:
	// "in_flight", "caller" and "rate" are the limits of streamable.Load; "requests", "sessions" and "bytes"
	// those of streamable.Options; "session" is the MaxConcurrent of Limits; "draining" a shutdown.
	Refused map[string]int64
}

// Subscriptions returns how many clients listen for notifications with subscriptions/listen.
func (s *Server) Subscriptions() int { return int(s.listening.Load()) }

// discovery returns the result of server/discover that follows from the options, without the members that
// all results get ("Response" in server/discover, 2026-07-28). It lists the revisions with sessions too,
// because a client that speaks none of the others can open a session. The text of the revision
// contradicts itself about hints for caches: the changelog leaves the method out of those whose results
// have them, and server/utilities/caching includes it. The results have them.
func (s *Server) discovery(b *protocol) (wire.Appender, error) {
	capabilities, err := b.declared(s.opts.Capabilities)
	if err != nil {
		return nil, err
	}
	return appendFunc(func(dst []byte) ([]byte, error) {
		w := wire.ObjectWriter(dst)
		w.Name("supportedVersions")
		w.BeginArray()
		for _, revision := range s.revisions {
			w.Element()
			w.PutString(revision)
		}
		w.EndArray()
		w.Value("capabilities", capabilities)
		if s.opts.Instructions != "" {
			w.String("instructions", s.opts.Instructions)
		}
		return w.Close()
	}), nil
}

// serverSide is a server's side of a connection: that of its session, if there is one, and of its
// stateless requests.
type serverSide struct {
	*conn
	server  *Server
	session ServerSession
	ready   bool // the client has sent notifications/initialized

	inAudience atomic.Bool // the session is part of the audience

	sessionless bool // there can be no session, see Handshake.Stateless
	stateless   bool // requests may carry their revision and capabilities, see Handshake.SessionOnly
}

// admit implements side.
func (ss *serverSide) admit(m jsonrpc.Message, h headers.Header) (admission, error) {
	if ss.stateless {
		// Also initialize, which stateless revisions do not have, if it carries a revision.
		if meta := metaOf(m.Params); meta.revision != "" || meta.capabilities != "" {
			p, err := ss.server.peerOf(meta, &m, h)
			if err != nil {
				return admission{}, err
			}
			return p.admit(&m)
		}
	}
	if m.Kind == jsonrpc.Request && m.Method == methodInitialize {
		if ss.sessionless {
			return admission{}, jsonrpc.UnsupportedVersion(wire.Object(m.Params).GetString("protocolVersion"), ss.server.revisions)
		}
		if ss.peer.Revision != "" {
			return admission{}, errAlreadyInitialized
		}
		return admission{peer: unnegotiated(ss.server.layers.around(ss.initialize)), inline: true}, nil
	}
	if ss.peer.Revision == "" {
		return ss.admitEarly(&m)
	}
	if !ss.inAudience.Load() {
		ss.joinAudience()
	}
	if m.Kind == jsonrpc.Notification && !ss.ready {
		switch m.Method {
		case methodInitialized:
			ss.ready = true
		case methodCancelled:
		default:
			return admission{}, errNotInitialized
		}
	}
	return ss.peer.admit(&m)
}

// admitEarly admits a message before the handshake that does not carry its revision.
func (ss *serverSide) admitEarly(m *jsonrpc.Message) (admission, error) {
	switch {
	case ss.stateless && m.Kind == jsonrpc.Request && ss.sessionless:
		return admission{}, missingMeta(metaRevision)
	case ss.stateless && m.Kind == jsonrpc.Request && m.Method != methodPing:
		return admission{}, missingMeta(metaRevision + " (or send initialize first, to open a session)")
	}
	return admitPing(m, ss.server.sessions)
}

// initialize handles the request initialize. If the binding has no handler for it, the result is
// made from the options of the server. In both cases the result has the revision of the binding.
func (ss *serverSide) initialize(ctx context.Context, m *Message) (wire.Appender, error) {
	var client greeting
	if err := client.read(cmp.Or(wire.Raw(m.Object()), "{}"), "protocolVersion", "capabilities", "clientInfo"); err != nil {
		return nil, invalidParams(err)
	}
	if err := checkPeerSize("/clientInfo, /capabilities", client.info, client.capabilities); err != nil {
		return nil, err
	}
	b := ss.server.chooseRevision(client.revision)
	CallOf(ctx).peer = b.peer(client.info, client.capabilities, "")
	result, err := b.handle(ctx, m)
	if isMethodNotFound(err) {
		result, err = ss.server.greeting(b.Binding)
	}
	if err != nil {
		return nil, err
	}
	text, err := withRevision(result, b.Revision)
	if err != nil {
		return nil, err
	}
	own, _ := wire.Object(text).Get("capabilities")
	// The peer is set first, because another server can change the subscriptions once the transport has the handshake.
	ss.session.peer = ss.server.peerOfSession(b, client.info, client.capabilities, cmp.Or(wire.Object(own), "{}"))
	if err := ss.negotiated(ss.session.peer); err != nil {
		return nil, err
	}
	return text, nil
}

// withRevision encodes the result of initialize with the negotiated revision. It does so before the session
// counts as initialized, because encoding may fail.
func withRevision(result wire.Appender, revision string) (wire.Raw, error) {
	if result == nil {
		return "", errors.New("runtime: the handler of initialize returned no result")
	}
	text, err := wire.MarshalString(result)
	if err == nil && wire.Object(text).GetString("protocolVersion") != revision {
		var o wire.Object
		o, err = wire.Object(text).With("protocolVersion", wire.Raw(`"`+revision+`"`)) // With checks it
		text = string(o)
	}
	if err != nil {
		return "", fmt.Errorf("runtime: result of initialize: %w", err)
	}
	return wire.Raw(text), nil
}

// resume sets the peer of a session from its handshake with another server.
func (ss *serverSide) resume(h Handshake) error {
	for _, b := range ss.server.sessions {
		if b.Revision != h.Revision {
			continue
		}
		own := h.Capabilities
		if own == "" {
			var err error
			if own, err = b.declared(ss.server.opts.Capabilities); err != nil {
				return err
			}
		}
		ss.peer, ss.ready = ss.server.peerOfSession(b, h.PeerInfo, h.PeerCapabilities, own), true
		ss.session.peer = ss.peer
		return nil
	}
	return fmt.Errorf("runtime: resume: the server has no binding of revision %.50q", h.Revision)
}

// resumed begins a resumed session. A transport that implements Identified but returns no session id
// carries a single message, so no session begins. The client has had the answer to initialize, so it gets what is
// published at once, or after the start of a Transport, before which nothing is sent.
func (ss *serverSide) resumed(h Handshake) {
	_, starts := ss.conn.transport.(Transport)
	ss.session.quiet = starts // Serve makes it part of the audience after the start
	ss.restore(h)
	if _, ok := ss.conn.transport.(Identified); !ok || ss.conn.sessionID() != "" {
		// The ids of requests must differ from those that another server has used in the session, and
		// must be integers that all peers can read ("Requests" in basic of every revision).
		ss.conn.pending.StartAt(int64(rand.Uint32()) << 20)
		ss.beginSession("session resumed")
	}
	if !starts {
		ss.joinAudience()
	}
}

// restore sets the log level and the subscriptions to those of h.
func (ss *serverSide) restore(h Handshake) {
	ss.logLevel.Store(int32(max(h.LogLevel.severity(), 0)))
	ss.server.audience.restore(&ss.session, h.Subscriptions)
}

// joinAudience makes the client part of the audience. It is called when something shows that the client has the answer
// to initialize, such as its next message. Before that, a server must not send messages of its own ("Initialization"
// in basic/lifecycle).
func (ss *serverSide) joinAudience() {
	if !ss.inAudience.Load() && ss.inAudience.CompareAndSwap(false, true) {
		ss.server.audience.enter(&ss.session)
	}
}

// consumes implements side.
func (ss *serverSide) consumes(jsonrpc.Message) bool { return false }

// ask implements side.
func (ss *serverSide) ask(ctx context.Context, m *Message) (wire.Appender, error) {
	return ss.conn.transmit(ctx, m)
}

// complete implements side.
func (ss *serverSide) complete(_ context.Context, m *Message, text wire.Raw) (wire.Raw, error) {
	return text, m.checkAnswered(text)
}

// ServerSession is a server's session with a client. Code outside of handlers uses it to send messages
// to one client that belong to no request; [Server.Publish] sends to all clients. A handler
// uses its [Call] instead. A ServerSession is a [Caller] that sends on no particular stream. It is
// safe for concurrent use.
//
// In a stateless revision, a client that listens for notifications (subscriptions/listen) is a
// ServerSession too, as long as it listens. It gets the notifications that it has asked for, on the stream
// of its request; others are dropped. It cannot be sent requests.
type ServerSession struct {
	conn *conn
	peer *peer // nil before the handshake

	subscriber *subscriber // nil unless it is one

	mailbox
}

// Revision returns the negotiated revision.
func (s *ServerSession) Revision() string { return s.peer.Revision }

// PeerInfo returns the Implementation object with which the client introduced itself.
func (s *ServerSession) PeerInfo() wire.Object { return s.peer.info }

// PeerCapabilities returns the capabilities that the client declared.
func (s *ServerSession) PeerCapabilities() wire.Object { return s.peer.capabilities }

// sender returns what sends messages to the client.
func (s *ServerSession) sender() sender { return sender{conn: s.conn, peer: s.peer} }

// Call implements [Caller].
func (s *ServerSession) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	return s.sender().Call(ctx, method, params, result)
}

// Notify implements [Caller].
func (s *ServerSession) Notify(ctx context.Context, method string, params wire.Appender) error {
	return s.notify(ctx, s.sender(), method, params)
}

// notify is Notify by a sender, unless the client is a listener.
func (s *ServerSession) notify(ctx context.Context, by sender, method string, params wire.Appender) error {
	if s.subscriber != nil {
		return s.subscriber.notify(ctx, method, params)
	}
	return by.Notify(ctx, method, params)
}

// Context returns a context that ends with the session. Its values are those of the contexts of handlers.
func (s *ServerSession) Context() context.Context {
	if s.subscriber != nil {
		return s.subscriber.context
	}
	return s.conn.life.Context()
}

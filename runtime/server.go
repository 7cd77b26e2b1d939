package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Server serves sessions. It is safe for concurrent use and holds no state of a session.
type Server struct {
	opts     ServerOptions
	sessions []*bound // the bindings of revisions with sessions, newest first
	err      error    // error in the bindings or the options
	*settings

	stateless []*bound // the bindings of revisions without
	spoken    []string // all revisions, newest first
	known     termsCache
	listening atomic.Int64 // requests that listen for notifications
	ring      *seal.Ring   // of the states of stateless requests
	named     string       // the member of the _meta of results that names the server; "" for none
	stamp     string       // how complete results begin, see appendStamp
}

// NewServer returns a server that speaks the revisions of the bindings. Each binding has another
// revision. A client that opens a session with a revision without a binding gets the newest one that has
// sessions. A request that carries a revision without a binding is refused. One connection may carry a
// session and stateless requests ("Backward Compatibility with Initialization-Based Versions" in
// basic/versioning, 2026-07-28). Errors in the bindings and the options are returned by Err and Serve.
func NewServer(opts ServerOptions, bindings ...Binding) *Server {
	s := &Server{opts: opts, settings: newSettings(opts.Logger, opts.Receiving, opts.Sending, opts.Limits, opts.Grace)}
	all, err := bindAll(ToServer, bindings, s.layers)
	s.sessions, s.stateless, s.spoken = ofEra(all, false), ofEra(all, true), revisions(all)
	for _, b := range s.stateless {
		b.offered = &offers{bound: b, server: s}
	}
	s.err = errors.Join(err, checkCapabilities(opts.Capabilities), opts.Cache.check())
	if len(s.stateless) > 0 && !opts.Unnamed {
		var self error
		s.named, self = s.self().member()
		s.err = errors.Join(s.err, self)
	}
	s.stamp = stampOf(s.named)
	if len(s.stateless) > 0 {
		var keys error
		if s.ring, keys = seal.NewRing(opts.Rounds.Keys...); keys != nil {
			s.err = errors.Join(s.err, fmt.Errorf("runtime: Rounds.Keys: %w", keys))
		}
	}
	if opts.Bus != nil && s.err == nil {
		s.err = s.join(all)
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
	return s.serve(ctx, t, Handshake{})
}

// Resume is Serve for a session without a handshake: another Server has done it, or the transport gets
// its content with each message. The server must have a binding of the revision in h.
func (s *Server) Resume(ctx context.Context, t Transport, h Handshake) error {
	if h.Revision == "" {
		return errors.Join(s.err, errors.New("runtime: a session without a revision"), t.Close())
	}
	return s.serve(ctx, t, h)
}

func (s *Server) serve(ctx context.Context, t Transport, h Handshake) error {
	e, err := s.session(context.WithoutCancel(ctx), t, h)
	if err != nil {
		return err
	}
	defer e.session.end()
	e.conn.receiveFrom(t)
	if e.terms != nil {
		e.resumed(h)
	}
	e.conn.listen()
	return e.conn.run(ctx)
}

// Open begins a session whose messages the caller puts into the returned inbox, or, with h.Stateless, serves
// the requests of any clients that have none. Such a session has no
// goroutine while no message is being handled. It lasts until End or Shutdown of the inbox is called,
// or the client stops answering the pings of KeepAlive. Ctx provides values for the handlers; its end
// has no effect. After the end, when out is closed and all handlers that Serve would wait for have
// returned, ended is called in a goroutine with the error that Serve would return. If h has a revision,
// the session is resumed, see Resume. If Open returns an error, out is closed and ended is not called.
func (s *Server) Open(ctx context.Context, out Outbox, h Handshake, ended func(error)) (Inbox, error) {
	e, err := s.session(context.WithoutCancel(ctx), out, h)
	if err != nil {
		return nil, err
	}
	p := e.conn
	p.ended = func(err error) {
		e.session.end()
		ended(err)
	}
	if e.terms != nil {
		e.resumed(h)
	}
	return inbox{p}, nil
}

// session creates a session. If h has a revision, the session is resumed.
func (s *Server) session(ctx context.Context, out Outbox, h Handshake) (*serverSide, error) {
	if err := checkNotNil("transport", out); err != nil {
		return nil, errors.Join(s.err, err)
	}
	e := &serverSide{of: s, sessionless: h.Stateless || len(s.sessions) == 0, sessionOnly: h.SessionOnly, ready: h.Shared}
	err := s.err
	if err == nil && h.SessionOnly && len(s.sessions) == 0 {
		err = errStatelessServer
	}
	p := newConn(ctx, out, s.settings, h.Stateless)
	p.side, p.server, e.conn, e.session.conn = e, e, p, p
	if err == nil && h.Revision != "" && !h.Stateless {
		err = e.resume(h)
	}
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return e, nil
}

// MaxMessage returns the maximum length of a message, in bytes, for transports that read messages
// before a session asks for them.
func (s *Server) MaxMessage() int { return s.limits.MaxMessage }

// Grace returns how long requests may continue when their session shuts down.
func (s *Server) Grace() time.Duration { return max(s.limits.grace, 0) }

// Announces reports whether the server and its other replicas announce changes to each other, so that each of
// them notifies its sessions (ServerOptions.Bus).
func (s *Server) Announces() bool { return s.opts.Bus != nil }

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

// choose returns the binding for a client that asks for a revision: that revision or the newest.
func (s *Server) choose(revision string) *bound {
	return cmp.Or(ofRevision(s.sessions, revision), s.sessions[0])
}

// greeting returns the result of initialize that follows from the options.
func (s *Server) greeting(b Binding) (wire.Appender, error) {
	capabilities, err := b.declare(s.opts.Capabilities)
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
func (s *Server) discovery(b *bound) (wire.Appender, error) {
	capabilities, err := b.offered.declared()
	if err != nil {
		return nil, err
	}
	return appendFunc(func(dst []byte) ([]byte, error) {
		dst = append(dst, `{"supportedVersions":[`...)
		for _, revision := range s.spoken {
			if dst, err = wire.AppendString(wire.AppendComma(dst), revision); err != nil {
				return dst, wire.In(err, "supportedVersions")
			}
		}
		dst, err := capabilities.AppendJSON(append(dst, `],"capabilities":`...))
		if err != nil {
			return dst, wire.In(err, "capabilities")
		}
		if s.opts.Instructions != "" {
			if dst, err = wire.AppendString(append(dst, `,"instructions":`...), s.opts.Instructions); err != nil {
				return dst, wire.In(err, "instructions")
			}
		}
		return append(dst, '}'), nil
	}), nil
}

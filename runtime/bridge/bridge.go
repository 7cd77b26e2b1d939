// Package bridge connects clients and servers of different revisions of the protocol, with sessions or
// without.
//
// A [Bridge] takes the place of a runtime.Server: stdio.Serve and streamable.NewHandler serve it. It speaks every
// revision of its table to clients. Behind it is a runtime.Client for each session with the server, which finds out
// which revision the server speaks. Messages are converted from one revision to the other, and everything that is lost
// is reported. Package proxy, in contrast, changes no message.
//
// # Sessions
//
// The sessions with the server are in a pool (package pool). Each session of a client has one of its own, under the
// client's name and capabilities; it ends with the client's, and the other way round. Requests without a session share
// them: those that come over one connection of [Bridge.Serve] share one, and over HTTP, those of the same principal,
// client and capabilities. If such a client can be asked, a request that may ask it has a session of the server for
// itself until it is answered, so that a question always reaches the client that it is meant for.
//
// # Questions of the server
//
// In a session, a request of the server is a request to the client, on the stream of its newest request.
// A server without sessions asks within its results; for a client with a session, the runtime's client
// turns these questions into requests, and for a client without, they pass as they are. A request of a
// server with a session, for a client without, is answered by round trips: the call to the server is held
// (exchange.go) while the client is asked. The requestState that the client gets is sealed by the runtime
// and holds a random name of the held call. The number of held calls and their time are limited.
package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/pool"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// The defaults of Options.
const (
	defaultMaxHeld     = 1000
	defaultMaxSessions = 64
	defaultIdleTimeout = 5 * time.Minute
)

// Options configure a bridge. The zero value is ready to use.
type Options struct {
	// Name and Version are used for a server that does not name itself, and for a client that does not.
	Name, Version string
	// ClientRevisions are the revisions that the bridge speaks to clients, and ServerRevisions those that it
	// speaks to the server. Nil means all of the table.
	ClientRevisions, ServerRevisions []string
	// Lost, if not nil, is called for each loss before the message is passed on. It is called
	// concurrently.
	Lost func(ctx context.Context, r convert.Report)
	// Logger logs what happens in sessions, see [runtime.ServerOptions].
	Logger *slog.Logger

	// Rounds seals the states of requests whose server asks the client. Its Lifetime also limits how long
	// the server waits for the answer.
	Rounds runtime.Rounds
	// MaxHeld limits the requests whose server waits for the answer of a client without a session. 0 means
	// 1,000.
	MaxHeld int
	// MaxSessions limits the sessions with the server that requests without a session share, those that are being
	// closed included. A principal can have a quarter of them. 0 means 64.
	MaxSessions int
	// IdleTimeout is how long such a session stays open without a request. 0 means 5 minutes.
	IdleTimeout time.Duration
}

// Bridge connects clients with a server. It implements runtime.SessionServer and is safe for concurrent use.
type Bridge struct {
	*runtime.Server
	opts  Options
	table *convert.Table
	dial  func() runtime.Transport
	eras  runtime.Eras
	pool  *pool.Pool[client, *link]
	held  held
	ctx   context.Context // of the opening of sessions that belong to no connection
	close func()          // ends it
	tools headers.Tools   // as the last lists of the server declare them; only the bridge sees the headers of its clients

	mu        sync.Mutex
	reached   bool  // a session with the server was opened
	unreached error // of the last attempt to open one
}

// New returns a bridge in front of a server. The function returns a new transport to the server for each
// session with it; the bridge opens and closes it. The table is that of generated/compat.
func New(dial func() runtime.Transport, table *convert.Table, opts Options) *Bridge {
	if dial == nil || table == nil {
		panic("bridge: New: the function dial or the table is nil")
	}
	opts.MaxHeld = cmp.Or(max(opts.MaxHeld, 0), defaultMaxHeld)
	opts.MaxSessions = cmp.Or(max(opts.MaxSessions, 0), defaultMaxSessions)
	opts.IdleTimeout = cmp.Or(max(opts.IdleTimeout, 0), defaultIdleTimeout)
	opts.Rounds.Lifetime = cmp.Or(max(opts.Rounds.Lifetime, 0), runtime.DefaultStateLifetime)
	b := &Bridge{opts: opts, table: table, dial: dial}
	b.ctx, b.close = context.WithCancel(context.Background())
	b.pool = b.newPool()
	b.held.bridge = b
	b.Server = runtime.NewServer(runtime.ServerOptions{
		Name: opts.Name, Version: opts.Version,
		Unnamed: true, // results carry the name of the server behind
		Logger:  opts.Logger,
		Limits:  limits(),
		Rounds:  opts.Rounds,
	}, b.bindings()...)
	return b
}

// Unreached returns the error of the last attempt to open a session with the server, if none has ever succeeded.
func (b *Bridge) Unreached() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reached {
		return nil
	}
	return b.unreached
}

// revisions returns the revisions of the table with the given names, or all if only is nil.
func (b *Bridge) revisions(only []string) []*convert.Revision {
	var all []*convert.Revision
	for i := range b.table.Revisions {
		if r := &b.table.Revisions[i]; only == nil || slices.Contains(only, r.ID) {
			all = append(all, r)
		}
	}
	return all
}

// limits are the limits of both sides. How long a request may take is up to the client, and how many there
// may be at a time is mostly up to the server.
func limits() runtime.Limits {
	return runtime.Limits{MaxMessage: runtime.DefaultMaxClientMessage, MaxConcurrent: 1000, Timeout: -1, MaxTimeout: -1}
}

// clientConn is a connection with clients.
type clientConn struct {
	shared bool // it carries requests of any clients, which have no session

	ctx     context.Context // ends with the connection
	cancel  context.CancelFunc
	ready   chan struct{}          // closed when session is set
	once    sync.Once              // sets session
	session *runtime.ServerSession // of the client; nil before it has sent a message after initialize

	link atomic.Pointer[link] // to the server, of the client's session; nil without one

	in   runtime.Inbox               // of the connection; set before any message is handled
	lost atomic.Pointer[ServerError] // the session with the server has ended; nil if it has not
}

type clientConnKey struct{}

// ServerError is the error of Serve if the session with the server has ended first.
type ServerError struct{ Err error }

// Error returns the reason.
func (e *ServerError) Error() string {
	return "bridge: the server has ended the session: " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *ServerError) Unwrap() error { return e.Err }

// Serve serves one connection with a client, see [runtime.Server.Serve]. If the client has a session and the
// server ends, the error is a *[ServerError].
func (b *Bridge) Serve(ctx context.Context, t runtime.Transport) error {
	return runtime.Serve(ctx, b, t)
}

// Open begins a connection with a client, see [runtime.Server.Open].
func (b *Bridge) Open(ctx context.Context, out runtime.Outbox, h runtime.Handshake, ended func(error)) (runtime.Inbox, error) {
	if h.Revision != "" && !h.Stateless {
		return nil, errors.Join(errors.New("bridge: a session cannot be resumed"), out.Close())
	}
	f := &clientConn{shared: h.Stateless, ready: make(chan struct{})}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	var err error
	f.in, err = b.Server.Open(context.WithValue(ctx, clientConnKey{}, f), out, h, func(err error) {
		b.leave(f)
		if lost := f.lost.Load(); err == nil && lost != nil {
			err = lost
		}
		ended(err)
	})
	return f.in, err
}

// leave ends what belongs to a connection.
func (b *Bridge) leave(f *clientConn) {
	f.cancel()
	b.pool.Drop(func(of client) bool { return of.conn == f })
}

// Close ends the sessions with the server. Call it when nothing serves the bridge any more.
func (b *Bridge) Close() error {
	b.close()
	b.pool.Close((*link).close)
	return nil
}

// ended ends the connection of a client whose session with the server has ended.
func (b *Bridge) ended(f *clientConn, err error) {
	if f.ctx.Err() != nil {
		return
	}
	f.lost.Store(&ServerError{cmp.Or(err, runtime.ErrClosed)})
	ctx, cancel := context.WithTimeout(context.Background(), b.Grace())
	defer cancel()
	f.in.Shutdown(ctx)
}

// sessionOf returns the client's session, once there is one.
func (f *clientConn) sessionOf(ctx context.Context) (*runtime.ServerSession, error) {
	select {
	case <-f.ready:
		return f.session, nil
	case <-f.ctx.Done():
		return nil, runtime.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// reportLossf reports losses that no conversion reports.
func (b *Bridge) reportLossf(ctx context.Context, from, to, method, pointer, format string, values ...any) {
	if b.opts.Lost != nil {
		b.opts.Lost(ctx, convert.Report{From: from, To: to, Method: method, Loss: convert.Loss{Pointer: pointer, Reason: fmt.Sprintf(format, values...)}})
	}
}

// failure returns the error that one side gets for the error of a request to the other side, "server" or
// "client". An error that the other side has answered with stays as it is.
func failure(method, side string, err error) error {
	if err == nil || errors.Is(err, runtime.ErrInputRequired) {
		return err
	}
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return err
	}
	if e, ok := errors.AsType[*convert.RevisionError](err); ok {
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "bridge: " + e.Error()}
	}
	_, unknown := errors.AsType[*runtime.MethodError](err)
	missing, lacks := errors.AsType[*runtime.CapabilityError](err)
	switch {
	case unknown || lacks && missing.Own:
		return runtime.MethodNotFound(method)
	case lacks:
		return jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method not found: %.100s: the %s has not declared the capability %s", method, side, missing.Capability)
	case errors.Is(err, runtime.ErrClosed):
		return jsonrpc.Errorf(jsonrpc.CodeInternalError, "bridge: the %s has ended the session before its answer to %.100s: %.500s", side, method, err)
	}
	return jsonrpc.Errorf(jsonrpc.CodeInternalError, "bridge: no answer of the %s to %.100s: %.500s", side, method, err)
}

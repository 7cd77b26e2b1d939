// Package proxy forwards the sessions of clients, and their requests without a session, to a server and changes
// nothing in the messages.
//
// A [Proxy] takes the place of a runtime.Server: [stdio.Serve] and [streamable.NewHandler] serve it. For each session
// of a client it opens a transport to the server. Every message passes as its text, in both directions: unknown methods
// and members, the order of members, the digits of numbers, and ids. The proxy reads only the envelope of a message, to
// know which stream of the client an answer belongs to, and the revision that a message without a session carries,
// because HTTP repeats it in headers. A connection may have messages of both kinds.
//
// The proxy writes a message of its own in these cases. It puts the answers to a batch of a client over HTTP into one
// array if the server has sent several texts, because the response has one. It cancels a request at the server if the
// client has cancelled it by closing its connection. It answers with an error
//
//   - a request that cannot be sent to the server, or whose answer is lost (-32603);
//   - a request of a batch over HTTP whose answer would make the array longer than Options.MaxMessage (-32603);
//   - a request beyond 10,000 of its session without an answer (-32000);
//   - a message that is too long, or a batch of more than 1,000 messages (-32600);
//   - over HTTP, a request whose id is that of a request in flight, and one that its headers contradict: those of
//     parameters (Mcp-Param-*) once a list with the tool has passed, and the standard ones always; so does an argument
//     whose name differs in case alone from that of one with a header, which some servers ignore;
//   - a message without a session that is neither a request nor a notification, or that has a member whose name
//     differs from one of the protocol in case alone, which some servers ignore;
//   - a request without a session, if the server cannot be reached or has no session left for it (status 503).
//
// [stdio.Serve]: https://pkg.go.dev/github.com/mcpgen/mcpgen/runtime/stdio#Serve
// [streamable.NewHandler]: https://pkg.go.dev/github.com/mcpgen/mcpgen/runtime/streamable#NewHandler
package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
)

// Options configure a proxy. The zero value is ready to use.
type Options struct {
	// MaxMessage is the maximum length of a message, in bytes. It defaults to
	// runtime.DefaultMaxClientMessage.
	MaxMessage int
	// Grace is how long the proxy waits for answers to requests when the client sends
	// nothing more or the program ends. It defaults to runtime.DefaultGrace; less than 0
	// means not at all.
	Grace time.Duration
	// MaxSessions limits the sessions with the server for requests without a session, of which each has one to
	// itself. It includes those that are being closed. A principal can have a quarter of them. 0 means 10,000.
	MaxSessions int
	// Logger receives what goes wrong. It defaults to slog.Default.
	Logger *slog.Logger
}

// Proxy forwards sessions. It implements runtime.SessionServer and is safe for concurrent
// use.
type Proxy struct {
	server func() runtime.Transport
	opts   Options
	tools  headers.Tools // a list of tools and a call of one may pass on different connections
}

// New returns a proxy in front of a server. The function returns a new transport to the
// server for each session of a client; the proxy opens and closes it.
func New(server func() runtime.Transport, opts Options) *Proxy {
	opts.MaxMessage = cmp.Or(max(opts.MaxMessage, 0), runtime.DefaultMaxClientMessage)
	opts.MaxSessions = cmp.Or(max(opts.MaxSessions, 0), defaultMaxSessions)
	opts.Grace = cmp.Or(opts.Grace, runtime.DefaultGrace)
	opts.Logger = logs.Or(opts.Logger, slog.LevelWarn)
	return &Proxy{server: server, opts: opts}
}

// MaxMessage returns the maximum length of a message, in bytes.
func (p *Proxy) MaxMessage() int { return p.opts.MaxMessage }

// Grace returns how long the proxy waits for answers at the end of a session.
func (p *Proxy) Grace() time.Duration { return max(p.opts.Grace, 0) }

// Logger returns the logger of the options.
func (p *Proxy) Logger() *slog.Logger { return p.opts.Logger }

// Revisions and StatelessRevisions return nil, which stands for every revision.
func (p *Proxy) Revisions() []string { return nil }

// StatelessRevisions returns nil, see Revisions.
func (p *Proxy) StatelessRevisions() []string { return nil }

// Serve forwards the session of one client until the client or the server ends it or ctx
// ends. At the end of ctx and of the client's input it waits for the answers to the requests
// in flight, up to the Grace of the options. It returns nil, the cause of ctx, or the error
// with which one of the transports failed.
func (p *Proxy) Serve(ctx context.Context, client runtime.Transport) error {
	return runtime.Serve(ctx, p, client)
}

// Open begins to forward a session, or the requests of any clients that have none, whose messages are put
// into the inbox that it returns. A session cannot be resumed, because only the server knows it.
func (p *Proxy) Open(ctx context.Context, client runtime.Outbox, h runtime.Handshake, ended func(error)) (runtime.Inbox, error) {
	if h.Stateless {
		return p.openStateless(ctx, ended), nil
	}
	if h.Revision != "" {
		return nil, errors.Join(errors.New("proxy: a session cannot be resumed"), client.Close())
	}
	s, err := p.open(ctx, client, nil, ended)
	if err != nil {
		return nil, err
	}
	s.sessionOnly = h.SessionOnly
	return fromClient{s}, nil
}

// open opens a session with the server, for requests without one that use it by an entry, or for a client.
func (p *Proxy) open(ctx context.Context, client runtime.Outbox, e *entry, ended func(error)) (*session, error) {
	server := p.server()
	if server == nil {
		return nil, errors.Join(errors.New("proxy: no transport to the server"), client.Close())
	}
	if o, ok := server.(runtime.Remote); ok {
		if err := o.Open(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("proxy: %w", err), server.Close(), client.Close())
		}
	}
	if t, ok := server.(interface{ UseTools(*headers.Tools) }); ok {
		t.UseTools(&p.tools)
	}
	s := &session{proxy: p, client: client, server: server, ended: ended, entry: e}
	s.ctx, s.cancel = context.WithCancel(ctx)
	server.Start(fromServer{s}, p.opts.MaxMessage)
	return s, nil
}

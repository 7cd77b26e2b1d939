package bridge

import (
	"context"
	"crypto/rand"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The methods that the bridge handles itself, or in a special way.
const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodPing       = "ping"
	methodListen     = "subscriptions/listen"
	methodListTools  = "tools/list"
	methodSetLevel   = "logging/setLevel"
	methodProgress   = "notifications/progress"
	methodReady      = "notifications/initialized"
)

// ofRequests are the notifications about a request. They do not pass, because they name the request by an id
// or a token, which differs on the two sides: cancelling a request cancels the call to the other side, and its
// progress is reported to the request, under its own token.
var ofRequests = []string{"notifications/cancelled", methodProgress}

// The members of _meta that the bridge reads or writes ("_meta" in basic, 2026-07-28).
const (
	metaServerInfo = "io.modelcontextprotocol/serverInfo"
	metaLogLevel   = "io.modelcontextprotocol/logLevel"
)

// bindings returns the bindings for clients. Which revision the server speaks, and what it offers, is not
// known before a client comes, so each binding finds the session with the server first.
func (b *Bridge) bindings() []runtime.Binding {
	var all []runtime.Binding
	for _, r := range b.revisions(b.opts.ClientRevisions) {
		binding := runtime.Binding{
			Revision: r.ID, Direction: runtime.ToServer, Methods: r.Methods, Forwards: true,
			Handle: func(ctx context.Context, m *runtime.Message) (wire.Appender, error) { return b.handle(ctx, r, m) },
		}
		if binding.Stateless() {
			binding.ToolHeaders = b.tools.Table
		}
		all = append(all, binding)
	}
	return all
}

// canBeAsked reports whether a client with these capabilities answers any request of a server.
func canBeAsked(r *convert.Revision, capabilities wire.Object) bool {
	return slices.ContainsFunc(r.Methods, func(m runtime.Method) bool {
		return m.Within && runtime.Declares(capabilities, m.Capability)
	})
}

// handle handles a message of a client in a revision.
func (b *Bridge) handle(ctx context.Context, r *convert.Revision, m *runtime.Message) (wire.Appender, error) {
	method := m.Method
	f, _ := ctx.Value(clientConnKey{}).(*clientConn)
	call := runtime.CallOf(ctx)
	switch {
	case method == methodPing:
		return nil, runtime.MethodNotFound(method) // the runtime answers it
	case slices.Contains(ofRequests, method):
		return nil, nil
	case call.Stateless():
		return b.handleStateless(ctx, f, r, m)
	case method == methodInitialize:
		return b.initialize(ctx, f, r)
	}
	f.once.Do(func() {
		f.session = call.Session()
		close(f.ready)
	})
	l := f.link.Load()
	if method == methodReady || l == nil {
		return nil, nil // the server has got its own already
	}
	return l.bindings[r.ID].Handle(ctx, m)
}

// initialize opens the session with the server.
func (b *Bridge) initialize(ctx context.Context, f *clientConn, r *convert.Revision) (wire.Appender, error) {
	call := runtime.CallOf(ctx)
	l, err := b.take(ctx, client{revision: r, info: call.PeerInfo(), capabilities: call.PeerCapabilities(), conn: f, session: true}, false)
	if err != nil {
		return nil, unreachable(err)
	}
	f.link.Store(l)
	capabilities, err := l.capabilities(r.ID)
	if err != nil {
		return nil, err
	}
	members := wire.Members{{Name: "protocolVersion", Value: wire.Raw(strconv.Quote(r.ID))}, {Name: "capabilities", Value: capabilities}, {Name: "serverInfo", Value: l.infoIn(ctx, r.ID)}}
	return l.withInstructions(members)
}

// handleStateless handles a message that belongs to no session.
func (b *Bridge) handleStateless(ctx context.Context, f *clientConn, r *convert.Revision, m *runtime.Message) (wire.Appender, error) {
	call := runtime.CallOf(ctx)
	of := client{revision: r, info: call.PeerInfo(), capabilities: call.PeerCapabilities(), principal: b.principal(ctx)}
	if !f.shared {
		of.conn = f
	}
	if slices.ContainsFunc(r.Methods, func(of runtime.Method) bool { return of.Name == m.Method && of.Asks }) && canBeAsked(r, of.capabilities) && !call.ID().IsZero() {
		return b.handleAsking(ctx, of, m)
	}
	l, err := b.take(ctx, of, false)
	if err != nil {
		return nil, unreachable(err)
	}
	defer l.entry.Release(false)
	if m.Method == methodDiscover {
		return b.discover(ctx, l, r)
	}
	return l.answerStateless(ctx, m)
}

// handleAsking handles a request during which the server may ask the client. If the server has sessions, the
// call to it may last for several rounds.
func (b *Bridge) handleAsking(ctx context.Context, of client, m *runtime.Message) (wire.Appender, error) {
	var l *link
	id, err := runtime.Once(ctx, "bridge", func(ctx context.Context) (id string, err error) {
		if l, err = b.take(ctx, of, of.conn == nil); err != nil || l.stateless {
			return "", err
		}
		return rand.Text(), nil
	})
	switch {
	case err != nil:
		return nil, unreachable(err)
	case id == "": // the server keeps its own state
		if l == nil {
			if l, err = b.take(ctx, of, false); err != nil {
				return nil, unreachable(err)
			}
		}
		defer l.entry.Release(false)
		return l.answerStateless(ctx, m)
	case l != nil:
		return newExchange(l, id).handleRound(ctx, m)
	}
	x, err := b.held.take(id)
	if err != nil {
		return nil, err
	}
	return x.handleRound(ctx, m)
}

// principal returns the user that a request comes from.
func (b *Bridge) principal(ctx context.Context) string {
	if of := b.opts.Rounds.Principal; of != nil {
		return of(ctx)
	}
	return runtime.PrincipalOf(ctx)
}

// discover answers server/discover. The runtime adds the hints for caches.
func (b *Bridge) discover(ctx context.Context, l *link, r *convert.Revision) (wire.Appender, error) {
	var versions []string
	for _, id := range append(b.StatelessRevisions(), b.Revisions()...) {
		versions = append(versions, strconv.Quote(id))
	}
	capabilities, err := l.capabilities(r.ID)
	if err != nil {
		return nil, err
	}
	result, err := l.withInstructions(wire.Members{{Name: "supportedVersions", Value: wire.ArrayOf(versions)}, {Name: "capabilities", Value: capabilities}})
	if err != nil {
		return nil, err
	}
	return l.withServerInfo(ctx, r.ID, result)
}

// unreachable returns the error for a client whose request did not reach the server.
func unreachable(err error) error {
	if _, ok := err.(*jsonrpc.Error); ok {
		return err
	}
	return jsonrpc.Errorf(jsonrpc.CodeInternalError, "bridge: no session with the server: %.500s", err)
}

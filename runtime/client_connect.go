package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// dial opens a connection. Older means that the transport has only revisions with sessions.
func (c *Client) dial(ctx context.Context, t Transport, older bool) (*link, error) {
	if err := checkNotNil("transport", t); err != nil {
		return nil, errors.Join(c.err, err)
	}
	if c.err != nil {
		return nil, errors.Join(c.err, t.Close())
	}
	if o, ok := t.(Remote); ok {
		if err := o.Open(ctx); err != nil {
			return nil, errors.Join(prefix.Errorf("runtime: connect: %w", err), t.Close())
		}
	}
	l := &link{conn: newConn(context.WithoutCancel(ctx), t, c.settings, false), of: c, done: make(chan struct{}), cache: newCache(c.opts.Cache)}
	l.origin, _ = t.(Remote)
	l.side = l
	l.ended = func(err error) {
		l.err = err
		close(l.done)
	}
	t.Start(inbox{l.conn}, l.limits.MaxMessage)
	name := nameOf(t)
	server, err := l.open(ctx, c.eras.Get(name), older)
	if err != nil {
		l.close()
		if l.origin != nil && !older && c.diedOfProbe(ctx, err) {
			if next, failed := l.origin.Restart(); failed == nil {
				return c.dial(ctx, next, true)
			}
		}
		if l.origin != nil && c.newest(false) != nil && !ofStateless(err) {
			next, err := l.origin.Fallback(ctx, err)
			if err != nil {
				return nil, prefix.Errorf("runtime: connect: %w", err)
			}
			other, err := c.dial(ctx, next, true)
			if err == nil && other.origin == nil {
				other.origin = l.origin
			}
			return other, err
		}
		return nil, prefix.Errorf("runtime: connect: %w", err)
	}
	l.server.Store(server)
	if !l.guessed {
		c.eras.Set(name, server.Revision)
	}
	return l, nil
}

// diedOfProbe reports whether the server may have exited because of a request before initialize, as a
// few servers of older revisions do.
func (c *Client) diedOfProbe(ctx context.Context, err error) bool {
	return errors.Is(err, ErrClosed) && ctx.Err() == nil && c.newest(true) != nil && c.newest(false) != nil
}

// The code below determines whether a server speaks revisions in which each message carries its revision and
// capabilities, or revisions with sessions ("Backward Compatibility" in basic/versioning and in both pages of
// basic/transports, 2026-07-28).

// unavailable is an error of a transport that may say that the server could not be reached, or handled no
// request at the time. It shows nothing about the revisions of the server.
type unavailable interface {
	error
	Unavailable() bool
}

// open determines whether the server has sessions, and opens one if it has. Known is the revision that the
// server is known to speak, or "". Older means that the transport has only revisions with sessions.
func (l *link) open(ctx context.Context, known string, older bool) (*peer, error) {
	stateless, session := l.of.newest(true), l.of.newest(false)
	if older {
		stateless = nil
	}
	first := ofRevision(l.of.bindings, known) // nil if it is unknown
	switch {
	case stateless == nil && session == nil:
		return nil, errNoSessions
	case session == nil:
		server, err := l.discover(ctx, stateless)
		if err != nil && ctx.Err() == nil && isRefusal(err) && !ofStateless(err) {
			err = &EraError{Supported: revisions(l.of.bindings), Err: err}
		}
		return server, err
	case stateless == nil:
		first = session
	case first != nil && first.stateless:
		stateless = first
	}
	if first != nil && !first.stateless {
		server, err := l.initialize(ctx, first)
		if next := l.listed(err); next != nil {
			return l.discover(ctx, next)
		}
		if err == nil || stateless == nil || ctx.Err() != nil || !isRefusal(err) {
			return server, err
		}
		l.debug("the server has changed its revisions", slog.Any("error", err))
	}
	return l.probe(ctx, stateless, session)
}

// probe asks the server for its revisions, and opens a session if the server does not know the method.
func (l *link) probe(ctx context.Context, stateless, session *protocol) (*peer, error) {
	probing, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan probed, 1)
	if !l.life.Go(func() {
		server, err := l.discover(probing, stateless)
		answers <- probed{server, err}
	}) {
		return nil, ErrClosed
	}
	limit := time.Duration(-1)
	if t, ok := l.transport.(prober); ok {
		limit = t.ProbeTimeout()
	}
	answer, late := awaitProbe(answers, limit)
	_, expired := errors.AsType[*TimeoutError](answer.err)
	silent := late || expired && limit >= 0
	switch choice, ok := errors.AsType[*initializeError](answer.err); {
	case ok:
		return l.initialize(ctx, choice.protocol)
	case !silent && (answer.err == nil || ctx.Err() != nil || !isRefusal(answer.err) || ofStateless(answer.err)):
		return answer.server, answer.err
	}
	l.debug("the server does not answer server/discover", slog.Any("error", answer.err))
	server, err := l.initialize(ctx, session)
	_, refused := asError(err)
	next := l.listed(err)
	switch {
	case err == nil:
		l.guessed = silent
	case late && (next != nil || err == errAfterProbe): // the server answers in another order, or has answered
		answer = <-answers
		return answer.server, answer.err
	case late && refused: // the answer to the probe may still come
		if answer, late = awaitProbe(answers, limit); !late && answer.err == nil {
			return answer.server, nil
		}
	case next != nil:
		return l.discover(ctx, next)
	}
	return server, err
}

// listed returns the newest binding for one of the revisions without sessions that a refusal of initialize
// lists, or nil. The server has that revision, whatever it answered to server/discover before.
func (l *link) listed(refusal error) *protocol {
	b, _ := l.of.choose(supportedBy(refusal))
	return b
}

// probed is the outcome of a probe.
type probed struct {
	server *peer
	err    error
}

// awaitProbe waits for the outcome of the probe, without a limit if that is negative. Late is true if it did
// not come in time.
func awaitProbe(answers <-chan probed, limit time.Duration) (answer probed, late bool) {
	if limit < 0 {
		return <-answers, false
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case answer = <-answers:
		return answer, false
	case <-timer.C:
		return probed{}, true
	}
}

// errAfterProbe is the error of initialize if the server has answered the probe meanwhile.
var errAfterProbe = errors.New("runtime: the server has answered server/discover after all")

// greet sends the first request to a server. The goroutine that reads passes the result to accept, so that the next
// message of the server is handled under the revision of the answer.
func (l *link) greet(ctx context.Context, m *Message, accept func(result wire.Raw) (*peer, error)) (server *peer, err error) {
	m.sent.accept = func(r engine.Answer) engine.Answer {
		if r.Err == nil {
			server, r.Err = accept(r.Result)
		}
		return r
	}
	_, err = l.transmit(ctx, m)
	return server, err
}

// initialize opens a session: it sends initialize with the revision of a binding and, if the client has a
// binding for the revision in the answer, notifications/initialized. If ctx ends, no cancellation is
// sent, because initialize cannot be cancelled.
func (l *link) initialize(ctx context.Context, b *protocol) (*peer, error) {
	own, err := b.declared(l.of.opts.Capabilities)
	if err != nil {
		return nil, err
	}
	params := appendFunc(func(dst []byte) ([]byte, error) {
		return appendGreeting(dst, b.Revision, own, "clientInfo", l.of.self(), "")
	})
	m := sender{conn: l.conn}.message(jsonrpc.Request, methodInitialize, params)
	server, err := l.greet(ctx, m, func(result wire.Raw) (*peer, error) { return l.accept(result, own) })
	if err != nil {
		return nil, err
	}
	limit := l.limits.patience(ctx, methodInitialized).Quiet
	ctx, stop := limited(ctx, limit, 0, &TimeoutError{Method: methodInitialized, Quiet: limit})
	defer stop()
	return server, sender{conn: l.conn, peer: server}.Notify(ctx, methodInitialized, nil)
}

// accept processes the answer to initialize.
func (l *link) accept(result wire.Raw, own wire.Object) (*peer, error) {
	if l.peer.Revision != "" {
		return nil, errAfterProbe
	}
	var server greeting
	if err := server.read(result, "protocolVersion", "capabilities", "serverInfo"); err != nil {
		return nil, prefix.Errorf("runtime: result of initialize: %w", err)
	}
	for _, b := range l.of.bindings {
		if b.Revision == server.revision && !b.stateless {
			t := b.peer(server.info, server.capabilities, own)
			t.instructions = server.instructions
			return t, l.negotiated(t)
		}
	}
	return nil, &VersionError{Answered: server.revision, Supported: revisions(ofEra(l.of.bindings, false))}
}

// discover asks the server for its revisions and capabilities under the revision of a binding and, if the
// server does not speak that revision, under one that it lists, which may be the same. The error is an
// *[initializeError] if the sides have only a revision with sessions in common.
func (l *link) discover(ctx context.Context, b *protocol) (*peer, error) {
	tried := map[*protocol]int{}
	for {
		tried[b]++
		t, err := l.statelessPeer(b, greeting{})
		if err != nil {
			return nil, err
		}
		m := sender{conn: l.conn, peer: t}.message(jsonrpc.Request, methodDiscover, nil)
		m.sent.row = b.row(methodDiscover)
		server, err := l.greet(ctx, m, l.discovered)
		supported := supportedBy(err)
		if err == nil || supported == nil {
			return server, err
		}
		next, choice := l.of.choose(supported)
		if choice != nil {
			return nil, choice
		}
		if tried[next] > 1 {
			return nil, err
		}
		b = next
	}
}

// discovered processes the answer to server/discover.
func (l *link) discovered(result wire.Raw) (*peer, error) {
	if l.peer.Revision != "" && !l.peer.stateless {
		return nil, fmt.Errorf("runtime: the answer to server/discover came after that to initialize")
	}
	var server greeting
	if err := server.read(result, "supportedVersions", "capabilities"); err != nil {
		return nil, prefix.Errorf("runtime: result of server/discover: %w", err)
	}
	b, err := l.of.choose(server.versions)
	if err != nil {
		return nil, err
	}
	t, err := l.statelessPeer(b, server)
	if err != nil {
		return nil, err
	}
	l.peer = t
	if l.opened.CompareAndSwap(0, time.Now().UnixNano()) {
		l.logConnected("server discovered")
	}
	return t, nil
}

// statelessPeer returns the server of requests under a binding.
func (l *link) statelessPeer(b *protocol, server greeting) (*peer, error) {
	own, err := b.declared(l.of.opts.Capabilities)
	if err != nil {
		return nil, err
	}
	t := b.peer(server.info, server.capabilities, own)
	t.instructions = server.instructions
	meta, err := fixedMeta(b.Revision, own, l.of.self())
	t.envelope = meta
	return t, err
}

// fixedMeta returns the members of _meta that all requests have. A client without a name sends no
// clientInfo.
func fixedMeta(revision string, capabilities wire.Object, self implementation) (string, error) {
	dst, err := wire.AppendString(wire.AppendName(nil, metaRevision), revision)
	if err == nil {
		dst, err = wire.AppendObject(wire.AppendName(dst, metaCapabilities), capabilities)
	}
	if err == nil && self.name != "" {
		dst, err = self.in(revision).AppendJSON(wire.AppendName(dst, metaClientInfo))
	}
	return string(dst), err
}

// choose returns the newest binding for one of the server's revisions. The error is an *initializeError if
// the binding needs a session, and a *VersionError if there is none.
func (c *Client) choose(supported []string) (*protocol, error) {
	for _, b := range c.bindings { // newest first
		if !slices.Contains(supported, b.Revision) {
			continue
		}
		if !b.stateless {
			return nil, &initializeError{b}
		}
		return b, nil
	}
	return nil, &VersionError{Answered: fmt.Sprintf("%.200s", strings.Join(supported, ", ")), Supported: revisions(c.bindings)}
}

// newest returns the newest binding of one of the eras, or nil.
func (c *Client) newest(stateless bool) *protocol {
	for _, b := range c.bindings {
		if b.stateless == stateless {
			return b
		}
	}
	return nil
}

// initializeError means that client and server have only revisions with sessions in common.
type initializeError struct{ protocol *protocol }

func (e *initializeError) Error() string {
	return "runtime: the server speaks revision " + e.protocol.Revision + ", which needs initialize"
}

// isRefusal reports whether an error of server/discover or initialize is what the server says to it, so that
// it shows something about its revisions. That must not depend on its code, because servers respond in many
// ways to a request that they do not know.
func isRefusal(err error) bool {
	_, version := errors.AsType[*VersionError](err)
	_, lost := errors.AsType[*LostError](err)
	_, expired := errors.AsType[*TimeoutError](err)
	passing, ok := errors.AsType[unavailable](err)
	return !version && !lost && !expired && !(ok && passing.Unavailable()) && !errors.Is(err, ErrClosed)
}

// ofStateless reports whether only servers of revisions without sessions send the error. A code alone does
// not show that, because servers of older revisions could choose codes freely.
func ofStateless(err error) bool {
	e, ok := asError(err)
	if !ok {
		return false
	}
	switch e.Code {
	case jsonrpc.CodeHeaderMismatch:
		return true
	case jsonrpc.CodeMissingCapability:
		needs, _ := wire.Object(e.Data).Get("requiredCapabilities")
		return needs.Kind() == wire.KindObject
	}
	return supportedBy(e) != nil
}

// supportedBy returns the revisions that a server lists in an UnsupportedProtocolVersionError. It returns
// nil for other errors.
func supportedBy(err error) []string {
	e, ok := asError(err)
	if !ok || e.Code != jsonrpc.CodeUnsupportedVersion || e.Data.Kind() != wire.KindObject {
		return nil
	}
	list, _ := wire.Object(e.Data).Get("supported")
	if list.Kind() != wire.KindArray {
		return nil
	}
	versions := []string{}
	for _, item := range list.Elements() {
		if v, ok := item.Str(); ok {
			versions = append(versions, strings.Clone(v))
		}
	}
	return versions
}

// nameOf returns the name of the server that a transport leads to, or "" if it has none.
func nameOf(t Transport) string {
	if l, ok := t.(Remote); ok {
		return l.Server()
	}
	return ""
}

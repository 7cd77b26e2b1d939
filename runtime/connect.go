package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// errAfterProbe is the error of initialize if the server has answered the probe meanwhile.
var errAfterProbe = errors.New("runtime: the server has answered server/discover after all")

func (e *clientSide) admit(m jsonrpc.Message, _ headers.Header) (admission, error) {
	switch {
	case e.peer == nil:
		return admitEarly(m, e.of.bindings)
	case e.peer.stateless() && m.Kind == jsonrpc.Request:
		return admission{}, fmt.Errorf("runtime: revision %s has no requests of servers", e.peer.revision)
	}
	return e.peer.admit(m)
}

// initialize opens a session: it sends initialize with the revision of a binding and, if the client has a
// binding for the revision in the answer, notifications/initialized. If ctx ends, no cancellation is
// sent, because initialize cannot be cancelled.
func (e *clientSide) initialize(ctx context.Context, b *protocol) (*opened, error) {
	own, err := e.of.capabilities(b)
	if err != nil {
		return nil, err
	}
	var server *opened
	params := appendFunc(func(dst []byte) ([]byte, error) {
		return appendGreeting(dst, b.Revision, own, "clientInfo", e.of.self(), "")
	})
	accept := func(r engine.Reply) engine.Reply {
		switch {
		case e.peer != nil:
			r.Err = errAfterProbe
		case r.Err == nil:
			server, r.Err = e.accept(r.Result, own)
		}
		return r
	}
	m := sender{conn: e.conn}.message(jsonrpc.Request, methodInitialize, params)
	m.sent.accept = accept
	if _, err := e.conn.transmit(ctx, m); err != nil {
		return nil, err
	}
	return server, sender{conn: e.conn, peer: server.peer}.Notify(ctx, methodInitialized, nil)
}

// capabilities returns what the client declares under a binding.
func (c *Client) capabilities(b *protocol) (wire.Object, error) {
	return b.declared(c.opts.Capabilities)
}

// accept processes the answer to initialize. The goroutine that reads calls it, so that the next message
// of the server is handled under the revision of the answer.
func (e *clientSide) accept(result wire.Raw, own wire.Object) (*opened, error) {
	var server opened
	if err := server.read(result, "protocolVersion", "capabilities", "serverInfo"); err != nil {
		return nil, prefix.Errorf("runtime: result of initialize: %w", err)
	}
	for _, b := range e.of.bindings {
		if b.Revision == server.revision && !b.stateless {
			server.peer = b.peer(server.info, server.capabilities, own)
			if err := e.negotiated(server.peer); err != nil {
				return nil, err
			}
			return &server, nil
		}
	}
	return nil, &VersionError{Answered: server.revision, Supported: revisions(ofEra(e.of.bindings, false))}
}

// appendParams appends the member params of a message. Meta is a member of their _meta, as text, or "". A request of a
// client without a session says in its _meta what a session would have agreed on ("_meta" in basic, 2026-07-28).
func (s *sender) appendParams(dst []byte, method string, params wire.Appender, meta string) ([]byte, error) {
	with := metaParams{params: params, members: meta}
	if t := s.peer; t != nil && t.envelope != "" && t.protocol.row(method).kind != jsonrpc.Notification {
		with.members = t.envelope
		if meta != "" {
			with.members += "," + meta
		}
		if wanted := s.conn.wanted.Load(); wanted != nil {
			with.level = *wanted
		}
	}
	if with.members == "" {
		return jsonrpc.AppendParams(dst, params)
	}
	dst, err := with.AppendJSON(append(dst, `,"params":`...))
	return dst, wire.In(err, "params")
}

// discover asks the server for its revisions and capabilities under the revision of a binding and, if the
// server does not speak that revision, under one that it lists, which may be the same. The error is an
// *[initializeError] if the sides have only a revision with sessions in common.
func (e *clientSide) discover(ctx context.Context, b *protocol) (*opened, error) {
	tried := map[*protocol]int{}
	for {
		tried[b]++
		t, err := e.statelessPeer(b, greeting{})
		if err != nil {
			return nil, err
		}
		var server *opened
		accept := func(r engine.Reply) engine.Reply {
			if r.Err == nil {
				server, r.Err = e.discovered(r.Result)
			}
			return r
		}
		m := sender{conn: e.conn, peer: t}.message(jsonrpc.Request, methodDiscover, nil)
		m.sent.row, m.sent.accept = b.row(methodDiscover), accept
		_, err = e.conn.transmit(ctx, m)
		supported := supportedBy(err)
		if err == nil || supported == nil {
			return server, err
		}
		next, choice := e.of.choose(supported)
		if choice != nil {
			return nil, choice
		}
		if tried[next] > 1 {
			return nil, err
		}
		b = next
	}
}

// discovered processes the answer to server/discover. The goroutine that reads calls it.
func (e *clientSide) discovered(result wire.Raw) (*opened, error) {
	if e.peer != nil && !e.peer.stateless() {
		return nil, fmt.Errorf("runtime: the answer to server/discover came after that to initialize")
	}
	var server greeting
	if err := server.read(result, "supportedVersions", "capabilities"); err != nil {
		return nil, prefix.Errorf("runtime: result of server/discover: %w", err)
	}
	b, err := e.of.choose(server.versions)
	if err != nil {
		return nil, err
	}
	server.revision = b.Revision
	t, err := e.statelessPeer(b, server)
	if err != nil {
		return nil, err
	}
	e.peer = t
	if e.opened.CompareAndSwap(0, time.Now().UnixNano()) {
		e.logConnected("server discovered")
	}
	return &opened{greeting: server, peer: t}, nil
}

// statelessPeer returns the server of requests under a binding.
func (e *clientSide) statelessPeer(b *protocol, server greeting) (*peer, error) {
	own, err := e.of.capabilities(b)
	if err != nil {
		return nil, err
	}
	t := b.peer(server.info, server.capabilities, own)
	meta, err := fixedMeta(b.Revision, own, e.of.self())
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

// The code below determines whether a server speaks revisions in which each message carries its revision and capabilities,
// or revisions with sessions ("Backward Compatibility" in basic/versioning and in both pages of
// basic/transports, 2026-07-28).

// prober is a client's transport on which a server may be silent instead of refusing a request: one with a
// single stream for all answers. Other transports bring an answer or an error for each request.
type prober interface {
	// ProbeTimeout returns how long the client waits for the answer to server/discover before it sends
	// initialize as well. A negative duration means no limit.
	ProbeTimeout() time.Duration
}

// unavailable is an error of a transport that may say that the server could not be reached, or handled no
// request at the time. It shows nothing about the revisions of the server.
type unavailable interface {
	error
	Unavailable() bool
}

// open determines whether the server has sessions, and opens one if it has. Known is the revision that the
// server is known to speak, or "". Older means that the transport has only revisions with sessions.
func (e *clientSide) open(ctx context.Context, known string, older bool) (*opened, error) {
	stateless, session := e.of.newest(true), e.of.newest(false)
	switch {
	case older && session == nil:
		return nil, errNoSessions
	case older || stateless == nil:
		server, err := e.initialize(ctx, session)
		if next := e.listed(err); next != nil {
			return e.discover(ctx, next)
		}
		return server, err
	case session == nil:
		return e.openStateless(ctx, stateless)
	}
	if b := ofRevision(e.of.bindings, known); b != nil && b.stateless {
		stateless = b
	} else if b != nil {
		server, err := e.initialize(ctx, b)
		if err == nil || ctx.Err() != nil || !isRefusal(err) {
			return server, err
		}
		e.conn.debug("the server has changed its revisions", slog.Any("error", err))
	}
	return e.probe(ctx, stateless, session)
}

// openStateless opens a connection of a client that has no revisions with sessions.
func (e *clientSide) openStateless(ctx context.Context, b *protocol) (*opened, error) {
	server, err := e.discover(ctx, b)
	if err != nil && ctx.Err() == nil && isRefusal(err) && !ofStateless(err) {
		err = &EraError{Supported: revisions(e.of.bindings), Err: err}
	}
	return server, err
}

// probe asks the server for its revisions, and opens a session if the server does not know the method.
func (e *clientSide) probe(ctx context.Context, stateless, session *protocol) (*opened, error) {
	probing, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan probed, 1)
	if !e.conn.life.Go(func() {
		server, err := e.discover(probing, stateless)
		answers <- probed{server, err}
	}) {
		return nil, ErrClosed
	}
	limit := time.Duration(-1)
	if t, ok := e.conn.transport.(prober); ok {
		limit = t.ProbeTimeout()
	}
	answer, late := awaitProbe(answers, limit)
	_, expired := errors.AsType[*TimeoutError](answer.err)
	silent := late || expired && limit >= 0
	if !silent {
		if choice, ok := errors.AsType[*initializeError](answer.err); ok {
			return e.initialize(ctx, choice.protocol)
		}
		if answer.err == nil || ctx.Err() != nil || !isRefusal(answer.err) || ofStateless(answer.err) {
			return answer.server, answer.err
		}
	}
	e.conn.debug("the server does not answer server/discover", slog.Any("error", answer.err))
	server, err := e.initialize(ctx, session)
	if err == nil {
		server.guessed = silent
		return server, nil
	}
	if err == errAfterProbe {
		answer = <-answers
		return answer.server, answer.err
	}
	if _, refused := asError(err); !refused {
		return nil, err
	}
	next := e.listed(err)
	switch {
	case next != nil && !late:
		return e.discover(ctx, next)
	case next != nil:
		answer = <-answers // the server answers in another order
		return answer.server, answer.err
	case late:
		if answer, late = awaitProbe(answers, limit); !late && answer.err == nil {
			return answer.server, nil
		}
	}
	return nil, err
}

// listed returns the newest binding for one of the revisions without sessions that a refusal of initialize
// lists, or nil. The server has that revision, whatever it answered to server/discover before.
func (e *clientSide) listed(refusal error) *protocol {
	b, _ := e.of.choose(supportedBy(refusal))
	return b
}

// probed is the outcome of a probe.
type probed struct {
	server *opened
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

// initializeError means that client and server have only revisions with sessions in common.
type initializeError struct{ protocol *protocol }

func (e *initializeError) Error() string {
	return "runtime: the server speaks revision " + e.protocol.Revision + ", which needs initialize"
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

// nameOf returns the name of the server that a transport leads to, or "" if it has none.
func nameOf(t Transport) string {
	if l, ok := t.(Remote); ok {
		return l.Server()
	}
	return ""
}

package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/internal/pool"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// client is what a session with the server is opened for. Requests without a session share the session if
// they are of equal clients.
type client struct {
	revision     *convert.Revision
	info         wire.Object
	capabilities wire.Object
	principal    string
	conn         *clientConn // the connection; nil for any
	session      bool        // the client has a session, to which that with the server belongs
}

// link is a session with the server.
type link struct {
	bridge    *Bridge
	of        client
	session   *runtime.Session
	native    *convert.Revision // of the session
	stateless bool              // the server has no sessions
	bindings  map[string]runtime.Binding
	opened    chan struct{} // closed when the fields above are set

	mu       sync.Mutex
	requests []*clientRequest // the requests of clients that the server works on, oldest first
	open     []*question      // of the server for a client without a session, which has not answered them
	tokens   int64            // progress tokens given to requests
	level    runtime.LogLevel

	entry *entry // its place among all
}

// clientRequest is a request of a client that the server works on.
type clientRequest struct {
	call     *runtime.Call // nil while no client waits for the answer
	exchange *exchange     // nil unless the server may ask, and the client has no session
	token    string        // under which the server reports its progress, if the client has asked for that
}

type clientRequestKey struct{}

// connect opens a session with the server. The end of ctx ends the opening.
func (b *Bridge) connect(ctx context.Context, of client, e *entry) (*link, error) {
	l := &link{bridge: b, of: of, entry: e, opened: make(chan struct{})}
	opening, cancel := context.WithTimeout(ctx, runtime.DefaultTimeout)
	defer cancel()
	options := runtime.ClientOptions{
		Name: cmp.Or(of.info.GetString("name"), b.opts.Name), Version: cmp.Or(of.info.GetString("version"), b.opts.Version),
		Title: of.info.GetString("title"), Details: of.info.Without("name", "version", "title").Members(), Logger: b.opts.Logger, Limits: limits(), Eras: &b.eras,
	}
	if !of.session {
		options.MaxRounds = -1 // the client answers questions
	}
	session, err := runtime.NewClient(options, l.clientBindings()...).Connect(opening, b.dial())
	if ctx.Err() == nil { // otherwise the client has gone
		b.mu.Lock()
		b.reached, b.unreached = b.reached || err == nil, err
		b.mu.Unlock()
	}
	if err != nil {
		return nil, err
	}
	l.session = session
	i := slices.IndexFunc(b.table.Revisions, func(r convert.Revision) bool { return r.ID == session.Revision() })
	l.native = &b.table.Revisions[i]
	native := runtime.Binding{Revision: l.native.ID, Direction: runtime.ToServer, Methods: l.native.Methods, Handle: l.forwardToServer}
	l.stateless = native.Stateless()
	l.bindings = make(map[string]runtime.Binding)
	for _, binding := range b.table.Bind(native, convert.Options{Lost: b.reportLoss}) {
		l.bindings[binding.Revision] = binding
	}
	l.reportClient(ctx)
	close(l.opened)
	return l, nil
}

// entry is the place of a link among all.
type entry = pool.Entry[client, *link]

// newPool returns the sessions with the server.
func (b *Bridge) newPool() *pool.Pool[client, *link] {
	return pool.New(pool.Options[client, *link]{
		Open: func(of client, e *entry) (*link, error) {
			ctx := b.ctx
			if of.conn != nil {
				ctx = of.conn.ctx
			}
			l, err := b.connect(ctx, of, e)
			if err == nil {
				go func() {
					err := l.session.Wait() // the requests that need the session report why it has ended, too
					e.Gone()
					if of.session {
						b.ended(of.conn, err)
					}
				}()
			}
			return l, err
		},
		End:    (*link).close,
		Shares: func(l *link) bool { return l.stateless }, // the server asks within its results
		Owner: func(of client) context.Context {
			if of.conn == nil {
				return nil
			}
			return of.conn.ctx
		},
		Most: b.opts.MaxSessions, Idle: b.opts.IdleTimeout,
	})
}

// take returns a session for a request of a client, which must be released. If exclusive, no other request that
// may ask the client has the same session, unless the server has no sessions and thus asks within its results.
func (b *Bridge) take(ctx context.Context, of client, exclusive bool) (*link, error) {
	e, err := b.pool.Take(ctx, of, of.principal, exclusive)
	if err != nil {
		return nil, err
	}
	return e.Session, nil
}

// reportLoss reports a loss of a conversion. The params of a repeated request are converted again, but their
// losses are reported only once.
func (b *Bridge) reportLoss(ctx context.Context, r convert.Report) {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok && x.repeated && r.From == x.link.of.revision.ID {
		return
	}
	if b.opts.Lost != nil {
		b.opts.Lost(ctx, r)
	}
}

// clientBindings returns the bindings for the server: a revision is chosen when the session is opened.
func (l *link) clientBindings() []runtime.Binding {
	var all []runtime.Binding
	for _, r := range l.bridge.revisions(l.bridge.opts.ServerRevisions) {
		binding := runtime.Binding{
			Revision: r.ID, Direction: runtime.ToClient, Methods: r.Methods, Forwards: true,
			Handle: l.handleFromServer,
			Capabilities: func(wire.Appender) (wire.Appender, error) {
				declared, _ := l.declared(r.ID)
				return declared, nil
			},
		}
		for _, m := range r.Methods {
			if l.of.session && strings.HasPrefix(m.Name, "notifications/") && m.Direction&runtime.ToClient != 0 {
				binding.Notified = append(binding.Notified, m.Name)
			}
		}
		all = append(all, binding)
	}
	return all
}

// declared returns the capabilities of the client in a revision, and what is lost of them.
func (l *link) declared(revision string) (wire.Raw, []convert.Loss) {
	capabilities := cmp.Or(l.of.capabilities, "{}")
	if l.of.revision.ID == revision {
		return wire.Raw(capabilities), nil
	}
	var c convert.Conversion
	text, err := l.bridge.table.Convert(&c, l.of.revision.ID, revision, "ClientCapabilities", capabilities)
	if err != nil {
		return "{}", []convert.Loss{{Reason: "the client's capabilities are not declared: " + err.Error()}}
	}
	return text, c.Losses()
}

// reportClient reports what is lost of the client's capabilities and of its name.
func (l *link) reportClient(ctx context.Context) {
	_, losses := l.declared(l.native.ID)
	for _, loss := range losses {
		l.bridge.reportLossf(ctx, l.of.revision.ID, l.native.ID, "", "/capabilities"+loss.Pointer, "%s", loss.Reason)
	}
	in := l.introduced()
	for _, m := range l.of.info.Without("name", "version").Members() {
		first := "2025-11-25" // in which the runtime sends the member, see runtime.ClientOptions
		if m.Name == "title" {
			first = "2025-06-18"
		}
		if in < first {
			l.bridge.reportLossf(ctx, l.of.revision.ID, in, "", wire.ChildPointer("/clientInfo", m.Name), "sent from revision %s on", first)
		}
	}
}

// introduced returns the revision in which the client introduces itself to the server: that of each request, or
// the newest one with a session, which the server may answer with an older one.
func (l *link) introduced() string {
	in := l.native.ID
	for _, r := range l.bridge.revisions(l.bridge.opts.ServerRevisions) {
		if of := (runtime.Binding{Methods: r.Methods}); !l.stateless && !of.Stateless() && r.ID > in {
			in = r.ID
		}
	}
	return in
}

// clientCaller returns a caller that sends what the server sends to a client.
func (l *link) clientCaller(c runtime.Caller) runtime.Caller {
	if around := l.bindings[l.of.revision.ID].Around; around != nil {
		return runtime.Around(c, around)
	}
	return c
}

// close ends the session.
func (l *link) close() {
	_ = l.session.Close() // how the server ends does not matter any more
}

// capabilities returns what the server offers, in a revision.
func (l *link) capabilities(revision string) (wire.Raw, error) {
	offered := wire.Raw(l.session.ServerCapabilities())
	if convert := l.bindings[revision].Capabilities; convert != nil {
		converted, err := convert(offered)
		if err != nil {
			return "", err
		}
		text, err := wire.MarshalString(converted)
		return wire.Raw(text), err
	}
	return offered, nil
}

// infoIn returns the server's Implementation in a revision.
func (l *link) infoIn(ctx context.Context, revision string) wire.Raw {
	info := l.session.ServerInfo()
	if info == "" {
		name, _ := wire.AppendString([]byte(`{"name":`), l.bridge.opts.Name)
		version, _ := wire.AppendString(append(name, `,"version":`...), l.bridge.opts.Version)
		return wire.Raw(append(version, '}'))
	}
	if revision == l.native.ID {
		return wire.Raw(info)
	}
	converted, err := l.convert(ctx, l.native.ID, revision, "", "/serverInfo", "Implementation", info)
	if err != nil {
		return wire.Raw(info)
	}
	return converted
}

// convert converts a value of a definition, which is at a pointer in messages of a method, and reports what is lost.
func (l *link) convert(ctx context.Context, from, to, method, pointer, definition string, value wire.Object) (wire.Raw, error) {
	var c convert.Conversion
	converted, err := l.bridge.table.Convert(&c, from, to, definition, value)
	if err != nil {
		return "", err
	}
	for _, loss := range c.Losses() {
		l.bridge.reportLossf(ctx, from, to, method, pointer+loss.Pointer, "%s", loss.Reason)
	}
	return converted, nil
}

// withInstructions returns an object with the server's instructions, if there are any.
func (l *link) withInstructions(members wire.Members) (wire.Object, error) {
	if text := l.session.Instructions(); text != "" {
		quoted, err := wire.AppendString(nil, text)
		if err != nil {
			return "", err
		}
		members = append(members, wire.Member{Name: "instructions", Value: wire.Raw(quoted)})
	}
	return wire.NewObject(members...)
}

// withServerInfo returns a result without a session, with the name of the server in its _meta ("_meta" in basic,
// 2026-07-28).
func (l *link) withServerInfo(ctx context.Context, revision string, result wire.Appender) (wire.Appender, error) {
	text, err := wire.MarshalString(result)
	if err != nil {
		return nil, err
	}
	meta, _ := wire.Object(text).Get("_meta")
	if _, ok := wire.Object(meta).Get(metaServerInfo); ok || meta != "" && meta.Kind() != wire.KindObject {
		return wire.Raw(text), nil
	}
	with, err := wire.Object(meta).With(metaServerInfo, l.infoIn(ctx, revision))
	if err != nil {
		return nil, err
	}
	return wire.Object(text).With("_meta", wire.Raw(with))
}

// answerStateless handles a request of a client without a session.
func (l *link) answerStateless(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
	revision := l.of.revision.ID
	if level := runtime.CallOf(ctx).Meta().GetString(metaLogLevel); level != "" {
		l.lowerLogLevel(ctx, runtime.LogLevel(level))
	}
	result, err := l.bindings[revision].Handle(ctx, m)
	if err != nil || result == nil || m.Method == methodListen {
		return result, err
	}
	return l.withServerInfo(ctx, revision, result)
}

// kept are the requests of sessions that the runtime's client handles itself if the server has no
// sessions.
var kept = []string{methodSetLevel, methodSubscribe, methodUnsubscribe}

// forwardToServer passes a message of a client, in the revision of the server, on to the server.
func (l *link) forwardToServer(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
	method, params := m.Method, wire.Raw(m.Object())
	call := runtime.CallOf(ctx)
	if call.ID().IsZero() {
		if l.lacks(method) {
			l.bridge.reportLossf(ctx, l.of.revision.ID, l.native.ID, method, "", "not sent: the revision does not have it")
			return nil, nil
		}
		return nil, l.session.Notify(ctx, method, runtime.ParamsOf(params))
	}
	if method == methodListen && call.Stateless() {
		return l.listen(ctx, call, m.Object())
	}
	if l.lacks(method) && !(l.stateless && slices.Contains(kept, method)) {
		return nil, runtime.MethodNotFound(method)
	}
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x.awaitOutcome(ctx, call, method, params)
	}
	p := &clientRequest{call: call}
	l.mu.Lock()
	l.requests = append(l.requests, p)
	l.mu.Unlock()
	defer l.endRequest(p)
	result, err := l.callServer(context.WithValue(ctx, clientRequestKey{}, p), p, method, params)
	if err != nil {
		return nil, err
	}
	if kind := wire.Object(result).GetString("resultType"); l.of.session && kind != "" && kind != "complete" {
		return nil, fmt.Errorf("bridge: the result of %s is of the type %.100q, which a session does not have", method, kind)
	}
	if method == methodListTools && !l.of.session {
		tools, _ := wire.Object(result).Get("tools")
		for _, tool := range tools.Elements() {
			_ = l.bridge.tools.Read(wire.Object(tool)) // the server checks its own tools
		}
	}
	return result, nil
}

// callServer sends a request to the server. When it returns the answer, every earlier message of the server
// has been passed on. The request has a progress token of the link, so that the reports come to the handler
// of notifications, which keeps their order; the clients' own tokens may be equal.
func (l *link) callServer(ctx context.Context, p *clientRequest, method string, params wire.Raw) (wire.Raw, error) {
	l.mu.Lock()
	l.tokens++
	p.token = strconv.FormatInt(l.tokens, 10)
	l.mu.Unlock()
	params, _ = withToken(params, wire.Raw(strconv.Quote(p.token)))
	var result wire.Raw
	err := l.session.Call(ctx, method, runtime.ParamsOf(params), &result)
	l.session.Settle(ctx)
	if errors.Is(err, runtime.ErrClosed) {
		l.entry.Retire() // the next request gets another session even if this one takes long to end
	}
	return result, failure(method, "server", err)
}

// passProgress passes a report of the server's progress on to the request that it is for.
func (l *link) passProgress(ctx context.Context, params wire.Raw) {
	token := wire.Object(params).GetString("progressToken")
	var call *runtime.Call
	l.mu.Lock()
	for _, p := range l.requests {
		if p.token == token {
			call = p.call
		}
	}
	l.mu.Unlock()
	if call != nil && token != "" {
		l.progress(ctx, call, params, l.native.ID, l.of.revision.ID)
	}
}

// progress passes a report of progress on to the request of the other side that it is for, under the token
// of that request.
func (l *link) progress(ctx context.Context, to *runtime.Call, params wire.Raw, from, in string) {
	token, ok := to.ProgressToken()
	if !ok {
		return
	}
	text, err := wire.MarshalString(token)
	var with wire.Object
	if err == nil {
		with, err = wire.Object(params).With("progressToken", wire.Raw(text))
	}
	if err == nil {
		params, err = l.convert(ctx, from, in, methodProgress, "/params", "ProgressNotificationParams", with)
	}
	if err != nil {
		l.bridge.reportLossf(ctx, from, in, methodProgress, "", "not sent: %v", err)
		return
	}
	_ = to.Notify(ctx, methodProgress, params) // a side that is gone needs none
}

// lacks reports whether a method is one of other revisions than the server's. The server may know a method
// that no revision has.
func (l *link) lacks(method string) bool {
	has := func(r convert.Revision) bool {
		return slices.ContainsFunc(r.Methods, func(m runtime.Method) bool { return m.Name == method })
	}
	return !has(*l.native) && slices.ContainsFunc(l.bridge.table.Revisions, has)
}

// lowerLogLevel makes the server send log messages of at least a level. The runtime drops those that a request has
// not asked for.
func (l *link) lowerLogLevel(ctx context.Context, level runtime.LogLevel) {
	if l.stateless || !runtime.Declares(l.session.ServerCapabilities(), "logging") {
		return
	}
	l.mu.Lock()
	lower := l.level == "" || level.Below(l.level)
	if lower {
		l.level = level
	}
	l.mu.Unlock()
	if !lower {
		return
	}
	if err := l.session.Call(ctx, methodSetLevel, wire.Raw(`{"level":"`+string(level)+`"}`), nil); err != nil {
		l.bridge.reportLossf(ctx, l.of.revision.ID, l.native.ID, "", "/_meta/"+metaLogLevel, "the server refuses the log level: %v", err)
	}
}

// endRequest ends a request of a client.
func (l *link) endRequest(p *clientRequest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = slices.DeleteFunc(l.requests, func(other *clientRequest) bool { return other == p })
}

// newest returns the newest request for whose answer a client waits, or nil.
func (l *link) newest() *runtime.Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range slices.Backward(l.requests) {
		if p.call != nil {
			return p.call
		}
	}
	return nil
}

// withToken returns params with another progress token, because the tokens of the two sides differ, or without one if
// token is "". It reports whether there was one.
func withToken(params, token wire.Raw) (_ wire.Raw, had bool) {
	meta, _ := wire.Object(params).Get("_meta")
	old, ok := wire.Object(meta).Get("progressToken")
	if !ok {
		return params, false
	}
	had = old.Kind() == wire.KindString || old.IsInteger()
	next := wire.Object(meta).Without("progressToken")
	if had && token != "" {
		next, _ = next.With("progressToken", token) // both are well-formed
	}
	with, _ := wire.Object(params).With("_meta", wire.Raw(next))
	return wire.Raw(with), had
}

// handleFromServer handles a message of the server, and the questions in its results.
func (l *link) handleFromServer(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
	method, params := m.Method, wire.Raw(m.Object())
	if method == methodPing {
		return nil, runtime.MethodNotFound(method) // the runtime answers it
	}
	select {
	case <-l.opened:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	own := runtime.CallOf(ctx)
	p, within := ctx.Value(clientRequestKey{}).(*clientRequest)
	switch {
	case method == methodProgress:
		l.passProgress(ctx, params)
		return nil, nil
	case slices.Contains(ofRequests, method):
		return nil, nil
	case own.ID().IsZero() && !within:
		return nil, l.passNotification(ctx, method, params)
	case !l.of.session:
		return l.awaitAnswer(ctx, method, params)
	}
	to, err := l.receiver(ctx, false)
	if err != nil {
		return nil, failure(method, "client", err)
	}
	if within {
		to = p.call
	}
	answer, err := l.askClient(ctx, to, method, params, own)
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// askClient sends a request of the server to a client. Own is the call of the server's request, to which the
// client's progress is reported.
func (l *link) askClient(ctx context.Context, to runtime.Caller, method string, params wire.Raw, own *runtime.Call) (wire.Raw, error) {
	params, follow := withToken(params, "")
	if follow && own != nil {
		ctx = runtime.WithProgress(ctx, func(p runtime.Progress) {
			l.progress(ctx, own, p.Params, l.of.revision.ID, l.native.ID)
		})
	}
	var answer wire.Raw
	err := l.clientCaller(to).Call(ctx, method, runtime.ParamsOf(params), &answer)
	return answer, failure(method, "client", err)
}

// passNotification passes a notification of the server on: news to the session of the client, and others to the newest
// request, if there is one. Clients without a session get news by listen.
func (l *link) passNotification(ctx context.Context, method string, params wire.Raw) error {
	news := l.isNews(method)
	if news && !l.of.session {
		return nil
	}
	to, err := l.receiver(ctx, news)
	switch {
	case err != nil:
		return nil // no client can get it
	case to == nil:
		l.bridge.reportLossf(ctx, l.native.ID, l.of.revision.ID, method, "", "not sent: without a session, a notification belongs to a request, and there is none")
		return nil
	}
	return l.notifyClient(ctx, to, method, params)
}

// receiver returns where a message of the server goes: to the newest request for whose answer a client waits or, if
// there is none and for news, to the client's session. It returns nil if there is neither.
func (l *link) receiver(ctx context.Context, news bool) (runtime.Caller, error) {
	if newest := l.newest(); newest != nil && !news {
		return newest, nil
	}
	if !l.of.session {
		return nil, nil
	}
	return l.of.conn.sessionOf(ctx)
}

// notifyClient sends a notification to a client. If the client cannot get it, notifyClient reports a loss.
func (l *link) notifyClient(ctx context.Context, to runtime.Caller, method string, params wire.Raw) error {
	err := l.clientCaller(to).Notify(ctx, method, runtime.ParamsOf(params))
	_, unknown := errors.AsType[*runtime.MethodError](err)
	_, lacks := errors.AsType[*runtime.CapabilityError](err)
	if unknown || lacks || errors.Is(err, runtime.ErrNotRequested) {
		l.bridge.reportLossf(ctx, l.native.ID, l.of.revision.ID, method, "", "not sent: %v", err)
		return nil
	}
	return err
}

// isNews reports whether a notification of the server is about a list or a resource, and thus belongs to no
// request. Such a notification needs a part of a capability, such as tools.listChanged.
func (l *link) isNews(method string) bool {
	i := slices.IndexFunc(l.native.Methods, func(m runtime.Method) bool { return m.Name == method && m.Kind == jsonrpc.Notification })
	return i >= 0 && strings.Contains(l.native.Methods[i].Capability, ".")
}

package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// side is what differs between a server's and a client's side of a connection. Each message has
// a peer: a revision, an identity and capabilities. In revisions with sessions, both sides agree
// on them once, in the initialize handshake. In stateless revisions, each request carries its own
// (stateless.go). A connection may have messages of both. The rest of the package asks the peer of a message only.
type side interface {
	// admit returns how a request or notification is handled. If it returns an error, a request is
	// answered with the error, and a notification is dropped. The headers are those of the HTTP request
	// that brought the message, or nil. It is called in order of arrival.
	admit(m jsonrpc.Message, h headers.Header) (admission, error)
	// notified is called for each notification that is admitted. If it returns true, the
	// notification is not passed to a handler.
	notified(m jsonrpc.Message) bool
	// ask sends a request. A client repeats it where the protocol allows or requires that; servers do not link
	// what that needs.
	ask(ctx context.Context, m *Message) (wire.Appender, error)
	// complete returns the complete result of a request without the parts that this side cannot use. The error is
	// a *[QuestionsError] if the server asks instead.
	complete(ctx context.Context, m *Message, text wire.Raw) (wire.Raw, error)
}

// admission is how a message is handled.
type admission struct {
	peer   *peer
	inline bool // it is handled before the next message is read
}

// peer is the other side of a message, as the handshake or the message itself describes it, and what both sides may
// send each other. It is immutable, because messages share it.
type peer struct {
	revision     string
	handle       Handler
	info         wire.Object // the peer's Implementation
	capabilities wire.Object // the peer's
	declared     wire.Object // the capabilities of this side

	protocol     *protocol // nil before the revision is known
	theirs, ours capabilitySet

	severity int    // the lowest severity of the log messages that a stateless request asks for; noLogs for none
	envelope string // on a client's side, the members of _meta that its stateless requests carry
}

// stateless reports whether the message belongs to no session.
func (p *peer) stateless() bool { return p != nil && p.protocol != nil && p.protocol.stateless }

// serving reports whether this side is the server of a stateless request, which sends no request itself
// ("Requests" in basic, 2026-07-28).
func (p *peer) serving() bool { return p.stateless() && p.protocol.Direction == ToServer }

// knownRevision returns the revision, or "" before it is known.
func (p *peer) knownRevision() string {
	if p == nil {
		return ""
	}
	return p.revision
}

// asking reports whether this side is the client of a stateless request.
func (p *peer) asking() bool { return p.stateless() && p.protocol.Direction == ToClient }

// revisionSent returns the revision if each message carries its revision and capabilities, otherwise "".
func (p *peer) revisionSent() string {
	if !p.stateless() {
		return ""
	}
	return p.revision
}

// around reports whether the binding wraps the messages that it sends.
func (p *peer) around() bool { return p != nil && p.protocol != nil && p.protocol.Around != nil }

// The errors of messages that are not handled.
var (
	errNotInitialized     = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the session is not initialized")
	errAlreadyInitialized = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the session is already initialized")
	errNotARequest        = errors.New("runtime: a request without an id")
	errStatelessServer    = errors.New("runtime: the server has no binding of a revision with initialize")
	errNoSessions         = errors.New("runtime: the client has no binding of a revision with initialize")
)

// Handshake is the result of initialize for one side and, on a server's side, the log level and the
// subscriptions that the client has set since. Another Server with the same bindings can continue the session with it.
type Handshake struct {
	Revision         string      // the negotiated revision
	PeerInfo         wire.Object // the peer's Implementation object; "" if unknown
	PeerCapabilities wire.Object // the capabilities that the peer declared; "" if unknown
	Capabilities     wire.Object // the capabilities that this side declared; "" for those of the options
	LogLevel         LogLevel    // the least severe log messages that the client wants; "" for all
	Subscriptions    []string    // the URIs of the resources that the client has subscribed to

	// Stateless means that there is no session and no handshake: each request carries its revision and capabilities,
	// and initialize is refused. The other members are ignored.
	Stateless bool
	// SessionOnly means that the transport belongs to revisions with sessions, so a request cannot carry
	// its revision and capabilities. Open returns an error if the server has no such revision.
	SessionOnly bool
}

// admit admits a message of a peer whose revision is known.
func (p *peer) admit(m jsonrpc.Message) (admission, error) {
	switch r := p.protocol.row(m.Method); {
	case m.Kind == jsonrpc.Request && (r.kind == jsonrpc.Notification || !p.declares(r.need)):
		return admission{}, MethodNotFound(m.Method)
	case m.Kind == jsonrpc.Notification && r.kind == jsonrpc.Request:
		return admission{}, errNotARequest
	case m.Kind == jsonrpc.Notification && !p.theirs.has(r.need):
		return admission{}, &CapabilityError{Method: m.Method, Capability: p.protocol.needs[r.need]}
	}
	return admission{peer: p}, nil
}

// admitEarly admits a message before the handshake, which must be a ping. The error for a method that
// no binding has is MethodNotFound, so that the peer does not try again after the handshake.
func admitEarly(m jsonrpc.Message, bindings []*protocol) (admission, error) {
	if m.Kind == jsonrpc.Request && m.Method == methodPing {
		pong := func(context.Context, *Message) (wire.Appender, error) { return emptyResult, nil }
		return admission{peer: &peer{handle: pong}, inline: true}, nil
	}
	for _, b := range bindings {
		if len(b.rows) == 0 || b.row(m.Method).kind != 0 {
			return admission{}, errNotInitialized
		}
	}
	return admission{}, MethodNotFound(m.Method)
}

// logs reports whether the peer wants log messages with a severity. A client that has not set a level gets all
// messages.
func (s *sender) logs(severity int) bool {
	if s.peer.serving() {
		return severity >= s.peer.severity
	}
	return severity >= int(s.conn.logLevel.Load())
}

// keep passes a change of the session to a transport that keeps changes.
func (p *conn) keep(ctx context.Context, c Change) error {
	if k, ok := p.transport.(Replicated); ok {
		return k.Keep(ctx, c)
	}
	return nil
}

// negotiated begins the session with the peer of the handshake. The goroutine that reads calls it.
func (p *conn) negotiated(t *peer) error {
	if n, ok := p.transport.(Identified); ok {
		h := Handshake{Revision: t.revision, PeerInfo: t.info, PeerCapabilities: t.capabilities, Capabilities: t.declared}
		if err := n.Negotiated(h); err != nil {
			return err
		}
	}
	p.peer = t
	p.beginSession("session opened")
	return nil
}

// beginSession logs that the session is open and starts the pings.
func (p *conn) beginSession(event string) {
	p.opened.Store(time.Now().UnixNano())
	p.logConnected(event)
	p.keepAlive()
}

func (p *conn) logConnected(event string) {
	if !p.log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	p.logger().Info(event, "revision", p.peer.revision,
		"peer", fmt.Sprintf("%.100s", p.peer.info.GetString("name")),
		"version", fmt.Sprintf("%.100s", p.peer.info.GetString("version")))
}

// logEnd logs the end of a session that was open. Err is nil after a normal end.
func (p *conn) logEnd(err error) {
	opened := p.opened.Load()
	if opened == 0 {
		return
	}
	attrs := []slog.Attr{slog.Duration("duration", time.Since(time.Unix(0, opened)))}
	level := slog.LevelInfo
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
		if !errors.Is(err, context.Canceled) { // a cancelled context is a normal end of the program
			level = slog.LevelWarn
		}
	}
	p.event(level, "session ended", attrs...)
}

// The code below decides which messages the revision and the capabilities of both sides allow ("Version
// Negotiation" and "Capability Negotiation" in basic/lifecycle of every revision). The generated
// method table lists the capability that each message needs. The capabilities of each side are computed
// once for a session, so that a message takes one lookup.

// row is the part of a Method that the runtime uses.
type row struct {
	kind    jsonrpc.Kind
	to      Direction
	need    int       // index in protocol.needs; 0 is nothing
	refined []refined // further needs of some requests of the method
	lists   bool      // the result is a list
	changes bool      // it is the notification that a list has changed

	within    bool // it is not sent but part of a result, see Method
	asks      bool // the result may have requests that are within it
	cacheable bool // the result says how long it may be kept
	nameParam string
	filter    string   // boolean member of the filter of subscriptions that asks for it, see Method
	types     []string // values of resultType, see Method
}

// refined is a refinement with its index in protocol.needs.
type refined struct {
	*refinement
	need   int
	quoted []byte // the member's name
}

// refinement is a capability that a request needs because of a member of its params. Generated
// method tables do not contain refinements.
type refinement struct {
	method     string
	member     string
	value      wire.Raw // of the member; "" is any
	missing    bool     // params without the member need it too
	capability string
	before     string // the revision without the member, "" if all newer ones have it
}

var refinements = []refinement{
	// "Capabilities" in client/sampling of 2025-11-25.
	{method: "sampling/createMessage", member: "tools", capability: "sampling.tools"},
	{method: "sampling/createMessage", member: "toolChoice", capability: "sampling.tools"},
	// "Capabilities" in client/elicitation of 2025-11-25.
	{method: "elicitation/create", member: "mode", value: `"url"`, capability: "elicitation.url"},
	{method: "elicitation/create", member: "mode", value: `"form"`, missing: true, capability: "elicitation.form"},
	// "Capabilities" in basic/utilities/tasks of 2025-11-25.
	{method: "tools/call", member: "task", capability: "tasks.requests.tools.call", before: revisionNoTasks},
	{method: "sampling/createMessage", member: "task", capability: "tasks.requests.sampling.createMessage", before: revisionNoTasks},
	{method: "elicitation/create", member: "task", capability: "tasks.requests.elicitation.create", before: revisionNoTasks},
}

// capabilitySet holds for each of protocol.needs whether a side has declared it. It is nil for a side whose
// capabilities are unknown, which has all of them.
type capabilitySet []bool

func (g capabilitySet) has(need int) bool { return g == nil || g[need] }

// capabilitySet returns the set of a side that declares the given capabilities; "" means unknown.
func (b *protocol) capabilitySet(capabilities wire.Object) capabilitySet {
	if capabilities == "" {
		return nil
	}
	g := make(capabilitySet, len(b.needs))
	g[0] = true
	for i, path := range b.needs[1:] {
		g[i+1] = Declares(capabilities, path)
	}
	return g
}

// Declares reports whether capabilities declare the one at a dotted path, such as
// "resources.subscribe".
func Declares(capabilities wire.Object, path string) bool {
	if hasCapability(capabilities, path) {
		return true
	}
	// An elicitation capability without modes means forms.
	return path == "elicitation.form" && hasCapability(capabilities, "elicitation") && !hasCapability(capabilities, "elicitation.url")
}

// hasCapability reports whether the value at a dotted path is true or an object.
func hasCapability(capabilities wire.Object, path string) bool {
	if name, ok := strings.CutPrefix(path, extensionNeed); ok {
		return declaresExtension(capabilities, name)
	}
	for {
		name, rest, more := strings.Cut(path, ".")
		value, ok := capabilities.Get(name)
		if !ok || !more {
			return value == "true" || value.Kind() == wire.KindObject
		}
		capabilities, path = wire.Object(value), rest
	}
}

// need returns the index of a capability in b.needs. It adds the capability if it is not there.
func (b *protocol) need(capability string) int {
	for i, n := range b.needs {
		if n == capability {
			return i
		}
	}
	b.needs = append(b.needs, capability)
	return len(b.needs) - 1
}

// noRow is the row of a method that the table does not have.
var noRow row

// row returns the row of a method.
func (b *protocol) row(method string) *row {
	if r := b.rows[method]; r != nil {
		return r
	}
	return &noRow
}

// tabulate fills b.rows, b.needs and b.codes.
func (b *protocol) tabulate() {
	b.needs = []string{""}
	b.rows = make(map[string]*row, len(b.Methods))
	for i := range b.Methods {
		m := &b.Methods[i]
		need := m.Capability
		if m.Extension != "" && need == "" {
			need = extensionNeed + m.Extension
		}
		filter := m.Filter
		if m.FilterParam != "" {
			filter = ""
		}
		if m.Errors != nil {
			b.codes = m.Errors
		}
		b.rows[m.Name] = &row{kind: m.Kind, to: m.Direction, need: b.need(need), lists: m.Paginated || m.Name == methodListRoots,
			changes: m.Kind == jsonrpc.Notification && strings.HasSuffix(m.Capability, ".listChanged"),
			within:  m.Within, asks: m.Asks, cacheable: m.Cacheable, nameParam: m.NameParam, filter: filter, types: m.ResultTypes}
	}
	for i := range refinements {
		f := &refinements[i]
		if r, ok := b.rows[f.method]; ok && (f.before == "" || b.Revision < f.before) {
			r.refined = append(r.refined, refined{f, b.need(f.capability), strconv.AppendQuote(nil, f.member)})
		}
	}
}

// sending returns the row of a method that this side is about to send, or an error if it must not.
// The revision must have the method, a request may need a capability of the peer, and a notification
// one of this side. A binding without a table allows everything.
func (p *peer) sending(kind jsonrpc.Kind, method string) (*row, error) {
	if p == nil || p.protocol == nil || len(p.protocol.rows) == 0 {
		return &noRow, nil
	}
	r := p.protocol.row(method)
	to := (ToServer | ToClient) &^ p.protocol.Direction
	switch {
	case r.kind == 0 && p.protocol.Forwards:
	case r.kind != kind || r.to&to == 0:
		return nil, &MethodError{Method: method, Kind: kind, To: to, Revision: p.revision}
	case kind == jsonrpc.Request && !p.theirs.has(r.need):
		return nil, &CapabilityError{Method: method, Capability: p.protocol.needs[r.need]}
	case kind == jsonrpc.Notification && !p.declares(r.need):
		return nil, &CapabilityError{Method: method, Capability: p.protocol.needs[r.need], Own: true}
	}
	return r, nil
}

// specified returns the error of sending for a request with these params. A capability that the peer lacks
// becomes the part of it that the request needs, such as elicitation.url, so that the peer learns all at once.
func specified(err error, params wire.Appender) error {
	e, ok := errors.AsType[*CapabilityError](err)
	if !ok || params == nil {
		return err
	}
	text, failed := wire.MarshalString(params)
	if failed != nil {
		return err
	}
	for i := range refinements {
		f := &refinements[i]
		if f.method == e.Method && !f.missing && strings.HasPrefix(f.capability, e.Capability+".") && f.asked(wire.Object(text)) {
			return &CapabilityError{Method: e.Method, Capability: f.capability}
		}
	}
	return err
}

// refine checks a request that is encoded and about to be sent.
func (p *peer) refine(r *row, text []byte) error {
	for _, f := range r.refined {
		if !p.theirs.has(f.need) && f.concerns(text) {
			return &CapabilityError{Method: f.method, Capability: f.capability}
		}
	}
	return nil
}

// concerns reports whether the request with that text needs the capability. Most requests do not
// contain the name of the member at all.
func (f refined) concerns(text []byte) bool {
	if !f.missing && !bytes.Contains(text, f.quoted) {
		return false
	}
	params, _ := wire.Object(text).Get("params")
	return f.asked(wire.Object(params))
}

// asked reports whether a request with these params needs the capability.
func (f *refinement) asked(params wire.Object) bool {
	value, ok := params.Get(f.member)
	if !ok {
		return f.missing
	}
	return f.value == "" || f.value == value
}

// Needs returns the capabilities, as dotted paths, that a message of the method with these params
// needs. A request needs capabilities of the side that answers it, and a notification of the side
// that sends it ("Capability negotiation" in basic/lifecycle of every revision).
func (m *Method) Needs(params wire.Raw) []string {
	var needs []string
	if m.Capability != "" {
		needs = append(needs, m.Capability)
	}
	for i := range refinements {
		f := &refinements[i]
		if f.method == m.Name && f.asked(wire.Object(params)) {
			needs = append(needs, f.capability)
		}
	}
	return needs
}

// declarations are the capabilities that a server declares in a stateless revision. They belong to no session,
// and what a catalog declares grows with its items, so they are computed again when a message needs more.
type declarations struct {
	protocol *protocol
	server   *Server

	mu   sync.Mutex // held while last is replaced
	last atomic.Pointer[declaration]
}

// declaration is the value of declarations at a time. It is immutable.
type declaration struct {
	text wire.Object
	set  capabilitySet // of every capability that was declared so far
}

// declares reports whether this side has declared the capability with that index in protocol.needs.
func (p *peer) declares(need int) bool {
	if need == 0 || !p.serving() {
		return p.ours.has(need)
	}
	d := p.protocol.declarations
	return d.current().set.has(need) || d.renewed().set.has(need)
}

// current returns the last declaration.
func (d *declarations) current() *declaration {
	if last := d.last.Load(); last != nil {
		return last
	}
	return d.renewed()
}

// renewed returns a new declaration. If the capabilities cannot be declared, it is the last one, or one of
// nothing. A capability that was declared once stays declared, because a request must not depend on the
// requests before it: a list whose last item was removed is empty, not unknown.
func (d *declarations) renewed() *declaration {
	text, err := d.declared()
	if err != nil {
		d.server.log.Error("the capabilities cannot be declared", "revision", d.protocol.Revision, "error", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	last := d.last.Load()
	if err != nil && last != nil {
		return last
	}
	if err != nil {
		text = "{}"
	}
	next := &declaration{text: text, set: d.protocol.capabilitySet(text)}
	if last != nil {
		for i, declared := range last.set {
			next.set[i] = next.set[i] || declared
		}
		if last.text == next.text && slices.Equal(last.set, next.set) {
			return last
		}
	}
	d.last.Store(next)
	return next
}

// declared returns the capabilities that the server declares now.
func (d *declarations) declared() (wire.Object, error) {
	return d.protocol.declared(d.server.opts.Capabilities)
}

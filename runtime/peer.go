package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// peer is the other side of a message, as the handshake or the message itself describes it, and what both sides may
// send each other. It is immutable, because messages share it.
type peer struct {
	*protocol                // of the messages
	info         wire.Object // the peer's Implementation
	capabilities wire.Object // the peer's
	declared     wire.Object // the capabilities of this side

	theirs, ours capabilitySet

	instructions string // of a server, for its client

	severity int    // the lowest severity of the log messages that a stateless request asks for; noLogs for none
	envelope string // on a client's side, the members of _meta that its stateless requests carry
}

// admission is how a message is handled.
type admission struct {
	peer   *peer
	row    *Method // of the message; nil before the handshake
	inline bool    // it is handled before the next message is read
}

// unknownPeer is the peer of the messages that this side sends before the handshake has fixed the revision. They may be
// any.
var unknownPeer = early(nil)

// early returns a peer whose revision is not known yet. Serve handles its messages.
func early(serve Handler) *peer { return &peer{protocol: &protocol{serve: serve, way: deliver}} }

// peer returns the peer of messages under the binding, with its Implementation and capabilities and this side's
// capabilities; "" means unknown.
func (b *protocol) peer(info, theirs, own wire.Object) *peer {
	return &peer{
		info:         info,
		capabilities: theirs,
		declared:     own,
		protocol:     b,
		theirs:       b.capabilitySet(theirs),
		ours:         b.capabilitySet(own),
	}
}

// serving reports whether this side is the server of a stateless request, which sends no request itself
// ("Requests" in basic, 2026-07-28).
func (p *peer) serving() bool { return p.server != nil }

// asking reports whether this side is the client of a stateless request.
func (p *peer) asking() bool { return p.stateless && p.Direction == ToClient }

// refused returns the error that a request of the peer gets in place of one that was not begun.
func (p *peer) refused(err *jsonrpc.Error) error {
	switch {
	case !p.serving():
		return err
	case err == errNotBegun:
		return errNotBegunStateless
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeUnavailable, Message: err.Message, Data: err.Data}
}

// The errors of messages that are not handled.
var (
	errNotInitialized     = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the session is not initialized")
	errAlreadyInitialized = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the session is already initialized")
	errNotARequest        = errors.New("runtime: a request without an id")
	errNoSessionBinding   = errors.New("runtime: the server has no binding of a revision with initialize")
	errNoSessions         = errors.New("runtime: the client has no binding of a revision with initialize")
)

// admit admits a message of a peer whose revision is known.
func (p *peer) admit(m *jsonrpc.Message) (admission, error) {
	r := p.row(m.Method)
	switch {
	case m.Kind == jsonrpc.Request && (r.Kind == jsonrpc.Notification || !p.declares(r.need())):
		return admission{}, MethodNotFound(m.Method)
	case m.Kind == jsonrpc.Notification && r.Kind == jsonrpc.Request:
		return admission{}, errNotARequest
	case m.Kind == jsonrpc.Notification && !p.theirs.has(r.need()):
		return admission{}, &CapabilityError{Method: m.Method, Capability: r.need()}
	}
	return admission{peer: p, row: r}, nil
}

// admitEarly admits a message before the handshake, which must be a ping. The error for a method that
// no binding has is MethodNotFound, so that the peer does not try again after the handshake.
func admitEarly(m *jsonrpc.Message, bindings []*protocol) (admission, error) {
	if m.Kind == jsonrpc.Request && m.Method == methodPing {
		pong := func(context.Context, *Message) (wire.Appender, error) { return emptyResult, nil }
		return admission{peer: early(pong), inline: true}, nil
	}
	for _, b := range bindings {
		if len(b.rows) == 0 || b.row(m.Method).Kind != 0 {
			return admission{}, errNotInitialized
		}
	}
	return admission{}, MethodNotFound(m.Method)
}

// The code below decides which messages the revision and the capabilities of both sides allow ("Version
// Negotiation" and "Capability Negotiation" in basic/lifecycle of every revision). The generated
// method table lists the capability that each message needs. The capabilities of each side are computed
// once for a session, so that a message takes one lookup.

// sending returns the row of a method that this side is about to send with these params, or an error if it must not.
// The revision must have the method, a request may need a capability of the peer, and a notification
// one of this side. A binding without a table allows everything.
func (p *peer) sending(kind jsonrpc.Kind, method string, params wire.Appender) (*Method, error) {
	if len(p.rows) == 0 {
		return &noRow, nil
	}
	r := p.row(method)
	to := (ToServer | ToClient) &^ p.Direction
	switch {
	case r.Kind == 0 && p.Forwards:
	case r.Kind != kind || r.Direction&to == 0:
		return nil, &MethodError{Method: method, Kind: kind, To: to, Revision: p.Revision}
	case kind == jsonrpc.Request && !p.theirs.has(r.need()):
		text, _ := TextOf(params) // the capability as a whole is missing, whatever the params are
		return nil, &CapabilityError{Method: method, Capability: p.lacking(p.theirs, r, wire.Object(text))}
	case kind == jsonrpc.Notification && !p.declares(r.need()):
		return nil, &CapabilityError{Method: method, Capability: r.need(), Own: true}
	}
	return r, nil
}

// lacking returns the capability that a request with these params needs and a side has not declared, or "". If the side
// lacks all of a capability, it is the part that the request needs, such as elicitation.url, so that the peer learns
// all at once.
func (b *protocol) lacking(declared capabilitySet, r *Method, params wire.Object) string {
	missing := ""
	if !declared.has(r.need()) {
		missing = r.need()
	}
	for i := range refinements {
		f := &refinements[i]
		part := missing == "" || !f.missing && strings.HasPrefix(f.capability, missing+".")
		if part && f.of(r.Name, b.Revision) && !declared.has(f.capability) && f.asked(params) {
			return f.capability
		}
	}
	return missing
}

// refine checks a request that is encoded and about to be sent.
func (p *peer) refine(r *Method, text []byte) error {
	for i := range refinements {
		f := &refinements[i]
		if f.of(r.Name, p.Revision) && !p.theirs.has(f.capability) && f.concerns(text) {
			return &CapabilityError{Method: f.method, Capability: f.capability}
		}
	}
	return nil
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

// declares reports whether this side has declared a capability.
func (p *peer) declares(need string) bool {
	if need == "" || !p.serving() {
		return p.ours.has(need)
	}
	return p.offered().set.has(need) || p.offeredNow().set.has(need)
}

// extended reports whether a value of resultType belongs to an extension that this side has declared and
// that gives it to results of the method ("Extension Negotiation" in basic/versioning, 2026-07-28).
func (p *peer) extended(method, kind string) bool {
	for _, x := range p.Extensions {
		owns := slices.ContainsFunc(x.Results, func(r ExtensionResult) bool { return r.Method == method && r.Type == kind })
		if owns && declaresExtension(p.declared, x.Name) {
			return true
		}
	}
	return false
}

// implementation is how one side introduces itself in clientInfo or serverInfo.
type implementation struct {
	name, title, version string
	details              wire.Members
}

// in returns the Implementation object of a revision.
func (i implementation) in(revision string) wire.Appender {
	return appendFunc(func(dst []byte) ([]byte, error) {
		w := wire.ObjectWriter(dst)
		w.String("name", i.name)
		if i.title != "" && revision >= revisionTitle {
			w.String("title", i.title)
		}
		w.String("version", i.version)
		if revision >= revisionDetails {
			w.Members(i.details, "name", "title", "version")
		}
		return w.Close()
	})
}

// text returns the Implementation object with which a server names itself in results.
func (i implementation) text() (wire.Raw, error) {
	text, err := wire.MarshalString(i.in(revisionDetails))
	if err != nil {
		err = fmt.Errorf("runtime: the server's name: %w", err)
	}
	return wire.Raw(text), err
}

// greeting holds what one side says of itself, in the params or the result of initialize or in the result of
// server/discover.
type greeting struct {
	revision     string
	versions     []string // in results of server/discover only
	capabilities wire.Object
	info         wire.Object
	instructions string // in results only
}

// read reads a greeting, whose own members are the required ones, instructions and _meta. The values are copies, so
// that the session does not retain the whole message. The text is checked, because middleware may have changed it.
func (g *greeting) read(text wire.Raw, required ...string) error {
	r := wire.NewStringReader(string(text))
	var named wire.Raw // in _meta, which has the name of a server in results of server/discover
	names := append(required, "instructions", "_meta")
	err := params.Decode(r, names, len(required), func(i int) {
		switch names[i] {
		case "protocolVersion":
			g.revision = strings.Clone(r.ReadString())
		case "supportedVersions":
			for r.BeginArray(); r.Element(); {
				g.versions = append(g.versions, strings.Clone(r.ReadString()))
			}
		case "capabilities":
			g.capabilities = r.ReadObject().Clone()
		case "clientInfo", "serverInfo":
			g.info = r.ReadObject().Clone()
		case "instructions":
			if !r.ReadNull() { // some servers write null for none
				g.instructions = strings.Clone(r.ReadString())
			}
		case "_meta":
			named, _ = wire.Object(r.ReadRaw()).Get(metaServerInfo)
		}
	})
	if g.info == "" && named.Kind() == wire.KindObject {
		g.info = wire.Object(named).Clone()
	}
	return err
}

// maxPeerSize limits the Implementation and the capabilities of a client, in bytes. A session keeps them for
// its whole life, also while its client is not connected. Most clients need 300 bytes; the rest is for icons.
const maxPeerSize = 16 << 10

// checkPeerSize returns an error for params if a server does not keep as much about a client. At says
// where in the params both are.
func checkPeerSize(at string, info, capabilities wire.Object) error {
	if n := len(info) + len(capabilities); n > maxPeerSize {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams,
			"invalid params: %s: the Implementation and the capabilities take %d bytes; at most %d are accepted", at, n, maxPeerSize)
	}
	return nil
}

// appendGreeting writes a greeting.
func appendGreeting(dst []byte, revision string, capabilities wire.Object, info string, self implementation, instructions string) ([]byte, error) {
	w := wire.ObjectWriter(dst)
	w.String("protocolVersion", revision)
	w.Value("capabilities", capabilities)
	w.Value(info, self.in(revision))
	if instructions != "" {
		w.String("instructions", instructions)
	}
	return w.Close()
}

// The code below determines the peer of a request that describes it in its _meta ("Per-request protocol
// fields" in basic, 2026-07-28). Nothing is taken from earlier requests of the connection.

// requestMeta holds the texts of the members of _meta that determine the peer of a request, "" for those
// that are absent. Equal texts mean the same peer. That of a session has the texts of its handshake.
type requestMeta struct {
	revision, info, capabilities, level wire.Raw
	own                                 wire.Raw // the capabilities of this side in a session; "" for a request
}

// noLogs is the severity for a request that asks for no log messages.
const noLogs = int(^uint(0) >> 1)

// metaOf returns the members of the _meta of params.
func metaOf(params wire.Raw) (m requestMeta) {
	meta, _ := wire.Object(params).Get("_meta")
	for name, value := range wire.Object(meta).All() {
		switch name {
		case metaRevision:
			m.revision = value
		case metaClientInfo:
			m.info = value
		case metaCapabilities:
			m.capabilities = value
		case metaLogLevel:
			m.level = value
		}
	}
	return m
}

// CarriesRevision reports whether the params of a message say under which revision it is handled, so that it
// belongs to no session. It is for transports that serve such messages in another way.
func CarriesRevision(params wire.Raw) bool {
	meta := metaOf(params)
	return meta.revision != "" || meta.capabilities != ""
}

func missingMeta(name string) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /_meta: missing %s", name)
}

func invalidMeta(name, want string) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /_meta: %s: %s", name, want)
}

// implementation returns the client's Implementation, or "" if there is none. Servers accept its
// absence.
func (m requestMeta) implementation() (wire.Object, error) {
	if m.info == "" || m.info == "null" {
		return "", nil
	}
	for _, name := range []string{"name", "version"} {
		if value, ok := wire.Object(m.info).Get(name); !ok || value.Kind() != wire.KindString {
			return "", invalidMeta(metaClientInfo, fmt.Sprintf("%s is not a string", name))
		}
	}
	return wire.Object(m.info), nil
}

// clone returns a copy that does not share the memory of the message.
func (m requestMeta) clone() requestMeta {
	return requestMeta{m.revision.Clone(), m.info.Clone(), m.capabilities.Clone(), m.level.Clone(), m.own.Clone()}
}

// object returns a _meta that has only these members.
func (m requestMeta) object() wire.Object {
	var all wire.Members
	for _, member := range []struct {
		name  string
		value wire.Raw
	}{{metaRevision, m.revision}, {metaClientInfo, m.info}, {metaCapabilities, m.capabilities}, {metaLogLevel, m.level}} {
		if member.value != "" {
			all.Set(member.name, member.value)
		}
	}
	text, _ := wire.NewObject(all...) // the names differ, so it cannot fail
	return text
}

// maxPeers limits the entries of a peerCache. Clients send the same members with every request, and few
// different ones. An entry takes up to maxPeerSize bytes.
const maxPeers = 256

// peerCache keeps the peers of requests by their texts, so that equal texts are decoded once.
type peerCache struct {
	mu      sync.RWMutex
	entries map[requestMeta]*peer
}

// of returns the peer of an entry, which it makes if there is none. The members that fresh gets do not share the memory
// of a message. If there are too many entries, the new one replaces one of them.
func (c *peerCache) of(m requestMeta, fresh func(requestMeta) (*peer, error)) (*peer, error) {
	c.mu.RLock()
	t := c.entries[m]
	c.mu.RUnlock()
	if t != nil {
		return t, nil
	}
	m = m.clone()
	t, err := fresh(m)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = make(map[requestMeta]*peer)
	}
	if len(c.entries) >= maxPeers {
		for old := range c.entries {
			delete(c.entries, old)
			break
		}
	}
	c.entries[m] = t
	return t, nil
}

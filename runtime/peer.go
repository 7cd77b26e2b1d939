package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/headers"
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
var unknownPeer = unnegotiated(nil)

// unnegotiated returns a peer whose revision is not known yet. Serve handles its messages.
func unnegotiated(serve Handler) *peer {
	return &peer{protocol: &protocol{serve: serve, send: sendChecked}}
}

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

// refusalFor returns the error with which a request of the peer that is not begun is refused: err, or what revisions
// without sessions have in its place.
func (p *peer) refusalFor(err *jsonrpc.Error) error {
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

// admitPing admits a message before the handshake, which must be a ping. The error for a method that
// no binding has is MethodNotFound, so that the peer does not try again after the handshake.
func admitPing(m *jsonrpc.Message, bindings []*protocol) (admission, error) {
	if m.Kind == jsonrpc.Request && m.Method == methodPing {
		pong := func(context.Context, *Message) (wire.Appender, error) { return emptyResult, nil }
		return admission{peer: unnegotiated(pong), inline: true}, nil
	}
	for _, b := range bindings {
		if len(b.rows) == 0 || b.row(m.Method).Kind != 0 {
			return admission{}, errNotInitialized
		}
	}
	return admission{}, MethodNotFound(m.Method)
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
	p := c.entries[m]
	c.mu.RUnlock()
	if p != nil {
		return p, nil
	}
	m = m.clone()
	p, err := fresh(m)
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
	c.entries[m] = p
	return p, nil
}

// peerOf returns the peer that a message with these members of _meta describes. The headers, if not nil, must repeat
// the message.
func (s *Server) peerOf(meta requestMeta, m *jsonrpc.Message, h headers.Header) (*peer, error) {
	// The revision is compared first, because a client that gets UnsupportedVersion may rely on the header.
	if revision, ok := meta.revision.Str(); h != nil && ok {
		if err := mismatch(headers.CheckRevision(h, revision)); err != nil {
			return nil, err
		}
	}
	p, err := s.known.of(meta, s.newPeer)
	if err == nil && h != nil && m.Kind == jsonrpc.Request {
		err = p.checkHeaders(m, h)
	}
	return p, err
}

// newPeer checks the members and returns the peer that they describe.
func (s *Server) newPeer(m requestMeta) (*peer, error) {
	if err := checkPeerSize("/_meta", wire.Object(m.info), wire.Object(m.capabilities)); err != nil {
		return nil, err
	}
	if m.revision == "" {
		return nil, missingMeta(metaRevision)
	}
	revision, ok := m.revision.Str()
	if !ok {
		return nil, invalidMeta(metaRevision, "not a string")
	}
	b := ofRevision(s.stateless, revision)
	if b == nil {
		return nil, jsonrpc.UnsupportedVersion(revision, s.revisions)
	}
	if m.capabilities == "" {
		return nil, missingMeta(metaCapabilities)
	}
	if m.capabilities.Kind() != wire.KindObject {
		return nil, invalidMeta(metaCapabilities, "not an object")
	}
	info, err := m.implementation()
	if err != nil {
		return nil, err
	}
	p := b.peer(info, wire.Object(m.capabilities), "")
	p.severity = noLogs
	if m.level != "" && m.level != "null" {
		level, _ := m.level.Str()
		if p.severity = LogLevel(level).severity(); p.severity < 0 {
			return nil, invalidMeta(metaLogLevel, fmt.Sprintf("not a log level: %.50s", m.level))
		}
	}
	return p, nil
}

// checkHeaders compares a stateless request with the HTTP headers that repeat parts of it ("Server Validation" in
// basic/transports/streamable-http, 2026-07-28). The protocol does not say which headers a notification has, so those of
// notifications are ignored.
func (p *peer) checkHeaders(m *jsonrpc.Message, h headers.Header) error {
	params := wire.Object(m.Params)
	repeated := headers.Standard{Revision: p.Revision, Method: m.Method}
	if name := p.row(m.Method).NameParam; name != "" {
		repeated.Named = true
		repeated.Name = params.GetString(name)
	}
	err := repeated.Check(h)
	forwards := p.Forwards // to a server that may ignore the case of names
	if err == nil && forwards {
		if found, name := headers.Folded(params, "_meta", "arguments", p.row(m.Method).NameParam); found != "" {
			err = &headers.MismatchError{Header: headers.Name, Problem: fmt.Sprintf("the member %.100q of the message differs from %q in case alone", found, name)}
		}
	}
	if err == nil && m.Method == methodCallTool && p.ToolHeaders != nil {
		if table := p.ToolHeaders(repeated.Name); table != nil {
			arguments, _ := params.Get("arguments")
			if err = table.Check(h, wire.Object(arguments)); err == nil && forwards {
				err = table.CheckCase(wire.Object(arguments))
			}
		}
	}
	return mismatch(err)
}

// mismatch returns the JSON-RPC error for one of package headers.
func mismatch(err error) error {
	if err == nil {
		return nil
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeHeaderMismatch, Message: err.Error()}
}

// peerOfSession returns the peer of a session. The sessions of equal clients share it, which saves 250 bytes of each.
func (s *Server) peerOfSession(b *protocol, info, theirs, own wire.Object) *peer {
	m := requestMeta{revision: wire.Raw(b.Revision), info: wire.Raw(info), capabilities: wire.Raw(theirs), own: wire.Raw(own)}
	p, _ := s.known.of(m, func(m requestMeta) (*peer, error) {
		return b.peer(wire.Object(m.info), wire.Object(m.capabilities), wire.Object(m.own)), nil
	})
	return p
}

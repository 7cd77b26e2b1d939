package runtime

import (
	"fmt"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file determines the terms of a request that carries them in its _meta ("Per-request protocol
// fields" in basic, 2026-07-28). Nothing is taken from earlier requests of the connection.

// requestMeta holds the texts of the members of _meta that determine the terms of a request, "" for those
// that are absent. Equal texts mean equal terms.
type requestMeta struct {
	revision, info, capabilities, level wire.Raw
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

// stateless reports whether the message with the members belongs to no session. It does so if it has
// either of the members that every stateless request must have.
func (m requestMeta) stateless() bool { return m.revision != "" || m.capabilities != "" }

// CarriesTerms reports whether the params of a message say under which revision it is handled, so that it
// belongs to no session. It is for transports that serve such messages in another way.
func CarriesTerms(params wire.Raw) bool {
	return metaOf(params).stateless()
}

// requestTerms returns the terms that a message carries, or nil if the rules of sessions apply to it. The
// headers, if not nil, must repeat the message.
func (e *serverSide) requestTerms(m *jsonrpc.Message, h headers.Header) (*terms, error) {
	meta := metaOf(m.Params)
	switch {
	case m.Kind == jsonrpc.Request && m.Method == methodInitialize && !meta.stateless():
		if e.sessionless {
			return nil, jsonrpc.UnsupportedVersion(wire.Object(m.Params).GetString("protocolVersion"), e.of.spoken)
		}
		return nil, nil
	case meta.stateless(): // also initialize, which the revision does not have
		if err := meta.checkHeader(h); err != nil {
			return nil, err
		}
		t, err := e.of.termsOf(meta)
		if err != nil {
			return nil, err
		}
		return t, t.checkHeaders(m, h)
	case m.Kind == jsonrpc.Notification && e.sessionless:
		return nil, errNotInitialized
	case m.Kind == jsonrpc.Notification || e.terms != nil || !e.sessionless && m.Method == methodPing:
		return nil, nil
	case !e.sessionless:
		return nil, missingMeta(metaRevision + " (or send initialize first, to open a session)")
	}
	return nil, missingMeta(metaRevision)
}

func missingMeta(name string) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /_meta: missing %s", name)
}

func invalidMeta(name, want string) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /_meta: %s: %s", name, want)
}

// termsOf returns the terms of a request with these members of _meta.
func (s *Server) termsOf(m requestMeta) (*terms, error) {
	if t := s.known.get(m); t != nil {
		return t, nil
	}
	if err := checkPeerSize("/_meta", wire.Object(m.info), wire.Object(m.capabilities)); err != nil {
		return nil, err
	}
	m = m.clone()
	t, err := s.newTerms(m)
	if err != nil {
		return nil, err
	}
	s.known.put(m, t)
	return t, nil
}

// newTerms checks the members and makes terms of them.
func (s *Server) newTerms(m requestMeta) (*terms, error) {
	if m.revision == "" {
		return nil, missingMeta(metaRevision)
	}
	revision, ok := m.revision.Str()
	if !ok {
		return nil, invalidMeta(metaRevision, "not a string")
	}
	b := ofRevision(s.stateless, revision)
	if b == nil {
		return nil, jsonrpc.UnsupportedVersion(revision, s.spoken)
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
	t := b.terms(info, wire.Object(m.capabilities), "")
	t.severity = noLogs
	if m.level != "" && m.level != "null" {
		level, _ := m.level.Str()
		if t.severity = LogLevel(level).severity(); t.severity < 0 {
			return nil, invalidMeta(metaLogLevel, fmt.Sprintf("not a log level: %.50s", m.level))
		}
	}
	return t, nil
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
	return requestMeta{m.revision.Clone(), m.info.Clone(), m.capabilities.Clone(), m.level.Clone()}
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

// maxTerms limits the entries of a termsCache. Clients send the same members with every request, and few
// different ones. An entry takes up to maxPeerSize bytes.
const maxTerms = 256

// termsCache keeps the terms of requests by their texts, so that equal texts are decoded once.
type termsCache struct {
	mu   sync.RWMutex
	kept map[requestMeta]*terms
}

func (c *termsCache) get(m requestMeta) *terms {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.kept[m]
}

// put adds an entry. If there are too many, it replaces one of them.
func (c *termsCache) put(m requestMeta, t *terms) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = make(map[requestMeta]*terms)
	}
	if len(c.kept) >= maxTerms {
		for old := range c.kept {
			delete(c.kept, old)
			break
		}
	}
	c.kept[m] = t
}

// The code below compares a stateless request with the HTTP headers that repeat parts of it ("Server
// Validation" in basic/transports/streamable-http, 2026-07-28). The protocol does not say which headers a
// notification has, so those of notifications are ignored.

// checkHeader compares the revision alone. A client that gets UnsupportedVersion may rely on the header,
// so this is checked before.
func (m requestMeta) checkHeader(h headers.Header) error {
	revision, ok := m.revision.Str()
	if h == nil || !ok {
		return nil
	}
	return mismatch(headers.CheckRevision(h, revision))
}

// checkHeaders compares a message with the headers.
func (t *terms) checkHeaders(m *jsonrpc.Message, h headers.Header) error {
	if h == nil || m.Kind != jsonrpc.Request {
		return nil
	}
	params := wire.Object(m.Params)
	repeated := headers.Standard{Revision: t.revision, Method: m.Method}
	if name := t.bound.row(m.Method).nameParam; name != "" {
		repeated.Named = true
		repeated.Name = params.GetString(name)
	}
	err := repeated.Check(h)
	if err == nil && m.Method == methodCallTool && t.bound.ToolHeaders != nil {
		if table := t.bound.ToolHeaders(repeated.Name); table != nil {
			arguments, _ := params.Get("arguments")
			err = table.Check(h, wire.Object(arguments))
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

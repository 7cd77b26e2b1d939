package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

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

// peerOf returns the peer that a message with these members of _meta describes. The headers, if not nil, must repeat
// the message.
func (s *Server) peerOf(meta requestMeta, m *jsonrpc.Message, h headers.Header) (*peer, error) {
	// The revision is compared first, because a client that gets UnsupportedVersion may rely on the header.
	if revision, ok := meta.revision.Str(); h != nil && ok {
		if err := mismatch(headers.CheckRevision(h, revision)); err != nil {
			return nil, err
		}
	}
	t, err := s.known.of(meta, s.newPeer)
	if err == nil && h != nil && m.Kind == jsonrpc.Request {
		err = t.checkHeaders(m, h)
	}
	return t, err
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
	t := b.peer(info, wire.Object(m.capabilities), "")
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

// The code below compares a stateless request with the HTTP headers that repeat parts of it ("Server
// Validation" in basic/transports/streamable-http, 2026-07-28). The protocol does not say which headers a
// notification has, so those of notifications are ignored.

// checkHeaders compares a request with the headers.
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

// The code below adds the members that all results of stateless requests have: the type, the server's
// Implementation, and how long the result may be kept ("Result Responses" and "Per-response protocol
// fields" in basic, "Cacheable Results" in server/utilities/caching, 2026-07-28). What a handler has set
// is kept. Members that the result lacks come first, because a client has to read the type before it can read the rest.

// commonMembers is what the text of a result has of these members; "" for those that it lacks.
type commonMembers struct {
	kind, meta, ttl, scope wire.Raw
	empty                  bool // it has no member at all
}

func commonOf(result wire.Object) commonMembers {
	has := commonMembers{empty: true}
	for name, value := range result.All() {
		has.empty = false
		switch name {
		case "resultType":
			has.kind = value
		case "_meta":
			has.meta = value
		case "ttlMs":
			has.ttl = value
		case "cacheScope":
			has.scope = value
		}
	}
	return has
}

// appendResult appends a result, completed.
func (c statelessCall) appendResult(dst []byte, result wire.Appender) ([]byte, error) {
	start := len(dst)
	dst, err := result.AppendJSON(dst)
	if err != nil {
		return dst, wire.In(err, "result")
	}
	text := wire.Object(wire.View(dst[start:]))
	if text.Kind() != wire.KindObject {
		return dst, nil
	}
	has := commonOf(text)
	if has.kind == `"`+resultInputRequired+`"` {
		asking, err := c.requireInput(text)
		if err != nil {
			return dst, err
		}
		text = asking
		has = commonOf(text)
		dst = append(dst[:start], text...)
	}
	var own [256]byte                        // on the stack
	lacking := c.appendLacking(own[:0], has) // before dst is written, because has may share its memory
	named := c.peer.server.named
	if _, is := wire.Object(has.meta).Get(metaServerInfo); has.meta.Kind() == wire.KindObject && !is && named != "" {
		meta, err := wire.Object(has.meta).With(metaServerInfo, named)
		if err != nil {
			return dst, err
		}
		if text, err = text.With("_meta", wire.Raw(meta)); err != nil {
			return dst, err
		}
		dst = append(dst[:start], text...)
	}
	bracket := start + bytes.IndexByte(dst[start:], '{') // white space may come before it
	return slices.Replace(dst, start, bracket+1, lacking...), nil
}

// appendLacking appends the beginning of a result: a bracket and the members that the result lacks.
func (c statelessCall) appendLacking(dst []byte, has commonMembers) []byte {
	dst = append(dst, '{')
	if has.kind == "" {
		dst = append(dst, `"resultType":"`+resultComplete+`"`...)
	}
	if named := c.peer.server.named; has.meta == "" && named != "" {
		dst = append(wire.AppendName(dst, "_meta"), '{')
		dst = append(append(wire.AppendName(dst, metaServerInfo), named...), '}')
	}
	if complete := has.kind == "" || has.kind == `"`+resultComplete+`"`; complete && c.row.Cacheable {
		hint := c.hint()
		if has.ttl == "" {
			dst = wire.AppendInt64(wire.AppendName(dst, "ttlMs"), hint.TTL.Milliseconds())
		}
		if has.scope == "" {
			dst = append(wire.AppendName(dst, "cacheScope"), hint.scope()...)
		}
	}
	if len(dst) > 1 && !has.empty {
		dst = append(dst, ',')
	}
	return dst
}

// hint returns the hint of the result of a stateless call.
func (c statelessCall) hint() CacheHint {
	if own := c.cache.Load(); own != nil {
		return *own
	}
	return c.peer.server.opts.Cache.of(c.m.Method)
}

// Hinted is implemented by the generated results that say how long they may be kept. WithCacheHint returns
// the result itself if it has a cacheScope, or else a copy with the given one, which also has the TTL unless
// the result has one. The protocol requires both members, and few handlers set them.
type Hinted interface {
	WithCacheHint(ttlMs int64, cacheScope string) wire.Appender
}

// hinted returns the result of a handler with the hint of its call.
func hinted(ctx context.Context, r Hinted) wire.Appender {
	var hint CacheHint // in a session, the result is converted to a revision without hints
	if c := CallOf(ctx); c != nil && c.row != nil {
		hint = statelessCall{c}.hint()
	}
	return r.WithCacheHint(hint.TTL.Milliseconds(), hint.scopeName())
}

// CachePrivately makes the hint of the result private, without a change of its TTL.
func (c *Call) CachePrivately() {
	if c.row == nil {
		return
	}
	h := statelessCall{c}.hint()
	h.Public = false
	c.Cache(h)
}

// Cache sets the hint of the result of the call in place of that of the options. It has no effect if the
// result has hints of its own, or if results of the method are not kept. A negative TTL counts as 0.
func (c *Call) Cache(h CacheHint) {
	if c.row == nil {
		return
	}
	h.TTL = max(h.TTL, 0)
	c.cache.Store(&h)
}

// restated returns the error that a stateless request gets for the error of its handler, which may be
// written for a revision with sessions. Codes of such revisions must not be sent ("Error Codes" in basic,
// 2026-07-28).
func (c statelessCall) restated(err error) error {
	if missing, ok := errors.AsType[*CapabilityError](err); ok && !missing.Own {
		return jsonrpc.MissingCapability(declare("{}", missing.Capability, "{}"))
	}
	e, ok := asError(err)
	if !ok {
		return err
	}
	switch e.Code {
	case jsonrpc.CodeResourceNotFound:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: e.Message, Data: c.uriData(e.Data)}
	case jsonrpc.CodeServerBusy:
		return &jsonrpc.Error{Code: jsonrpc.CodeUnavailable, Message: e.Message, Data: e.Data}
	case jsonrpc.CodeURLElicitationRequired:
		// If possible, Call.askURLs asks for what the error demands; otherwise the error remains.
		return jsonrpc.MissingCapability(`{"elicitation":{"url":{}}}`)
	}
	if !c.peer.defines(e.Code) {
		c.conn.logFailure("the handler's error code is reserved and not defined; the client gets an internal error", "method", c.m.Method, "id", c.id, "error", err)
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.Message, Data: e.Data}
	}
	return err
}

// uriData returns the data of the error for a resource that does not exist: an object with the URI of the
// request ("Error Handling" in server/resources, 2026-07-28).
func (c statelessCall) uriData(data wire.Raw) wire.Raw {
	o := wire.Object(data)
	if data != "" && o.Kind() != wire.KindObject {
		return data
	}
	if _, ok := o.Get("uri"); ok {
		return data
	}
	uri, ok := wire.Object(c.params).Get("uri")
	if !ok {
		return data
	}
	with, err := o.With("uri", uri)
	if err != nil {
		return data
	}
	return wire.Raw(with)
}

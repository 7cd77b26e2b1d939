package runtime

import (
	"bytes"
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/form"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Decode decodes the result of a request that this side sends into what Into returns. The sender of the request
// does that, so that a Handler on the way calls Decode only if it needs the value.
func (m *Message) Decode(ctx context.Context, text wire.Raw) error {
	s := m.sent
	var err error
	if text != s.answer { // whose syntax was checked with the message that it came in
		text, err = wire.Parse(string(text))
	}
	var accepted []wire.Deviation
	var more int
	if err == nil {
		accepted, more, err = wire.UnmarshalLenient(text, s.into, s.lenience())
	}
	if err == nil && s.key != "" {
		err = wire.Validate(s.into)
	}
	if err != nil {
		return prefix.Errorf("runtime: result of %s: %w", m.Method, s.badInput(err))
	}
	s.decoded = true
	if len(accepted) > 0 && s.conn != nil {
		s.conn.report(ctx, &Deviations{Method: m.Method, All: accepted, More: more})
	}
	return nil
}

// lenience returns what is accepted in the result.
func (s *sent) lenience() wire.Lenience {
	if s.conn == nil {
		return 0
	}
	return s.conn.lenient.of(s.row.lists())
}

// report logs deviations and passes them to the program.
func (cn *conn) report(ctx context.Context, d *Deviations) {
	cn.logger().Warn("result deviates from the schema", "method", d.Method, "left out", d.LeftOut(), "deviations", len(d.All)+d.More, "first", fmt.Sprintf("%.300s", d.All[0]))
	if cn.deviated != nil {
		cn.deviated(ctx, d)
	}
}

// UnknownResult returns the error for a result that has none of the types that the method allows: an
// *[OtherResultError] if it has a resultType, which then belongs to an extension, because a client has
// refused all others before. Generated code calls it with a box of the method's result.
func UnknownResult(method string, result wire.Value) error {
	text, err := wire.Marshal(result)
	if kind := wire.Object(text).GetString("resultType"); kind != "" && kind != resultComplete && kind != resultInputRequired {
		return &OtherResultError{Method: method, Result: result}
	}
	if err == nil {
		err = wire.Validate(result)
	}
	return prefix.Errorf("runtime: result of %s: %w; received %.200q", method, err, text)
}

// PlainResult returns the result of a request as an R, which is one of the types that the result can
// have. If the result has another type, the error is an *[OtherResultError]. Result and err are the
// results of the method that returns all types.
func PlainResult[R, U wire.Appender](method string, result U, err error) (R, error) {
	plain, ok := any(result).(R)
	if err == nil && !ok {
		err = &OtherResultError{Method: method, Result: result}
	}
	return plain, err
}

// FillDefaults wraps a client's binding. In the answer to a form that the user has accepted, it sets the fields that
// the wrapped handler omitted to the defaults of the form ("Requested Schema" in client/elicitation of revisions since
// 2025-06-18). A default that its field does not allow is ignored.
func FillDefaults(below Binding) Binding {
	b := below
	b.Handle = func(ctx context.Context, m *Message) (wire.Appender, error) {
		if below.Handle == nil {
			return nil, MethodNotFound(m.Method)
		}
		result, err := below.Handle(ctx, m)
		if m.Method != methodElicit || err != nil || result == nil {
			return result, err
		}
		text, err := wire.MarshalString(result)
		if err != nil {
			return nil, err
		}
		return form.FillDefaults(m.Object(), wire.Object(text))
	}
	return b
}

// Both sides check that the content of a form which the user has accepted matches the requested schema
// ("Form Mode Security" in client/elicitation, 2026-07-28; "Security Considerations" in the revisions before it):
// the client before it sends the content, the server before its handler gets it.

// checkForm encodes the result of the client's handler for a form, or returns an error if it does not match
// the form.
func checkForm(params wire.Object, result wire.Appender) (wire.Appender, error) {
	if result == nil {
		return nil, nil
	}
	text, err := wire.MarshalString(result)
	if err == nil {
		err = form.CheckResult(params, wire.Object(text))
	}
	if err != nil {
		return nil, fmt.Errorf("runtime: result of %s: %w", methodElicit, err)
	}
	return wire.Raw(text), nil
}

// checkAnswered returns an error if the text answers a form and does not match it.
func (m *Message) checkAnswered(text wire.Raw) error {
	if m.Method != methodElicit || m.Params == nil {
		return nil
	}
	if err := form.CheckResult(m.Object(), wire.Object(text)); err != nil {
		return prefix.Errorf("runtime: result of %s: %w", m.Method, m.sent.badInput(err))
	}
	return nil
}

// badInput returns the error for an answer that is not valid. If it answers a question of a stateless call, that
// is also the error that the client gets ("Error Handling" in basic/patterns/mrtr, 2026-07-28).
func (s *sent) badInput(err error) error {
	if s.key == "" {
		return err
	}
	bad := invalidParams(wire.In(wire.In(err, s.key), memberInputResponses))
	r := statelessCall{s.call}.rounds()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = bad
	return bad
}

// checkRoots encodes the result of roots/list. It returns an error if the URI of a root does not begin
// with file:// ("Root" in client/roots of every revision), which no schema requires.
func checkRoots(result wire.Appender) (wire.Appender, error) {
	if result == nil {
		return nil, errors.New("runtime: the handler of roots/list returned no result")
	}
	text, err := wire.MarshalString(result)
	if err != nil {
		return nil, prefix.Errorf("runtime: result of roots/list: %w", err)
	}
	roots, _ := wire.Object(text).Get("roots")
	if roots.Kind() != wire.KindArray {
		return wire.Raw(text), nil // other errors are not checked here
	}
	r := roots.Reader()
	i := 0
	for r.BeginArray(); r.Element(); i++ {
		root := wire.Object(r.ReadRaw())
		if uri := root.GetString("uri"); !isFileURI(uri) {
			return nil, fmt.Errorf("runtime: result of roots/list: /roots/%d/uri: expected a URI that begins with file://, found %.200q", i, uri)
		}
	}
	return wire.Raw(text), nil
}

// isFileURI reports whether a URI has the scheme file, in whatever case (RFC 3986, section 3.1).
func isFileURI(uri string) bool {
	const prefix = "file://"
	return len(uri) >= len(prefix) && strings.EqualFold(uri[:len(prefix)], prefix)
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
			dst = strconv.AppendInt(wire.AppendName(dst, "ttlMs"), hint.TTL.Milliseconds(), 10)
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

const (
	// maxPages and maxPaging limit the pages of a list and the time of waiting for them. A server could
	// return a new cursor with each page for ever.
	maxPages  = 10_000
	maxPaging = defaultMaxTimeout
)

// All yields pointers to the items of a paginated list. It calls page with nil for the first page, and then with the
// cursor that page has returned, until that is nil or "", with which some servers end their lists ("Pagination" in
// server/utilities/pagination of every revision). Each page is requested when the loop reaches its first item. After an
// error, which is yielded with a nil pointer, the sequence ends. A list that has the same cursor twice or more than
// 10,000 pages is an error, and so is one whose pages take more than an hour together.
func All[T any](page func(cursor *string) (items []T, next *string, err error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		seen, seed := make(map[uint64]bool), maphash.MakeSeed() // hashes, because cursors may be long
		var waited time.Duration
		for cursor := (*string)(nil); ; {
			start := time.Now()
			items, next, err := page(cursor)
			waited += time.Since(start)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range items {
				if !yield(&items[i], nil) {
					return
				}
			}
			if next == nil || *next == "" {
				return
			}
			hash := maphash.String(seed, *next)
			if seen[hash] {
				yield(nil, fmt.Errorf("runtime: the same cursor twice: %.100q", *next))
				return
			}
			if len(seen)+1 == maxPages || waited > maxPaging {
				yield(nil, fmt.Errorf("runtime: the list has not ended after %d pages and %s", len(seen)+1, waited.Round(time.Second)))
				return
			}
			seen[hash] = true
			cursor = next
		}
	}
}

// Page is a server's side of a paginated list. It returns the page that a client's cursor leads to, at most
// size items, and the cursor of the next page, nil for the last one. A nil cursor leads to the first page; a
// size of 0 or less means all items. The error for a cursor that Page did not return, or that leads beyond a
// list that has become shorter, is a *jsonrpc.Error with CodeInvalidParams ("Error handling" in
// server/utilities/pagination). Cursors need no state: any copy of the server with the same list reads them.
func Page[T any](items []T, cursor *string, size int) (page []T, next *string, err error) {
	start := 0
	if cursor != nil {
		var ok bool
		if start, ok = parseCursor(*cursor); !ok || start >= len(items) {
			return nil, nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /cursor: not a cursor of this list: %.50q", *cursor)
		}
	}
	page = items[start:]
	if size <= 0 || size >= len(page) {
		return page, nil, nil
	}
	return page[:size:size], new(formatCursor(start + size)), nil
}

const (
	cursorPrefix = "at-"
	cursorBase   = 36
)

// formatCursor returns the cursor of the page that begins with that item.
func formatCursor(start int) string {
	return cursorPrefix + strconv.FormatInt(int64(start), cursorBase)
}

// parseCursor accepts only what formatCursor returns. The first page, which begins at 0, has no cursor.
func parseCursor(cursor string) (start int, ok bool) {
	digits, ok := strings.CutPrefix(cursor, cursorPrefix)
	n, err := strconv.ParseInt(digits, cursorBase, 0)
	return int(n), ok && err == nil && n > 0 && cursor == formatCursor(int(n))
}

// defaultCacheBytes is the default of CacheOptions.MaxBytes.
const defaultCacheBytes = 16 << 20

// resultCache holds results. It is safe for concurrent use.
type resultCache struct {
	opts CacheOptions

	mu      sync.Mutex
	entries map[cacheKey]*list.Element // of *cacheEntry
	used    list.List                  // the least recently used first
	bytes   int
	epoch   uint64 // counts invalidations
}

// cacheKey identifies a result. Authorization is "" for a public one.
type cacheKey struct {
	revision, method, params string
	private                  bool
	authorization            string
}

type cacheEntry struct {
	key  cacheKey
	text wire.Raw
	till time.Time
}

func newCache(o *CacheOptions) *resultCache {
	if o == nil {
		return nil
	}
	c := &resultCache{opts: *o, entries: make(map[cacheKey]*list.Element)}
	c.opts.MaxBytes = cmp.Or(max(o.MaxBytes, 0), defaultCacheBytes)
	return c
}

// lookup is a request whose result may be kept.
type lookup struct {
	cache *resultCache
	key   cacheKey
	epoch uint64 // when the request was sent
}

// begin returns the kept result of a request, or the lookup with which its result is kept. The lookup is
// nil if the result must not be kept.
func (c *resultCache) begin(ctx context.Context, m *Message) (text wire.Raw, l *lookup) {
	if c == nil || !m.sent.row.Cacheable || m.Method == methodDiscover {
		return "", nil
	}
	params := m.Object()
	if params == "" && m.Params != nil {
		return "", nil
	}
	params = cmp.Or(params, "{}")
	for name := range params.All() {
		if name == memberInputResponses || name == memberRequestState {
			return "", nil
		}
	}
	key := cacheKey{revision: m.sent.peer.Revision, method: m.Method, params: string(params.Without("_meta"))}
	if c.opts.Authorization != nil {
		key.authorization = c.opts.Authorization(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	private := key
	private.private = true
	for _, k := range []cacheKey{private, key.public()} {
		if e := c.entries[k]; e != nil {
			entry := e.Value.(*cacheEntry)
			if time.Now().Before(entry.till) {
				c.used.MoveToBack(e)
				return entry.text, nil
			}
			c.drop(e)
		}
	}
	return "", &lookup{c, key, c.epoch}
}

func (k cacheKey) public() cacheKey {
	k.private, k.authorization = false, ""
	return k
}

// keep keeps the result of a request if the server allows it. A result without a valid time is stale, and
// one without a known scope is private.
func (l *lookup) keep(result wire.Raw) {
	if l == nil {
		return
	}
	ttl, _ := wire.Object(result).GetScalar("ttlMs")
	ms, ok := ttl.Int64()
	if !ok || ms <= 0 {
		return
	}
	key := l.key
	key.private = true
	if wire.Object(result).GetString("cacheScope") == "public" {
		key = key.public()
	}
	c := l.cache
	entry := &cacheEntry{key, result.Clone(), time.Now().Add(time.Duration(min(ms, int64(maxTTL/time.Millisecond))) * time.Millisecond)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != l.epoch || entry.size() > c.opts.MaxBytes {
		return // something has changed since the request was sent
	}
	if old := c.entries[key]; old != nil {
		c.drop(old)
	}
	c.entries[key] = c.used.PushBack(entry)
	for c.bytes += entry.size(); c.bytes > c.opts.MaxBytes; {
		c.drop(c.used.Front())
	}
}

// maxTTL limits how long a result is kept, whatever the server says, so that no time overflows.
const maxTTL = 365 * 24 * time.Hour

// entryOverhead is about what an entry takes besides its texts.
const entryOverhead = 300

func (e *cacheEntry) size() int {
	return len(e.text) + len(e.key.params) + len(e.key.authorization) + entryOverhead
}

// drop removes an entry. The caller holds mu.
func (c *resultCache) drop(e *list.Element) {
	entry := c.used.Remove(e).(*cacheEntry)
	delete(c.entries, entry.key)
	c.bytes -= entry.size()
}

// failed drops all pages of a list if the server refuses a cursor ("Interaction with Pagination").
func (l *lookup) failed(err error) {
	e, ok := asError(err)
	if l == nil || !ok || e.Code != jsonrpc.CodeInvalidParams {
		return
	}
	if cursor, _ := wire.Object(l.key.params).Get("cursor"); cursor != "" {
		l.cache.forget(func(k *cacheKey) bool { return k.method == l.key.method })
	}
}

// invalidate drops what a notification says has changed ("Interaction with Notifications"). The name of
// the notification of a list begins like those of the methods that return it.
func (c *resultCache) invalidate(p *peer, m *jsonrpc.Message) {
	if family, ok := strings.CutSuffix(m.Method, "/list_changed"); ok {
		family = strings.TrimPrefix(family, "notifications/") + "/"
		c.forget(func(k *cacheKey) bool {
			return strings.HasPrefix(k.method, family) && p.row(k.method).lists()
		})
	} else if m.Method == methodUpdated {
		uri := wire.Object(m.Params).GetString("uri")
		c.forget(func(k *cacheKey) bool {
			name := p.row(k.method).NameParam
			at := wire.Object(k.params).GetString(name)
			return name == "uri" && (contains([]string{at}, uri) || contains([]string{uri}, at))
		})
	}
}

// forget drops the entries that a function selects.
func (c *resultCache) forget(selects func(*cacheKey) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	for k, e := range c.entries {
		if selects(&k) {
			c.drop(e)
		}
	}
}

// hinter is implemented by the generated results that say how long they may be kept. WithCacheHint returns
// the result itself if it has a cacheScope, or else a copy with the given one, which also has the TTL unless
// the result has one. The protocol requires both members, and few handlers set them.
type hinter interface {
	WithCacheHint(ttlMs int64, cacheScope string) wire.Appender
}

// hinted returns the result of a handler with the hint of its call.
func hinted(ctx context.Context, r hinter) wire.Appender {
	var hint CacheHint // in a session, the result is converted to a revision without hints
	if c := CallOf(ctx); c != nil && c.row != nil {
		hint = statelessCall{c}.hint()
	}
	return r.WithCacheHint(hint.TTL.Milliseconds(), hint.scopeName())
}

// hint returns the hint of the result of a stateless call.
func (c statelessCall) hint() CacheHint {
	if own := c.cache.Load(); own != nil {
		return *own
	}
	return c.peer.server.opts.Cache.of(c.m.Method)
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

// CachePrivately makes the hint of the result private, without a change of its TTL.
func (c *Call) CachePrivately() {
	if c.row == nil {
		return
	}
	h := statelessCall{c}.hint()
	h.Public = false
	c.Cache(h)
}

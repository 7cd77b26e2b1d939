package runtime

import (
	"cmp"
	"container/list"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

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

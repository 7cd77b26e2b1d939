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

// DefaultCacheBytes is the default of CacheOptions.MaxBytes.
const DefaultCacheBytes = 16 << 20

// CacheOptions make a client keep the results of lists and reads for as long as the server allows
// ("Caching" in server/utilities/caching, 2026-07-28). Each session keeps its own.
//
// A kept result is used for a request with the same method and params. It is dropped when its time is up,
// and when the server notifies the client of a change, for which the client has to listen. Results of
// requests that were repeated with input are never kept.
type CacheOptions struct {
	// MaxBytes limits the results that a session keeps. Those used least recently are dropped first. 0
	// means DefaultCacheBytes.
	MaxBytes int
	// Authorization, if not nil, returns the authorization context of a request, such as the user. A
	// private result is used only within the context that it came in. If it is nil, all requests of a
	// session have the same one.
	Authorization func(ctx context.Context) string
}

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
	c.opts.MaxBytes = cmp.Or(max(o.MaxBytes, 0), DefaultCacheBytes)
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
	if c == nil || !m.sent.row.cacheable || m.Method == methodDiscover {
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
	key := cacheKey{revision: m.sent.terms.revision, method: m.Method, params: string(params.Without("_meta"))}
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
func (c *resultCache) invalidate(t *terms, m *jsonrpc.Message) {
	if family, ok := strings.CutSuffix(m.Method, "/list_changed"); ok {
		family = strings.TrimPrefix(family, "notifications/") + "/"
		c.forget(func(k *cacheKey) bool {
			return strings.HasPrefix(k.method, family) && t.bound.row(k.method).lists
		})
	} else if m.Method == methodUpdated {
		uri, _ := wire.Object(m.Params).Get("uri")
		c.forget(func(k *cacheKey) bool {
			name := t.bound.row(k.method).nameParam
			at, _ := wire.Object(k.params).Get(name)
			return name == "uri" && wire.Equal(at, uri)
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

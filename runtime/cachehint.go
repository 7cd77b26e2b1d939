package runtime

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// CacheHint says how long a client may keep a result and who may see it ("Cacheable Model" in
// server/utilities/caching, 2026-07-28). The zero value is a result that is stale at once and private.
type CacheHint struct {
	// TTL is how long the result is fresh. It is sent in whole milliseconds and must not be negative.
	TTL time.Duration
	// Public means that the result has no data of a user, so that caches may serve it to every user. A
	// server must check access by other means.
	Public bool
}

// CacheHints are the hints of a server's results.
type CacheHints struct {
	CacheHint                      // of all results that may be kept
	Methods   map[string]CacheHint // of the results of some methods instead: "tools/list"
}

func (h *CacheHints) of(method string) CacheHint {
	if own, ok := h.Methods[method]; ok {
		return own
	}
	return h.CacheHint
}

// check returns an error for a negative TTL.
func (h *CacheHints) check() error {
	if h.TTL < 0 {
		return fmt.Errorf("runtime: Cache: the TTL %v is negative", h.TTL)
	}
	for method, hint := range h.Methods {
		if hint.TTL < 0 {
			return fmt.Errorf("runtime: Cache: the TTL %v of %s is negative", hint.TTL, method)
		}
	}
	return nil
}

func (h CacheHint) ttl() string { return strconv.FormatInt(h.TTL.Milliseconds(), 10) }

// scope returns the cacheScope as JSON.
func (h CacheHint) scope() string { return `"` + h.scopeName() + `"` }

func (h CacheHint) scopeName() string {
	if h.Public {
		return "public"
	}
	return "private"
}

// hint returns the hint of the result of a stateless call.
func (c *Call) hint() CacheHint {
	c.mu.Lock()
	defer c.mu.Unlock()
	if own := c.alone.hint; own != nil {
		return *own
	}
	return c.terms.bound.offered.server.opts.Cache.of(c.method)
}

// Hinted is implemented by the generated results that say how long they may be kept. WithCacheHint returns
// the result itself if it has a cacheScope, or else a copy with the given one, which also has the TTL unless
// the result has one. The protocol requires both members, and few handlers set them.
type Hinted interface {
	WithCacheHint(ttlMs int64, cacheScope string) wire.Appender
}

// hinted returns the result of a handler with the hint of its call.
func hinted(ctx context.Context, result wire.Appender) wire.Appender {
	r, ok := result.(Hinted)
	if !ok {
		return result
	}
	var hint CacheHint // in a session, the result is converted to a revision without hints
	if c := CallOf(ctx); c != nil && c.alone != nil {
		hint = c.hint()
	}
	return r.WithCacheHint(hint.TTL.Milliseconds(), hint.scopeName())
}

// CachePrivately makes the hint of the result private, without a change of its TTL.
func (c *Call) CachePrivately() {
	if c.alone == nil {
		return
	}
	h := c.hint()
	h.Public = false
	c.Cache(h)
}

// Cache sets the hint of the result of the call in place of that of the options. It has no effect if the
// result has hints of its own, or if results of the method are not kept. A negative TTL counts as 0.
func (c *Call) Cache(h CacheHint) {
	if c.alone == nil {
		return
	}
	h.TTL = max(h.TTL, 0)
	c.mu.Lock()
	c.alone.hint = &h
	c.mu.Unlock()
}

package resource

import (
	"crypto/sha256"
	"sync"
	"time"
)

// tokenKey is the digest of a token, so that the memory of the server holds no tokens.
type tokenKey [sha256.Size]byte

func keyOf(token string) tokenKey {
	var space [2 << 10]byte // on the stack, for tokens of usual length
	return sha256.Sum256(append(space[:0], token...))
}

// cache remembers values by tokens until their time is over. It has two generations of half its size:
// when the young one is full, it becomes the old one, and the values of the previous old one are
// dropped.
type cache[V any] struct {
	half int

	mu         sync.RWMutex
	young, old map[tokenKey]entry[V]
}

type entry[V any] struct {
	value V
	until time.Time
}

func newCache[V any](size int) *cache[V] {
	return &cache[V]{half: max(size/2, 1), young: make(map[tokenKey]entry[V])}
}

func (c *cache[V]) get(key tokenKey, now time.Time) (value V, ok bool) {
	c.mu.RLock()
	e, ok := c.young[key]
	old := false
	if !ok {
		e, old = c.old[key]
	}
	c.mu.RUnlock()
	if !ok && !old || !now.Before(e.until) {
		return value, false
	}
	if old {
		c.put(key, e.value, e.until)
	}
	return e.value, true
}

func (c *cache[V]) put(key tokenKey, value V, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.young[key]; !known && len(c.young) >= c.half {
		c.old, c.young = c.young, make(map[tokenKey]entry[V])
	}
	c.young[key] = entry[V]{value, until}
}

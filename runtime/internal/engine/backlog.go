package engine

import (
	"slices"
	"sync"
)

// Backlog calls a function for each value that is added, for one at a time and in their order. It has a goroutine only
// while values wait, so nobody who adds one waits. Its fields are set before the first use.
type Backlog[T any] struct {
	Do   func(T)
	Same func(waiting, added T) bool // unless nil, reports whether an added value takes the place of one that waits

	mu      sync.Mutex
	waiting []T
	busy    bool // a goroutine calls Do
}

// Add adds a value.
func (b *Backlog[T]) Add(v T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := -1
	if b.Same != nil {
		i = slices.IndexFunc(b.waiting, func(w T) bool { return b.Same(w, v) })
	}
	if i < 0 {
		b.waiting = append(b.waiting, v)
	} else {
		b.waiting[i] = v
	}
	if !b.busy {
		b.busy = true
		go b.work()
	}
}

func (b *Backlog[T]) work() {
	for v, ok := b.next(); ok; v, ok = b.next() {
		b.Do(v)
	}
}

// next removes the value that has waited longest.
func (b *Backlog[T]) next() (v T, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) == 0 {
		b.waiting, b.busy = nil, false
		return v, false
	}
	v = b.waiting[0]
	clear(b.waiting[:1])
	b.waiting = b.waiting[1:]
	return v, true
}

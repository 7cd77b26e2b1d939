package engine

import "sync"

// Backlog calls a function for each value that waits, for one at a time and in their order. It has a goroutine only
// while values wait, so nobody who adds one waits. Do and Go are set before the first value is added.
type Backlog[T any] struct {
	Do func(T)
	Go func(work func()) bool // starts the goroutine, or returns false if it may not; nil means that it always may

	mu      sync.Mutex
	waiting []T
	busy    bool // a goroutine calls Do
}

// Add adds a value.
func (b *Backlog[T]) Add(v T) { b.Change(func(waiting []T) []T { return append(waiting, v) }) }

// Change replaces the values that wait by those that f returns. F must not call methods of b.
func (b *Backlog[T]) Change(f func(waiting []T) []T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = f(b.waiting)
	if len(b.waiting) > 0 && !b.busy {
		b.start()
	}
}

// AddBehind adds a value if a goroutine calls Do, and reports whether there is one.
func (b *Backlog[T]) AddBehind(v T) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy {
		b.waiting = append(b.waiting, v)
	}
	return b.busy
}

// start starts the goroutine. The mutex must be held.
func (b *Backlog[T]) start() {
	b.busy = true
	if b.Go == nil {
		go b.work()
	} else {
		b.busy = b.Go(b.work)
	}
}

func (b *Backlog[T]) work() {
	returned := false
	defer func() {
		if !returned { // Do has called runtime.Goexit
			b.mu.Lock()
			defer b.mu.Unlock()
			b.start()
		}
	}()
	for v, ok := b.next(); ok; v, ok = b.next() {
		b.Do(v)
	}
	returned = true
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

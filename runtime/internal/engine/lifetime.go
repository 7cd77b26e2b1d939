package engine

import (
	"context"
	"sync"
	"time"
)

// Lifetime manages the goroutines of a connection and their contexts. Call Init before any other
// method.
//
// A connection ends in steps: [Lifetime.EndBackground] ends the background context,
// [Lifetime.Stop] prevents new goroutines, and [Lifetime.End] ends the contexts of the remaining
// goroutines.
type Lifetime struct {
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu         sync.Mutex
	running    int           // number of goroutines
	idle       chan struct{} // not nil once stopped; closed when running is 0
	background background
	values     map[any]any
}

// background is the context of work that belongs to no request. It is created on first use.
type background struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	cause  error // not nil after EndBackground
}

// Init initializes l. All contexts of the connection are derived from ctx.
func (l *Lifetime) Init(ctx context.Context) {
	l.ctx, l.cancel = context.WithCancelCause(ctx)
}

// Context returns the context that ends with the connection.
func (l *Lifetime) Context() context.Context { return l.ctx }

// End ends the context of the connection.
func (l *Lifetime) End(cause error) { l.cancel(cause) }

// Enter counts a goroutine that is about to start. If it returns false, the connection is ending and
// the goroutine must not start.
func (l *Lifetime) Enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.idle != nil {
		return false
	}
	l.running++
	return true
}

// Leave is called at the end of a goroutine for which Enter returned true.
func (l *Lifetime) Leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	if l.idle != nil && l.running == 0 {
		close(l.idle)
	}
}

// Go runs f in a goroutine of the connection. If it returns false, the connection is ending and f
// is not run.
func (l *Lifetime) Go(f func()) bool {
	if !l.Enter() {
		return false
	}
	go func() {
		defer l.Leave()
		f()
	}()
	return true
}

// Do runs f in a goroutine of the connection and waits for its end. The caller's goroutine would not
// survive a runtime.Goexit in f.
func (l *Lifetime) Do(f func()) {
	if !l.Enter() {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer l.Leave()
		f()
	}()
	<-done
}

// Stop makes Enter return false.
func (l *Lifetime) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.idle != nil {
		return
	}
	l.idle = make(chan struct{})
	if l.running == 0 {
		close(l.idle)
	}
}

// Stopped reports whether Stop has been called.
func (l *Lifetime) Stopped() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.idle != nil
}

// Running returns the number of goroutines of the connection.
func (l *Lifetime) Running() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running
}

// Wait waits after Stop until no goroutine is left, but at most for d or until over is closed, which
// may be nil.
func (l *Lifetime) Wait(d time.Duration, over <-chan struct{}) {
	l.mu.Lock()
	idle := l.idle
	l.mu.Unlock()
	Wait(idle, d, over)
}

// Background returns the context of work that belongs to the connection and to no request.
func (l *Lifetime) Background() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &l.background
	if b.ctx == nil {
		b.ctx, b.cancel = context.WithCancelCause(l.ctx)
		if b.cause != nil {
			b.cancel(b.cause)
		}
	}
	return b.ctx
}

// EndBackground ends the background context.
func (l *Lifetime) EndBackground(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &l.background
	b.cause = cause
	if b.cancel != nil {
		b.cancel(cause)
	}
}

// Value returns the connection's value for key. It calls first to create the value on first use. First
// must not call methods of l.
func (l *Lifetime) Value(key any, first func() any) any {
	l.mu.Lock()
	defer l.mu.Unlock()
	v, ok := l.values[key]
	if !ok {
		if l.values == nil {
			l.values = make(map[any]any)
		}
		v = first()
		l.values[key] = v
	}
	return v
}

// Wait waits for a value from done, but at most for d or until over is closed, which may be nil. It reports
// whether the value came.
func Wait[T any](done <-chan T, d time.Duration, over <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
	case <-over:
	}
	return false
}

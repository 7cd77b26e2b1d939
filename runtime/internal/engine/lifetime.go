package engine

import (
	"context"
	"sync"
	"time"
)

// Lifetime is the life of a connection: the goroutines that work for it, the contexts that they
// work under, and their end. Call Init before anything else.
//
// The life ends in steps. [Lifetime.EndBackground] ends what belongs to no request,
// [Lifetime.Stop] lets no goroutine start any more, and [Lifetime.End] ends the contexts of those
// that are left.
type Lifetime struct {
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu         sync.Mutex
	running    int           // goroutines that have entered and not left
	idle       chan struct{} // not nil once stopped; closed when running is 0
	background background
	values     map[any]any
}

// background is the context of what belongs to no request. It is made on first use.
type background struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	cause  error // not nil once it has ended
}

// Init begins the life. Ctx provides the values and the end of all contexts.
func (l *Lifetime) Init(ctx context.Context) {
	l.ctx, l.cancel = context.WithCancelCause(ctx)
}

// Context returns the context that ends with the connection.
func (l *Lifetime) Context() context.Context { return l.ctx }

// End ends the context of the connection.
func (l *Lifetime) End(cause error) { l.cancel(cause) }

// Enter counts the goroutine that is about to start. If it returns false, the connection is
// ending and the goroutine must not start.
func (l *Lifetime) Enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.idle != nil {
		return false
	}
	l.running++
	return true
}

// Leave is called at the end of a goroutine that has entered.
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

// Do runs f in a goroutine of the connection and waits for its end. F gets a goroutine because
// code of users may end it with runtime.Goexit.
func (l *Lifetime) Do(f func()) {
	done := make(chan struct{})
	if l.Go(func() {
		defer close(done)
		f()
	}) {
		<-done
	}
}

// Stop lets no further goroutine enter.
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

// Running returns the number of goroutines that have not left.
func (l *Lifetime) Running() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running
}

// Wait waits until no goroutine is left after Stop, but not beyond d or the end of over, which may
// be nil.
func (l *Lifetime) Wait(d time.Duration, over <-chan struct{}) {
	l.mu.Lock()
	idle := l.idle
	l.mu.Unlock()
	Wait(idle, d, over)
}

// Background returns the context of what belongs to the connection and to no request.
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

// Value returns the connection's value for key, which first returns on first use. First must not
// call other methods of l.
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

// Wait waits for done, but not beyond d or the end of over, which may be nil.
func Wait[T any](done <-chan T, d time.Duration, over <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-over:
	}
}

package engine

import (
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
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

const (
	// maxQueued limits the notifications of a connection that wait for their handlers.
	maxQueued = 256
	// slotSize is the number of bytes of a notification that take one slot. It limits the memory
	// of waiting notifications to maxQueued * slotSize bytes, or to a single larger notification.
	slotSize = 64 << 10
)

// Room is what the goroutine that reads waits for when there are too many of something, so that bulk input is slowed
// down instead of refused. It waits only once and for a short time, because cancellations and answers arrive behind
// what waits. The zero value is ready for use.
type Room struct {
	freed chan struct{} // closed by Free; nil if no goroutine waits
	stuck bool          // the last wait was in vain
}

// Wait waits until full returns false. It returns false if that takes too long. The caller holds mu, which is unlocked
// meanwhile, as does the caller of Free.
func (r *Room) Wait(ctx context.Context, mu *sync.Mutex, full func() bool) bool {
	for full() {
		if r.stuck {
			return false
		}
		freed := make(chan struct{})
		r.freed = freed
		mu.Unlock()
		ok := Wait(freed, waits.Slot, ctx.Done())
		mu.Lock()
		r.stuck, r.freed = !ok && r.freed != nil, nil // Free may have been called since
	}
	return true
}

// Free is called when there is more room.
func (r *Room) Free() {
	r.stuck = false
	if r.freed != nil {
		close(r.freed)
		r.freed = nil
	}
}

// Queue runs jobs one after the other, in a goroutine that exists only while there are jobs. Create
// it with NewQueue.
type Queue struct {
	life *Lifetime

	mu      sync.Mutex
	jobs    []queued
	taken   int // slots
	room    Room
	running bool
}

// queued is a waiting job with the number of slots that it takes.
type queued struct {
	run   func()
	slots int
}

// NewQueue returns a queue whose goroutine belongs to life. When the context of life ends, jobs that
// have not begun are dropped.
func NewQueue(life *Lifetime) Queue { return Queue{life: life} }

// Add adds a job for a notification of size bytes. It returns false if too many jobs or bytes are
// waiting. Only the goroutine that reads calls it.
func (q *Queue) Add(ctx context.Context, size int, job func()) bool {
	slots := min(1+size/slotSize, maxQueued)
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.room.Wait(ctx, &q.mu, func() bool { return q.taken+slots > maxQueued }) {
		return false
	}
	q.taken += slots
	q.jobs = append(q.jobs, queued{job, slots})
	if !q.running {
		q.running = q.life.Go(q.run)
	}
	return true
}

// Settled returns a channel that is closed when the jobs that were added before have been run. If they are
// dropped, it is not closed.
func (q *Queue) Settled() <-chan struct{} {
	settled := make(chan struct{})
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.running {
		close(settled)
		return settled
	}
	q.jobs = append(q.jobs, queued{run: func() { close(settled) }})
	return settled
}

func (q *Queue) run() {
	returned := false
	defer func() {
		if !returned { // a job has called runtime.Goexit
			q.mu.Lock()
			defer q.mu.Unlock()
			q.running = q.life.Go(q.run)
		}
	}()
	for job := q.next(); job != nil; job = q.next() {
		job()
	}
	returned = true
}

// next removes and returns the first job. If there is none, it returns nil and sets running to false.
func (q *Queue) next() func() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 || q.life.Context().Err() != nil {
		q.jobs, q.running = nil, false
		return nil
	}
	job := q.jobs[0]
	q.jobs[0] = queued{}
	q.jobs = q.jobs[1:]
	q.taken -= job.slots
	q.room.Free()
	return job.run
}

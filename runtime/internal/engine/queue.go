package engine

import (
	"context"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// Queue runs jobs one after the other, in a goroutine that exists only while there are jobs. Create
// it with NewQueue.
type Queue struct {
	life *Lifetime
	jobs Backlog[queued]

	mu    sync.Mutex
	taken int // slots
	room  Room
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
	if q.jobs.Do == nil {
		q.jobs.Do, q.jobs.Go = q.do, q.life.Go
	}
	q.jobs.Add(queued{job, slots})
	return true
}

// Settled returns a channel that is closed when the jobs that were added before have been run. If they are
// dropped, it is not closed.
func (q *Queue) Settled() <-chan struct{} {
	settled := make(chan struct{})
	if !q.jobs.AddBehind(queued{run: func() { close(settled) }}) {
		close(settled)
	}
	return settled
}

// do runs a job that was removed.
func (q *Queue) do(job queued) {
	q.mu.Lock()
	q.taken -= job.slots
	q.room.Free()
	q.mu.Unlock()
	if q.life.Context().Err() == nil {
		job.run()
	}
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

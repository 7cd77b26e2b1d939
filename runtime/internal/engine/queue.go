package engine

import (
	"context"
	"sync"
)

const (
	// maxQueued limits the notifications of a connection that wait for their handlers.
	maxQueued = 256
	// slotSize is the number of bytes of a notification that take one slot. It limits the memory
	// of waiting notifications to maxQueued * slotSize bytes, or to a single larger notification.
	slotSize = 64 << 10
)

// Queue runs jobs one after the other, in a goroutine that exists only while there are jobs. Create
// it with NewQueue.
type Queue struct {
	life  *Lifetime
	slots Slots

	mu      sync.Mutex
	jobs    []queued
	running bool
}

// queued is a waiting job with the number of slots that it takes.
type queued struct {
	run   func()
	slots int
}

// NewQueue returns a queue whose goroutine belongs to life. When the context of life ends, jobs that
// have not begun are dropped.
func NewQueue(life *Lifetime) Queue {
	return Queue{life: life, slots: NewSlots(maxQueued)}
}

// Add adds a job for a notification of size bytes. It returns false if too many jobs or bytes are
// waiting. Only the goroutine that reads calls it.
func (q *Queue) Add(ctx context.Context, size int, job func()) bool {
	slots := min(1+size/slotSize, maxQueued)
	for taken := range slots {
		if !q.slots.Take(ctx) {
			q.give(taken)
			return false
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
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

func (q *Queue) give(slots int) {
	for range slots {
		q.slots.Give()
	}
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
	for job := q.next(); job.run != nil; job = q.next() {
		q.give(job.slots)
		job.run()
	}
	returned = true
}

// next removes and returns the first job. If there is none, it returns a zero job and sets running
// to false.
func (q *Queue) next() queued {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 || q.life.Context().Err() != nil {
		q.jobs, q.running = nil, false
		return queued{}
	}
	job := q.jobs[0]
	q.jobs[0] = queued{}
	q.jobs = q.jobs[1:]
	return job
}

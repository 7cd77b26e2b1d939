package engine

import (
	"context"
	"sync"
)

const (
	// maxQueued limits the notifications of a connection that wait for their handlers.
	maxQueued = 256
	// placeSize is the number of bytes of a notification that take one place. It limits the memory
	// of waiting notifications to maxQueued * placeSize bytes, or to a single larger notification.
	placeSize = 64 << 10
)

// Queue runs jobs one after the other, in a goroutine that exists only while there are jobs. Create
// it with NewQueue.
type Queue struct {
	life   *Lifetime
	places Places

	mu      sync.Mutex
	jobs    []queued
	running bool
}

// queued is a waiting job with the number of places that it takes.
type queued struct {
	run    func()
	places int
}

// NewQueue returns a queue whose goroutine belongs to life. When the context of life ends, jobs that
// have not begun are dropped.
func NewQueue(life *Lifetime) Queue {
	return Queue{life: life, places: NewPlaces(maxQueued)}
}

// Add adds a job for a notification of size bytes. It returns false if too many jobs or bytes are
// waiting. Only the goroutine that reads calls it.
func (q *Queue) Add(ctx context.Context, size int, job func()) bool {
	places := min(1+size/placeSize, maxQueued)
	for taken := range places {
		if !q.places.Take(ctx) {
			q.give(taken)
			return false
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, queued{job, places})
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

func (q *Queue) give(places int) {
	for range places {
		q.places.Give()
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
		q.give(job.places)
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

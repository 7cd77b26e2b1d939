package engine

import (
	"context"
	"sync"
)

// maxQueued is how many notifications of a connection wait for their handlers.
const maxQueued = 256

// Queue runs jobs one after the other, in a goroutine that exists only while there are any. Make
// it with NewQueue.
type Queue struct {
	life   *Lifetime
	places Places

	mu      sync.Mutex
	jobs    []func()
	running bool
}

// NewQueue returns a queue whose goroutine belongs to life. When the context of life ends, the
// jobs that have not begun are dropped.
func NewQueue(life *Lifetime) Queue {
	return Queue{life: life, places: NewPlaces(maxQueued)}
}

// Add adds a job. It returns false if too many wait. Only the goroutine that reads calls it.
func (q *Queue) Add(ctx context.Context, job func()) bool {
	if !q.places.Take(ctx) {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, job)
	if !q.running {
		q.running = q.life.Go(q.run)
	}
	return true
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
		q.places.Give()
		job()
	}
	returned = true
}

// next removes the first job; it returns nil, and running has ended, if there is none.
func (q *Queue) next() func() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 || q.life.Context().Err() != nil {
		q.jobs, q.running = nil, false
		return nil
	}
	job := q.jobs[0]
	q.jobs[0] = nil
	q.jobs = q.jobs[1:]
	return job
}

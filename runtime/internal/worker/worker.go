// Package worker reuses a goroutine for several jobs.
//
// A new goroutine has a small stack, which is copied several times while it grows to the size that
// handling a request takes. With a goroutine that is reused, a call in process takes half as long.
package worker

import "sync"

// Worker runs each job in a goroutine and keeps one idle goroutine for the next job. The zero value is
// ready to use.
type Worker struct {
	mu     sync.Mutex
	jobs   chan func() // has room for one job; nil before a goroutine has waited
	waits  bool        // a goroutine waits for a job
	closed bool
}

// Run starts a job and returns without waiting for its end.
func (w *Worker) Run(job func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waits {
		w.waits = false
		w.jobs <- job
		return
	}
	go w.work(job)
}

func (w *Worker) work(job func()) {
	for ok := true; ok; {
		job()
		if !w.wait() {
			return
		}
		job, ok = <-w.jobs
	}
}

// wait registers the calling goroutine as waiting. It returns false if another one is waiting, and after
// Close.
func (w *Worker) wait() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waits || w.closed {
		return false
	}
	if w.jobs == nil {
		w.jobs = make(chan func(), 1)
	}
	w.waits = true
	return true
}

// Close ends the idle goroutine. Run can still be called and starts a new goroutine for each job.
func (w *Worker) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.waits {
		w.waits = false
		close(w.jobs)
	}
}

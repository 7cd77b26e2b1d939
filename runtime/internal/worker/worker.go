// Package worker keeps a goroutine for further work.
//
// A new goroutine has a small stack, which grows by being copied, several times for each request that is
// decoded and handled. With a goroutine that is kept, a call in process takes half as long.
package worker

import "sync"

// Worker runs jobs, each in a goroutine. One goroutine waits for further jobs when it has none. The zero
// value is ready for use.
type Worker struct {
	mu     sync.Mutex
	jobs   chan func() // has room for one job; nil before a goroutine waits
	waits  bool        // a goroutine waits for a job
	closed bool
}

// Run starts a job. It does not wait for the job's end.
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

// wait registers the goroutine that waits. It returns false if another one does, or after Close.
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

// Close ends the goroutine that waits. Jobs may still be run, each in a new goroutine.
func (w *Worker) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.waits {
		w.waits = false
		close(w.jobs)
	}
}

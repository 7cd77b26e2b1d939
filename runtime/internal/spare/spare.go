// Package spare keeps a goroutine for further work: the stack of a new one has to grow each
// time.
package spare

import "sync"

// Goroutine runs jobs in goroutines, of which one waits for further jobs when it has none. The
// zero value is ready for use.
type Goroutine struct {
	mu     sync.Mutex
	jobs   chan func() // takes one without blocking for the goroutine that waits; nil before there is one
	waits  bool
	closed bool
}

// Run has a job done. It does not wait.
func (g *Goroutine) Run(job func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waits {
		g.waits = false
		g.jobs <- job
		return
	}
	go g.work(job)
}

func (g *Goroutine) work(job func()) {
	for ok := true; ok; {
		job()
		if !g.wait() {
			return
		}
		job, ok = <-g.jobs
	}
}

// wait tells that a goroutine waits for jobs; false when none has to, or one does.
func (g *Goroutine) wait() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waits || g.closed {
		return false
	}
	if g.jobs == nil {
		g.jobs = make(chan func(), 1)
	}
	g.waits = true
	return true
}

// Close ends the goroutine that waits. Jobs may still be run, each in a goroutine of its own.
func (g *Goroutine) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	if g.waits {
		g.waits = false
		close(g.jobs)
	}
}

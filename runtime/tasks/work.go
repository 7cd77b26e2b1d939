package tasks

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// DefaultLease is the default of Options.Lease.
const DefaultLease = 30 * time.Second

// maxSwaps limits the repetitions of a change that collides with others.
const maxSwaps = 100

// attempt is one run of the work of a task.
type attempt struct {
	holder string // unique, so that a process does not mistake its own lost lease for a valid one
	number int
	slot   func() // frees the place among maxTakeOvers; nil if it has none
}

// free gives back the place among maxTakeOvers.
func (a *attempt) free() {
	if a.slot != nil {
		a.slot()
	}
}

type attemptKey struct{}

// Attempt returns how often the work of the task has begun, 1 for the first time, and 0 outside of tasks.
// The work begins again when the process that did it has not renewed its lease: what
// the handler does may have been done before, in part or completely. Rounds of questions do not count.
func Attempt(ctx context.Context) int {
	a, _ := ctx.Value(attemptKey{}).(*attempt)
	if a == nil {
		return 0
	}
	return a.number
}

// claim gives the lease of a task to this process. The caller stores the record.
func (t *Tasks) claim(r *Record, now time.Time) *attempt {
	if r.Attempt == 0 {
		r.Attempt = 1
	}
	r.Holder, r.Leased, r.Updated = rand.Text(), now.Add(t.opts.Lease), now
	return &attempt{holder: r.Holder, number: r.Attempt}
}

// byRequest is the message of a task that its client has cancelled.
const byRequest = "The task was cancelled by request."

// change applies a function to a task until it is stored. If the function returns false, nothing is
// stored.
func (t *Tasks) change(ctx context.Context, id string, f func(*Record) bool) (*Record, error) {
	for range maxSwaps {
		r, err := t.store.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		if !f(r) {
			return r, nil
		}
		r.Updated = time.Now()
		if err = t.store.Swap(ctx, r); !errors.Is(err, ErrConflict) {
			return r, err
		}
	}
	return nil, ErrConflict
}

// end gives a task its final status. What only the work needs goes, so that there is room for the outcome.
func (r *Record) end(s status, message string) {
	r.Status, r.Message = string(s), message
	r.Params, r.Questions, r.Answers, r.State = "", nil, nil, ""
	r.Holder, r.Leased = "", time.Time{}
}

// work begins the work of a task of the extension.
func (t *Tasks) work(base context.Context, server *runtime.Server, r *Record, a *attempt) {
	base = runtime.WithPrincipal(context.WithValue(base, attemptKey{}, a), r.Owner)
	ctx, stop := context.WithCancelCause(base)
	w := t.hold(r, a, stop)
	if w == nil {
		stop(nil) // the lease ends, and another process takes it over
		return
	}
	w.watch(ctx)
	go func() {
		out := outcome{err: errInternal} // if the handler ends the goroutine
		defer func() { w.end(out) }()
		for out = t.outcome(ctx, server, r); out.again() && pause(ctx, r.Poll); out = t.outcome(ctx, server, r) {
			r.State = out.state
		}
	}()
}

// run is the work of a task in this process. It holds the lease until it ends, and has no goroutine but that of
// the handler.
type run struct {
	t       *Tasks
	id      string
	attempt *attempt
	expires time.Time
	poll    time.Duration
	stop    context.CancelCauseFunc      // ends the context of the work
	lasts   func(why error) bool         // of a session: reports whether another process may do work that was stopped
	seen    func(r *Record)              // is called with each state of the task that the run reads; may be nil
	ended   func(r *Record, out outcome) // is called after the outcome is stored; may be nil

	over    atomic.Bool
	looking sync.Mutex // guards what follows
	timer   *time.Timer
	unwatch func()
	release func() bool // the context, whose end ends the run
	renewed time.Time
}

// The reasons for which work is stopped, beside a *runtime.CancelledError and the end of the session.
var (
	errClosing = errors.New("tasks: the server ends")
	errGone    = errors.New("tasks: the task has expired or has gone to another process")
)

// hold registers work that is about to begin. It returns nil after Close. Stop ends the context of the work.
func (t *Tasks) hold(r *Record, a *attempt, stop context.CancelCauseFunc) *run {
	w := &run{t: t, id: r.ID, attempt: a, expires: r.Expires, poll: r.Poll, stop: stop, renewed: time.Now()}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isClosed() {
		a.free()
		return nil
	}
	t.runs[w] = struct{}{}
	t.working.Add(1)
	return w
}

// watch begins to renew the lease, and stops the work when the task is cancelled, has expired or has gone to
// another process. The run ends with ctx, which is that of the work, whether the handler returns or not.
func (w *run) watch(ctx context.Context) {
	w.looking.Lock()
	defer w.looking.Unlock()
	w.release = context.AfterFunc(ctx, func() { w.end(w.stopped(context.Cause(ctx))) })
	w.timer = time.AfterFunc(w.t.opts.Lease/3, w.look)
	unwatch, err := w.t.store.Watch(context.WithoutCancel(ctx), w.id, w.changed)
	if err != nil {
		w.t.log.Error("a task cannot be watched", "task", w.id, "error", err)
		unwatch = func() {}
	}
	w.unwatch = unwatch
	w.timer.Reset(0) // the task may have changed already
}

// changed is called when the task has changed.
func (w *run) changed() { w.timer.Reset(0) }

// look looks at the task, and renews the lease if it is time.
func (w *run) look() {
	w.looking.Lock()
	defer w.looking.Unlock()
	if w.over.Load() {
		return
	}
	interval := w.t.opts.Lease / 3
	ctx, done := context.WithTimeout(context.Background(), w.t.opts.Lease)
	defer done()
	r, err := w.t.store.Get(ctx, w.id)
	if err == nil && w.holds(r) && time.Since(w.renewed) >= interval {
		r, err = w.t.change(ctx, w.id, func(r *Record) bool {
			if w.holds(r) {
				r.Leased = time.Now().Add(w.t.opts.Lease)
			}
			return w.holds(r)
		})
		if err == nil {
			w.renewed = time.Now()
		}
	}
	next := time.Until(w.renewed.Add(interval))
	switch {
	case errors.Is(err, ErrNotFound) || !time.Now().Before(w.expires):
		w.stop(errGone)
	case err != nil:
		w.t.log.Error("the lease of a task cannot be renewed", "task", w.id, "error", err)
		next = interval
	case r.Cancelled:
		w.stop(&runtime.CancelledError{Reason: byRequest})
	case !w.holds(r):
		w.stop(errGone)
	case w.seen != nil:
		w.seen(r)
	}
	w.timer.Reset(min(next, time.Until(w.expires)))
}

// holds reports whether the task is that of the run.
func (w *run) holds(r *Record) bool {
	return !r.ended() && r.Holder == w.attempt.holder && time.Now().Before(r.Expires)
}

// stopped returns the outcome of work that was stopped for a reason.
func (w *run) stopped(why error) outcome {
	switch {
	case why == errClosing || w.lasts != nil && w.lasts(why):
		return outcome{lost: true}
	case w.lasts != nil:
		return outcome{cancelled: true}
	}
	return outcome{err: jsonrpc.Errorf(jsonrpc.CodeInternalError, "the task has ended before its work")}
}

// end ends the run with an outcome, unless it has ended already.
func (w *run) end(out outcome) {
	if !w.over.CompareAndSwap(false, true) {
		return
	}
	w.looking.Lock()
	w.release()
	w.timer.Stop()
	w.unwatch()
	w.looking.Unlock()
	w.stop(nil)
	if out.result == "" && w.t.isClosed() {
		out.lost = true
	}
	w.settle(out)
	w.leave()
}

// leave forgets the run.
func (w *run) leave() {
	w.attempt.free()
	w.t.mu.Lock()
	delete(w.t.runs, w)
	w.t.mu.Unlock()
	w.t.working.Done()
}

// Close stops the work of tasks and waits until that is stored. Tasks without an outcome stay in the store,
// where another process takes them over at once; those in memory end.
func (t *Tasks) Close() {
	t.mu.Lock()
	if !t.isClosed() {
		close(t.closed)
	}
	for w := range t.runs {
		go w.stop(errClosing)
	}
	t.mu.Unlock()
	t.working.Wait()
}

func (t *Tasks) isClosed() bool {
	select {
	case <-t.closed:
		return true
	default:
		return false
	}
}

// errTooLarge is the outcome of a task whose result or questions cannot be stored.
var errTooLarge = jsonrpc.Errorf(jsonrpc.CodeInternalError, "the result is too large for the store of tasks")

// settle stores the outcome, unless another process has the task. While the store fails, it repeats that until
// the task expires or t is closed, because the work may have taken long.
func (w *run) settle(out outcome) {
	ctx, stop := context.WithDeadline(context.Background(), w.expires)
	defer stop()
	for {
		stored := false
		r, err := w.t.change(ctx, w.id, func(r *Record) bool {
			if stored = !r.ended() && r.Holder == w.attempt.holder; !stored {
				return false
			}
			if out.lost {
				r.Holder, r.Leased = "", time.Time{} // another process takes it over
			} else {
				out.apply(r)
			}
			return true
		})
		if err == nil && stored && w.ended != nil {
			w.ended(r, out)
		}
		if err == nil || errors.Is(err, ErrNotFound) || ctx.Err() != nil {
			return
		}
		w.t.log.Error("the outcome of a task cannot be stored", "task", w.id, "error", err)
		if errors.Is(err, ErrTooLarge) && out.err != errTooLarge {
			out = outcome{err: errTooLarge}
			continue
		}
		if w.t.isClosed() || !pause(ctx, w.poll) {
			return
		}
	}
}

// pause waits, and reports whether ctx has not ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

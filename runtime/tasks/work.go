package tasks

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxSwaps limits the repetitions of a change that collides with others.
const maxSwaps = 100

type runKey struct{}

// Attempt returns how often the work of the task has begun, 1 for the first time, and 0 outside of tasks.
// The work begins again when the process that did it has not renewed its lease: what
// the handler does may have been done before, in part or completely. Rounds of questions do not count.
func Attempt(ctx context.Context) int {
	w, _ := ctx.Value(runKey{}).(*run)
	if w == nil {
		return 0
	}
	return w.number
}

// claim gives the lease of a task to this process, and returns its work, which has not begun. The caller stores the
// record.
func (t *Tasks) claim(r *Record, now time.Time) *run {
	if r.Attempt == 0 {
		r.Attempt = 1
	}
	r.Holder, r.Leased, r.Updated = rand.Text(), now.Add(t.opts.Lease), now
	return &run{t: t, id: r.ID, payer: r.payer(), holder: r.Holder, number: r.Attempt, expires: r.Expires, poll: r.Poll, renewed: now}
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

// create stores a new task of the caller, whose work is claimed. The record has what depends on the request. The
// error is for the requester.
func (t *Tasks) create(ctx context.Context, r *Record, lifetime time.Duration) (*run, error) {
	now := time.Now()
	r.Owner = strings.Clone(runtime.PrincipalOf(ctx))
	r.Status, r.Created, r.Expires, r.Poll = working, now, now.Add(lifetime), t.opts.PollInterval
	if err := t.admit(r.payer()); err != nil {
		return nil, err
	}
	w := t.claim(r, now)
	err := t.store.Create(ctx, r)
	if err != nil {
		t.leave(w.payer)
	}
	switch {
	case errors.Is(err, ErrFull):
		err = jsonrpc.Errorf(jsonrpc.CodeServerBusy, "too many tasks")
	case errors.Is(err, ErrTooLarge):
		err = jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: too large for a task")
	}
	return w, err
}

// lookup returns a task that edit finds.
func (t *Tasks) lookup(ctx context.Context, id, session string) (*Record, error) {
	return t.edit(ctx, id, session, func(*Record) bool { return false })
}

// edit changes a task of the caller and of a session, or of the extension if session is "", as change does. It does not
// find the tasks of other callers ("Security Considerations").
func (t *Tasks) edit(ctx context.Context, id, session string, f func(*Record) bool) (*Record, error) {
	found := false
	r, err := t.change(ctx, id, func(r *Record) bool {
		found = r.Method != "" && r.Session == session && r.Owner == runtime.PrincipalOf(ctx) && time.Now().Before(r.Expires)
		return found && f(r)
	})
	if errors.Is(err, ErrNotFound) || err == nil && !found {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "task %.100q is unknown or has expired", id)
	}
	return r, err
}

// watch returns a channel that receives a value after a task has changed.
func (t *Tasks) watch(id string) (changes <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	return c, t.store.Watch(id, func() {
		select {
		case c <- struct{}{}:
		default: // it holds a value already
		}
	})
}

// end gives a task its final status. What only the work needs goes, so that there is room for the outcome. The holder
// stays, which tells the peer of a session.
func (r *Record) end(status, message string) {
	r.Status, r.Message = status, message
	r.Params, r.Scopes, r.Questions, r.Answers, r.State = "", nil, nil, nil, ""
	r.Leased = time.Time{}
}

// beginWork begins the work of a task of the extension.
func (t *Tasks) beginWork(base context.Context, server *runtime.Server, r *Record, w *run) {
	base = runtime.WithPrincipal(context.WithValue(base, runKey{}, w), r.Owner)
	ctx, stop := context.WithCancelCause(base)
	r = r.clone() // the caller answers with r
	w.register(stop, func() bool {
		go w.doWork(ctx, func() outcome {
			out := t.askServer(ctx, server, r)
			for out.again() && !engine.Wait(ctx.Done(), r.Poll, nil) {
				r.State = out.state
				out = t.askServer(ctx, server, r)
			}
			return out
		})
		return true
	})
}

// doWork calls the function with the work, whose context is ctx, and ends the run with the outcome.
func (w *run) doWork(ctx context.Context, work func() outcome) {
	w.watch(ctx)
	out := outcome{err: errInternal} // if the handler ends the goroutine
	defer func() {
		if out.result == "" && ctx.Err() != nil {
			out = w.stopped(context.Cause(ctx))
		}
		w.end(out)
		w.handlerLeft()
	}()
	if ctx.Err() == nil {
		out = work()
	}
}

// run is the work of a task in this process. It holds the lease until it ends, and has no goroutine but that of
// the handler.
type run struct {
	t       *Tasks
	id      string
	payer   string // that of the record, whose work counts until the handler has returned
	holder  string // unique, so that a process does not mistake its own lost lease for a valid one
	number  int    // how often the work of the task has begun
	vacate  func() // lets another task be taken over; nil if it began here
	expires time.Time
	poll    time.Duration
	stop    context.CancelCauseFunc // ends the context of the work
	over    atomic.Bool

	timer    *time.Timer // calls check
	unwatch  func()
	checking sync.Mutex // held by check, and guards renewed
	renewed  time.Time

	// What the work of a session's task needs to send requests to the peer.
	session *session // nil for the extension
	held    bool     // requests to the peer wait for a stream; on a transport with a single one, they do not

	storing sync.Mutex // is held while the status is stored, and guards asking
	asking  int        // requests to the peer that wait for their response

	mu        sync.Mutex      // guards what follows
	told      uint64          // the version of the state that the peer was told last
	streams   []runtime.Reply // of the requests for the result that wait here
	elsewhere bool            // one waits at another process
	reached   sync.Cond       // streams or elsewhere has changed
}

// The reasons for which work is stopped, beside a *runtime.CancelledError and the end of the session.
var (
	errClosing = errors.New("tasks: the server ends")
	errGone    = errors.New("tasks: the task has expired or has gone to another process")
)

// register registers work and calls start, which begins it in another goroutine unless it returns false. Stop ends the
// context of the work. If the work cannot begin, as after Close, register leaves the task to another process and returns
// false.
func (w *run) register(stop context.CancelCauseFunc, start func() bool) bool {
	w.stop = stop
	w.t.mu.Lock()
	open := !w.t.closed.Load()
	if open {
		w.t.runs[w.id] = w // one that was there has lost its lease
		w.t.working.Add(1)
	}
	w.t.mu.Unlock()
	if open && start() {
		return true
	}
	stop(nil)
	w.handlerLeft()
	w.settle(outcome{lost: true})
	if open {
		w.unregister()
	}
	return false
}

// watch begins to renew the lease, and stops the work when the task is cancelled, has expired or has gone to
// another process. The run ends with ctx, which is that of the work, whether the handler returns or not.
func (w *run) watch(ctx context.Context) {
	w.checking.Lock()
	defer w.checking.Unlock()
	// Work has no goroutine but that of its handler. One that waits for the timer or for the end of ctx would take 3 KB;
	// a timer takes 160 bytes.
	w.timer = time.AfterFunc(w.t.opts.Lease/3, w.check)
	w.unwatch = w.t.store.Watch(w.id, func() { w.timer.Reset(0) })
	context.AfterFunc(ctx, func() { w.end(w.stopped(context.Cause(ctx))) })
	w.timer.Reset(0) // the task may have changed already
}

// check reads the task, and renews the lease if it is time.
func (w *run) check() {
	w.t.mu.Lock()
	over := w.over.Load()
	if !over {
		w.t.working.Add(1) // Close waits, because the program may close the store then
		defer w.t.working.Done()
	}
	w.t.mu.Unlock()
	if over {
		return
	}
	w.checking.Lock()
	defer w.checking.Unlock()
	interval := w.t.opts.Lease / 3
	ctx, done := context.WithTimeout(context.Background(), w.t.opts.Lease)
	defer done()
	now, renews := time.Now(), false
	r, err := w.t.change(ctx, w.id, func(r *Record) bool {
		if renews = w.holds(r) && now.Sub(w.renewed) >= interval; renews {
			r.Leased = now.Add(w.t.opts.Lease)
		}
		return renews
	})
	if err == nil && renews {
		w.renewed = now
	}
	next := time.Until(w.renewed.Add(interval))
	switch {
	case w.over.Load(): // meanwhile
		return
	case errors.Is(err, ErrNotFound) || !time.Now().Before(w.expires):
		w.stop(errGone)
	case err != nil:
		w.t.log.Error("the lease of a task cannot be renewed", "task", w.id, "error", err)
		next = interval
	case r.Cancelled:
		w.stop(&runtime.CancelledError{Reason: byRequest})
	case !w.holds(r):
		w.stop(errGone)
	default:
		w.reach(func() { w.elsewhere = r.Awaited })
	}
	w.timer.Reset(min(next, time.Until(w.expires)))
}

// holds reports whether the task is that of the run.
func (w *run) holds(r *Record) bool {
	return !r.ended() && r.Holder == w.holder && time.Now().Before(r.Expires)
}

// stopped returns the outcome of work that was stopped for a reason.
func (w *run) stopped(why error) outcome {
	switch {
	case why == errClosing || w.session != nil && errors.Is(why, runtime.ErrClosed) && w.session.call.Lasts():
		return outcome{lost: true} // another process may do the work
	case w.session != nil:
		return outcome{cancelled: true}
	}
	return outcome{err: jsonrpc.Errorf(jsonrpc.CodeInternalError, "the task has ended before its work")}
}

// end ends the run with an outcome, unless it has ended already.
func (w *run) end(out outcome) {
	if !w.over.CompareAndSwap(false, true) {
		return
	}
	w.stop(nil)
	w.unwatch()
	w.timer.Stop()
	if out.result == "" && w.t.closed.Load() {
		out.lost = true
	}
	if r := w.settle(out); r != nil && w.session != nil && r.ended() && r.Holder == w.holder {
		w.tell(r)
	}
	w.unregister()
}

// unregister forgets the run.
func (w *run) unregister() {
	w.t.mu.Lock()
	if w.t.runs[w.id] == w {
		delete(w.t.runs, w.id)
	}
	w.t.mu.Unlock()
	w.t.working.Done()
}

// handlerLeft is called once, when the handler has returned or cannot begin.
func (w *run) handlerLeft() {
	w.t.leave(w.payer)
	if w.vacate != nil {
		w.vacate()
	}
}

// Close stops the work of tasks and waits until that is stored. Tasks without an outcome stay in the store,
// where another process takes them over at once; those in memory end.
func (t *Tasks) Close() {
	t.mu.Lock()
	t.closed.Store(true)
	for _, w := range t.runs {
		go w.stop(errClosing)
	}
	t.mu.Unlock()
	t.working.Wait()
}

// errTooLarge is the outcome of a task whose result or questions cannot be stored.
var errTooLarge = jsonrpc.Errorf(jsonrpc.CodeInternalError, "the result is too large for the store of tasks")

// settle stores the outcome, unless another process has the task, and returns the task, or nil if it is not known.
// While the store fails, it repeats that until the task expires or t is closed, because the work may have taken long.
func (w *run) settle(out outcome) *Record {
	ctx, stop := context.WithDeadline(context.Background(), w.expires)
	defer stop()
	for {
		r, err := w.t.change(ctx, w.id, func(r *Record) bool {
			switch {
			case r.ended() || r.Holder != w.holder:
				return false
			case out.lost:
				r.Holder, r.Leased = "", time.Time{} // another process takes it over
			default:
				out.apply(r)
			}
			return true
		})
		switch {
		case err == nil:
			return r
		case errors.Is(err, ErrNotFound) || ctx.Err() != nil:
			return nil
		}
		w.t.log.Error("the outcome of a task cannot be stored", "task", w.id, "error", err)
		if errors.Is(err, ErrTooLarge) && out.err != errTooLarge {
			out = outcome{err: errTooLarge}
			continue
		}
		if w.t.closed.Load() || engine.Wait(ctx.Done(), w.poll, nil) {
			return nil
		}
	}
}

// maxLost limits how often the processes that work on a task may die or hang. A task that reaches it fails: its
// work may be the cause. By the defaults of Options, it fails before its lifetime ends.
const maxLost = 3

// maxTakeOvers limits how many tasks a process takes over at once. A task counts until its handler has returned, but no
// longer than a lease.
const maxTakeOvers = 16

// errNoRoom is the error for work that exceeds Options.MaxRunning.
var errNoRoom = errors.New("tasks: no room for more work")

// errLost is the outcome of a task that has reached maxLost.
var errLost = outcome{err: jsonrpc.Errorf(jsonrpc.CodeInternalError, "the processes that worked on the task have ended without an outcome too often")}

// Serve takes over the work of tasks whose processes have died, and lets the store remove tasks whose lifetime has
// ended, until ctx ends. A server with a store that outlives its process calls it while it serves. Without it, the
// tasks of a process end with the process. It looks for such tasks at the interval of Options.Lease, or of
// Options.PollInterval while there is no room for their work, and takes over at most 16 at once. A task of a
// session is taken over where the client asks for it next, because its work may ask the client; Serve does not
// touch it. Work that Serve has taken over goes on after ctx ends, until [Tasks.Close] hands it over.
//
// A task whose processes keep dying may be what ends them. After the second process, it waits for another
// lease before it is taken over; after the third, it fails.
func (t *Tasks) Serve(ctx context.Context, server *runtime.Server) error {
	ticker := time.NewTicker(t.opts.Lease)
	defer ticker.Stop()
	due, err := t.store.Due(ctx, time.Now())
	for {
		if err != nil && ctx.Err() == nil {
			t.log.Error("tasks cannot be taken over", "error", err)
		}
		seats := t.seats
		if len(due) == 0 {
			seats = nil
		}
		select {
		case seats <- struct{}{}:
			_, err = t.takeOver(ctx, due[0], "", func(r *Record, w *run) {
				t.beginWork(t.withAccess(context.WithoutCancel(ctx), r), server, r, w)
			})
			due = due[1:]
			if err == errNoRoom {
				due, err = nil, nil
				ticker.Reset(min(t.opts.PollInterval, t.opts.Lease))
			}
		case <-ticker.C:
			ticker.Reset(t.opts.Lease)
			due, err = t.store.Due(ctx, time.Now())
		case <-ctx.Done():
			return nil
		}
	}
}

// takeOver claims a task of a session, or of the extension if session is "", and calls begin if its work is due. The
// caller has put a value into t.seats, which takeOver removes if no work begins. The error is errNoRoom if this process
// works on as many tasks as it may. In that case r is nil, as it is if the task is gone.
func (t *Tasks) takeOver(ctx context.Context, id, session string, begin func(*Record, *run)) (r *Record, err error) {
	vacate := sync.OnceFunc(func() { <-t.seats })
	t.mu.Lock()
	full := t.handlers >= t.opts.MaxRunning
	if !full {
		t.handlers++ // for the work, whose payer the record says
	}
	t.mu.Unlock()
	if full {
		vacate()
		return nil, errNoRoom
	}
	var w *run
	fails := false
	r, err = t.change(ctx, id, func(r *Record) bool {
		if w, fails = nil, false; r.Session == session {
			w, fails = t.claimDue(r, time.Now()) // earlier changes may have taken long
		}
		return w != nil || fails
	})
	begins := err == nil && w != nil
	t.mu.Lock()
	if begins {
		t.running[r.payer()]++
	} else {
		t.handlers--
	}
	t.mu.Unlock()
	if !begins {
		vacate()
	}
	switch {
	case errors.Is(err, ErrNotFound) || errors.Is(err, ErrConflict):
		return nil, nil
	case err != nil:
		return nil, err
	case fails:
		t.log.Error("a task fails, because its processes have died too often", "task", id, "method", r.Method)
	case begins:
		// Long work does not keep the others waiting. A timer takes 160 bytes, a goroutine that waits 3 KB.
		time.AfterFunc(t.opts.Lease, vacate)
		w.vacate = vacate
		begin(r, w)
	}
	return r, nil
}

// claimDue claims a task whose work waits for a process. If too many processes have lost it, claimDue makes it fail
// instead. It does neither if it is not yet time.
func (t *Tasks) claimDue(r *Record, now time.Time) (w *run, fails bool) {
	switch {
	case !r.Due(now):
		return nil, false
	case r.Leased.IsZero(): // another process has handed it over
	case r.Lost+1 >= maxLost:
		r.Lost++
		errLost.apply(r)
		r.Holder = ""
		return nil, true
	case now.Before(r.Leased.Add(t.backOff(r.Lost))):
		return nil, false
	default:
		r.Lost++
	}
	r.Attempt++
	r.Status, r.Awaited = working, false
	return t.claim(r, now), false
}

// backOff returns how long a task whose lease has ended waits for the next process, if that has happened to it
// so often before.
func (t *Tasks) backOff(lost int) time.Duration {
	if lost == 0 {
		return 0
	}
	return t.opts.Lease << (lost - 1)
}

// admit counts work of a payer that is about to begin, unless that exceeds Options.MaxRunning or MaxRunningPerOwner.
// Leave must be called once when its handler has returned.
func (t *Tasks) admit(payer string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.handlers >= t.opts.MaxRunning:
		return jsonrpc.Errorf(jsonrpc.CodeServerBusy, "busy: %d tasks are running; try again later", t.handlers)
	case payer != "" && t.running[payer] >= t.opts.MaxRunningPerOwner:
		return jsonrpc.Errorf(jsonrpc.CodeServerBusy, "busy: %d of your tasks are running; try again later", t.running[payer])
	}
	t.handlers++
	t.running[payer]++
	return nil
}

// leave ends what admit or takeOver has begun.
func (t *Tasks) leave(payer string) {
	t.mu.Lock()
	t.handlers--
	if t.running[payer]--; t.running[payer] == 0 {
		delete(t.running, payer)
	}
	t.mu.Unlock()
}

// outcome is the outcome of the request of a task.
type outcome struct {
	result    wire.Object
	err       *jsonrpc.Error
	questions wire.Members
	state     wire.Raw
	failed    bool // the result is that of a session's task which has failed
	cancelled bool // there is none, because the request was cancelled
	lost      bool // there is none, and another process may do the work
}

// again reports whether the server asks no questions, but wants the request to be repeated.
func (o outcome) again() bool {
	return !o.lost && !o.cancelled && o.err == nil && o.result == "" && len(o.questions) == 0
}

// apply stores the outcome in a record.
func (o outcome) apply(r *Record) {
	switch {
	case r.Cancelled && o.result == "":
		r.end(cancelled, byRequest)
	case o.cancelled:
		r.end(cancelled, "The request was cancelled.")
	case o.err != nil:
		text, err := wire.MarshalString(o.err)
		if err != nil {
			text = `{"code":-32603,"message":"internal error"}`
		}
		r.Error = wire.Object(text)
		r.end(failed, fmt.Sprintf("%.500s", o.err.Message))
	case o.result != "":
		r.Result = o.result
		status := completed
		if o.failed {
			status = failed
		}
		r.end(status, "")
	default:
		r.Status, r.Questions, r.State = inputRequired, o.questions, o.state
		r.Holder, r.Leased = "", time.Time{}
	}
}

// askServer sends the request of a task to the server, and returns when it has answered.
func (t *Tasks) askServer(ctx context.Context, server *runtime.Server, r *Record) (out outcome) {
	text, err := r.request()
	if err != nil {
		return outcome{err: errInternal}
	}
	box := &outbox{outcome: outcome{err: errInternal}}
	// The states of the request are in the store, and clients do not see them.
	kept := seal.WithKeeper(context.WithoutCancel(ctx), &seal.Keeper{Server: server, Refused: errForeignState})
	in, err := server.Open(kept, box, runtime.Handshake{Stateless: true}, func(error) {})
	if err != nil {
		return outcome{lost: true}
	}
	defer in.End(io.EOF)
	if run := in.Accept(runtime.Incoming{Text: string(text), Context: ctx, ContextCancels: true}); run != nil {
		run()
	}
	return box.outcome
}

// outbox takes the answer to the request of a task.
type outbox struct{ outcome outcome }

// Send implements runtime.Outbox.
func (b *outbox) Send(_ context.Context, m runtime.Outgoing) error {
	if m.Kind != jsonrpc.Response {
		return nil
	}
	answer, err := jsonrpc.Parse(string(m.Text))
	if err != nil {
		return err
	}
	b.outcome = answered(answer)
	return nil
}

// Close implements runtime.Outbox.
func (b *outbox) Close() error { return nil }

// answered returns the outcome that a response stands for.
func answered(m jsonrpc.Message) outcome {
	if m.Error != nil {
		return outcome{err: m.Error}
	}
	result := wire.Object(m.Result)
	if result.GetString("resultType") != inputRequired {
		return outcome{result: wire.Object(wire.Raw(result).Clone())}
	}
	var o outcome
	if asked, ok := result.Get("inputRequests"); ok {
		o.questions = wire.Object(asked.Clone()).Members()
	}
	if state, ok := result.Get("requestState"); ok {
		o.state = state.Clone()
	}
	return o
}

// request returns the request whose answer is the outcome of the task: that of the client, without the
// members that ask for messages which a task cannot send.
func (r *Record) request() ([]byte, error) {
	params := wire.Object(r.Params)
	meta, _ := params.Get("_meta")
	quiet := wire.Object(meta).Without("progressToken", "io.modelcontextprotocol/logLevel")
	params, err := params.With("_meta", wire.Raw(quiet))
	if err == nil && len(r.Answers) > 0 {
		var answers wire.Object
		if answers, err = wire.NewObject(r.Answers...); err == nil {
			params, err = params.With("inputResponses", wire.Raw(answers))
		}
	}
	if err == nil && r.State != "" {
		params, err = params.With("requestState", r.State)
	}
	if err != nil {
		return nil, err
	}
	return (&jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.ScalarOf(1), Method: r.Method, Params: wire.Raw(params)}).AppendJSON(nil)
}

// errForeignState is the error for a task that began with a state of its client, and is now at a server
// that does not accept the state.
var errForeignState = jsonrpc.Errorf(jsonrpc.CodeInternalError, "the answers that the client gave before the task began have expired, or are sealed with keys that this server does not have; replicas need the same Rounds.Keys")

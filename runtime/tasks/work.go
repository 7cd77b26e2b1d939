package tasks

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// DefaultLease is the default of Options.Lease.
const DefaultLease = 30 * time.Second

// maxSwaps limits the repetitions of a change that collides with others.
const maxSwaps = 100

// maxLost limits how often the processes that work on a task may die or hang. A task that reaches it fails: its
// work may be the cause. By the defaults of Options, it fails before its lifetime ends.
const maxLost = 3

// maxTakeOvers limits how many tasks a process takes over at once. A task counts until its work ends, but no
// longer than a lease, so that long work does not keep the others waiting.
const maxTakeOvers = 16

// errLost is the outcome of a task that has reached maxLost.
var errLost = outcome{err: jsonrpc.Errorf(jsonrpc.CodeInternalError, "the processes that worked on the task have ended without an outcome too often")}

// attempt is one run of the work of a task.
type attempt struct {
	holder string // unique, so that a process does not mistake its own lost lease for a valid one
	number int
	slot   func() // frees the place among maxTakeOvers; nil if it has none
}

type attemptKey struct{}

// Attempt returns how often the work of the task has begun, 1 for the first time, and 0 outside of tasks
// of the extension. The work begins again when the process that did it has not renewed its lease: what
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

// end gives a task its final status.
func (r *Record) end(s status, message string) {
	r.Status, r.Message, r.Questions, r.State = string(s), message, nil, ""
	r.Holder, r.Leased = "", time.Time{}
}

// Serve takes over the work of tasks whose processes have died, and removes tasks whose lifetime has
// ended, until ctx ends. A server with a store that outlives its process calls it while it serves.
// Without it, the tasks of a process end with the process. It looks for such tasks at the interval of
// Options.Lease, and takes over at most 16 at once.
//
// A task whose processes keep dying may be what ends them. After the second process, it waits for another
// lease before it is taken over; after the third, it fails.
func (t *Tasks) Serve(ctx context.Context, server *runtime.Server) error {
	ticker := time.NewTicker(t.opts.Lease)
	defer ticker.Stop()
	for {
		more, err := t.takeOver(ctx, server)
		if err != nil && ctx.Err() == nil {
			t.log.Error("tasks cannot be taken over", "error", err)
		}
		freed := t.freed
		if !more {
			freed = nil
		}
		select {
		case <-freed:
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// takeOver takes over the work that is due. It returns true if maxTakeOvers keeps it from a part of it.
func (t *Tasks) takeOver(ctx context.Context, server *runtime.Server) (more bool, err error) {
	now := time.Now()
	if err := t.store.Expire(ctx, now); err != nil {
		return false, err
	}
	due, err := t.store.Due(ctx, now)
	if err != nil {
		return false, err
	}
	for _, id := range due {
		slot, ok := t.takeSlot()
		if !ok {
			return true, nil
		}
		var begin *attempt
		r, err := t.change(ctx, id, func(r *Record) bool {
			begin = nil
			switch {
			case !r.Due(now):
				return false
			case r.Leased.IsZero(): // another process has handed it over
			case r.Lost+1 >= maxLost:
				r.Lost++
				errLost.apply(r)
				return true
			case now.Before(r.Leased.Add(t.backOff(r.Lost))):
				return false
			default:
				r.Lost++
			}
			r.Attempt++
			begin = t.claim(r, time.Now()) // earlier ones may have taken long
			return true
		})
		if err != nil || begin == nil {
			slot()
		}
		switch {
		case err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrConflict):
			return false, err
		case err == nil && begin != nil:
			begin.slot = slot
			time.AfterFunc(t.opts.Lease, slot)
			t.work(ctx, server, r, begin)
		case err == nil && r.Lost >= maxLost:
			t.log.Error("a task fails, because its processes have died too often", "task", id, "method", r.Method)
		}
	}
	return false, nil
}

// backOff returns how long a task whose lease has ended waits for the next process, if that has happened to it
// so often before.
func (t *Tasks) backOff(lost int) time.Duration {
	if lost == 0 {
		return 0
	}
	return t.opts.Lease << (lost - 1)
}

// takeSlot takes one of maxTakeOvers places, unless there is none. The first call of free gives it back.
func (t *Tasks) takeSlot() (free func(), ok bool) {
	select {
	case t.taking <- struct{}{}:
	default:
		return nil, false
	}
	return sync.OnceFunc(func() {
		<-t.taking
		select {
		case t.freed <- struct{}{}:
		default:
		}
	}), true
}

// work runs the work of a task in a goroutine, which ends with the work, the task or its lease.
func (t *Tasks) work(base context.Context, server *runtime.Server, r *Record, a *attempt) {
	base = runtime.WithPrincipal(context.WithValue(base, attemptKey{}, a), r.Owner)
	ctx, stop := context.WithDeadline(base, r.Expires)
	ok := t.goWork(func() {
		defer stop()
		if a.slot != nil {
			defer a.slot()
		}
		defer t.stopWith(stop)()
		kept := make(chan struct{})
		go func() {
			defer close(kept)
			t.keep(ctx, stop, r.ID, a)
		}()
		out := t.outcome(ctx, server, r)
		for out.again() && pause(ctx, r.Poll) {
			r.State = out.state
			out = t.outcome(ctx, server, r)
		}
		stop()
		<-kept
		if out.result == "" && t.isClosed() {
			out.lost = true
		}
		t.settle(context.WithoutCancel(base), r, a, out)
	})
	if !ok {
		stop() // the lease ends, and another process takes it over
	}
}

// errTooLarge is the outcome of a task whose result or questions cannot be stored.
var errTooLarge = jsonrpc.Errorf(jsonrpc.CodeInternalError, "the result is too large for the store of tasks")

// settle stores the outcome of an attempt, unless another process has the task. While the store fails, it
// repeats that until the task expires or t is closed, because the work may have taken long.
func (t *Tasks) settle(ctx context.Context, r *Record, a *attempt, out outcome) {
	ctx, stop := context.WithDeadline(ctx, r.Expires)
	defer stop()
	for {
		_, err := t.change(ctx, r.ID, func(r *Record) bool {
			if r.ended() || r.Holder != a.holder {
				return false
			}
			if out.lost {
				r.Holder, r.Leased = "", time.Time{} // another process takes it over
			} else {
				out.apply(r)
			}
			return true
		})
		if err == nil || errors.Is(err, ErrNotFound) || ctx.Err() != nil {
			return
		}
		t.log.Error("the outcome of a task cannot be stored", "task", r.ID, "error", err)
		if errors.Is(err, ErrTooLarge) && out.err != errTooLarge {
			out = outcome{err: errTooLarge}
			continue
		}
		if t.isClosed() || !pause(ctx, r.Poll) {
			return
		}
	}
}

// Close stops the work of tasks of the extension and waits for it. Tasks without an outcome stay in the
// store, where another process takes them over at once; those in memory end.
func (t *Tasks) Close() {
	t.mu.Lock()
	if !t.isClosed() {
		close(t.closed)
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

// goWork runs f in a goroutine that Close waits for. After Close, it returns false.
func (t *Tasks) goWork(f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isClosed() {
		return false
	}
	t.working.Go(f)
	return true
}

// stopWith calls stop when t is closed, unless the returned function is called first.
func (t *Tasks) stopWith(stop func()) (release func()) {
	over := make(chan struct{})
	t.working.Go(func() {
		select {
		case <-t.closed:
			stop()
		case <-over:
		}
	})
	return func() { close(over) }
}

// keep renews the lease and stops the work when the task is cancelled or has gone to another process.
func (t *Tasks) keep(ctx context.Context, stop func(), id string, a *attempt) {
	changes, unwatch, err := t.store.Watch(ctx, id)
	if err != nil {
		t.log.Error("a task cannot be watched", "task", id, "error", err)
		changes, unwatch = nil, func() {}
	}
	defer unwatch()
	ticker := time.NewTicker(t.opts.Lease / 3)
	defer ticker.Stop()
	for {
		r, err := t.store.Get(ctx, id)
		if err == nil && (r.Cancelled || r.ended() || r.Holder != a.holder) || errors.Is(err, ErrNotFound) {
			stop()
			return
		}
		select {
		case <-changes:
			continue
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		_, err = t.change(ctx, id, func(r *Record) bool {
			if r.Holder == a.holder {
				r.Leased = time.Now().Add(t.opts.Lease)
			}
			return r.Holder == a.holder
		})
		if err != nil && ctx.Err() == nil {
			t.log.Error("the lease of a task cannot be renewed", "task", id, "error", err)
		}
	}
}

// outcome is the outcome of the request of a task.
type outcome struct {
	result    wire.Object
	err       *jsonrpc.Error
	questions wire.Members
	state     wire.Raw
	lost      bool // there is none: the server ends
}

// again reports whether the server asks no questions, but wants the request to be repeated.
func (o outcome) again() bool {
	return !o.lost && o.err == nil && o.result == "" && len(o.questions) == 0
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

// apply stores the outcome in a record.
func (o outcome) apply(r *Record) {
	switch {
	case r.Cancelled && o.result == "":
		r.end(cancelled, "The task was cancelled by request.")
	case o.err != nil:
		text, err := wire.MarshalString(o.err)
		if err != nil {
			text = `{"code":-32603,"message":"internal error"}`
		}
		r.Error = wire.Object(text)
		r.end(failed, o.err.Message)
	case o.result != "":
		r.Result = o.result
		r.end(completed, "")
	default:
		r.Status, r.Questions, r.State = string(inputRequired), o.questions, o.state
		r.Holder, r.Leased = "", time.Time{}
	}
}

// outcome sends the request of a task to the server and waits for the answer.
func (t *Tasks) outcome(ctx context.Context, server *runtime.Server, r *Record) outcome {
	text, err := r.request()
	if err != nil {
		return outcome{err: errInternal}
	}
	near, far := inproc.Pair()
	served, end := context.WithCancel(seal.WithKeeper(context.WithoutCancel(ctx), keeper{server}))
	defer end()
	go server.Serve(served, far)
	defer near.Close()
	if err := near.Send(ctx, runtime.Outgoing{Text: text, Kind: jsonrpc.Request}); err != nil {
		return outcome{lost: true}
	}
	for {
		in, err := near.Receive(ctx, maxResult)
		if err != nil && ctx.Err() != nil {
			note := []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"the task was cancelled"}}`)
			_ = near.Send(served, runtime.Outgoing{Text: note, Kind: jsonrpc.Notification})
			return outcome{err: jsonrpc.Errorf(jsonrpc.CodeInternalError, "the task has ended before its work")}
		}
		if err != nil {
			return outcome{lost: true}
		}
		m, err := jsonrpc.Parse(in.Text)
		if err != nil || m.Kind != jsonrpc.Response {
			continue
		}
		return answered(m)
	}
}

// maxResult limits the answer of a handler, in bytes.
const maxResult = 1 << 30

// answered returns the outcome that a response stands for.
func answered(m jsonrpc.Message) outcome {
	if m.Error != nil {
		return outcome{err: m.Error}
	}
	result := wire.Object(m.Result)
	if result.GetString("resultType") != string(inputRequired) {
		return outcome{result: wire.Object(wire.Raw(result).Clone())}
	}
	var o outcome
	if asked, ok := result.Get("inputRequests"); ok {
		o.questions = members(asked)
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
	method, err := wire.AppendString(nil, r.Method)
	if err != nil {
		return nil, err
	}
	text := append([]byte(`{"jsonrpc":"2.0","id":1,"method":`), method...)
	return append(append(append(text, `,"params":`...), params...), '}'), nil
}

package tasks

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// maxLost limits how often the processes that work on a task may die or hang. A task that reaches it fails: its
// work may be the cause. By the defaults of Options, it fails before its lifetime ends.
const maxLost = 3

// maxTakeOvers limits how many tasks a process takes over at once. A task counts until its work ends, but no
// longer than a lease, so that long work does not keep the others waiting.
const maxTakeOvers = 16

// errLost is the outcome of a task that has reached maxLost.
var errLost = outcome{err: jsonrpc.Errorf(jsonrpc.CodeInternalError, "the processes that worked on the task have ended without an outcome too often")}

// Serve takes over the work of tasks whose processes have died, and removes tasks whose lifetime has
// ended, until ctx ends. A server with a store that outlives its process calls it while it serves.
// Without it, the tasks of a process end with the process. It looks for such tasks at the interval of
// Options.Lease, and takes over at most 16 at once. A task of a session is taken over where the client asks for
// it next, because its work may ask the client; Serve leaves it alone.
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
		r, begin, err := t.retake(ctx, id, now, "", slot)
		if err != nil {
			return false, err
		}
		if begin != nil {
			t.work(ctx, server, r, begin)
		}
	}
	return false, nil
}

// retake claims a task of a session, or of the extension if session is "", whose work is due. Begin is nil if
// there is nothing to do. Slot is the place of the work among maxTakeOvers. R is nil if the task is gone.
func (t *Tasks) retake(ctx context.Context, id string, now time.Time, session string, slot func()) (r *Record, begin *attempt, err error) {
	fails := false
	r, err = t.change(ctx, id, func(r *Record) bool {
		begin, fails = nil, false
		switch {
		case !r.Due(now) || r.Session != session:
			return false
		case r.Leased.IsZero(): // another process has handed it over
		case r.Lost+1 >= maxLost:
			r.Lost++
			fails = true
			errLost.apply(r)
			return true
		case now.Before(r.Leased.Add(t.backOff(r.Lost))):
			return false
		default:
			r.Lost++
		}
		r.Attempt++
		r.Status, r.Awaited = string(working), false
		begin = t.claim(r, time.Now()) // earlier ones may have taken long
		return true
	})
	switch {
	case errors.Is(err, ErrNotFound) || errors.Is(err, ErrConflict):
		r, begin, err = nil, nil, nil
	case err != nil:
		begin = nil
	case fails:
		t.log.Error("a task fails, because its processes have died too often", "task", id, "method", r.Method)
	}
	if begin == nil {
		slot()
		return r, nil, err
	}
	begin.slot = slot
	time.AfterFunc(t.opts.Lease, slot)
	return r, begin, nil
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

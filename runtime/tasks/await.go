package tasks

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// cancelWait bounds the wait for the answer to the cancellation of a task.
const cancelWait = time.Second

// Await makes a request as a task and waits for its result, asking for the state of the
// task as often as the peer wants. Params may say in their member task how long the task
// is to be kept; nil params have only that member. An error that the request was
// answered with is a *jsonrpc.Error. A peer that answers the request itself is content
// with, too. When ctx ends first, the task is cancelled, if the peer allows that, which
// takes up to a second ("Getting Tasks", "Retrieving Task Results"). With a context of
// runtime.WithProgress, the progress of the task is reported until Await returns.
func Await(ctx context.Context, caller runtime.Caller, method string, params wire.Appender, result wire.Value) error {
	augmented, err := augment(params)
	if err != nil {
		return err
	}
	return runtime.Follow(ctx, func(ctx context.Context) error {
		return await(ctx, caller, method, augmented, result)
	})
}

func await(ctx context.Context, caller runtime.Caller, method string, params wire.Object, result wire.Value) error {
	var answer wire.Object
	if err := caller.Call(ctx, method, params, &answer); err != nil {
		return err
	}
	raw, ok := answer.Get("task")
	if !ok {
		return decode(answer, result)
	}
	var t remote
	if _, _, err := wire.UnmarshalLenient(raw, &t, wire.AbsentNulls|wire.WellFormed); err != nil {
		return wire.In(err, "task")
	}
	name := wire.Object(related(t.id)) // both are {"taskId": ...}
	err := poll(ctx, caller, name, t)
	if err == nil {
		if err = caller.Call(ctx, methodResult, name, &answer); err == nil {
			return decode(answer, result)
		}
	}
	if ctx.Err() != nil {
		late, done := context.WithTimeout(context.WithoutCancel(ctx), cancelWait)
		defer done()
		_ = caller.Call(late, methodCancel, name, nil) // the peer may not know how
	}
	return err
}

func decode(answer wire.Object, result wire.Value) error {
	if result == nil {
		return nil
	}
	_, _, err := wire.UnmarshalLenient(wire.Raw(answer), result, wire.AbsentNulls|wire.WellFormed)
	return err
}

// augment adds the member task to params that do not have it.
func augment(params wire.Appender) (wire.Object, error) {
	if params == nil {
		return `{"task":{}}`, nil
	}
	text, err := wire.Marshal(params)
	if err != nil {
		return "", err
	}
	o := wire.Object(text)
	if _, ok := o.Get("task"); ok {
		return o, nil
	}
	return o.With("task", "{}")
}

// poll waits until it is time to ask for the result: the task is over, or it waits for
// input, which may come with the answer.
func poll(ctx context.Context, caller runtime.Caller, name wire.Object, t remote) error {
	for t.status == working {
		interval := DefaultPollInterval
		if t.poll != nil && *t.poll > 0 {
			interval = time.Duration(min(*t.poll, int64(time.Hour/time.Millisecond))) * time.Millisecond
		}
		timer := time.NewTimer(interval)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		t = remote{}
		if err := caller.Call(ctx, methodGet, name, &t); err != nil {
			return err
		}
	}
	return nil
}

// remote is what Await reads of a peer's Task.
type remote struct {
	params.Received
	id     string
	status status
	poll   *int64 // milliseconds
}

// DecodeJSON implements wire.Value.
func (t *remote) DecodeJSON(r *wire.Reader) error {
	return params.Decode(r, []string{"taskId", "status", "pollInterval"}, 2, func(member int) {
		switch member {
		case 0:
			t.id = r.ReadString()
		case 1:
			t.status = status(r.ReadString())
		case 2:
			t.poll = r.ReadInt64Pointer()
		}
	})
}

package tasks

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Await makes a request as a task and waits for its result, polling the state of the task
// at the interval that the peer suggests. Params may have a member task with the lifetime
// of the task; nil params have only that member. If the peer responds to the request with
// an error, Await returns a *jsonrpc.Error. It also accepts a peer that answers the request
// without a task. If ctx ends first, Await cancels the task, if the peer allows that, which
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
		late, done := context.WithTimeout(context.WithoutCancel(ctx), waits.CancelTask)
		defer done()
		_ = caller.Call(late, methodCancel, name, nil) // the peer may not support it
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
	text, err := wire.MarshalString(params)
	if err != nil {
		return "", err
	}
	o := wire.Object(text)
	if _, ok := o.Get("task"); ok {
		return o, nil
	}
	return o.With("task", "{}")
}

// poll waits until it is time to request the result: the task has ended, or it requires
// input, which the request for the result may deliver.
func poll(ctx context.Context, caller runtime.Caller, name wire.Object, t remote) error {
	for t.status == working {
		interval := DefaultPollInterval
		if t.poll != nil && *t.poll > 0 {
			interval = time.Duration(min(*t.poll, int64(time.Hour/time.Millisecond))) * time.Millisecond
		}
		if !pause(ctx, interval) {
			return ctx.Err()
		}
		t = remote{}
		if err := caller.Call(ctx, methodGet, name, &t); err != nil {
			return err
		}
	}
	return nil
}

// remote holds the members of a peer's Task that Await uses.
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

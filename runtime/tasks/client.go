package tasks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/form"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ClientOptions configure how a client handles tasks of the extension. The zero value is ready to use.
type ClientOptions struct {
	// Created, if not nil, is called with the id of each task that the server creates, before it is
	// polled. A program that stores the id can pass it to [Resume] after a restart.
	Created func(ctx context.Context, id string)
	// Changed, if not nil, is called with each state of a task that is polled, a DetailedTask.
	Changed func(ctx context.Context, state wire.Object)
}

// ExtendClient wraps a client's binding of a revision without sessions. The client then declares the
// tasks extension. A call of a tool that the server answers with a task takes until the task has ended,
// and has the result of the task: the client polls it at the interval that the server suggests, and
// answers its questions with the handlers of the binding, as it answers those of other requests. When the
// context of the call ends, the task is cancelled. Bindings of other revisions are returned unchanged.
func ExtendClient(below runtime.Binding, o ClientOptions) runtime.Binding {
	if below.Handle == nil || !extension.Extends(below.Revision, below.Methods) || below.Direction != runtime.ToClient {
		return below
	}
	ignore := func(_ context.Context, m *runtime.Message) (wire.Appender, error) {
		if m.Method == methodTaskChanged {
			return nil, nil
		}
		return nil, runtime.MethodNotFound(m.Method)
	}
	b := extension.Over(below, runtime.Binding{Handle: ignore})
	around := below.Around
	b.Around = func(next runtime.Handler) runtime.Handler {
		next = waiting(next, below.Handle, o)
		if around != nil { // it converts the results
			next = around(next)
		}
		return next
	}
	return b
}

// waiting returns a Handler for what a client sends. If a request is answered with a task, the
// Handler waits for the result of the task.
func waiting(next, answer runtime.Handler, o ClientOptions) runtime.Handler {
	return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
		result, err := next(ctx, m)
		if m.Method != methodCallTool || err != nil {
			return result, err
		}
		text, err := runtime.TextOf(result)
		if err != nil || wire.Object(text).GetString("resultType") != "task" {
			return result, err
		}
		id := wire.Object(text).GetString("taskId")
		if id == "" {
			return nil, fmt.Errorf("tasks: result of %s: a task without a taskId", m.Method)
		}
		if o.Created != nil {
			o.Created(ctx, id)
		}
		var outcome wire.Raw
		err = finish(ctx, m.Caller(next), answer, o, id, interval(wire.Object(text), "pollIntervalMs"), &outcome)
		return outcome, err
	}
}

// Resume waits for the task with an id, as the call that created it does. Caller is a session of a client
// whose binding [ExtendClient] has wrapped with the same options, and below is the binding that it
// wrapped.
func Resume(ctx context.Context, caller runtime.Caller, below runtime.Binding, o ClientOptions, id string, result wire.Value) error {
	return finish(ctx, caller, below.Handle, o, id, 0, result)
}

// CancelledError is the error of a call whose task was cancelled.
type CancelledError struct {
	ID, Message string
}

// Error returns the id and the server's message.
func (e *CancelledError) Error() string {
	return fmt.Sprintf("tasks: task %.100q was cancelled: %.500s", e.ID, e.Message)
}

// cancelAfter cancels a task at the peer if ctx has ended. The peer may not support it, and the task may have ended.
func cancelAfter(ctx context.Context, caller runtime.Caller, name wire.Object) {
	if ctx.Err() != nil {
		late, done := context.WithTimeout(context.WithoutCancel(ctx), waits.CancelTask)
		defer done()
		_ = caller.Call(late, methodCancel, name, nil)
	}
}

// maxLosses is how many polls in a row may be lost or temporarily refused before a call fails.
const maxLosses = 10

// poll waits and asks the peer for the state of a task until step, which gets each state, returns true or an error. The
// member suggests of a state says how long to wait before the next poll.
func poll(ctx context.Context, caller runtime.Caller, name wire.Object, wait time.Duration, suggests string, step func(state wire.Object) (done bool, err error)) error {
	for losses := 0; ; {
		if wait > 0 && engine.Wait(ctx.Done(), wait, nil) {
			return context.Cause(ctx)
		}
		var state wire.Object
		done, err := false, caller.Call(ctx, methodGet, name, &state)
		if err == nil {
			done, err = step(state)
		}
		switch {
		case done:
			return err
		case err == nil:
			losses, wait = 0, interval(state, suggests)
		case isPassing(err) && losses < maxLosses: // the requests of a poll can be repeated
			losses, wait = losses+1, max(wait, defaultPollInterval)
		default:
			return err
		}
	}
}

// interval returns the time to wait before the next poll of a task, given the member with its milliseconds.
func interval(state wire.Object, member string) time.Duration {
	ms, _ := state.GetScalar(member)
	n, ok := ms.Int64()
	if !ok || n <= 0 {
		return defaultPollInterval
	}
	return time.Duration(min(n, int64(time.Hour/time.Millisecond))) * time.Millisecond
}

// isPassing reports whether a request was lost with its connection, or was refused temporarily.
func isPassing(err error) bool {
	_, lost := errors.AsType[*runtime.LostError](err)
	e, refused := errors.AsType[*jsonrpc.Error](err)
	return lost || refused && (e.Code == jsonrpc.CodeServerBusy || e.Code == jsonrpc.CodeUnavailable)
}

// finish waits for a task of the extension and answers its questions. It cancels the task when ctx ends first.
func finish(ctx context.Context, caller runtime.Caller, answer runtime.Handler, o ClientOptions, id string, wait time.Duration, result wire.Value) error {
	q := &questions{caller, answer, wire.Object(related(id)), map[string]wire.Raw{}}
	defer cancelAfter(ctx, caller, q.name)
	return poll(ctx, caller, q.name, wait, "pollIntervalMs", func(state wire.Object) (done bool, err error) {
		if o.Changed != nil {
			o.Changed(ctx, state)
		}
		switch state.GetString("status") {
		case completed:
			outcome, _ := state.Get("result")
			return true, decode(wire.Object(outcome), result)
		case failed:
			problem, _ := state.Get("error")
			return true, errorOf(wire.Object(problem))
		case cancelled:
			return true, &CancelledError{state.GetString("taskId"), state.GetString("statusMessage")}
		case inputRequired:
			return false, q.update(ctx, state)
		}
		return false, nil
	})
}

// questions answers the questions of a task.
type questions struct {
	caller  runtime.Caller
	answer  runtime.Handler
	name    wire.Object         // the params of requests about the task
	answers map[string]wire.Raw // by the keys of the questions; "" if the server has the answer
}

// update answers the questions of a task that were not answered yet ("Task Update Requests"). Each question
// is asked once; an answer that was lost is sent again.
func (q *questions) update(ctx context.Context, state wire.Object) error {
	asked, _ := state.Get("inputRequests")
	var unsent wire.Members
	for key, question := range wire.Object(asked).All() {
		text, known := q.answers[key]
		if !known {
			var err error
			if text, err = runtime.AnswerQuestion(ctx, q.caller, wire.Object(question), q.answer); err != nil {
				return fmt.Errorf("tasks: the question %.100q cannot be answered: %w", key, err)
			}
			q.answers[key] = text
		}
		if text != "" {
			unsent = append(unsent, wire.Member{Name: key, Value: text})
		}
	}
	if len(unsent) == 0 {
		return nil
	}
	all, err := wire.NewObject(unsent...)
	if err != nil {
		return err
	}
	params, err := q.name.With("inputResponses", wire.Raw(all))
	if err != nil {
		return err
	}
	if err := q.caller.Call(ctx, methodUpdate, params, nil); err != nil {
		return err
	}
	for _, a := range unsent {
		q.answers[a.Name] = ""
	}
	return nil
}

// Await makes a request as a task and waits for its result, polling the state of the task
// at the interval that the peer suggests; up to ten polls in a row may be lost or refused
// because the peer is busy. Params may have a member task with the lifetime
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
	state := wire.Object(raw)
	id := state.GetString("taskId")
	if id == "" {
		return fmt.Errorf("tasks: result of %s: a task without a taskId", method)
	}
	name := wire.Object(related(id))
	defer cancelAfter(ctx, caller, name)
	// Until it is time to request the result: the task has ended, or it requires input, which the request for the result
	// may deliver.
	if state.GetString("status") == working {
		err := poll(ctx, caller, name, interval(state, "pollInterval"), "pollInterval", func(state wire.Object) (done bool, err error) {
			return state.GetString("status") != working, nil
		})
		if err != nil {
			return cmp.Or(ctx.Err(), err) // and not the cause, as other calls do
		}
	}
	if err := caller.Call(ctx, methodResult, name, &answer); err != nil {
		return err
	}
	if err := checkForm(method, params, answer); err != nil {
		return err
	}
	return decode(answer, result)
}

// checkForm returns an error for the result of a task that answers a form and does not match it. The runtime checks
// those of other requests.
func checkForm(method string, params, result wire.Object) error {
	if method != methodElicit {
		return nil
	}
	if err := form.CheckResult(params, result); err != nil {
		return fmt.Errorf("tasks: result of %s: %w", method, err)
	}
	return nil
}

func decode(answer wire.Object, result wire.Value) error {
	if result == nil {
		return nil
	}
	_, _, err := wire.UnmarshalLenient(wire.Raw(answer), result, wire.AbsentNulls)
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

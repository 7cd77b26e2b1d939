package tasks_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// flaky is a server that loses requests. Each call of it takes the next step of its script.
type flaky struct {
	script []func(method string) (result string, err error)
	calls  []string
}

func (f *flaky) Call(_ context.Context, method string, params wire.Appender, result wire.Value) error {
	text, err := wire.MarshalString(params)
	if err != nil {
		return err
	}
	f.calls = append(f.calls, fmt.Sprint(method, " ", text))
	step := f.script[0]
	f.script = f.script[1:]
	answer, err := step(method)
	if err != nil || result == nil {
		return err
	}
	return wire.UnmarshalString(answer, result)
}

func (f *flaky) Notify(context.Context, string, wire.Appender) error { return nil }

func answers(text string) func(string) (string, error) {
	return func(string) (string, error) { return text, nil }
}

func fails(err error) func(string) (string, error) {
	return func(string) (string, error) { return "", err }
}

// TestLostPolls checks that a client which waits for a task goes on when a replica dies or is busy, asks its
// user once, and sends a lost answer again.
func TestLostPolls(t *testing.T) {
	lost := fails(&runtime.LostError{Err: errors.New("killed")})
	busy := fails(jsonrpc.Errorf(jsonrpc.CodeUnavailable, "busy"))
	working := answers(`{"taskId":"A","status":"working","pollIntervalMs":50}`)
	asking := answers(`{"taskId":"A","status":"input_required","pollIntervalMs":50,"inputRequests":{"q":{"method":"elicitation/create","params":{}}}}`)
	completed := answers(`{"taskId":"A","status":"completed","result":{"content":[]}}`)
	broken := answers(`{"taskId":"A","status":"failed","error":{"code":503,"message":"broken"}}`)
	type steps = []func(string) (string, error)
	const get, update = `tasks/get {"taskId":"A"}`, `tasks/update {"taskId":"A","inputResponses":{"q":{"action":"accept"}}}`
	for name, c := range map[string]struct {
		script steps
		calls  []string
		want   string // the error
	}{
		"losses":           {script: steps{lost, busy, working, lost, completed}, calls: slices.Repeat([]string{get}, 5)},
		"a lost answer":    {script: steps{asking, lost, asking, busy, asking, answers(`{}`), asking, completed}, calls: []string{get, update, get, update, get, update, get, get}},
		"too many losses":  {script: slices.Repeat(steps{lost}, 11), calls: slices.Repeat([]string{get}, 11), want: "runtime: the answer was lost: killed"},
		"another error":    {script: steps{lost, fails(errors.New("no"))}, calls: []string{get, get}, want: "no"},
		"a task's failure": {script: steps{lost, broken}, calls: []string{get, get}, want: "jsonrpc: error 503: broken"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				binding := runtime.Binding{Handle: func(context.Context, *runtime.Message) (wire.Appender, error) {
					asked++
					return wire.Object(`{"action":"accept"}`), nil
				}}
				f := &flaky{script: c.script}
				err := tasks.Resume(t.Context(), f, binding, tasks.ClientOptions{}, "A", new(wire.Object))
				if got := fmt.Sprint(err); got != c.want && !(err == nil && c.want == "") {
					t.Errorf("the error is %q, want %q", got, c.want)
				}
				if !slices.Equal(f.calls, c.calls) {
					t.Errorf("calls %q, want %q", f.calls, c.calls)
				}
				if asked > 1 {
					t.Errorf("the user was asked %d times", asked)
				}
			})
		})
	}
}

// TestLostPollsOfSession is TestLostPolls for a task of a session.
func TestLostPollsOfSession(t *testing.T) {
	busy := fails(jsonrpc.Errorf(jsonrpc.CodeServerBusy, "busy"))
	working := answers(`{"taskId":"A","status":"working","pollInterval":50}`)
	for name, c := range map[string]struct {
		polls []func(string) (string, error)
		want  string // the error
	}{
		"busy":          {append(slices.Repeat([]func(string) (string, error){busy, working}, 20), answers(`{"status":"completed"}`)), "<nil>"},
		"busy too long": {slices.Repeat([]func(string) (string, error){busy}, 11), "jsonrpc: error -32000: busy"},
		"another error": {[]func(string) (string, error){fails(errors.New("no"))}, "no"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &flaky{script: append([]func(string) (string, error){answers(`{"task":{"taskId":"A","status":"working"}}`)}, c.polls...)}
				f.script = append(f.script, answers(`{"content":[]}`))
				if err := tasks.Await(t.Context(), f, "tools/call", wire.Object(`{"name":"a"}`), nil); fmt.Sprint(err) != c.want {
					t.Errorf("the error is %v, want %s", err, c.want)
				}
			})
		})
	}
}

// TestAwaitEnds checks that Await returns the error of its context, like other calls, and not the cause of its end.
func TestAwaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeoutCause(t.Context(), time.Second, errors.New("too slow"))
		defer stop()
		f := &flaky{script: []func(string) (string, error){answers(`{"task":{"taskId":"A","status":"working","pollInterval":5000}}`), answers(`{}`)}}
		if err := tasks.Await(ctx, f, "tools/call", wire.Object(`{"name":"a"}`), nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
	})
}

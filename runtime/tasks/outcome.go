package tasks

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

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
		st := completed
		if o.failed {
			st = failed
		}
		r.end(st, "")
	default:
		r.Status, r.Questions, r.State = string(inputRequired), o.questions, o.state
		r.Holder, r.Leased = "", time.Time{}
	}
}

// outcome sends the request of a task to the server, and returns when it has answered.
func (t *Tasks) outcome(ctx context.Context, server *runtime.Server, r *Record) (out outcome) {
	text, err := r.request()
	if err != nil {
		return outcome{err: errInternal}
	}
	box := &outbox{outcome: outcome{err: errInternal}}
	kept := seal.WithKeeper(context.WithoutCancel(ctx), keeper{server})
	in, err := server.Open(kept, box, runtime.Handshake{Stateless: true}, func(error) {})
	if err != nil {
		return outcome{lost: true}
	}
	defer in.End(io.EOF)
	if run := in.Accept(runtime.Incoming{Text: string(text), Context: ctx, Bound: true}); run != nil {
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
	return jsonrpc.AppendRequest(nil, wire.IntScalar(1), r.Method, params)
}

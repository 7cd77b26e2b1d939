package tasks

import (
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/internal/record"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The values of the definition TaskStatus ("Task Status Lifecycle").
const (
	working       = "working"
	inputRequired = "input_required"
	completed     = "completed"
	failed        = "failed"
	cancelled     = "cancelled"
)

// state is the state of a task. For a task of a session, it is a Task of 2025-11-25. For others, it is a DetailedTask
// of the extension, or a CreateTaskResult if it has the result type task.
type state struct {
	record     *Record // not changed any more
	resultType string  // or ""
}

// AppendJSON implements wire.Appender.
func (t state) AppendJSON(dst []byte) ([]byte, error) {
	const layout = "2006-01-02T15:04:05.000Z"
	r, ttl, poll := t.record, "ttlMs", "pollIntervalMs"
	if r.Session != "" {
		ttl, poll = "ttl", "pollInterval"
	}
	w := wire.ObjectWriter(dst)
	if t.resultType != "" {
		w.String("resultType", t.resultType)
	}
	w.String("taskId", r.ID)
	w.String("status", r.Status)
	if r.Message != "" {
		w.String("statusMessage", r.Message)
	}
	w.String("createdAt", r.Created.UTC().Format(layout))
	w.String("lastUpdatedAt", r.Updated.UTC().Format(layout))
	w.Int64(ttl, r.Expires.Sub(r.Created).Milliseconds())
	w.Int64(poll, max(r.Poll.Milliseconds(), 1))
	switch {
	case r.Session != "":
	case r.Status == inputRequired:
		w.Name("inputRequests")
		w.BeginObject()
		w.Members(r.Questions)
		w.EndObject()
	case r.Status == completed:
		w.Value("result", r.Result)
	case r.Status == failed:
		w.Value("error", r.Error)
	}
	return w.Close()
}

// metaName is the member of _meta with which messages refer to the task that they belong to
// ("Associating Task-Related Messages").
const metaName = "io.modelcontextprotocol/related-task"

// related returns the value of that member. It is also the params of the requests about a task.
func related(id string) wire.Raw {
	dst, _ := wire.AppendString([]byte(`{"taskId":`), id) // an ID is valid UTF-8, because it was generated or decoded here
	return wire.Raw(append(dst, '}'))
}

// relate returns params of a message that belongs to a task, which may be nil, with that member. A message
// about a task has the task's ID already. Params that are not valid stay as they are.
func relate(method string, params wire.Appender, id string) wire.Appender {
	switch method {
	case methodGet, methodResult, methodCancel:
		return params
	}
	text, err := "", error(nil)
	if params != nil {
		text, err = wire.MarshalString(params)
	}
	with, failed := withRelated(wire.Object(text), related(id))
	if err != nil || failed != nil {
		return params
	}
	return with
}

// resultOf returns the text of a result with that member.
func resultOf(result wire.Appender, related wire.Raw) (wire.Object, error) {
	if result == nil {
		return "", errors.New("tasks: the handler returned no result")
	}
	text, err := wire.MarshalString(result)
	if err != nil {
		return "", err
	}
	return withRelated(wire.Object(text), related)
}

// withRelated returns a result or params with that member.
func withRelated(result wire.Object, related wire.Raw) (wire.Object, error) {
	meta, _ := result.Get("_meta")
	with, err := wire.Object(meta).With(metaName, related)
	if err != nil {
		return "", err
	}
	return result.With("_meta", wire.Raw(with))
}

// taskParams holds the params of tasks/get, tasks/result and tasks/cancel.
type taskParams struct {
	params.Received
	id string
}

// DecodeJSON implements wire.Value.
func (p *taskParams) DecodeJSON(r *wire.Reader) error {
	return record.Decode(r, 1, record.Field("taskId", &p.id))
}

// updateParams holds the params of tasks/update.
type updateParams struct {
	params.Received
	id        string
	responses wire.Object
}

// DecodeJSON implements wire.Value.
func (p *updateParams) DecodeJSON(r *wire.Reader) error {
	return record.Decode(r, 2, record.Field("taskId", &p.id), record.Field("inputResponses", &p.responses))
}

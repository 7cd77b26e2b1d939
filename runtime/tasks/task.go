package tasks

import (
	"context"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// status is the definition TaskStatus ("Task Status Lifecycle").
type status string

const (
	working       status = "working"
	inputRequired status = "input_required"
	completed     status = "completed"
	failed        status = "failed"
	cancelled     status = "cancelled"
)

// terminal reports whether the status is final.
func (s status) terminal() bool { return s != working && s != inputRequired }

// work is the request that a task runs.
type work struct {
	handle handler
	method string
	params wire.Raw
}

// task is one task. The session's mutex guards the fields that change.
type task struct {
	id      string
	created time.Time
	ttl     time.Duration
	done    chan struct{} // closed when the task has ended or is dropped

	state  state
	asking int                     // requests to the peer that wait for their response
	result wire.Object             // of the request, if completed or failed
	err    error                   // instead of a result
	cancel context.CancelCauseFunc // of the work; nil when it has ended
	timer  *time.Timer
	listed bool // not dropped
	news   bool // the peer must be notified of the status

	held   bool            // requests to the peer wait for a stream
	routes []runtime.Route // streams of the waiting requests for the result
	opened chan struct{}   // closed when there is a route; nil if no request waits
}

// state is the part of a task that the peer sees (definition Task).
type state struct {
	id      string
	status  status
	message string // or ""
	created time.Time
	updated time.Time
	ttl     time.Duration
	poll    time.Duration
}

const timeLayout = "2006-01-02T15:04:05.000Z"

// AppendJSON implements wire.Appender.
func (s state) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"taskId":"`+s.id+`","status":"`+string(s.status)+`"`...)
	if s.message != "" {
		var err error
		if dst, err = wire.AppendString(append(dst, `,"statusMessage":`...), s.message); err != nil {
			return dst, wire.In(err, "statusMessage")
		}
	}
	dst = s.created.UTC().AppendFormat(append(dst, `,"createdAt":"`...), timeLayout)
	dst = s.updated.UTC().AppendFormat(append(dst, `","lastUpdatedAt":"`...), timeLayout)
	dst = strconv.AppendInt(append(dst, `","ttl":`...), s.ttl.Milliseconds(), 10)
	dst = strconv.AppendInt(append(dst, `,"pollInterval":`...), max(s.poll.Milliseconds(), 1), 10)
	return append(dst, '}'), nil
}

// created is a CreateTaskResult.
type created struct{ state }

// AppendJSON implements wire.Appender.
func (c created) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := c.state.AppendJSON(append(dst, `{"task":`...))
	if err != nil {
		return dst, wire.In(err, "task")
	}
	return append(dst, `,"_meta":{"`+metaName+`":`+string(related(c.id))+`}}`...), nil
}

// page is a ListTasksResult.
type page struct {
	tasks []state
	next  *string
}

// AppendJSON implements wire.Appender.
func (p page) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"tasks":[`...)
	var err error
	for i, s := range p.tasks {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = s.AppendJSON(dst); err != nil {
			return dst, err
		}
	}
	dst = append(dst, ']')
	if p.next != nil {
		if dst, err = wire.AppendString(append(dst, `,"nextCursor":`...), *p.next); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// metaName is the member of _meta with which messages refer to the task that they belong to
// ("Associating Task-Related Messages").
const metaName = "io.modelcontextprotocol/related-task"

// related returns the value of that member.
func related(id string) wire.Raw {
	dst, _ := wire.AppendString([]byte(`{"taskId":`), id) // an ID is valid UTF-8, because it was generated or decoded here
	return wire.Raw(append(dst, '}'))
}

// relate returns params of a message that belongs to a task with that member. A message
// about a task has the task's ID already.
func relate(method string, params wire.Appender, id string) wire.Appender {
	switch method {
	case methodGet, methodResult, methodCancel:
		return params
	}
	return relatedParams{params, related(id)}
}

// relatedParams are params with that member.
type relatedParams struct {
	params  wire.Appender // may be nil
	related wire.Raw
}

// AppendJSON implements wire.Appender.
func (p relatedParams) AppendJSON(dst []byte) ([]byte, error) {
	var text string
	if p.params != nil {
		var err error
		if text, err = wire.MarshalString(p.params); err != nil {
			return dst, err
		}
	}
	with, err := withRelated(wire.Object(text), p.related)
	if err != nil {
		return dst, err
	}
	return append(dst, with...), nil
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

package tasks

import (
	"time"

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

// taskState holds the members of the definition Task that a task has in sessions and in the extension.
type taskState struct {
	id, status, message string
	created, updated    time.Time
	ttl, poll           time.Duration
}

func stateOf(r *Record) taskState {
	return taskState{r.ID, r.Status, r.Message, r.Created, r.Updated, r.Expires.Sub(r.Created), r.Poll}
}

// write writes the members. Their names for durations differ between sessions and the extension.
func (s taskState) write(w *wire.Writer, ttl, poll string) {
	w.String("taskId", s.id)
	w.String("status", s.status)
	if s.message != "" {
		w.String("statusMessage", s.message)
	}
	w.String("createdAt", s.created.UTC().Format(timeLayout))
	w.String("lastUpdatedAt", s.updated.UTC().Format(timeLayout))
	w.Int64(ttl, s.ttl.Milliseconds())
	w.Int64(poll, max(s.poll.Milliseconds(), 1))
}

const timeLayout = "2006-01-02T15:04:05.000Z"

// state is the part of a task that the peer of a session sees (definition Task).
type state struct{ taskState }

// AppendJSON implements wire.Appender.
func (s state) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.NewWriter(dst)
	w.BeginObject()
	s.write(&w, "ttl", "pollInterval")
	w.EndObject()
	return w.End()
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

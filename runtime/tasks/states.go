package tasks

import (
	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// updateParams holds the params of tasks/update.
type updateParams struct {
	params.Received
	id        string
	responses wire.Object
}

// DecodeJSON implements wire.Value.
func (p *updateParams) DecodeJSON(r *wire.Reader) error {
	return params.Decode(r, []string{"taskId", "inputResponses"}, 2, func(member int) {
		if member == 0 {
			p.id = r.ReadString()
		} else {
			p.responses = r.ReadObject()
		}
	})
}

// createdTask is a CreateTaskResult of the extension.
type createdTask struct{ taskState }

// AppendJSON implements wire.Appender.
func (c createdTask) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.NewWriter(dst)
	w.BeginObject()
	w.String("resultType", "task")
	c.write(&w, "ttlMs", "pollIntervalMs")
	w.EndObject()
	return w.End()
}

// detailedTask is a DetailedTask: the state of a task with what belongs to its status.
type detailedTask struct{ record *Record }

// AppendJSON implements wire.Appender.
func (d detailedTask) AppendJSON(dst []byte) ([]byte, error) {
	r := d.record
	w := wire.NewWriter(dst)
	w.BeginObject()
	stateOf(r).write(&w, "ttlMs", "pollIntervalMs")
	switch status(r.Status) {
	case inputRequired:
		questions, err := wire.NewObject(r.Questions...)
		if err != nil {
			return dst, err
		}
		w.Value("inputRequests", questions)
	case completed:
		w.Value("result", r.Result)
	case failed:
		w.Value("error", r.Error)
	}
	w.EndObject()
	return w.End()
}

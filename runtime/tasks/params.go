package tasks

import (
	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// taskMetadata is the definition TaskMetadata.
type taskMetadata struct {
	params.Received
	ttl *int64 // milliseconds
}

// DecodeJSON implements wire.Value.
func (p *taskMetadata) DecodeJSON(r *wire.Reader) error {
	return params.Decode(r, []string{"ttl"}, 0, func(int) { p.ttl = r.ReadInt64Pointer() })
}

// taskParams holds the params of tasks/get, tasks/result and tasks/cancel.
type taskParams struct {
	params.Received
	id string
}

// DecodeJSON implements wire.Value.
func (p *taskParams) DecodeJSON(r *wire.Reader) error {
	return params.Decode(r, []string{"taskId"}, 1, func(int) { p.id = r.ReadString() })
}

package tasks

import (
	"iter"

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

// without returns an object without one of its members.
func without(o wire.Raw, name string) (wire.Raw, error) {
	dst := []byte{'{'}
	var err error
	for member, value := range others(wire.Object(o), name) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		if dst, err = wire.AppendString(dst, member); err != nil {
			return "", err
		}
		dst = append(append(dst, ':'), value...)
	}
	return wire.Raw(append(dst, '}')), nil
}

func others(o wire.Object, name string) iter.Seq2[string, wire.Raw] {
	return func(yield func(string, wire.Raw) bool) {
		for member, value := range o.All() {
			if member != name && !yield(member, value) {
				return
			}
		}
	}
}

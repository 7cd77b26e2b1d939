package tasks

import (
	"errors"
	"iter"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// received makes a wire.Value of params that are only read.
type received struct{}

// AppendJSON fails.
func (received) AppendJSON(dst []byte) ([]byte, error) {
	return dst, errors.New("tasks: params are not written")
}

// taskMetadata is definition TaskMetadata.
type taskMetadata struct {
	received
	ttl *int64 // milliseconds
}

// DecodeJSON implements wire.Value.
func (p *taskMetadata) DecodeJSON(r *wire.Reader) error {
	var seen uint64
	for r.BeginObject(); r.Member(); {
		if r.Name() == "ttl" {
			r.Once(&seen, 0)
			p.ttl = r.ReadInt64Pointer()
		} else {
			r.Skip()
		}
	}
	return r.Err()
}

// taskParams are those of tasks/get, tasks/result and tasks/cancel.
type taskParams struct {
	received
	id string
}

// DecodeJSON implements wire.Value.
func (p *taskParams) DecodeJSON(r *wire.Reader) error {
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		if r.Name() == "taskId" {
			r.Once(&seen[0], 0)
			p.id = r.ReadString()
		} else {
			r.Skip()
		}
	}
	if seen[0] == 0 {
		r.Missing(seen[:], "taskId")
	}
	return r.Err()
}

// listParams are those of tasks/list.
type listParams struct {
	received
	cursor *string
}

// DecodeJSON implements wire.Value.
func (p *listParams) DecodeJSON(r *wire.Reader) error {
	var seen uint64
	for r.BeginObject(); r.Member(); {
		if r.Name() == "cursor" {
			r.Once(&seen, 0)
			p.cursor = r.ReadStringPointer()
		} else {
			r.Skip()
		}
	}
	return r.Err()
}

// without is an object without one of its members.
func without(params wire.Raw, name string) (wire.Raw, error) {
	dst := []byte{'{'}
	var err error
	for member, value := range others(wire.Object(params), name) {
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

package typed

import (
	"errors"

	"github.com/go-json-experiment/json"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// value is a value of a type that knows nothing of package wire.
type value[T any] struct {
	v    T
	text wire.Raw // what v was decoded from
	err  error    // why the defaults do not fit in
}

// AppendJSON implements wire.Appender.
func (x *value[T]) AppendJSON(dst []byte) ([]byte, error) {
	text, err := json.Marshal(&x.v, json.Deterministic(true))
	if err != nil {
		return dst, err
	}
	return wire.AppendRaw(dst, wire.Raw(text))
}

// DecodeJSON implements wire.Value.
func (x *value[T]) DecodeJSON(r *wire.Reader) error {
	x.text = r.ReadRaw()
	if err := r.Err(); err != nil {
		return err
	}
	return x.decode(x.text)
}

func (x *value[T]) decode(text wire.Raw) error {
	err := json.Unmarshal([]byte(text), &x.v)
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		problem := "does not fit in " + e.GoType.String()
		if e.Err != nil {
			problem += ": " + e.Err.Error()
		}
		return &wire.Error{Offset: e.ByteOffset, Pointer: string(e.JSONPointer), Problem: problem}
	}
	return err
}

// complete puts defaults where members are missing.
func (x *value[T]) complete(defaults *defaults) {
	if text := defaults.fill(x.text); text != x.text {
		var zero T
		x.v = zero
		x.err = x.decode(text)
	}
}

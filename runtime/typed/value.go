package typed

import (
	"reflect"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// value gives a value of any Go type the codec of its shape.
type value struct {
	v     reflect.Value // can be set
	shape *shape
	given wire.Object // the schema of the definition, if there is one that may have defaults
}

// AppendJSON implements wire.Appender.
func (x *value) AppendJSON(dst []byte) ([]byte, error) { return x.shape.append(dst, x.v, 0) }

// DecodeJSON implements wire.Value.
func (x *value) DecodeJSON(r *wire.Reader) error {
	x.v.SetZero()
	if x.given == "" {
		x.shape.decode(r, x.v)
		return r.Err()
	}
	text := r.ReadRaw()
	if err := r.Err(); err != nil {
		return err
	}
	inner := wire.NewStringReader(string(fill(text, x.given, x.given)))
	x.shape.decode(inner, x.v)
	return inner.Err()
}

// of returns the value of x, which has the type T.
func of[T any](x *value) *T { return x.v.Addr().Interface().(*T) }

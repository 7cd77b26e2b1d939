// Package params helps to read the params of methods by hand, for packages of the runtime
// that know a few methods of all revisions and no generated type.
package params

import (
	"errors"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Received makes a wire.Value of params that are only read.
type Received struct{}

// AppendJSON fails.
func (Received) AppendJSON(dst []byte) ([]byte, error) {
	return dst, errors.New("params: these are not written")
}

// Decode reads an object. Read is called for the value of each member that names has, with
// the index of the name; a member that is there twice fails, and so does the lack of one
// of the first required ones. A lenient Reader reads null as the lack of any other. Members of other names are read over, as the schemas of all
// revisions want.
func Decode(r *wire.Reader, names []string, required int, read func(member int)) error {
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		i := slices.Index(names, r.Name())
		if i < 0 {
			skip(r, &seen[0], uint(len(names)))
			continue
		}
		if i < required {
			r.Once(&seen[0], uint(i))
		} else if !r.Present(&seen[0], uint(i)) {
			continue
		}
		read(i)
	}
	if all := uint64(1)<<required - 1; seen[0]&all != all {
		r.Missing(seen[:], names[:required]...)
	}
	return r.Err()
}

// skip reads a member that is none of a method's own. Bit is that of _meta.
func skip(r *wire.Reader, seen *uint64, bit uint) {
	if r.Name() != "_meta" {
		r.Skip()
		return
	}
	if !r.Present(seen, bit) {
		return
	}
	// Nobody needs the object here, but a bad one must not pass.
	var members uint64
	for r.BeginObject(); r.Member(); {
		if r.Name() != "progressToken" {
			r.Skip()
		} else if r.Present(&members, 0) {
			r.ReadScalar(wire.ScalarString | wire.ScalarInteger)
		}
	}
}

// List are the params of methods that list (definition PaginatedRequest).
type List struct {
	Received
	Cursor *string
}

// DecodeJSON implements wire.Value.
func (p *List) DecodeJSON(r *wire.Reader) error {
	return Decode(r, []string{"cursor"}, 0, func(int) { p.Cursor = r.ReadStringPointer() })
}

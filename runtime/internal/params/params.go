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
// of the first required ones. Members of other names are read over, as the schemas of all
// revisions want.
func Decode(r *wire.Reader, names []string, required int, read func(member int)) error {
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		i := slices.Index(names, r.Name())
		if i < 0 {
			skip(r)
			continue
		}
		r.Once(&seen[0], uint(i))
		read(i)
	}
	if all := uint64(1)<<required - 1; seen[0]&all != all {
		r.Missing(seen[:], names[:required]...)
	}
	return r.Err()
}

// skip reads a member that is none of a method's own.
func skip(r *wire.Reader) {
	if r.Name() != "_meta" {
		r.Skip()
		return
	}
	// Nobody needs the object here, but a bad one must not pass.
	for r.BeginObject(); r.Member(); {
		if r.Name() == "progressToken" {
			r.ReadScalar(wire.ScalarString | wire.ScalarInteger)
		} else {
			r.Skip()
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

// Package params helps packages of the runtime that handle a few methods of all revisions,
// without generated types, to decode params.
package params

import (
	"errors"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Received makes a decoded type a wire.Value. It cannot be encoded.
type Received struct{}

// AppendJSON returns an error.
func (Received) AppendJSON(dst []byte) ([]byte, error) {
	return dst, errors.New("params: cannot be encoded")
}

// Decode decodes an object. It calls read for each member in names, with the index of the
// name. It fails for a repeated member and if one of the first required members is missing.
// A lenient Reader treats null as absent for the other members. Decode skips members with
// other names, as the schemas of all revisions require.
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

// skip skips a member that is not one of a method's own. Bit is the bit of _meta in seen.
func skip(r *wire.Reader, seen *uint64, bit uint) {
	if r.Name() != "_meta" {
		r.Skip()
		return
	}
	if !r.Present(seen, bit) {
		return
	}
	// The object is not needed here, but an invalid one must be rejected.
	var members uint64
	for r.BeginObject(); r.Member(); {
		if r.Name() != "progressToken" {
			r.Skip()
		} else if r.Present(&members, 0) {
			r.ReadScalar(wire.ScalarString | wire.ScalarInteger)
		}
	}
}

// List holds the params of list methods (definition PaginatedRequest).
type List struct {
	Received
	Cursor *string
}

// DecodeJSON implements wire.Value.
func (p *List) DecodeJSON(r *wire.Reader) error {
	return Decode(r, []string{"cursor"}, 0, func(int) { p.Cursor = r.ReadStringPointer() })
}

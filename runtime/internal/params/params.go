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

// Decode decodes params, or an object within them. It calls read for each member in names, with the
// index of the name. It fails if one of the first required members is missing. A lenient Reader treats null as absent
// for the other members. Decode skips members with other names, as the schemas of all revisions require, but the _meta
// of params must be valid.
func Decode(r *wire.Reader, names []string, required int, read func(member int)) error {
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		i := slices.Index(names, r.Name())
		switch {
		case i < 0 && r.Name() == "_meta" && r.Depth() == 1:
			if r.Present() {
				readMeta(r)
			}
		case i < 0:
			r.Skip()
		case i < required:
			seen[0] |= 1 << i
			read(i)
		case r.Present():
			read(i)
		}
	}
	if all := uint64(1)<<required - 1; seen[0]&all != all {
		r.Missing(seen[:], names[:required]...)
	}
	return r.Err()
}

// readMeta reads _meta. It is not needed here, but an invalid one must be rejected.
func readMeta(r *wire.Reader) {
	_ = Decode(r, []string{"progressToken"}, 0, func(int) { r.ReadScalar(wire.KindString | wire.KindInteger) })
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

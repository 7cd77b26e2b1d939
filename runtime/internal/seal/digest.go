package seal

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Sum is a SHA-256 digest.
type Sum = [sha256.Size]byte

// Request returns the digest of a request: its revision, its method, and its params without the members
// called without. White space, the order of members and the spelling of strings and integers do not
// matter, because a client may write a request anew when it repeats it.
func Request(revision, method string, params wire.Object, without ...string) Sum {
	var d digester
	d.text(revision)
	d.text(method)
	if params == "" {
		params = "{}"
	}
	d.object(wire.NewStringReader(string(params)), without)
	return sha256.Sum256(d.buf)
}

// Value returns the digest of a JSON value, see Request.
func Value(v wire.Raw) Sum {
	var d digester
	d.value(wire.NewStringReader(string(v)))
	return sha256.Sum256(d.buf)
}

// digester appends values to buf, each in a form whose end is known: the text of a scalar with its length,
// and the digest of a container. Each byte is therefore hashed once, however deep the nesting is.
type digester struct{ buf []byte }

func (d *digester) text(s string) {
	d.buf = binary.AppendUvarint(d.buf, uint64(len(s)))
	d.buf = append(d.buf, s...)
}

func (d *digester) value(r *wire.Reader) {
	kind := r.Kind()
	d.buf = append(d.buf, byte(kind))
	switch kind {
	case wire.KindObject:
		d.object(r, nil)
	case wire.KindArray:
		start := len(d.buf)
		for r.BeginArray(); r.Element(); {
			d.value(r)
		}
		d.fold(start)
	default:
		const scalars = wire.ScalarString | wire.ScalarNumber | wire.ScalarBool | wire.ScalarNull
		d.text(r.ReadScalar(scalars).Canonical().String())
	}
}

// object appends an object without some of its members, which are sorted by name.
func (d *digester) object(r *wire.Reader, without []string) {
	start := len(d.buf)
	names := make([]string, 0, 8)
	ends := append(make([]int, 0, 9), start) // of the members in d.buf, after where the first begins
	for r.BeginObject(); r.Member(); {
		name := r.Name()
		if slices.Contains(without, name) {
			r.Skip()
			continue
		}
		d.text(name)
		d.value(r)
		names, ends = append(names, name), append(ends, len(d.buf))
	}
	if !slices.IsSorted(names) {
		text := slices.Clone(d.buf)
		place := make(map[string]int, len(names))
		for i, name := range names {
			place[name] = i
		}
		slices.Sort(names)
		d.buf = d.buf[:start]
		for _, name := range names {
			i := place[name]
			d.buf = append(d.buf, text[ends[i]:ends[i+1]]...)
		}
	}
	d.fold(start)
}

// fold replaces what was appended after start by its digest.
func (d *digester) fold(start int) {
	sum := sha256.Sum256(d.buf[start:])
	d.buf = append(d.buf[:start], sum[:]...)
}

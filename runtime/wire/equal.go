package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// Equal reports whether a and b are the same JSON value. White space, the order of members and
// the spelling of strings and numbers do not matter. Numbers are compared by their exact values:
// 1, 1.0 and 10e-1 are equal, 0.1 and 0.10000000000000001 are not. Malformed text is equal only
// to the same text.
func Equal(a, b Raw) bool {
	if a == b {
		return true
	}
	if a.Kind() != b.Kind() {
		return false
	}
	if x, ok := a.Str(); ok { // the most frequent case, such as the tag of a union
		if y, ok := b.Str(); ok {
			return x == y
		}
	}
	x, ok := a.scalar()
	if y, also := b.scalar(); ok && also {
		return x == y || a.Kind() == KindNumber && CompareNumbers(Raw(x.text), Raw(y.text)) == 0
	}
	v, ok := a.Sum()
	w, also := b.Sum()
	return ok && also && v == w
}

// scalar returns the scalar that x is, or false.
func (x Raw) scalar() (Scalar, bool) {
	if k := x.Kind(); k == KindObject || k == KindArray {
		return Scalar{}, false
	}
	r := Reader{src: string(x), trying: 1}
	s := r.ReadScalar(scalarAny)
	r.End()
	return s, r.err == nil
}

// Sum returns the SHA-256 digest of a value. Texts that are equal by [Equal] have the same digest. For malformed text, ok
// is false.
func (x Raw) Sum() (sum [sha256.Size]byte, ok bool) {
	r := Reader{src: string(x), trying: 1}
	r.Skip()
	if r.End(); r.err != nil {
		return sum, false
	}
	r.pos, r.checked = 0, true
	var d digester
	d.value(&r)
	return sha256.Sum256(d.buf), true
}

// digester appends values to buf, each in a form whose end is known: the text of a scalar with its length,
// and the digest of a container. Each byte is therefore hashed once, however deep the nesting is.
type digester struct{ buf []byte }

func (d *digester) text(s string) {
	d.buf = binary.AppendUvarint(d.buf, uint64(len(s)))
	d.buf = append(d.buf, s...)
}

func (d *digester) value(r *Reader) {
	kind := r.Kind()
	d.buf = append(d.buf, byte(kind))
	switch kind {
	case KindObject:
		d.object(r)
	case KindArray:
		start := len(d.buf)
		for r.BeginArray(); r.Element(); {
			d.value(r)
		}
		d.fold(start)
	case KindNumber:
		d.text(normalNumber(string(r.Take())))
	default:
		d.text(r.ReadScalar(scalarAny).String())
	}
}

// object appends an object whose members are sorted by name.
func (d *digester) object(r *Reader) {
	start := len(d.buf)
	names := make([]string, 0, 8)
	ends := append(make([]int, 0, 9), start) // of the members in d.buf, after where the first begins
	for r.BeginObject(); r.Member(); {
		name := r.Name()
		d.text(name)
		d.value(r)
		names, ends = append(names, name), append(ends, len(d.buf))
	}
	if !slices.IsSorted(names) {
		text := slices.Clone(d.buf[start:]) // not what comes before, which would take quadratic time
		place := make(map[string]int, len(names))
		for i, name := range names {
			place[name] = i
		}
		slices.Sort(names)
		d.buf = d.buf[:start]
		for _, name := range names {
			i := place[name]
			d.buf = append(d.buf, text[ends[i]-start:ends[i+1]-start]...)
		}
	}
	d.fold(start)
}

// fold replaces what was appended after start by its digest.
func (d *digester) fold(start int) {
	sum := sha256.Sum256(d.buf[start:])
	d.buf = append(d.buf[:start], sum[:]...)
}

// normalNumber returns the text that all tokens of a number have in common.
func normalNumber(token string) string {
	if v, _, ok := parseInt64(token); ok {
		return IntScalar(v).text
	}
	d := ParseDecimal(Raw(token))
	text := d.Digits + "e" + d.magnitude()
	if d.Negative {
		text = "-" + text
	}
	return text
}

package wire

import (
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// span is where a name is, without its quotes.
type span struct{ start, end int }

func (n span) of(src string) string { return src[n.start:n.end] }

// fewNames is up to how many names are compared one by one; more go through a table.
const fewNames = 16

// A nameList has the names that a scanner has met in an object: where they begin
// as long as they are few and without escapes, else a part of scanner.many. It is
// small, for the stack holds one for each open object.
type nameList struct {
	first   int              // offset of the first name's opening quote
	few     [fewNames]uint32 // offsets of the opening quotes, from first
	n       int              // how many those are
	filter  uint64           // their bits by plainName
	twice   int              // index of the first one that stands before it too, or 0
	many    bool
	base    int  // where the names begin in scanner.many
	escaped bool // one of those has escapes
}

// plainName is [plainString] for a name, and also returns a bit that it has: most names
// of an object have different ones. Those at the end of the text, and those that are
// not plain, have all bits.
func plainName(src string, i int) (end int, bit uint64, plain bool) {
	if i+9 > len(src) {
		end, plain = plainString(src, i)
		return end, math.MaxUint64, plain
	}
	x := load8(src, i+1)
	if m := special(x); m != 0 {
		n := bits.TrailingZeros64(m) &^ 7
		end = i + 1 + n>>3
		x &= 1<<n - 1
		if src[end] != '"' {
			return end, math.MaxUint64, false
		}
	} else {
		end = plainEnd(src, i+9)
		if end == len(src) || src[end] != '"' {
			return end, math.MaxUint64, false
		}
		x += uint64(src[end-1]) << 32
	}
	x += uint64(end - i)
	return end + 1, 1 << (x * 0x9e3779b97f4a7c15 >> 58), true
}

// meet adds a name that is between the quotes at src[i] and src[end-1] and may be
// in the list already.
func (s *scanner) meet(src string, l *nameList, i, end int, escaped bool) {
	if !l.many {
		if !escaped && l.n < fewNames && uint64(i-l.first) <= math.MaxUint32 {
			if l.twice == 0 && l.has(src, src[i+1:end]) {
				l.twice = l.n
			}
			l.few[l.n] = uint32(i - l.first)
			l.n++
			return
		}
		l.many, l.base = true, len(s.many)
		s.many = slices.Grow(s.many, 2*fewNames)
		for _, offset := range l.few[:l.n] {
			start := l.first + int(offset)
			end, _, _ := scanString(src, start)
			s.many = append(s.many, span{start + 1, end - 1})
		}
		l.n = fewNames // no more of them
	}
	l.escaped = l.escaped || escaped
	if n := len(s.many); n == cap(s.many) {
		s.many = slices.Grow(s.many, n)
	}
	s.many = append(s.many, span{i + 1, end - 1})
}

// has reports whether a name, which ends in its quote, is one of the few.
func (l *nameList) has(src, name string) bool {
	for _, offset := range l.few[:l.n] {
		if strings.HasPrefix(src[l.first+int(offset)+1:], name) {
			return true
		}
	}
	return false
}

// duplicate returns the index of the first name that stands before it too, or -1.
func (s *scanner) duplicate(src string, l *nameList) int {
	if l.twice > 0 {
		return l.twice
	}
	if !l.many {
		return -1
	}
	names := s.many[l.base:]
	s.many = s.many[:l.base]
	s.table.reset(len(names))
	meaning := func(i int) string {
		name := names[i].of(src)
		if l.escaped && strings.IndexByte(name, '\\') >= 0 {
			return unquote(name)
		}
		return name
	}
	for i := range names {
		if !s.table.add(i, meaning) {
			return i
		}
	}
	return -1
}

// A nameTable is a set of names that are elsewhere, told by their indexes there. The
// hash has a secret seed, so that no text can be made of names that collide.
type nameTable struct {
	seed  maphash.Seed
	slots []nameSlot // as many as a power of two, at most half of them taken
}

// nameSlot is the place of a name. An index takes 32 bits, for a text of more names
// than that would not fit into memory beside its names.
type nameSlot struct {
	hash uint32
	next uint32 // the index plus one; 0 where the slot is free
}

// reset empties the table and makes room for n names.
func (t *nameTable) reset(n int) {
	size := 1 << bits.Len(uint(2*n-1))
	// A table much larger than needed costs more to clear than a new one to make.
	if cap(t.slots) < size || cap(t.slots) > 8*size {
		t.slots = make([]nameSlot, size)
	} else {
		t.slots = t.slots[:size]
		clear(t.slots)
	}
	if t.seed == (maphash.Seed{}) {
		t.seed = maphash.MakeSeed()
	}
}

// fits reports whether there is room for n names.
func (t *nameTable) fits(n int) bool { return 2*n <= len(t.slots) }

// add puts the i-th name into the table, unless an equal one is there, and reports
// whether it did.
func (t *nameTable) add(i int, nameOf func(int) string) bool {
	name := nameOf(i)
	hash := maphash.String(t.seed, name)
	mask := uint64(len(t.slots) - 1)
	for at := hash >> 32; ; at++ {
		slot := &t.slots[at&mask]
		if slot.next == 0 {
			*slot = nameSlot{uint32(hash), uint32(i + 1)}
			return true
		}
		if slot.hash == uint32(hash) && nameOf(int(slot.next-1)) == name {
			return false
		}
	}
}

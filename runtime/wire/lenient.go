package wire

import (
	"slices"
	"strconv"
)

// Lenience says which texts that do not fit a type a [Reader] accepts nevertheless. The zero
// Lenience is strict.
type Lenience uint8

const (
	// AbsentNulls reads null as an absent member where null is not allowed and the member may
	// be absent, and as an empty array where a list is required.
	AbsentNulls Lenience = 1 << iota
	// LeaveOut leaves elements that cannot be read out of the list that a result is about. It
	// takes effect together with WellFormed.
	LeaveOut
	// WellFormed is no lenience: it tells that the text has been checked, see [UnmarshalChecked].
	WellFormed
)

// Deviation is a part of a text that a lenient [Reader] accepted although it does not fit.
type Deviation struct {
	// Pointer is the JSON Pointer (RFC 6901) of the value that does not fit.
	Pointer string
	// Problem says what is wrong with it and what became of it.
	Problem string
	// LeftOut tells that the element of a list was left out for it. Otherwise a null was read
	// as an absent member or an empty list.
	LeftOut bool
}

// String returns the place and the problem in one line.
func (d Deviation) String() string { return d.Pointer + ": " + d.Problem }

// maxDeviations bounds how many deviations are told of one text.
const maxDeviations = 1000

// deviation is a Deviation whose pointer is not known yet.
type deviation struct {
	err   *Error // nil for a null
	about int
	place place
	list  bool // the null is in the place of a list
}

// leniently is what a lenient Reader keeps.
type leniently struct {
	lenience   Lenience
	deviations []deviation
	untold     int // how many deviations came after the last
}

// UnmarshalLenient is [UnmarshalString] that accepts what l says. It returns what it accepted
// although it does not fit, in the order of the text: the first thousand of it, and how much
// more there is. After an error there is none.
func UnmarshalLenient(text Raw, v Value, l Lenience) (accepted []Deviation, more int, err error) {
	r := readers.Get().(*Reader)
	r.src, r.checked = string(text), l&WellFormed != 0
	r.lenient.lenience = l &^ WellFormed
	err = r.decode(v)
	if err == nil && len(r.lenient.deviations) > 0 {
		accepted, more = r.deviations(), r.lenient.untold
	}
	r.renew("", false)
	readers.Put(r)
	return accepted, more, err
}

// Present is [Reader.Once] for an optional member that must not be null. It reports whether
// the member has a value to be read: a lenient Reader reads null as an absent member.
func (r *Reader) Present(seen *uint64, bit uint) bool {
	r.Once(seen, bit)
	return r.lenient.lenience == 0 || !r.absentNull(false)
}

// absentNull reads null if it comes next and is to be taken for an absent member, or for an
// empty list.
func (r *Reader) absentNull(list bool) bool {
	if r.lenient.lenience&AbsentNulls == 0 || !r.ReadNull() {
		return false
	}
	r.deviate(deviation{about: r.pos - len("null"), list: list})
	return true
}

func (r *Reader) deviate(d deviation) {
	if len(r.lenient.deviations) == maxDeviations {
		r.lenient.untold++
		return
	}
	r.lenient.deviations = append(r.lenient.deviations, d)
}

// ReadList reads an array whose elements are read by a method of T. A lenient Reader leaves
// out the elements that cannot be read.
func ReadList[T any](r *Reader, read func(*T, *Reader) error) []T {
	list := []T{}
	if r.lenient.lenience != 0 && r.absentNull(true) {
		return list
	}
	for r.BeginArray(); r.Element(); {
		start := r.beginElement()
		_ = read(Extend(r, &list), r)
		if !r.endElement(start) {
			list = shorten(list)
		}
	}
	return list
}

// ReadUnions is [ReadList] for elements that are read by a function.
func ReadUnions[T any](r *Reader, read func(*Reader) T) []T {
	list := []T{}
	if r.lenient.lenience != 0 && r.absentNull(true) {
		return list
	}
	for r.BeginArray(); r.Element(); {
		start := r.beginElement()
		place := Extend(r, &list)
		*place = read(r)
		if !r.endElement(start) {
			list = shorten(list)
		}
	}
	return list
}

func shorten[T any](list []T) []T {
	last := len(list) - 1
	clear(list[last:])
	return list[:last]
}

// element is where a Reader was before an element of a list.
type element struct {
	pos, depth, deviations, untold int
}

// mayLeaveOut reports whether an element that cannot be read is left out.
func (r *Reader) mayLeaveOut() bool { return r.lenient.lenience&LeaveOut != 0 && r.checked }

func (r *Reader) beginElement() element {
	if r.mayLeaveOut() {
		r.trying++ // so that no error looks for its pointer, one after the other
	}
	return element{r.pos, r.depth, len(r.lenient.deviations), r.lenient.untold}
}

// endElement goes on after an element that could not be read, if the Reader is to do so. It
// returns false if the element is left out.
func (r *Reader) endElement(start element) (keep bool) {
	if !r.mayLeaveOut() {
		return true
	}
	r.trying--
	if r.err == nil {
		return true
	}
	end := skipValue(r.src, start.pos)
	if end <= start.pos {
		return true
	}
	d := deviation{err: r.err, about: r.about, place: r.place}
	r.err, r.place, r.located = nil, atValue, false
	r.pos, r.depth, r.fresh = end, start.depth, false
	for n := len(r.indexes); n > 0 && r.indexes[n-1].depth > start.depth; n-- {
		r.indexes = r.indexes[:n-1]
	}
	// What was accepted in the element has become of no interest.
	r.lenient.deviations, r.lenient.untold = r.lenient.deviations[:start.deviations], start.untold
	r.deviate(d)
	return false
}

// deviations gives the deviations their pointers, by reading the text up to the last of them
// once more.
func (r *Reader) deviations() []Deviation {
	all := r.lenient.deviations
	slices.SortStableFunc(all, func(a, b deviation) int { return a.about - b.about })
	told := make([]Deviation, len(all))
	t := tracer{src: r.src}
	for i, d := range all {
		pointer, _ := t.pointer(d.about, d.place)
		told[i] = Deviation{Pointer: pointer, Problem: d.problem(), LeftOut: d.err != nil}
	}
	return told
}

func (d deviation) problem() string {
	switch {
	case d.err != nil:
		return "the element is left out: " + d.err.Problem
	case d.list:
		return "null is read as an empty list"
	}
	return "null is read as an absent member"
}

// PeekAbsent reports whether the object that comes next has no member called name, or one
// that is read as absent.
func (r *Reader) PeekAbsent(name string) bool {
	if r.PeekHas(name) == 0 {
		return true
	}
	if r.lenient.lenience&AbsentNulls == 0 {
		return false
	}
	raw, _ := r.PeekRaw(name)
	return raw == "null"
}

// appendIndex appends the token of a JSON Pointer for an element.
func appendIndex(dst []byte, index int) []byte {
	return strconv.AppendInt(append(dst, '/'), int64(index), 10)
}

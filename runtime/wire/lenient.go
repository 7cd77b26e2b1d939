package wire

// Lenience is a set of deviations from a type that a [Reader] accepts. The zero Lenience is
// strict.
type Lenience uint8

const (
	// AbsentNulls accepts null where it is not allowed: for an optional member it means that the
	// member is absent, and for a required list that the list is empty.
	AbsentNulls Lenience = 1 << iota
	// LeaveOut leaves elements that cannot be decoded out of a list. It takes effect only
	// together with WellFormed.
	LeaveOut
	// WellFormed declares that the text has been checked before; see [UnmarshalChecked].
	WellFormed
)

// Deviation is a part of a text that a lenient [Reader] accepted although it does not fit the
// type.
type Deviation struct {
	// Pointer is the JSON Pointer (RFC 6901) of the value that does not fit.
	Pointer string
	// Problem describes what is wrong with the value and how it was read.
	Problem string
	// LeftOut means that the value is an element that was left out of a list. Otherwise the
	// value is a null that was read as an absent member or an empty list.
	LeftOut bool
}

// String returns the place and the problem in one line.
func (d Deviation) String() string { return d.Pointer + ": " + d.Problem }

// maxDeviations limits how many deviations of a text are kept.
const maxDeviations = 1000

// deviation is a Deviation whose pointer is not known yet.
type deviation struct {
	err     *Error // of an element that was left out; nil for a null
	about   int
	pointee pointee
	list    bool // the null stands for a list
}

// leniently is the part of a Reader that lenient reading needs.
type leniently struct {
	lenience   Lenience
	deviations []deviation
	omitted    int // number of deviations that were not kept
}

// UnmarshalLenient is [UnmarshalString] with lenience. It returns the deviations that it
// accepted, in the order of the text: the first thousand, and the number of those that follow.
// On an error it returns none.
func UnmarshalLenient(text Raw, v Decoder, l Lenience) (accepted []Deviation, more int, err error) {
	r := readers.Get().(*Reader)
	r.src, r.checked = string(text), l&WellFormed != 0
	r.lenient.lenience = l &^ WellFormed
	err = r.decode(v)
	if err == nil && len(r.lenient.deviations) > 0 {
		accepted, more = r.deviations(), r.lenient.omitted
	}
	r.renew("", false)
	readers.Put(r)
	return accepted, more, err
}

// Present is [Reader.Once] for an optional member that must not be null. It reports whether the
// member has a value to read: a lenient Reader reads null as an absent member.
func (r *Reader) Present(seen *uint64, bit uint) bool {
	r.Once(seen, bit)
	return r.lenient.lenience == 0 || !r.absentNull(false)
}

// absentNull reads null if it comes next and is accepted as an absent member or an empty list.
func (r *Reader) absentNull(list bool) bool {
	if r.lenient.lenience&AbsentNulls == 0 || !r.ReadNull() {
		return false
	}
	r.deviate(deviation{about: r.pos - len("null"), list: list})
	return true
}

func (r *Reader) deviate(d deviation) {
	if len(r.lenient.deviations) == maxDeviations {
		r.lenient.omitted++
		return
	}
	r.lenient.deviations = append(r.lenient.deviations, d)
}

// leavesOut reports whether elements that cannot be decoded are left out.
func (r *Reader) leavesOut() bool { return r.lenient.lenience&LeaveOut != 0 && r.checked }

// leaveOut moves after the element at a position, which could not be decoded. It returns false
// if the element has no end.
func (r *Reader) leaveOut(before position) bool {
	end := skipValue(r.src, before.pos)
	if end <= before.pos {
		return false
	}
	d := deviation{err: r.err, about: r.about, pointee: r.pointee}
	r.restore(before) // which drops the deviations inside the element
	r.pos, r.fresh = end, false
	r.deviate(d)
	return true
}

// deviations returns the deviations with their pointers. It reads the text again up to the last
// one.
func (r *Reader) deviations() []Deviation {
	all := r.lenient.deviations
	for i := range all { // few, and nearly in order
		for ; i > 0 && all[i].about < all[i-1].about; i-- {
			all[i], all[i-1] = all[i-1], all[i]
		}
	}
	found := make([]Deviation, len(all))
	t := tracer{src: r.src}
	for i, d := range all {
		pointer, _ := t.pointer(d.about, d.pointee)
		found[i] = Deviation{Pointer: pointer, Problem: d.problem(), LeftOut: d.err != nil}
	}
	return found
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

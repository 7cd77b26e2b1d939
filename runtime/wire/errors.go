package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// Error is a problem with one value, found while decoding or encoding.
type Error struct {
	// Offset is the position of the problem in the text, in bytes; -1 when encoding.
	Offset int64
	// Pointer is the value's JSON Pointer (RFC 6901), "" for the outermost value.
	Pointer string
	// Problem describes what is wrong, such as "expected a string, found a number".
	Problem string
	// Syntax is set if the text is not acceptable JSON (grammar, UTF-8, nesting beyond MaxDepth).
	// Otherwise the JSON does not fit, or it has duplicate members.
	Syntax bool

	cause error // the first error that In or At got
}

// Error returns the place and the problem in one line:
// "wire: at /content/0/text, byte 34: expected a string, found a number".
func (e *Error) Error() string {
	var place string
	switch {
	case e.Offset < 0 && e.Pointer == "":
		return "wire: " + e.Problem
	case e.Offset < 0:
		place = e.Pointer
	case e.Pointer == "":
		place = "byte " + strconv.FormatInt(e.Offset, 10)
	default:
		place = e.Pointer + ", byte " + strconv.FormatInt(e.Offset, 10)
	}
	return "wire: at " + place + ": " + e.Problem
}

// Unwrap returns the error that [In] or [At] added a pointer to, or nil.
func (e *Error) Unwrap() error { return e.cause }

// ErrMissing is the error of encoding a union that is nil.
var ErrMissing error = &Error{Offset: -1, Problem: "a required value is missing"}

// In adds to err, an error of encoding or validating a value, that the value is the member called
// name of an object. It puts the name before the pointers of an [*Error] or [*ValidationError],
// and makes any other error an *Error. It returns nil for nil.
func In(err error, name string) error {
	if err == nil {
		return nil
	}
	return under(err, string(AppendPointer(nil, name)))
}

// At is [In] for the element of an array.
func At(err error, index int) error {
	if err == nil {
		return nil
	}
	return under(err, "/"+strconv.Itoa(index))
}

func under(err error, prefix string) error {
	switch e := err.(type) {
	case *Error:
		moved := *e
		moved.Pointer = prefix + e.Pointer
		if moved.cause == nil {
			moved.cause = e
		}
		return &moved
	case *ValidationError:
		moved := &ValidationError{Problems: make([]Problem, len(e.Problems))}
		for i, p := range e.Problems {
			moved.Problems[i] = Problem{Pointer: prefix + p.Pointer, Message: p.Message, Union: p.Union}
		}
		return moved
	}
	return &Error{Offset: -1, Pointer: prefix, Problem: err.Error(), cause: err}
}

// encodingError returns an error of encoding.
func encodingError(problem string) error {
	return &Error{Offset: -1, Problem: problem}
}

// pointee is what the pointer of an error refers to, relative to Reader.about.
type pointee uint8

const (
	atValue  pointee = iota // the value there, or its container if none begins there
	atMember                // the member whose name is there
	atObject                // the object whose closing brace is there
)

// Fail records that the value that comes next does not fit. The arguments are those of
// [fmt.Sprintf].
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.fail(skipSpace(r.src, r.pos), fmt.Sprintf(format, args...))
	}
}

// fail records an error that is not a syntax error.
func (r *Reader) fail(at int, problem string) {
	r.err = &Error{Offset: int64(at), Problem: problem}
	r.about = at
	r.pos = max(r.pos, at)
}

// failSyntax records a syntax error.
func (r *Reader) failSyntax(at int, problem string) {
	r.fail(at, problem)
	r.err.Syntax = true
}

// failFound records that the grammar requires something else at i. Like the methods below, it returns
// -1, which stands for the end of the value.
func (r *Reader) failFound(i int, want string) int {
	r.failSyntax(i, "expected "+want+", found "+found(r.src, i))
	return -1
}

// failDepth records that a container is nested too deeply.
func (r *Reader) failDepth(i int) int {
	r.failSyntax(i, "nested more than "+strconv.Itoa(MaxDepth)+" levels deep")
	return -1
}

// failNumber records that the number at i lacks a digit at an offset.
func (r *Reader) failNumber(i, at int) int {
	r.failFound(at, "a digit")
	return r.blame(i)
}

// blame makes the error one about the value that begins at i.
func (r *Reader) blame(i int) int {
	r.about = i
	return -1
}

// failDuplicate records that the member whose name begins at an offset is a duplicate.
func (r *Reader) failDuplicate(at int, name string) int {
	r.fail(at, "duplicate member "+strconv.Quote(shown(name)))
	r.pointee = atMember
	return -1
}

// failString records the fault of the string at i, which was scanned up to reach.
func (r *Reader) failString(i, reach int) int {
	at, problem := stringFault(r.src, i)
	r.failSyntax(at, problem)
	r.pos = max(r.pos, reach)
	return r.blame(i)
}

// failKind records that the value at i has another kind than the wanted one, or the fault of a
// malformed value.
func (r *Reader) failKind(i int, want string) {
	if i >= len(r.src) || kindOf(r.src[i]) == KindInvalid {
		r.failFound(i, want)
		return
	}
	// If the error is dropped, a scan could cost much.
	if r.trying == 0 && r.scan(r.src, i, r.depth) < 0 {
		return
	}
	r.fail(i, "expected "+want+", found "+kindOf(r.src[i]).String())
}

// failToken records that the token just read does not fit.
func (r *Reader) failToken(token, problem string) {
	r.fail(r.pos-len(token), problem)
}

// Once sets a bit of seen for the current member, and fails if it is set already. Call it before
// the value is read.
func (r *Reader) Once(seen *uint64, bit uint) {
	mask := uint64(1) << bit
	if *seen&mask != 0 {
		r.Duplicate()
	}
	*seen |= mask
}

// Duplicate fails because the object has had a member with the current name before.
func (r *Reader) Duplicate() {
	if r.err == nil {
		r.failDuplicate(r.nameAt, r.Name())
	}
}

// Missing fails if the object that was closed last lacks members. It names every names[i] whose
// bit i is clear; bit i is bit i%64 of seen[i/64]. It ignores names that are "".
func (r *Reader) Missing(seen []uint64, names ...string) {
	if r.err != nil {
		return
	}
	var missing []string
	for i, name := range names {
		if name != "" && (i/64 >= len(seen) || seen[i/64]>>(i%64)&1 == 0) {
			missing = append(missing, strconv.Quote(name))
		}
	}
	switch len(missing) {
	case 0:
		return
	case 1:
		r.fail(r.pos-1, "missing member "+missing[0])
	default:
		r.fail(r.pos-1, "missing members "+strings.Join(missing, ", "))
	}
	r.pointee = atObject
}

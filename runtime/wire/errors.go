package wire

import (
	"strconv"
)

// Error is the trouble with one value, met while decoding or encoding.
type Error struct {
	// Offset is where in the text the trouble is, in bytes; -1 when encoding.
	Offset int64
	// Pointer is the value's JSON Pointer (RFC 6901), "" for the outermost value.
	Pointer string
	// Problem says what is wrong, as "expected a string, found a number".
	Problem string
	// Syntax tells text that is no JSON (grammar, UTF-8, nesting past MaxDepth)
	// from JSON that does not fit, duplicate members included.
	Syntax bool

	cause error // what In or At was given first
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

// Unwrap returns the error that [In] or [At] made this one of, if they did.
func (e *Error) Unwrap() error { return e.cause }

// ErrMissing is what encoding a union without a value gives.
var ErrMissing error = &Error{Offset: -1, Problem: "a required value is missing"}

// In says that err, an error of encoding or validating a value, is about the
// member called name of an enclosing object: it puts the name before the
// pointers of an [*Error] or [*ValidationError], and makes any other error an
// *Error. A nil err stays nil.
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

// encodingError returns the error of a value that has no JSON text.
func encodingError(problem string) error {
	return &Error{Offset: -1, Problem: problem}
}

package wire

import (
	"strconv"
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

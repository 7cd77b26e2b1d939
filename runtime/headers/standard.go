package headers

import (
	"fmt"
)

// MismatchError reports that a header is missing, malformed, or different from the message. Servers
// answer it with status 400 and the JSON-RPC error HeaderMismatch ("Server Validation").
type MismatchError struct {
	Header  string // the name
	Problem string // such as "the header is missing"
}

// Error returns the name of the header and the problem.
func (e *MismatchError) Error() string { return "header mismatch: " + e.Header + ": " + e.Problem }

// Standard has the parts of a message that the standard headers repeat.
type Standard struct {
	Revision string // in the _meta of the params
	Method   string
	Name     string // the member of the params that the method table names as NameParam
	Named    bool   // the method has such a member
}

// Set sets the standard headers.
func (s Standard) Set(h Header) {
	values := []string{s.Revision, s.Method, ""}
	h[Revision], h[Method] = values[:1:1], values[1:2:2]
	if s.Named {
		values[2] = Encode(s.Name)
		h[Name] = values[2:]
	}
}

// Check compares the standard headers with the message. Names of headers are compared without case,
// and values with case ("Case Sensitivity"). The error is a *MismatchError.
func (s Standard) Check(h Header) error {
	if err := CheckRevision(h, s.Revision); err != nil {
		return err
	}
	if err := checkPlain(h, Method, s.Method); err != nil {
		return err
	}
	if !s.Named {
		return nil
	}
	value, err := required(h, Name)
	if err != nil {
		return err
	}
	name, bad := Decode(value)
	if bad != nil {
		return &MismatchError{Name, bad.Error()}
	}
	return same(Name, name, s.Name)
}

// CheckRevision compares the header of the revision alone.
func CheckRevision(h Header, revision string) error { return checkPlain(h, Revision, revision) }

// checkPlain checks a header that is never encoded.
func checkPlain(h Header, header, want string) error {
	value, err := required(h, header)
	if err != nil {
		return err
	}
	return same(header, value, want)
}

func same(header, value, want string) error {
	if value == want {
		return nil
	}
	return &MismatchError{header, fmt.Sprintf("the header has %.100q, the message %.100q", value, want)}
}

// required returns the only value of a header, without the white space around it.
func required(h Header, header string) (string, error) {
	value, ok, err := single(h, header)
	if err == nil && !ok {
		err = &MismatchError{header, "the header is missing"}
	}
	return value, err
}

// single returns the value of a header, without the white space around it. Two values are an error,
// because programs differ in which one they use.
func single(h Header, header string) (value string, ok bool, err error) {
	switch values := h[header]; len(values) {
	case 0:
		return "", false, nil
	case 1:
		return trim(values[0]), true, nil
	}
	return "", true, &MismatchError{header, "the header occurs more than once"}
}

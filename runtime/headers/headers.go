// Package headers handles the HTTP headers that repeat parts of a message, so that proxies can route
// a request without reading its body ("Request Metadata" in basic/transports/streamable-http,
// 2026-07-28).
//
// [Encode] and [Decode] convert values of headers. [Standard] has what the standard headers repeat,
// and a [Table] has the headers of a tool, which the annotation x-mcp-header in its inputSchema
// declares. Clients set both, and servers check both. A failed check is a *[MismatchError].
//
// A [Header] is an http.Header. The package does not import net/http, because servers over stdio link
// it too.
package headers

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The names of headers, in the canonical form of net/http.
const (
	Revision = "Mcp-Protocol-Version"
	Method   = "Mcp-Method"
	Name     = "Mcp-Name"
	Session  = "Mcp-Session-Id" // of revisions with sessions
	LastID   = "Last-Event-Id"  // of revisions with sessions

	prefixParam = "Mcp-Param-"
)

// Header holds the values of each header under its canonical name, as http.Header does.
type Header = map[string][]string

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

// Folded returns a name of a member that differs in case alone from one of the names, and that name, or "" for both. A
// relay refuses such a message, because a server behind it that ignores case would read another value than the headers
// repeat.
func Folded(o wire.Object, names ...string) (found, name string) {
	for found := range o.All() {
		for _, name := range names {
			if found != name && strings.EqualFold(found, name) {
				return found, name
			}
		}
	}
	return "", ""
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
	err := CheckRevision(h, s.Revision)
	if err == nil {
		err = compare(h, Method, s.Method)
	}
	if err == nil && s.Named {
		err = compare(h, Name, s.Name)
	}
	return err
}

// MethodOf returns the method that the headers of a request repeat, as [Standard.Check] reads it: without the white
// space around it, which HTTP/2 delivers as it was sent. It returns "" for headers that Check refuses.
func MethodOf(h Header) string {
	method, _, _ := single(h, Method)
	return method
}

// CheckRevision compares the header of the revision alone.
func CheckRevision(h Header, revision string) error { return compare(h, Revision, revision) }

// compare compares a header with a part of the message. Only a name may be encoded.
func compare(h Header, header, want string) error {
	value, ok, err := single(h, header)
	if err == nil && !ok {
		err = &MismatchError{header, "the header is missing"}
	}
	if err == nil && header == Name {
		if value, err = Decode(value); err != nil {
			err = &MismatchError{header, err.Error()}
		}
	}
	if err == nil && value != want {
		err = mismatch(header, value, want)
	}
	return err
}

func mismatch(header, value, want string) error {
	return &MismatchError{header, fmt.Sprintf("the header has %.100q, the message %.100q", value, want)}
}

// single returns the value of a header, without the white space around it. Two values are an error,
// because programs differ in which one they use.
func single(h Header, header string) (value string, ok bool, err error) {
	switch values := h[header]; len(values) {
	case 0:
		return "", false, nil
	case 1:
		return strings.Trim(values[0], space), true, nil
	}
	return "", true, &MismatchError{header, "the header occurs more than once"}
}

// The marks around the base64 text of an encoded value. They are case-sensitive.
const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// Encode returns the header value for a text. The value is the text itself, unless that has bytes
// other than visible ASCII characters and inner spaces, or looks like an encoded value; then it is
// =?base64?...?= with the base64 of the text ("Value Encoding").
func Encode(text string) string {
	if isPlain(text) {
		return text
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(text)) + encodedSuffix
}

// isPlain reports whether a text is its own header value. A tab would be allowed within a value, but
// not every program between a client and a server keeps it.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return text == strings.Trim(text, space) && !(strings.HasPrefix(text, encodedPrefix) && strings.HasSuffix(text, encodedSuffix))
}

// Decode returns the text that a header value stands for. It ignores spaces and tabs around the value.
// It returns an error if the value has bytes other than visible ASCII characters, spaces and tabs, or
// if it is marked as encoded and is not the base64 of a UTF-8 text.
func Decode(value string) (string, error) {
	value = strings.Trim(value, space)
	for i := range len(value) {
		if c := value[i]; c != '\t' && (c < ' ' || c > '~') {
			return "", errors.New("the value has invalid characters")
		}
	}
	encoded, ok := strings.CutPrefix(value, encodedPrefix)
	if ok {
		encoded, ok = strings.CutSuffix(encoded, encodedSuffix)
	}
	if !ok {
		return value, nil
	}
	text, err := strictBase64.DecodeString(encoded)
	if err != nil || !utf8.Valid(text) {
		return "", errors.New("the value is not the base64 of a UTF-8 text")
	}
	return string(text), nil
}

// strictBase64 accepts only one encoding of each text, so that two programs cannot read the same value
// differently.
var strictBase64 = base64.StdEncoding.Strict()

// space is the white space that may surround a value (RFC 9110, section 5.5).
const space = " \t"

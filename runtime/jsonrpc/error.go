package jsonrpc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The error codes of JSON-RPC 2.0, section 5.1.
const (
	CodeParseError     = -32700 // the text is not acceptable JSON
	CodeInvalidRequest = -32600 // the JSON is not a message, or not one that is allowed now
	CodeMethodNotFound = -32601 // the method does not exist or is not available
	CodeInvalidParams  = -32602 // the params are not valid for the method
	CodeInternalError  = -32603 // the receiver failed
)

// The error codes of revisions with sessions, from the range that JSON-RPC reserves for
// implementations. Stateless revisions forbid or discourage them ("Error Codes" in basic, 2026-07-28), so
// a stateless request gets CodeUnavailable and CodeInvalidParams instead of the first two.
const (
	CodeServerBusy             = -32000 // not begun: too many requests in flight, or the server shuts down; repeat it later
	CodeResourceNotFound       = -32002 // resources/read of a resource that does not exist
	CodeURLElicitationRequired = -32042 // the user must visit a URL first (2025-11-25)
)

// The error codes of stateless revisions ("Error Codes" in basic, 2026-07-28). The protocol reserves the
// codes from -32099 to -32020 for its own use.
const (
	CodeHeaderMismatch     = -32020 // an HTTP header differs from the message, or is missing
	CodeMissingCapability  = -32021 // the client has not declared a capability that is needed; see MissingCapability
	CodeUnsupportedVersion = -32022 // the server does not speak the revision of the request; see UnsupportedVersion
)

// CodeUnavailable is this runtime's code for a stateless request that was not begun because too many are
// in flight or the server shuts down. It lies outside the range that JSON-RPC reserves, as the protocol
// asks of codes that it does not define.
const CodeUnavailable = 503

// Error is the error object of a response. If the error that a handler returns is or wraps
// an *Error, that is what the peer receives. Any other error reaches the peer as an
// internal error without details.
//
// Codes of applications lie outside the range from -32768 to -32000, which JSON-RPC reserves. A code in the
// range that neither JSON-RPC nor the revision defines is replaced by [CodeInternalError] in answers to
// stateless requests.
type Error struct {
	Code    int64
	Message string
	Data    wire.Raw // "" means absent
}

// Errorf returns an Error with a formatted message and no data.
func Errorf(code int64, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// UnsupportedVersion returns the error for a request of a revision that the server does not speak, or speaks
// only in sessions. Supported lists the revisions that the server speaks, newest first, as server/discover
// does: a client that speaks none of those without sessions can open one ("Protocol Version Negotiation" in
// basic/versioning, 2026-07-28).
func UnsupportedVersion(requested string, supported []string) *Error {
	requested = strings.ToValidUTF8(fmt.Sprintf("%.100s", requested), "\uFFFD")
	data := []byte(`{"supported":[`)
	for _, revision := range supported {
		data, _ = wire.AppendString(wire.AppendComma(data), revision)
	}
	data, _ = wire.AppendString(append(data, `],"requested":`...), requested) // valid UTF-8, so it cannot fail
	without := ""
	if slices.Contains(supported, requested) {
		without = " without a session, which initialize opens"
	}
	return &Error{
		Code:    CodeUnsupportedVersion,
		Message: fmt.Sprintf("unsupported protocol version %q%s: this server speaks %s", requested, without, strings.Join(supported, ", ")),
		Data:    wire.Raw(append(data, '}')),
	}
}

// MissingCapability returns the error for a request that cannot be answered because the client has
// not declared capabilities. Required is a ClientCapabilities object with those that are missing ("_meta"
// in basic, 2026-07-28).
func MissingCapability(required wire.Object) *Error {
	data, err := required.AppendJSON([]byte(`{"requiredCapabilities":`))
	if err != nil {
		data = []byte(`{"requiredCapabilities":{}`)
	}
	return &Error{
		Code:    CodeMissingCapability,
		Message: fmt.Sprintf("missing client capability: the request must declare %.200s", required),
		Data:    wire.Raw(append(data, '}')),
	}
}

// Error returns the code and the message.
func (e *Error) Error() string {
	return fmt.Sprintf("jsonrpc: error %d: %s", e.Code, e.Message)
}

// AppendJSON appends the error object. It replaces invalid UTF-8 in the message, so that
// every error can be sent.
func (e *Error) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, e.Code, 10)
	dst = append(dst, `,"message":`...)
	dst, err := wire.AppendString(dst, strings.ToValidUTF8(e.Message, "\uFFFD"))
	if err != nil {
		return dst, err
	}
	if e.Data != "" {
		dst = append(dst, `,"data":`...)
		if dst, err = e.Data.AppendJSON(dst); err != nil {
			return dst, wire.In(err, "data")
		}
	}
	return append(dst, '}'), nil
}

// DecodeJSON decodes an error object. Members that JSON-RPC does not define are ignored.
func (e *Error) DecodeJSON(r *wire.Reader) error {
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "code":
			seen[0] |= 1
			e.Code = r.ReadInt64()
		case "message":
			seen[0] |= 2
			e.Message = r.ReadString()
		case "data":
			e.Data = r.ReadRaw()
		default:
			r.Skip()
		}
	}
	if seen[0]&0b11 != 0b11 {
		r.Missing(seen[:], "code", "message")
	}
	return r.Err()
}

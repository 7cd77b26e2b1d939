package jsonrpc

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Kind distinguishes requests, notifications and responses.
type Kind uint8

// The kinds of messages. The zero Kind means that the kind is unknown.
const (
	Request Kind = iota + 1
	Notification
	Response
)

// String returns the name of the kind.
func (k Kind) String() string {
	switch k {
	case Request:
		return "request"
	case Notification:
		return "notification"
	case Response:
		return "response"
	}
	return "unknown"
}

// Message is one JSON-RPC message. Strings and raw values of a parsed message share
// the memory of its text.
type Message struct {
	Kind   Kind
	ID     wire.Scalar // string or integer; zero in notifications and in error responses to an unknown ID
	Method string      // requests and notifications
	Params wire.Raw    // requests and notifications: an object, or "" if absent
	Result wire.Raw    // responses; "" if Error is set
	Error  *Error      // responses
}

// integral is the set of scalars that an ID may be.
const integral = wire.ScalarString | wire.ScalarInteger

// Parse parses one message. A non-nil error is an *Error to send back. The Message then
// holds what is known. With [CodeInvalidRequest], Kind is the kind that the text resembles,
// and a non-zero ID is that of the request to answer or of the response that a caller may be
// waiting for. With [CodeParseError], they are known for responses only.
//
// Params that are null count as absent. So does a null error beside a result, and a null
// result beside an error. The schemas allow neither, but some peers write absent members so.
func Parse(text string) (Message, error) {
	r := wire.NewStringReader(text)
	m, fault := read(r)
	r.End()
	if err := r.Err(); err != nil {
		return refused(text, err)
	}
	if fault != "" {
		return m, invalid(fault)
	}
	return m, nil
}

// refused returns what is known of a text that cannot be accepted. A message with a
// repeated member is invalid, but it is JSON: refused looks up its kind and ID, so that the
// caller who waits for it gets an answer. For text that is not JSON, it does so only if the
// text resembles a response.
func refused(text string, err error) (Message, error) {
	var at *wire.Error
	if !errors.As(err, &at) {
		return Message{}, parseError(err)
	}
	if at.Syntax {
		return brokenResponse(text), parseError(err)
	}
	r := wire.NewStringReader(text)
	raw, hasID := r.PeekRaw("id")
	var m Message
	switch has := r.PeekHas("method", "result", "error"); {
	case has&1 != 0 && hasID:
		m.Kind = Request
	case has&1 != 0:
		m.Kind = Notification
	case has != 0:
		m.Kind = Response
	}
	if hasID && at.Pointer != "/id" {
		m.ID = wire.NewStringReader(string(raw)).ReadScalar(integral)
	}
	return m, invalid(fmt.Sprintf("%.100s: %.300s", at.Pointer, at.Problem))
}

// brokenResponse returns a Response with the ID in a text that is not JSON but resembles a
// response. For any other text, it returns the zero Message.
func brokenResponse(text string) Message {
	r := wire.NewStringReader(text)
	raw, ok := r.PeekRaw("id")
	if has := r.PeekHas("method", "result", "error"); !ok || has&1 != 0 || has == 0 {
		return Message{}
	}
	id := wire.NewStringReader(string(raw)).ReadScalar(integral)
	if id.IsZero() {
		return Message{}
	}
	return Message{Kind: Response, ID: id}
}

func parseError(err error) *Error {
	var at *wire.Error
	if errors.As(err, &at) {
		return Errorf(CodeParseError, "parse error: byte %d: %.300s", at.Offset, at.Problem)
	}
	return Errorf(CodeParseError, "parse error")
}

func invalid(fault string) *Error {
	return &Error{Code: CodeInvalidRequest, Message: "invalid request: " + fault}
}

// Bits of the members seen in an envelope.
const (
	bitVersion = iota
	bitID
	bitMethod
	bitParams
	bitResult
	bitError
)

// read reads one value as a message. It records an error in r only if the text is not
// acceptable JSON, so that the rest of a batch can be read after an invalid element. If the
// value is not a message, fault explains why; otherwise it is "".
func read(r *wire.Reader) (m Message, fault string) {
	if r.Kind() != wire.KindObject {
		r.Skip()
		return m, "message is not an object"
	}
	var (
		seen    uint64
		version string
		failure wire.Raw
		extra   wire.Members // detects duplicates of unknown names
		badID   bool
		params  wire.Kind
		method  wire.Kind
	)
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "jsonrpc":
			r.Once(&seen, bitVersion)
			if r.Kind() == wire.KindString {
				version = r.ReadString()
			} else {
				r.Skip()
			}
		case "id":
			r.Once(&seen, bitID)
			switch r.Kind() {
			case wire.KindString, wire.KindNumber:
				m.ID = r.ReadScalar(wire.ScalarString | wire.ScalarNumber)
				badID = !m.ID.Is(integral)
			case wire.KindNull:
				r.Skip()
			default:
				badID = true
				r.Skip()
			}
		case "method":
			r.Once(&seen, bitMethod)
			if method = r.Kind(); method == wire.KindString {
				m.Method = r.ReadString()
			} else {
				r.Skip()
			}
		case "params":
			r.Once(&seen, bitParams)
			params = r.Kind()
			m.Params = r.ReadRaw()
		case "result":
			r.Once(&seen, bitResult)
			m.Result = r.ReadRaw()
		case "error":
			r.Once(&seen, bitError)
			failure = r.ReadRaw()
		default:
			*extra.Entry(r) = r.ReadRaw()
		}
	}
	if badID {
		m.ID = wire.Scalar{}
	}
	if params == wire.KindNull {
		m.Params, seen = "", seen&^(1<<bitParams)
	}
	if both := uint64(1<<bitResult | 1<<bitError); seen&both == both {
		switch {
		case failure == "null":
			seen &^= 1 << bitError
		case m.Result == "null":
			m.Result, seen = "", seen&^(1<<bitResult)
		}
	}
	has := func(bit uint) bool { return seen>>bit&1 != 0 }
	switch {
	case has(bitMethod):
		m.Kind = Notification
		if has(bitID) {
			m.Kind = Request
		}
	case has(bitResult), has(bitError):
		m.Kind = Response
	default:
		return m, "message has neither a method nor a result nor an error"
	}
	switch {
	case !has(bitVersion) || version != "2.0":
		return m, `jsonrpc is not "2.0"`
	case badID:
		return m, "id is neither a string nor an integer"
	case has(bitMethod) && method != wire.KindString:
		return m, "method is not a string"
	case has(bitMethod) && (has(bitResult) || has(bitError)):
		return m, "message has both a method and a result or error"
	case has(bitResult) && has(bitError):
		return m, "message has both a result and an error"
	case m.Kind == Request && m.ID.IsZero():
		return m, "id is null"
	case m.Kind == Response && has(bitResult) && m.ID.IsZero():
		return m, "a result without an id"
	case has(bitParams) && params != wire.KindObject:
		return m, "params is not an object"
	}
	if has(bitError) {
		m.Error = new(Error)
		if err := wire.UnmarshalChecked(failure, m.Error); err != nil {
			return m, badError(err)
		}
	}
	return m, ""
}

func badError(err error) string {
	var at *wire.Error
	if errors.As(err, &at) {
		return fmt.Sprintf("error%.100s: %.300s", at.Pointer, at.Problem)
	}
	return "error is malformed"
}

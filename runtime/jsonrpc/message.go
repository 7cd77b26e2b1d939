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

// version is the value of the member jsonrpc.
const version = "2.0"

// integral is the set of scalars that an ID may be.
const integral = wire.ScalarString | wire.ScalarInteger

// maxID limits the length of an ID, in bytes. It is kept as long as its request is in flight, and repeated in
// the answer.
const maxID = 1 << 10

// faultOf explains why a scalar cannot be an ID. It returns "" if it can. A number beyond float64, such as
// 1e400, is infinite to most peers, which could not tell it from others.
func faultOf(id wire.Scalar) string {
	text, isString := id.Str()
	if !isString {
		text = id.String()
	}
	if len(text) > maxID {
		return fmt.Sprintf("id is longer than %d bytes", maxID)
	}
	if _, ok := id.Int64(); ok || isString {
		return ""
	}
	if !id.Is(integral) {
		return notAnID
	}
	if _, ok := id.Float64(); !ok {
		return "id is a number beyond the range of a float64"
	}
	return ""
}

const notAnID = "id is neither a string nor an integer"

// idOf returns the ID with a text, or zero if the text is not an ID.
func idOf(text wire.Raw) wire.Scalar {
	id := wire.NewStringReader(string(text)).ReadScalar(integral)
	if !id.IsZero() && faultOf(id) != "" {
		return wire.Scalar{}
	}
	return id
}

// Parse parses one message. A non-nil error is an *Error to send back. The Message then holds what
// is known about the text. With [CodeInvalidRequest], Kind is the kind that the text resembles, and
// a non-zero ID is that of the request to answer or of the response that a caller may be waiting
// for. With [CodeParseError], they are known for responses only.
//
// Params that are null count as absent. So does a null error beside a result, and a null result
// beside an error. The schemas allow neither, but some peers write absent members like that.
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

// refused returns what is known about a text that cannot be accepted. A message with a repeated
// member is invalid, but it is JSON: refused looks up its kind and ID, so that the caller who waits
// for it gets an answer. For text that is not JSON, it does so only if the text resembles a
// response.
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
		m.ID = idOf(raw)
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
	id := idOf(raw)
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

// envelope holds the members of a message while it is read.
type envelope struct {
	Message
	seen    uint64
	version string
	method  wire.Kind
	params  wire.Kind
	badID   string       // why the id is none; "" if it is one or absent
	failure wire.Raw     // the member error
	extra   wire.Members // detects duplicates of unknown names
}

// read reads one value as a message. It records an error in r only if the text is not
// acceptable JSON, so that the rest of a batch can be read after an invalid element. If the
// value is not a message, fault explains why; otherwise it is "".
func read(r *wire.Reader) (m Message, fault string) {
	if r.Kind() != wire.KindObject {
		r.Skip()
		return m, "message is not an object"
	}
	var e envelope
	for r.BeginObject(); r.Member(); {
		e.member(r)
	}
	if e.badID != "" {
		e.ID = wire.Scalar{}
	}
	if e.params == wire.KindNull {
		e.Params = ""
		e.forget(bitParams)
	}
	if e.has(bitResult) && e.has(bitError) {
		switch {
		case e.failure == "null":
			e.forget(bitError)
		case e.Result == "null":
			e.Result = ""
			e.forget(bitResult)
		}
	}
	e.Kind = e.kind()
	if fault = e.fault(); fault == "" && e.has(bitError) {
		e.Error = new(Error)
		if err := wire.UnmarshalChecked(e.failure, e.Error); err != nil {
			fault = badError(err)
		}
	}
	return e.Message, fault
}

// member reads the value of the current member.
func (e *envelope) member(r *wire.Reader) {
	switch r.Name() {
	case "jsonrpc":
		r.Once(&e.seen, bitVersion)
		if r.Kind() == wire.KindString {
			e.version = r.ReadString()
		} else {
			r.Skip()
		}
	case "id":
		r.Once(&e.seen, bitID)
		switch r.Kind() {
		case wire.KindString, wire.KindNumber:
			e.ID = r.ReadScalar(wire.ScalarString | wire.ScalarNumber)
			e.badID = faultOf(e.ID)
		case wire.KindNull:
			r.Skip()
		default:
			e.badID = notAnID
			r.Skip()
		}
	case "method":
		r.Once(&e.seen, bitMethod)
		if e.method = r.Kind(); e.method == wire.KindString {
			e.Method = r.ReadString()
		} else {
			r.Skip()
		}
	case "params":
		r.Once(&e.seen, bitParams)
		e.params = r.Kind()
		e.Params = r.ReadRaw()
	case "result":
		r.Once(&e.seen, bitResult)
		e.Result = r.ReadRaw()
	case "error":
		r.Once(&e.seen, bitError)
		e.failure = r.ReadRaw()
	default:
		*e.extra.Entry(r) = r.ReadRaw()
	}
}

func (e *envelope) has(bit uint) bool { return e.seen>>bit&1 != 0 }

// forget makes a member count as absent.
func (e *envelope) forget(bit uint) { e.seen &^= 1 << bit }

// kind returns the kind that the members suggest, or zero.
func (e *envelope) kind() Kind {
	switch {
	case e.has(bitMethod) && e.has(bitID):
		return Request
	case e.has(bitMethod):
		return Notification
	case e.has(bitResult), e.has(bitError):
		return Response
	}
	return 0
}

// fault explains why the members are not a message. It returns "" if they are one.
func (e *envelope) fault() string {
	switch {
	case e.Kind == 0:
		return "message has neither a method nor a result nor an error"
	case e.version != version:
		return `jsonrpc is not "2.0"`
	case e.badID != "":
		return e.badID
	case e.has(bitMethod) && e.method != wire.KindString:
		return "method is not a string"
	case e.has(bitMethod) && (e.has(bitResult) || e.has(bitError)):
		return "message has both a method and a result or error"
	case e.has(bitResult) && e.has(bitError):
		return "message has both a result and an error"
	case e.Kind == Request && e.ID.IsZero():
		return "id is null"
	case e.Kind == Response && e.has(bitResult) && e.ID.IsZero():
		return "a result without an id"
	case e.has(bitParams) && e.params != wire.KindObject:
		return "params is not an object"
	}
	return ""
}

func badError(err error) string {
	p := wire.ProblemsOf(err)[0]
	return fmt.Sprintf("error%.100s: %.300s", p.Pointer, p.Message)
}

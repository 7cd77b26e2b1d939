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
const integral = wire.KindString | wire.KindInteger

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
	var id wire.ID
	if wire.UnmarshalString(string(text), &id) != nil || faultOf(id.Scalar) != "" {
		return wire.Scalar{}
	}
	return id.Scalar
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
	r := wire.Raw(text).Reader()
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
	at, _ := errors.AsType[*wire.Error](err) // the error of a Reader
	if hasID && at.Pointer != "/id" {
		m.ID = idOf(raw)
	}
	if !at.Syntax {
		return m, invalid(fmt.Sprintf("%.100s: %.300s", at.Pointer, at.Problem))
	}
	if m.Kind != Response || m.ID.IsZero() {
		m = Message{}
	}
	return m, parseError(err)
}

func parseError(err error) *Error {
	at, _ := errors.AsType[*wire.Error](err) // the error of a Reader
	return Errorf(CodeParseError, "parse error: byte %d: %.300s", at.Offset, at.Problem)
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
	badID   string   // why the id is none; "" if it is one or absent
	failure wire.Raw // the member error
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
		e.seen |= 1 << bitVersion
		if r.Kind() == wire.KindString {
			e.version = r.ReadString()
		} else {
			r.Skip()
		}
	case "id":
		e.seen |= 1 << bitID
		switch r.Kind() {
		case wire.KindString, wire.KindNumber:
			e.ID = r.ReadScalar(wire.KindString | wire.KindNumber)
			e.badID = faultOf(e.ID)
		case wire.KindNull:
			r.Skip()
		default:
			e.badID = notAnID
			r.Skip()
		}
	case "method":
		e.seen |= 1 << bitMethod
		if e.method = r.Kind(); e.method == wire.KindString {
			e.Method = r.ReadString()
		} else {
			r.Skip()
		}
	case "params":
		e.seen |= 1 << bitParams
		e.params = r.Kind()
		e.Params = r.ReadRaw()
	case "result":
		e.seen |= 1 << bitResult
		e.Result = r.ReadRaw()
	case "error":
		e.seen |= 1 << bitError
		e.failure = r.ReadRaw()
	default:
		r.Skip()
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

// IsBatch reports whether the text is an array, provided that it is JSON.
func IsBatch(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case ' ', '\t', '\r', '\n':
			continue
		}
		return text[i] == '['
	}
	return false
}

// MaxBatch is the maximum number of messages in a batch of [ParseText].
const MaxBatch = 1000

// Text is what a text holds: a message or a batch of messages.
type Text struct {
	Message        // zero for a batch
	IsBatch bool   // the text is an array
	Batch   []Text // its elements, which are messages
	Err     error  // why the text is neither, as Parse returns it; no message of such a batch may be processed
}

// ParseText parses a message or a batch. A batch is refused if it is not acceptable JSON, is empty or has more than
// MaxBatch messages; those of its messages that are invalid have an error of their own.
func ParseText(text string) (t Text) {
	if t.IsBatch = IsBatch(text); t.IsBatch {
		t.Batch, t.Err = parseBatch(text)
	} else {
		t.Message, t.Err = Parse(text)
	}
	return t
}

func parseBatch(text string) ([]Text, error) {
	r := wire.NewStringReader(text)
	var items []Text
	n := 0
	for r.BeginArray(); r.Element(); n++ {
		if n >= MaxBatch {
			r.Skip()
			continue
		}
		m, fault := read(r)
		item := Text{Message: m}
		if fault != "" {
			item.Err = invalid(fault)
		}
		items = append(items, item)
	}
	r.End()
	if err := r.Err(); err != nil {
		return nil, parseError(err)
	}
	if n == 0 {
		return nil, invalid("empty batch")
	}
	if n > MaxBatch {
		return nil, Errorf(CodeInvalidRequest, "invalid request: batch of %d messages exceeds the limit of %d", n, MaxBatch)
	}
	return items, nil
}

// AppendJSON appends the message as one line of compact JSON. If the ID of an error response is unknown, JSON-RPC
// requires null, and revisions since 2025-11-25 require its absence: a zero ID is omitted.
func (m *Message) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := m.Begin(dst)
	if err != nil {
		return dst, err
	}
	name, value := "params", wire.Appender(m.Params)
	switch {
	case m.Kind == Response && m.Error != nil:
		name, value = "error", m.Error
	case m.Kind == Response:
		name, value = "result", m.Result
	case m.Params == "":
		return append(dst, '}'), nil
	}
	if dst, err = value.AppendJSON(wire.AppendName(dst, name)); err != nil {
		return dst, wire.In(err, name)
	}
	return append(dst, '}'), nil
}

// Answer returns the error response to the request with an ID, which is zero if it is unknown.
func (e *Error) Answer(id wire.Scalar) *Message { return &Message{Kind: Response, ID: id, Error: e} }

// Begin appends the part of the message that comes before its params, its result or its error. After one of
// them, only a closing brace is left to append.
func (m *Message) Begin(dst []byte) ([]byte, error) {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	var err error
	if m.Kind != Notification && (m.Error == nil || !m.ID.IsZero()) {
		if dst, err = m.ID.AppendJSON(append(dst, `,"id":`...)); err != nil {
			return dst, wire.In(err, "id")
		}
	}
	if m.Kind != Response {
		if dst, err = wire.AppendString(append(dst, `,"method":`...), m.Method); err != nil {
			return dst, wire.In(err, "method")
		}
	}
	return dst, nil
}

package web

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// JSON is the media type of messages.
const JSON = "application/json"

// Refusal is why a request is not served: an HTTP status and what the body says.
type Refusal struct {
	Status  int
	Code    int64 // of JSON-RPC; 0 is CodeInvalidRequest
	Message string
	ID      wire.Scalar // of the JSON-RPC request; zero when none was read
}

// For returns err with the id of a JSON-RPC request, if it is a *Refusal.
func For(id wire.Scalar, err error) error {
	f, ok := errors.AsType[*Refusal](err)
	if !ok || id.IsZero() {
		return err
	}
	with := *f
	with.ID = id
	return &with
}

// Error tells the status and the message.
func (f *Refusal) Error() string {
	return "web: status " + strconv.Itoa(f.Status) + ": " + f.Message
}

// RetryAfter is the header of that name, in seconds, of responses with status 503.
const RetryAfter = "1"

// Refuse makes a Refusal with CodeInvalidRequest.
func Refuse(status int, message string) *Refusal {
	return &Refusal{Status: status, Message: message}
}

// WriteTo answers the request with the refusal.
func (f *Refusal) WriteTo(w http.ResponseWriter) {
	code := f.Code
	if code == 0 {
		code = jsonrpc.CodeInvalidRequest
	}
	body, err := jsonrpc.AppendError(nil, f.ID, &jsonrpc.Error{Code: code, Message: f.Message})
	if err != nil {
		body = nil // cannot be: there is no data in it
	}
	if f.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", RetryAfter)
	}
	WriteJSON(w, f.Status, body)
}

// The values of headers that many responses have. They are never changed.
var (
	headerJSON    = []string{JSON}
	headerNosniff = []string{"nosniff"}
)

// WriteJSON answers with a JSON text.
func WriteJSON(w http.ResponseWriter, status int, body []byte) error {
	return writeJSON(w, status, new([1]string), body, 0, "")
}

// writeJSON answers with a JSON text that is body with part in it at the index. Length is what it
// needs for a header.
func writeJSON(w http.ResponseWriter, status int, length *[1]string, body []byte, at int, part string) error {
	h := w.Header()
	h["Content-Type"] = headerJSON
	length[0] = strconv.Itoa(len(body) + len(part))
	h["Content-Length"] = length[:]
	h["X-Content-Type-Options"] = headerNosniff
	w.WriteHeader(status)
	if part != "" {
		if _, err := w.Write(body[:at]); err != nil {
			return err
		}
		// Not io.WriteString, for which net/http copies it piece by piece.
		if _, err := w.Write(unsafe.Slice(unsafe.StringData(part), len(part))); err != nil {
			return err
		}
		body = body[at:]
	}
	_, err := w.Write(body)
	return err
}

// AcceptPost is the Accept header of a client's POST over Streamable HTTP. Nearly all clients
// send it as it is here.
const AcceptPost = JSON + ", " + eventstream.MediaType

// CheckPost checks the headers of a request that brings a message: its body is JSON, and
// with stream the client takes JSON as well as an event stream, as it must by the
// section on sending messages (2025-11-25, basic/transports).
func CheckPost(r *http.Request, stream bool) *Refusal {
	if text := r.Header.Get("Content-Type"); text != JSON {
		media, params, err := mime.ParseMediaType(text)
		if err != nil || media != JSON {
			return Refuse(http.StatusUnsupportedMediaType, "invalid request: the Content-Type must be "+JSON)
		}
		if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
			return Refuse(http.StatusUnsupportedMediaType, "invalid request: the charset must be utf-8")
		}
	}
	if r.Header.Get("Content-Encoding") != "" {
		return Refuse(http.StatusUnsupportedMediaType, "invalid request: no content encoding is supported")
	}
	if stream && r.Header.Get("Accept") != AcceptPost && !(Accepts(r, JSON) && Accepts(r, eventstream.MediaType)) {
		return Refuse(http.StatusNotAcceptable, "invalid request: the Accept header must have "+JSON+" and "+eventstream.MediaType)
	}
	return nil
}

// Accepts reports whether the client takes the media type. One that does not say takes
// any.
func Accepts(r *http.Request, media string) bool {
	values := r.Header.Values("Accept")
	if len(values) == 0 {
		return true
	}
	kind, _, _ := strings.Cut(media, "/")
	for _, value := range values {
		for item := range strings.SplitSeq(value, ",") {
			name, params, _ := strings.Cut(item, ";")
			switch name = strings.ToLower(strings.TrimSpace(name)); name {
			case media, kind + "/*", "*/*":
				if !zeroQuality(params) {
					return true
				}
			}
		}
	}
	return false
}

// zeroQuality reports whether the parameters of an item of Accept say that it is not
// accepted.
func zeroQuality(params string) bool {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(param), "=")
		if strings.EqualFold(name, "q") {
			q, err := strconv.ParseFloat(value, 64)
			return err == nil && q == 0
		}
	}
	return false
}

// firstRead bounds what is allocated for a body on the word of its Content-Length.
const firstRead = 32 << 10

// BodyReader reads the body of one request. The zero value is ready for use.
type BodyReader struct {
	w    http.ResponseWriter
	late bool // the body has not come in time
}

// ReadBody reads a body of at most max bytes, which must have come within the time; 0 is no
// bound. One of the alarms tells when it has not.
func (b *BodyReader) ReadBody(w http.ResponseWriter, r *http.Request, max int, within time.Duration, alarms *Alarms) (string, error) {
	if r.ContentLength > int64(max) {
		w.Header().Set("Connection", "close")
		return "", tooLarge(max)
	}
	if within <= 0 {
		return readBody(w, r, max)
	}
	b.w = w
	text, err := b.readWithin(r, max, within, alarms)
	if b.late {
		return "", bodyError(os.ErrDeadlineExceeded, w, max)
	}
	return text, err
}

func (b *BodyReader) readWithin(r *http.Request, max int, within time.Duration, alarms *Alarms) (string, error) {
	alarm := alarms.Start(within, b)
	defer alarm.Stop()
	return readBody(b.w, r, max)
}

// Ring implements Sleeper.
func (b *BodyReader) Ring() time.Duration {
	b.late = http.NewResponseController(b.w).SetReadDeadline(time.Unix(1, 0)) == nil
	return 0
}

func readBody(w http.ResponseWriter, r *http.Request, max int) (string, error) {
	var body io.Reader = r.Body
	if r.ContentLength < 0 { // else net/http reads no more than that
		body = http.MaxBytesReader(w, r.Body, int64(max))
	}
	buf := make([]byte, 0, bodySize(r.ContentLength))
	for {
		n, err := body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return unsafe.String(unsafe.SliceData(buf), len(buf)), nil
		}
		if err != nil {
			return "", bodyError(err, w, max)
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// bodySize is how much to allocate at first: one byte more than is announced, so that
// the end of the body is seen without growing.
func bodySize(announced int64) int {
	if announced < 0 {
		return 1 << 10
	}
	return int(min(announced, firstRead)) + 1
}

func bodyError(err error, w http.ResponseWriter, max int) error {
	w.Header().Set("Connection", "close")
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge(max)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return Refuse(http.StatusRequestTimeout, "invalid request: the body took too long")
	}
	return Refuse(http.StatusBadRequest, "invalid request: the body could not be read")
}

func tooLarge(max int) error {
	return Refuse(http.StatusRequestEntityTooLarge, "invalid request: a message longer than "+strconv.Itoa(max)+" bytes")
}

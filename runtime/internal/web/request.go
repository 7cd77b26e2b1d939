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
)

// JSON is the media type of messages.
const JSON = "application/json"

// AcceptPost is the Accept header of a client's POST over Streamable HTTP. Nearly all clients send
// exactly this.
const AcceptPost = JSON + ", " + eventstream.MediaType

// CheckPost checks the headers of a request that carries a message. The body must be JSON. With
// stream, the client must accept JSON and event streams (section Sending Messages to the Server in
// basic/transports, 2025-11-25).
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

// CheckGet checks the headers of a request for an event stream.
func CheckGet(r *http.Request) *Refusal {
	if !Accepts(r, eventstream.MediaType) {
		return Refuse(http.StatusNotAcceptable, "invalid request: the Accept header must have "+eventstream.MediaType)
	}
	return nil
}

// Accepts reports whether the client accepts the media type. A client without an Accept header
// accepts any.
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

// zeroQuality reports whether the parameters of an item of Accept exclude it.
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

// ReadBody reads the body of the request, of at most max bytes, which must arrive within the timeout of
// the response. An error is a *Refusal, and the connection is closed after it. Busy is the code of the refusal
// if the budget of the response has no room for the body.
func (r *Response) ReadBody(req *http.Request, max int, busy int64) (string, error) {
	if req.ContentLength > int64(max) {
		r.Header().Set("Connection", "close")
		return "", tooLarge(max)
	}
	if !r.budget.fits(int(req.ContentLength)) {
		r.Header().Set("Connection", "close")
		return "", errNoRoom(busy)
	}
	if r.timeout > 0 && r.rc.SetReadDeadline(time.Now().Add(r.timeout)) == nil {
		// The deadline must not outlast the reading: it would end a request that is handled for
		// longer (https://go.dev/issue/70834).
		defer r.rc.SetReadDeadline(time.Time{})
	}
	var body io.Reader = req.Body
	if req.ContentLength < 0 { // otherwise net/http reads only that much
		body = http.MaxBytesReader(r.w, req.Body, int64(max))
	}
	read := false
	defer func() {
		if !read { // also if the body panics, as those of middleware may
			r.Body.Release()
		}
	}()
	text, err := readAll(body, req.ContentLength, func(length int) bool { return r.Body.grow(r.budget, length) })
	if err == nil {
		read = true
		return text, nil
	}
	r.Header().Set("Connection", "close")
	if err == ErrBudget {
		return "", errNoRoom(busy)
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return "", tooLarge(max)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return "", Refuse(http.StatusRequestTimeout, "invalid request: the body took too long")
	}
	return "", Refuse(http.StatusBadRequest, "invalid request: the body could not be read")
}

func tooLarge(max int) error {
	return Refuse(http.StatusRequestEntityTooLarge, "invalid request: a message longer than "+strconv.Itoa(max)+" bytes")
}

// CheckMessage refuses a text that is not a message and has no id by which a session could answer
// it.
func CheckMessage(m *jsonrpc.Text) error {
	if bad, ok := errors.AsType[*jsonrpc.Error](m.Err); ok && !m.IsBatch && (m.ID.IsZero() || m.Kind == jsonrpc.Response) {
		return &Refusal{Status: http.StatusBadRequest, Code: bad.Code, Message: bad.Message}
	}
	return nil
}

// maxFirstRead limits the memory that is allocated for a body because of its Content-Length alone.
const maxFirstRead = 32 << 10

// readAll is io.ReadAll for a body of the announced length, which is negative if it is unknown. It calls grow
// with the size of its buffer, and returns ErrBudget if grow returns false.
// The string shares the memory of the buffer, to which nothing is written afterwards: a copy would
// be one of the 14 allocations of a request, and as large as the message.
func readAll(body io.Reader, length int64, grow func(size int) bool) (string, error) {
	size := int64(1 << 10)
	if length >= 0 {
		size = min(length, maxFirstRead) + 1 // one more, so that the end is seen without growing
	}
	buf := make([]byte, 0, size)
	for {
		if !grow(cap(buf)) {
			return "", ErrBudget
		}
		n, err := body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return unsafe.String(unsafe.SliceData(buf), len(buf)), err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

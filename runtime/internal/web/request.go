// Package web holds what the HTTP transports share. For servers it has the checks that a request must pass before a
// session sees it (request.go), the table of sessions (sessions.go), the limits of sessions, requests and bytes
// (limits.go), and the responses (response.go). For clients it has the http.Client with its connections, and the
// reading of answers (client.go).
//
// The body of every error response is a JSON-RPC error, with the id of the request if it is known.
package web

import (
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/reach"
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

// CheckGet checks the headers of a request for an event stream. It must have no body, for which net/http would wait
// before it writes the first event.
func CheckGet(r *http.Request) *Refusal {
	if r.ContentLength != 0 {
		return Refuse(http.StatusBadRequest, "invalid request: a GET must have no body")
	}
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

// ReadBody reads the body of the request, of at most max bytes, which must arrive within the timeout of the response
// and takes room in the admission. An error is a *Refusal, and the connection is closed after it. Stateless says that the
// request belongs to no session.
func (r *Response) ReadBody(req *http.Request, a *Admission, max int, stateless bool) (string, error) {
	if req.ContentLength > int64(max) {
		r.Header().Set("Connection", "close")
		return "", tooLarge(max)
	}
	if !a.Gate.fits(a.Gate.bytes.Load(), int(req.ContentLength)) {
		r.Header().Set("Connection", "close")
		return "", errNoRoom(stateless)
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
	text, err := readAll(body, req.ContentLength, a.grow)
	if err == nil {
		return text, nil
	}
	r.Header().Set("Connection", "close")
	if err == ErrBytes {
		return "", errNoRoom(stateless)
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
// with the size of its buffer, and returns ErrBytes if grow returns false. The string shares the memory of
// the buffer, to which nothing is written afterwards: a copy would be one of the 14 allocations of a request,
// and as large as the message.
func readAll(body io.Reader, length int64, grow func(size int) bool) (string, error) {
	size := int64(1 << 10)
	if length >= 0 {
		size = min(length, maxFirstRead) + 1 // one more, so that the end is seen without growing
	}
	buf := make([]byte, 0, size)
	for {
		if !grow(cap(buf)) {
			return "", ErrBytes
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

// Guard protects a server against DNS rebinding, and against web pages that send requests to a
// server within reach of their visitor. The zero value protects.
//
// It implements the security warning of the transports section (Streamable HTTP in basic/transports,
// 2025-11-25, and HTTP with SSE, 2024-11-05).
type Guard struct {
	// Hosts are the allowed values of the Host header, without a port; "*" allows any. If it is
	// empty, a connection to a loopback address must name a loopback host, and any other connection
	// may name any host.
	Hosts []string
	// Origins are the allowed values of the Origin header besides the server's own, such as
	// "https://app.example.com"; "*" allows any.
	Origins []string
}

// Check returns the reason to refuse the request, or "" if it is allowed.
func (g Guard) Check(r *http.Request) string {
	host := hostname(r.Host)
	switch {
	case len(g.Hosts) > 0:
		if !contains(g.Hosts, "*") && !contains(g.Hosts, host) {
			return "the Host header names a host that is not allowed"
		}
	case arrivedAtLoopback(r) && !reach.IsLoopback(host):
		return "the Host header does not name a local host"
	}
	if origins := r.Header.Values("Origin"); len(origins) > 0 && !g.allowsOrigin(r, origins, host) {
		return "the Origin header names an origin that is not allowed"
	}
	return ""
}

func (g Guard) allowsOrigin(r *http.Request, origins []string, host string) bool {
	if contains(g.Origins, "*") {
		return true
	}
	if len(origins) > 1 {
		return false
	}
	origin := origins[0]
	if contains(g.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return false // such as "null"
	}
	if strings.EqualFold(u.Host, r.Host) {
		return true
	}
	// A page of another local server may call this one: a program that can serve the page can
	// also call the server itself.
	return reach.IsLoopback(host) && reach.IsLoopback(u.Hostname()) && arrivedAtLoopback(r)
}

func contains(list []string, s string) bool {
	return slices.ContainsFunc(list, func(item string) bool { return strings.EqualFold(item, s) })
}

// arrivedAtLoopback reports whether the connection ends at a loopback address, so that only programs
// on this machine can have opened it.
func arrivedAtLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.IP.IsLoopback()
	}
	at, err := netip.ParseAddrPort(addr.String())
	return err == nil && reach.Of(at.Addr()) == reach.Loopback
}

// hostname returns the value of a Host header without its port.
func hostname(host string) string {
	if strings.Contains(host, ":") { // SplitHostPort fails without a port
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

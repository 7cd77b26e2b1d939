package streamable

import (
	"errors"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/reach"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// acceptPost is the Accept header of a client's POST over Streamable HTTP. Nearly all clients send
// exactly this.
const acceptPost = web.JSON + ", " + eventstream.MediaType

// checkPost checks the headers of a request that carries a message. The body must be JSON. With
// stream, the client must accept JSON and event streams (section Sending Messages to the Server in
// basic/transports, 2025-11-25).
func checkPost(r *http.Request, stream bool) *web.Refusal {
	if text := r.Header.Get("Content-Type"); text != web.JSON {
		media, params, err := mime.ParseMediaType(text)
		if err != nil || media != web.JSON {
			return web.Refuse(http.StatusUnsupportedMediaType, "invalid request: the Content-Type must be "+web.JSON)
		}
		if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
			return web.Refuse(http.StatusUnsupportedMediaType, "invalid request: the charset must be utf-8")
		}
	}
	if r.Header.Get("Content-Encoding") != "" {
		return web.Refuse(http.StatusUnsupportedMediaType, "invalid request: no content encoding is supported")
	}
	if stream && r.Header.Get("Accept") != acceptPost && !(accepts(r, web.JSON) && accepts(r, eventstream.MediaType)) {
		return web.Refuse(http.StatusNotAcceptable, "invalid request: the Accept header must have "+web.JSON+" and "+eventstream.MediaType)
	}
	return nil
}

// checkGet checks the headers of a request for an event stream. It must have no body, for which net/http would wait
// before it writes the first event.
func checkGet(r *http.Request) *web.Refusal {
	if r.ContentLength != 0 {
		return web.Refuse(http.StatusBadRequest, "invalid request: a GET must have no body")
	}
	if !accepts(r, eventstream.MediaType) {
		return web.Refuse(http.StatusNotAcceptable, "invalid request: the Accept header must have "+eventstream.MediaType)
	}
	return nil
}

// accepts reports whether the client accepts the media type. A client without an Accept header
// accepts any.
func accepts(r *http.Request, media string) bool {
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

// checkMessage refuses a text that is not a message and has no id by which a session could answer
// it.
func checkMessage(m *jsonrpc.Text) error {
	if bad, ok := errors.AsType[*jsonrpc.Error](m.Err); ok && !m.IsBatch && (m.ID.IsZero() || m.Kind == jsonrpc.Response) {
		return &web.Refusal{Status: http.StatusBadRequest, Code: bad.Code, Message: bad.Message}
	}
	return nil
}

// checkOrigin returns the reason to refuse a request because of its headers Host and Origin, or "" if it is allowed. It
// protects a server against DNS rebinding, and against web pages that send requests to a server within reach of their
// visitor (security warning of Streamable HTTP in basic/transports, 2025-11-25, and of HTTP with SSE, 2024-11-05).
func (o *Options) checkOrigin(r *http.Request) string {
	host := hostname(r.Host)
	switch {
	case len(o.Hosts) > 0:
		if !contains(o.Hosts, "*") && !contains(o.Hosts, host) {
			return "the Host header names a host that is not allowed"
		}
	case arrivedAtLoopback(r) && !reach.IsLoopback(host):
		return "the Host header does not name a local host"
	}
	if origins := r.Header.Values("Origin"); len(origins) > 0 && !o.allowsOrigin(r, origins, host) {
		return "the Origin header names an origin that is not allowed"
	}
	return ""
}

func (o *Options) allowsOrigin(r *http.Request, origins []string, host string) bool {
	if contains(o.Origins, "*") {
		return true
	}
	if len(origins) > 1 {
		return false
	}
	origin := origins[0]
	if contains(o.Origins, origin) {
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

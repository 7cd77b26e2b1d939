package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Guard is the protection against DNS rebinding and against web pages that send
// requests to a server in their visitor's reach. The zero value protects.
//
// Rests on the security warning of the transports section: 2025-11-25, basic/transports,
// Streamable HTTP, and the same in 2024-11-05, HTTP with SSE.
type Guard struct {
	// Hosts are the values of the Host header, without a port, that are allowed; "*" is
	// any. Empty: a connection that arrives at a loopback address must name a loopback
	// host, any other may name what it likes.
	Hosts []string
	// Origins are the values of the Origin header that are allowed besides the host's
	// own, such as "https://app.example.com"; "*" is any.
	Origins []string
}

// Check returns why the request is refused, "" when it is not.
func (g Guard) Check(r *http.Request) string {
	host := hostname(r.Host)
	switch {
	case len(g.Hosts) > 0:
		if !contains(g.Hosts, "*") && !contains(g.Hosts, host) {
			return "the Host header names a host that is not allowed"
		}
	case arrivedAtLoopback(r) && !isLoopback(host):
		return "the Host header names no local host"
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
		return false // such as null
	}
	if strings.EqualFold(u.Host, r.Host) {
		return true
	}
	// A page of another local server may call this one: who can serve it can call anyway.
	return isLoopback(host) && isLoopback(u.Hostname()) && arrivedAtLoopback(r)
}

func contains(list []string, s string) bool {
	return slices.ContainsFunc(list, func(item string) bool { return strings.EqualFold(item, s) })
}

// arrivedAtLoopback reports whether the connection ends at a loopback address of this
// machine, so that only programs on it can have made it.
func arrivedAtLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.IP.IsLoopback()
	}
	at, err := netip.ParseAddrPort(addr.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// hostname is a Host header without its port.
func hostname(host string) string {
	if strings.Contains(host, ":") { // else there is none, of which an error would be made
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

func isLoopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

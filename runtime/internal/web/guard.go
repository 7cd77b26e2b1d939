package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/reach"
)

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

package client

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
)

// reach is a set of kinds of addresses. Metadata says which URLs a client requests, so an MCP server
// could make a client request any URL in its network. Requests to authorization servers reach public
// addresses only, and those of the kind of the MCP server itself.
type reach uint32

const (
	reachPublic    reach = 1 << iota
	reachPrivate         // in the network of an organization
	reachLoopback        // this machine
	reachLinkLocal       // such as the metadata services of cloud machines
	reachNone      reach = 0
)

// sharedSpace and others are addresses that are not public, but that package netip does not tell.
var (
	sharedSpace = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598, used by networks of containers
	never       = []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),       // this network
		netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments
		netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
		netip.MustParsePrefix("240.0.0.0/4"),     // reserved, and broadcast
		netip.MustParsePrefix("64:ff9b:1::/48"),  // local translation
		netip.MustParsePrefix("2001:db8::/32"),   // documentation
		netip.MustParsePrefix("192.0.2.0/24"),    // documentation
		netip.MustParsePrefix("198.51.100.0/24"), // documentation
		netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	}
	// Prefixes of IPv6 addresses that hold an IPv4 address, and the offset of that address.
	translated = []struct {
		prefix netip.Prefix
		at     int
	}{
		{netip.MustParsePrefix("64:ff9b::/96"), 12}, // NAT64
		{netip.MustParsePrefix("2002::/16"), 2},     // 6to4
		{netip.MustParsePrefix("::/96"), 12},        // compatible
	}
)

// kindOf returns the kind of an address.
func kindOf(a netip.Addr) reach {
	a = a.Unmap().WithZone("")
	if a.IsLoopback() {
		return reachLoopback
	}
	for _, t := range translated {
		if a.Is6() && t.prefix.Contains(a) && !a.IsUnspecified() {
			bytes := a.As16()
			inner, _ := netip.AddrFromSlice(bytes[t.at : t.at+4])
			return kindOf(inner)
		}
	}
	for _, p := range never {
		if p.Contains(a) {
			return reachNone
		}
	}
	switch {
	case a.IsLinkLocalUnicast():
		return reachLinkLocal
	case a.IsPrivate() || sharedSpace.Contains(a):
		return reachPrivate
	case a.IsGlobalUnicast():
		return reachPublic
	}
	return reachNone // multicast, unspecified
}

// String names the kinds of addresses that a server may have, for errors.
func (r reach) String() string {
	switch r {
	case reachPublic:
		return "public"
	case reachPrivate:
		return "private"
	case reachLoopback:
		return "loopback"
	case reachLinkLocal:
		return "link-local"
	}
	return "reserved"
}

// horizon is the set of addresses that may be reached. It grows with the addresses at which the MCP
// server answers: not with those to which its name resolves, which its owner chooses freely.
type horizon struct{ set atomic.Uint32 }

// seen adds what a server at an address may refer to.
func (h *horizon) seen(remote net.Addr) {
	a, ok := remote.(*net.TCPAddr)
	if !ok {
		return
	}
	kind := kindOf(a.AddrPort().Addr())
	if kind == reachLoopback {
		kind |= reachPrivate // a program of the user, who is in that network
	}
	h.allow(kind)
}

// allow adds kinds of addresses, and allowed returns those that were added.
func (h *horizon) allow(kinds reach) { h.set.Or(uint32(kinds)) }
func (h *horizon) allowed() reach    { return reach(h.set.Load()) }

// check returns an error if an address must not be reached.
func (h *horizon) check(host string, a netip.Addr) error {
	kind := kindOf(a)
	if kind&(reachPublic|h.allowed()) != 0 {
		return nil
	}
	return fmt.Errorf("refused to connect to %s: its address %v is %v, and that of the MCP server is not", shown(host), a, kind)
}

// isLoopback reports whether a host, without port, can only be this machine.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && a.Unmap().IsLoopback()
}

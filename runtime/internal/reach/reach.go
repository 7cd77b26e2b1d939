// Package reach classifies addresses by the networks that they belong to. Servers and clients that get URLs
// from others use it to restrict which addresses they connect to.
package reach

import (
	"net/netip"
	"strings"
)

// Kind is a kind of addresses, or a set of kinds. Values are stored with logins, so they do not change.
type Kind uint32

// The kinds of addresses.
const (
	Public    Kind = 1 << iota
	Private        // in the network of an organization
	Loopback       // this machine
	LinkLocal      // such as the metadata services of cloud machines
	Reserved  Kind = 0
)

// Which addresses are public, as far as package netip does not say it.
var (
	sharedSpace = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598, used by networks of containers
	allocated   = netip.MustParsePrefix("2000::/3")      // the global unicast addresses that IANA gives out
	never       = []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),       // this network
		netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments
		netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
		netip.MustParsePrefix("240.0.0.0/4"),     // reserved, and broadcast
		netip.MustParsePrefix("192.88.99.0/24"),  // relays of 6to4
		netip.MustParsePrefix("2001::/23"),       // protocol assignments, and Teredo, which holds an IPv4 address
		netip.MustParsePrefix("2001:db8::/32"),   // documentation
		netip.MustParsePrefix("3fff::/20"),       // documentation
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

// Of returns the kind of an address.
func Of(a netip.Addr) Kind {
	a = a.Unmap().WithZone("")
	if a.IsLoopback() {
		return Loopback
	}
	for _, t := range translated {
		if a.Is6() && t.prefix.Contains(a) && !a.IsUnspecified() {
			bytes := a.As16()
			inner, _ := netip.AddrFromSlice(bytes[t.at : t.at+4])
			return Of(inner)
		}
	}
	for _, p := range never {
		if p.Contains(a) {
			return Reserved
		}
	}
	switch {
	case a.IsLinkLocalUnicast():
		return LinkLocal
	case a.IsPrivate() || sharedSpace.Contains(a):
		return Private
	case a.IsGlobalUnicast() && (a.Is4() || allocated.Contains(a)):
		return Public
	}
	return Reserved // multicast, unspecified, or of no use yet
}

// String names a kind, for errors.
func (k Kind) String() string {
	switch k {
	case Public:
		return "public"
	case Private:
		return "private"
	case Loopback:
		return "loopback"
	case LinkLocal:
		return "link-local"
	}
	return "reserved"
}

// IsLoopback reports whether a host, without a port, can only be this machine: localhost or a loopback
// address, which may be in brackets.
func IsLoopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return err == nil && a.Unmap().IsLoopback()
}

package client

import (
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/reach"
)

// horizon is the set of kinds of addresses that may be reached. Metadata says which URLs a client requests,
// so an MCP server could make a client request any URL in its network. So requests to authorization servers
// may reach only public addresses and addresses of the same kind as that of the MCP server. The kinds are
// those of addresses at which the MCP server has answered, not those to which its name resolves, which its
// owner chooses freely.
type horizon struct{ set atomic.Uint32 }

// seen adds what a server at an address may refer to.
func (h *horizon) seen(remote net.Addr) {
	a, ok := remote.(*net.TCPAddr)
	if !ok {
		return
	}
	kind := reach.Of(a.AddrPort().Addr())
	if kind == reach.Loopback {
		kind |= reach.Private // a program of the user, who is in that network
	}
	h.allow(kind)
}

// allow adds kinds of addresses, and allowed returns the added ones.
func (h *horizon) allow(kinds reach.Kind) { h.set.Or(uint32(kinds)) }
func (h *horizon) allowed() reach.Kind    { return reach.Kind(h.set.Load()) }

// check returns an error if an address must not be reached.
func (h *horizon) check(host string, a netip.Addr) error {
	kind := reach.Of(a)
	if kind&(reach.Public|h.allowed()) != 0 {
		return nil
	}
	return fmt.Errorf("refused to connect to %s: its address %v is %v, and that of the MCP server is not", shown(host), a, kind)
}

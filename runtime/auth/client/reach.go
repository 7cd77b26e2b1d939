package client

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/reach"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// web sends the requests whose URLs come from metadata. Metadata says which URLs a client requests, so an MCP
// server could make a client request any URL in its network. So requests to authorization servers may reach only
// public addresses and addresses of the same kind as that of the MCP server. The kinds are those of addresses at
// which the MCP server has answered, not those to which its name resolves, which its owner chooses freely. A server
// behind a proxy may refer to public addresses only.
type web struct {
	*fetch.Client
	set atomic.Uint32 // kinds of addresses that may be reached
}

// maxRedirects limits the redirects of a request for metadata.
const maxRedirects = 3

func newWeb() *web {
	w := new(web)
	may := func(_ string, kind reach.Kind) bool { return kind&w.allowed() != 0 }
	w.Client = fetch.New(fetch.Options{May: may, Timeout: waits.AuthorizationServer, Redirects: maxRedirects})
	return w
}

// seen adds what a server at an address may refer to, if a request to it was sent there and not to a proxy.
func (w *web) seen(req *http.Request, base http.RoundTripper, remote net.Addr) {
	a, ok := remote.(*net.TCPAddr)
	if !ok || fetch.IsProxied(req, base) {
		return
	}
	if _, port, _ := net.SplitHostPort(fetch.HostPort(req.URL)); strconv.Itoa(a.Port) != port {
		return
	}
	kind := reach.Of(a.AddrPort().Addr())
	if kind == reach.Loopback {
		kind |= reach.Private // a program of the user, who is in that network
	}
	w.allow(kind)
}

// allow adds kinds of addresses, and allowed returns the added ones.
func (w *web) allow(kinds reach.Kind) { w.set.Or(uint32(kinds)) }
func (w *web) allowed() reach.Kind    { return reach.Kind(w.set.Load()) }

// endpoint parses the URL of an endpoint in metadata. It may be one that the browser of the user opens.
func (w *web) endpoint(name, text string) (*url.URL, error) {
	if text == "" {
		return nil, fmt.Errorf("the metadata of the authorization server has no %s", name)
	}
	u, err := fetch.ParseURL(text)
	if err == nil {
		err = w.CheckHost(u)
	}
	if err != nil {
		return nil, fmt.Errorf("the %s of the authorization server: %w", name, err)
	}
	return u, nil
}

func shown(text string) string { return fetch.Shown(text) }

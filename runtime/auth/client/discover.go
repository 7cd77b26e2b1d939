package client

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/reach"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// target is where tokens for the server come from: an authorization server, by its metadata.
type target struct {
	*oauth.AuthorizationServerMetadata
	// resource identifies the server in requests for tokens (RFC 8707).
	resource string
	// scopes are the scopes for basic use of the server; nil if it does not say.
	scopes []string
	// bound says that the server refuses tokens that are not bound to a key.
	bound bool
	// known is the id of a client that the authorization server has just recognized, or "".
	known string
	// legacy says that the server is its own authorization server as in 2025-03-26.
	legacy bool
}

// discover finds the authorization server of the MCP server ("Authorization Server Discovery",
// 2026-07-28). If the server names several, discover takes the first one of preferred that is among
// them, or else the first one that it names.
func (t *Transport) discover(ctx context.Context, challenge oauth.Challenge, preferred []string) (*target, error) {
	metadata, address, err := t.resourceMetadata(ctx, challenge)
	if err != nil {
		return nil, fmt.Errorf("metadata of the server: %w", err)
	}
	if address == "" {
		return t.discoverLegacy(ctx)
	}
	if !covers(metadata.Resource, t.canonical) {
		return nil, fmt.Errorf("metadata of the server: %s describes the resource %q, not %q", shown(address), shown(metadata.Resource), t.canonical)
	}
	if len(metadata.AuthorizationServers) == 0 {
		return nil, fmt.Errorf("metadata of the server: %s names no authorization server", shown(address))
	}
	issuer := metadata.AuthorizationServers[0]
	offered := func(p string) bool { return slices.Contains(metadata.AuthorizationServers, p) }
	if i := slices.IndexFunc(preferred, offered); i >= 0 {
		issuer = preferred[i]
	}
	server, err := t.web.IssuerMetadata(ctx, issuer)
	if err != nil {
		return nil, err
	}
	return &target{server, metadata.Resource, metadata.ScopesSupported, metadata.DPoPBoundAccessTokensRequired, "", false}, nil
}

// resourceMetadata returns the metadata of the MCP server and its URL, which is "" if there is none.
func (t *Transport) resourceMetadata(ctx context.Context, challenge oauth.Challenge) (metadata oauth.ProtectedResourceMetadata, address string, err error) {
	if address = challenge.Params["resource_metadata"]; address != "" {
		_, err = t.web.Document(ctx, nil, &metadata, address)
		return metadata, address, err
	}
	if address, err = t.web.Document(ctx, nil, &metadata, oauth.ResourceMetadataURLs(t.server)...); address == "" {
		err = nil
	}
	return metadata, address, err
}

// covers reports whether a resource is the server, or a part of its origin above it: a server may share
// metadata at the root with others ("Protected Resource Metadata Discovery Requirements", 2026-07-28).
func covers(resource, server string) bool {
	u, err := oauth.CanonicalURL(resource)
	if err != nil || u.RawQuery != "" {
		return err == nil && u.String() == server
	}
	server, _, _ = strings.Cut(server, "?")
	above := strings.TrimSuffix(u.String(), "/")
	return strings.HasPrefix(server+"/", above+"/")
}

// legacyRevision is the revision in which servers are their own authorization servers.
const legacyRevision = "2025-03-26"

// discoverLegacy finds the endpoints of a server that has no metadata of its own ("Server Metadata
// Discovery", 2025-03-26): those of the authorization server at its origin, or the default ones.
func (t *Transport) discoverLegacy(ctx context.Context) (*target, error) {
	origin := &url.URL{Scheme: t.server.Scheme, Host: t.server.Host}
	canonical := origin.String()
	header := http.Header{"Mcp-Protocol-Version": {legacyRevision}}
	var metadata oauth.AuthorizationServerMetadata
	address, err := t.web.Document(ctx, header, &metadata, oauth.IssuerMetadataURLs(origin)[0])
	switch {
	case address == "":
		metadata = oauth.AuthorizationServerMetadata{
			Issuer:                        canonical,
			AuthorizationEndpoint:         canonical + "/authorize",
			TokenEndpoint:                 canonical + "/token",
			RegistrationEndpoint:          canonical + "/register",
			CodeChallengeMethodsSupported: []string{methodS256},
		}
	case err != nil:
		return nil, fmt.Errorf("metadata of the authorization server: %w", err)
	case metadata.Issuer != canonical && metadata.Issuer != canonical+"/":
		// The origin as an issuer may have a slash at its end, which the URL of its metadata lacks.
		return nil, fmt.Errorf("metadata of the authorization server: %s is that of the issuer %q", address, shown(metadata.Issuer))
	}
	return &target{AuthorizationServerMetadata: &metadata, resource: t.canonical, legacy: true}, nil
}

// again finds the authorization server of a grant without asking the MCP server.
func (t *Transport) again(ctx context.Context, g *grant) (*target, error) {
	if g.Legacy {
		found, err := t.discoverLegacy(ctx)
		if err == nil && found.Issuer != g.Issuer {
			err = fmt.Errorf("the authorization server is now %s, not %s", shown(found.Issuer), shown(g.Issuer))
		}
		return found, err
	}
	server, err := t.web.IssuerMetadata(ctx, g.Issuer)
	if err != nil {
		return nil, err
	}
	return &target{AuthorizationServerMetadata: server, resource: g.Resource, bound: g.Type == oauth.SchemeDPoP}, nil
}

// web sends the requests whose URLs come from metadata. An MCP server could name any URL in the network of the
// client there. So requests to authorization servers may reach only public addresses and addresses of the same kind
// as that of the MCP server. The kinds are those of addresses at which the MCP server has answered, not those to
// which its name resolves, which its owner chooses freely. A server behind a proxy may refer to public addresses
// only.
type web struct {
	*oauth.Fetcher
	set atomic.Uint32 // kinds of addresses that may be reached
}

// maxRedirects limits the redirects of a request for metadata.
const maxRedirects = 3

func newWeb() *web {
	w := new(web)
	may := func(_ string, kind reach.Kind) bool { return kind&w.allowed() != 0 }
	w.Fetcher = oauth.NewFetcher(oauth.FetchOptions{May: may, Timeout: waits.AuthorizationServer, Redirects: maxRedirects})
	return w
}

// seen adds what a server at an address may refer to, if a request to it was sent there and not to a proxy.
func (w *web) seen(req *http.Request, base http.RoundTripper, remote net.Addr) {
	a, ok := remote.(*net.TCPAddr)
	if !ok || oauth.IsProxied(req, base) {
		return
	}
	if _, port, _ := net.SplitHostPort(oauth.HostPort(req.URL)); strconv.Itoa(a.Port) != port {
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
	u, err := oauth.ParseURL(text)
	if err == nil {
		err = w.CheckHost(u)
	}
	if err != nil {
		return nil, fmt.Errorf("the %s of the authorization server: %w", name, err)
	}
	return u, nil
}

func shown(text string) string { return oauth.Shown(text) }

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

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/reach"
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
	// need is why a token is asked for.
	need need
	// known is the id of a client that the authorization server has just recognized, or "".
	known string
	// client is the client by which a flow has asked for a token, or nil.
	client *Credentials
	// legacy says that the server is its own authorization server as in 2025-03-26.
	legacy bool
}

// discover finds the authorization server of the MCP server ("Authorization Server Discovery",
// 2026-07-28). If the server names several, discover takes the first of those for which there are credentials, or that
// of the stored grant, or else the first one that it names.
func (t *Transport) discover(ctx context.Context, challenge oauth.Challenge, stored *grant) (*target, error) {
	named := challenge.Params["resource_metadata"]
	urls := []string{named}
	if named == "" {
		urls = oauth.ResourceMetadataURLs(t.server)
	}
	var metadata oauth.ProtectedResourceMetadata
	address, err := t.web.Document(ctx, nil, &metadata, urls...)
	switch {
	case address == "" && named == "":
		return t.discoverLegacy(ctx)
	case err != nil:
		return nil, fmt.Errorf("metadata of the server: %w", err)
	case !covers(metadata.Resource, t.canonical):
		return nil, fmt.Errorf("metadata of the server: %s describes the resource %q, not %q", shown(address), shown(metadata.Resource), t.canonical)
	case len(metadata.AuthorizationServers) == 0:
		return nil, fmt.Errorf("metadata of the server: %s names no authorization server", shown(address))
	}
	var preferred []string
	for _, c := range t.opts.Credentials {
		preferred = append(preferred, c.Issuer)
	}
	if stored != nil {
		preferred = append(preferred, stored.Issuer)
	}
	issuer := metadata.AuthorizationServers[0]
	offered := func(p string) bool { return p != "" && slices.Contains(metadata.AuthorizationServers, p) }
	if i := slices.IndexFunc(preferred, offered); i >= 0 {
		issuer = preferred[i]
	}
	server, err := t.web.IssuerMetadata(ctx, issuer)
	if err != nil {
		return nil, err
	}
	return &target{
		AuthorizationServerMetadata: server,
		resource:                    metadata.Resource,
		scopes:                      metadata.ScopesSupported,
		bound:                       metadata.DPoPBoundAccessTokensRequired,
	}, nil
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

// maxRedirects limits the redirects of a request for metadata.
const maxRedirects = 3

// seen adds what the MCP server may refer to when it was found at an address, unless a request to it was sent to a
// proxy there. The server could name any URL in the network of the client in its metadata. So requests to the URLs in
// metadata may reach only public addresses and those of the same kind as that of the server. The kinds are those of
// addresses at which the server has answered, not those to which its name resolves, which its owner chooses freely. A
// server behind a proxy may refer to public addresses only.
func (t *Transport) seen(req *http.Request, remote net.Addr) {
	a, ok := remote.(*net.TCPAddr)
	if !ok || oauth.IsProxied(req, t.opts.Base) {
		return
	}
	if _, port, _ := net.SplitHostPort(oauth.HostPort(req.URL)); strconv.Itoa(a.Port) != port {
		return
	}
	kind := reach.Of(a.AddrPort().Addr())
	if kind == reach.Loopback {
		kind |= reach.Private // a program of the user, who is in that network
	}
	t.web.Allow(kind)
}

// endpoint parses the URL of an endpoint in metadata. It may be one that the browser of the user opens.
func (t *Transport) endpoint(name, text string) (*url.URL, error) {
	if text == "" {
		return nil, fmt.Errorf("the metadata of the authorization server has no %s", name)
	}
	u, err := oauth.ParseURL(text)
	if err == nil {
		err = t.web.CheckHost(u)
	}
	if err != nil {
		return nil, fmt.Errorf("the %s of the authorization server: %w", name, err)
	}
	return u, nil
}

func shown(text string) string { return oauth.Shown(text) }

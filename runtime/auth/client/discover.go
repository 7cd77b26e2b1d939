package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
)

// target is where tokens for the server come from.
type target struct {
	// resource identifies the server in requests for tokens (RFC 8707).
	resource string
	// scopes are the scopes for basic use of the server; nil if it does not say.
	scopes []string
	// bound says that the server refuses tokens that are not bound to a key.
	bound bool
	// issuer identifies the authorization server. Its metadata has this issuer.
	issuer string
	server *auth.AuthorizationServerMetadata
	// known is the id of a client that the authorization server has just recognized, or "".
	known string
	// legacy says that the server is its own authorization server as in 2025-03-26.
	legacy bool
}

// discover finds the authorization server of the MCP server ("Authorization Server Discovery",
// 2026-07-28). Preferred are issuers that are taken first if the server names several.
func (t *Transport) discover(ctx context.Context, challenge auth.Challenge, preferred []string) (*target, error) {
	metadata, place, err := t.resourceMetadata(ctx, challenge)
	if err != nil {
		return nil, fmt.Errorf("metadata of the server: %w", err)
	}
	if metadata == nil {
		return t.discoverLegacy(ctx)
	}
	if !covers(metadata.Resource, t.canonical) {
		return nil, fmt.Errorf("metadata of the server: %s describes the resource %q, not %q", shown(place), shown(metadata.Resource), t.canonical)
	}
	if len(metadata.AuthorizationServers) == 0 {
		return nil, fmt.Errorf("metadata of the server: %s names no authorization server", shown(place))
	}
	issuer := metadata.AuthorizationServers[0]
	for _, p := range preferred {
		if slices.Contains(metadata.AuthorizationServers, p) {
			issuer = p
			break
		}
	}
	server, err := t.web.IssuerMetadata(ctx, issuer)
	if err != nil {
		return nil, err
	}
	return &target{
		resource: metadata.Resource,
		scopes:   metadata.ScopesSupported,
		bound:    metadata.DPoPBoundAccessTokensRequired,
		issuer:   issuer,
		server:   server,
	}, nil
}

// resourceMetadata returns the metadata of the MCP server and its URL. Without any it returns nil.
func (t *Transport) resourceMetadata(ctx context.Context, challenge auth.Challenge) (*auth.ProtectedResourceMetadata, string, error) {
	if place := challenge.ResourceMetadata(); place != "" {
		var metadata auth.ProtectedResourceMetadata
		return &metadata, place, t.web.Document(ctx, place, nil, &metadata)
	}
	places, err := auth.ResourceMetadataURLs(t.canonical)
	if err != nil {
		return nil, "", err
	}
	for _, place := range places {
		var metadata auth.ProtectedResourceMetadata
		err := t.web.Document(ctx, place, nil, &metadata)
		if err == nil {
			return &metadata, place, nil
		}
		if _, ok := errors.AsType[*fetch.MissingError](err); !ok {
			return nil, place, err
		}
	}
	return nil, "", nil
}

// covers reports whether a resource is the server, or a part of its origin above it: a server may share
// metadata at the root with others ("Protected Resource Metadata Discovery Requirements", 2026-07-28).
func covers(resource, server string) bool {
	canonical, err := auth.CanonicalResource(resource)
	if err != nil || strings.Contains(resource, "#") {
		return false
	}
	if canonical == server {
		return true
	}
	if strings.Contains(canonical, "?") {
		return false
	}
	above := strings.TrimSuffix(canonical, "/")
	server, _, _ = strings.Cut(server, "?")
	return server == above || strings.HasPrefix(server, above+"/")
}

// legacyRevision is the revision in which servers are their own authorization servers.
const legacyRevision = "2025-03-26"

// discoverLegacy finds the endpoints of a server that has no metadata of its own ("Server Metadata
// Discovery", 2025-03-26): those of the authorization server at its origin, or the default ones.
func (t *Transport) discoverLegacy(ctx context.Context) (*target, error) {
	origin := (&url.URL{Scheme: t.server.Scheme, Host: t.server.Host}).String()
	canonical, err := auth.CanonicalResource(origin)
	if err != nil {
		return nil, err
	}
	places, err := auth.IssuerMetadataURLs(canonical)
	if err != nil {
		return nil, err
	}
	header := http.Header{"Mcp-Protocol-Version": {legacyRevision}}
	var metadata auth.AuthorizationServerMetadata
	err = t.web.Document(ctx, places[0], header, &metadata)
	if _, ok := errors.AsType[*fetch.MissingError](err); ok {
		return &target{resource: t.canonical, issuer: canonical, legacy: true, server: &auth.AuthorizationServerMetadata{
			Issuer:                        canonical,
			AuthorizationEndpoint:         canonical + "/authorize",
			TokenEndpoint:                 canonical + "/token",
			RegistrationEndpoint:          canonical + "/register",
			CodeChallengeMethodsSupported: []string{methodS256},
		}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("metadata of the authorization server: %w", err)
	}
	// The origin as an issuer may have a slash at its end, which the place of its metadata lacks.
	if metadata.Issuer != canonical && metadata.Issuer != canonical+"/" {
		return nil, fmt.Errorf("metadata of the authorization server: %s is that of the issuer %q", places[0], shown(metadata.Issuer))
	}
	return &target{resource: t.canonical, issuer: metadata.Issuer, server: &metadata, legacy: true}, nil
}

// again finds the authorization server of a grant without asking the MCP server.
func (t *Transport) again(ctx context.Context, g *grant) (*target, error) {
	if g.Legacy {
		found, err := t.discoverLegacy(ctx)
		if err == nil && found.issuer != g.Issuer {
			err = fmt.Errorf("the authorization server is now %s, not %s", shown(found.issuer), shown(g.Issuer))
		}
		return found, err
	}
	server, err := t.web.IssuerMetadata(ctx, g.Issuer)
	if err != nil {
		return nil, err
	}
	return &target{resource: g.Resource, issuer: g.Issuer, server: server, bound: g.Type == auth.SchemeDPoP}, nil
}

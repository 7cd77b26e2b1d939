package oauth

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// ProtectedResourceMetadata describes a protected server (RFC 9728, section 2), with the members that are used here.
type ProtectedResourceMetadata struct {
	// Resource is the identifier of the server, which tokens have as their audience.
	Resource string `json:"resource"`
	// AuthorizationServers are the issuers whose tokens the server accepts.
	AuthorizationServers []string `json:"authorization_servers,omitempty"`
	// ScopesSupported are the scopes for basic use of the server.
	ScopesSupported []string `json:"scopes_supported,omitempty"`
	// BearerMethodsSupported are the ways to send a token; MCP allows "header" only.
	BearerMethodsSupported []string `json:"bearer_methods_supported,omitempty"`
	ResourceName           string   `json:"resource_name,omitempty"`
	ResourceDocumentation  string   `json:"resource_documentation,omitempty"`
	// TLSClientCertificateBoundAccessTokens says that tokens are bound to client certificates.
	TLSClientCertificateBoundAccessTokens bool `json:"tls_client_certificate_bound_access_tokens,omitempty"`
	// DPoPSigningAlgValuesSupported are the algorithms of DPoP proofs that the server accepts.
	DPoPSigningAlgValuesSupported []string `json:"dpop_signing_alg_values_supported,omitempty"`
	// DPoPBoundAccessTokensRequired says that tokens without a DPoP key are refused.
	DPoPBoundAccessTokensRequired bool `json:"dpop_bound_access_tokens_required,omitempty"`
}

// AuthorizationServerMetadata describes an authorization server (RFC 8414, section 2, and OpenID Connect Discovery
// 1.0, section 3), with the members that are used here.
type AuthorizationServerMetadata struct {
	Issuer                        string   `json:"issuer"`
	AuthorizationEndpoint         string   `json:"authorization_endpoint"`
	TokenEndpoint                 string   `json:"token_endpoint"`
	RegistrationEndpoint          string   `json:"registration_endpoint"`
	IntrospectionEndpoint         string   `json:"introspection_endpoint"`
	RevocationEndpoint            string   `json:"revocation_endpoint"`
	JWKSURI                       string   `json:"jwks_uri"`
	ScopesSupported               []string `json:"scopes_supported"`
	CodeChallengeMethodsSupported []string `json:"code_challenge_methods_supported"`

	TokenEndpointAuthMethodsSupported          []string `json:"token_endpoint_auth_methods_supported"`
	TokenEndpointAuthSigningAlgValuesSupported []string `json:"token_endpoint_auth_signing_alg_values_supported"`
	// AuthorizationResponseIssParameterSupported says that authorization responses carry iss (RFC 9207).
	AuthorizationResponseIssParameterSupported bool `json:"authorization_response_iss_parameter_supported"`
	// ClientIDMetadataDocumentSupported says that the id of a client may be the URL of its metadata.
	ClientIDMetadataDocumentSupported bool `json:"client_id_metadata_document_supported"`
	// DPoPSigningAlgValuesSupported are the algorithms of DPoP proofs (RFC 9449, section 5.1).
	DPoPSigningAlgValuesSupported []string `json:"dpop_signing_alg_values_supported"`
}

const (
	wellKnownResource = "/.well-known/oauth-protected-resource"
	wellKnownOAuth    = "/.well-known/oauth-authorization-server"
	wellKnownOpenID   = "/.well-known/openid-configuration"
)

// ResourceMetadataURLs returns where a client looks for the metadata of a server, given its canonical URL: at
// the path of the server, then at the root (RFC 9728, section 3.1; basic/authorization, 2025-11-25 and later).
func ResourceMetadataURLs(server *url.URL) []string {
	urls := []string{wellKnown(server, wellKnownResource, "")}
	if server.Path != "" || server.RawQuery != "" {
		urls = append(urls, wellKnown(&url.URL{Scheme: server.Scheme, Host: server.Host}, wellKnownResource, ""))
	}
	return urls
}

// IssuerMetadataURLs returns the URLs at which a client looks for the metadata of an authorization
// server, given its canonical issuer, in the order of basic/authorization (2025-11-25 and later): three for an
// issuer with a path, two for one without.
func IssuerMetadataURLs(issuer *url.URL) []string {
	urls := []string{wellKnown(issuer, wellKnownOAuth, ""), wellKnown(issuer, wellKnownOpenID, "")}
	if issuer.Path != "" {
		urls = append(urls, wellKnown(issuer, "", wellKnownOpenID))
	}
	return urls
}

// wellKnown returns a URL with text added before and after its path.
func wellKnown(u *url.URL, before, after string) string {
	own := *u
	own.RawPath = before + strings.TrimSuffix(u.EscapedPath(), "/") + after
	own.Path = before + strings.TrimSuffix(u.Path, "/") + after
	return own.String()
}

// CanonicalURL returns the identifier of a server, given its URL: scheme and host in lower case, without a default
// port and a path of "/" alone (basic/authorization, section Canonical Server URI). The URL is an absolute http or
// https URL without a fragment and user information.
func CanonicalURL(server string) (*url.URL, error) {
	u, err := url.Parse(server)
	switch {
	case err != nil:
		return nil, err
	case u.Scheme != "https" && u.Scheme != "http" || u.Opaque != "":
		return nil, fmt.Errorf("%q is not an http or https URL", server)
	case u.Hostname() == "":
		return nil, fmt.Errorf("the URL %q has no name of a host", server)
	case u.User != nil:
		return nil, errors.New("the URL of a server must not have user information")
	case strings.Contains(server, "#"):
		return nil, fmt.Errorf("the URL %q has a fragment", server)
	}
	u.Host, u.ForceQuery = strings.ToLower(u.Host), false
	if p := u.Port(); p == "" || p == defaultPorts[u.Scheme] {
		u.Host = strings.TrimSuffix(u.Host, ":"+p)
	}
	if u.Path == "/" {
		u.Path, u.RawPath = "", ""
	}
	return u, nil
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// HostPort returns the host and the port of a URL.
func HostPort(u *url.URL) string {
	return net.JoinHostPort(strings.ToLower(u.Hostname()), cmp.Or(u.Port(), defaultPorts[u.Scheme]))
}

// Package authserver is a small OAuth 2.1 authorization server for tests: it grants everything to
// everyone who proves what the protocol asks for. It is not for production: it has no users, asks for no
// consent and keeps everything in memory.
//
// It issues JWTs (RFC 9068) or opaque tokens with introspection (RFC 7662), for the grants
// authorization_code with PKCE, refresh_token with rotation, client_credentials and jwt-bearer, to
// clients that are known, register (RFC 7591) or publish a metadata document. Hooks in [Options] make it
// misbehave.
package authserver

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options configure a Server. The zero value is a server that does everything right.
type Options struct {
	// Path is the path of the issuer, such as "/tenant"; "" for an issuer at the root.
	Path string
	// Scopes are the scopes that the metadata lists.
	Scopes []string
	// Clients are known without registration.
	Clients []Client
	// Subject is the user who consents; "user" if it is empty.
	Subject string
	// Lifetime is that of access tokens; 0 means an hour.
	Lifetime time.Duration
	// Opaque makes access tokens random texts, which the introspection endpoint explains.
	Opaque bool
	// NoDiscovery, OnlyOpenID, NoRegistration, NoCIMD and NoRefresh leave out a feature.
	NoDiscovery, OnlyOpenID, NoRegistration, NoCIMD, NoRefresh bool
	// AudienceOf returns the audience of a token for the resources of a request. The default are the
	// resources.
	AudienceOf func(resources []string) []string
	// DPoPNonce makes the token endpoint require a nonce in DPoP proofs.
	DPoPNonce bool
	// Assertions are the keys of issuers whose JWTs the grants jwt-bearer and token-exchange accept.
	Assertions map[string]any // issuer to public key
	// Now replaces time.Now.
	Now func() time.Time
	// HTTP fetches metadata documents of clients; nil means http.DefaultClient.
	HTTP *http.Client

	// Metadata changes the metadata before it is sent, to misbehave.
	Metadata func(map[string]any)
	// Redirect changes the parameters of an authorization response.
	Redirect func(url.Values)
	// Grant changes a successful token response.
	Grant func(map[string]any)
	// Before, if it returns true, has answered a request in place of the server.
	Before func(http.ResponseWriter, *http.Request) bool
}

// Client is a client of the server.
type Client struct {
	ID           string
	Secret       string // "" for a public client
	RedirectURIs []string
	Key          any // the public key of private_key_jwt
}

// Server is an authorization server.
type Server struct {
	*httptest.Server
	Issuer string

	opts Options
	keys keyring

	mu       sync.Mutex
	clients  map[string]Client
	codes    map[string]*grant
	refresh  map[string]*grant
	spent    map[string]bool // refresh tokens that were rotated
	opaque   map[string]map[string]any
	requests []Request
}

// Request is a request that the server has received.
type Request struct {
	Method, Path string
	Form         url.Values
	Header       http.Header
}

// New returns a running server, which ends with the test.
func New(t testing.TB, opts Options) *Server {
	s := Start(opts)
	t.Cleanup(s.Close)
	return s
}

// Start returns a running server.
func Start(opts Options) *Server {
	s := Unstarted(opts)
	s.Server = httptest.NewServer(s)
	s.Issuer = s.URL + opts.Path
	return s
}

// Unstarted returns a server to be used as an http.Handler, after Issuer has been set.
func Unstarted(opts Options) *Server {
	if opts.Subject == "" {
		opts.Subject = "user"
	}
	if opts.Lifetime == 0 {
		opts.Lifetime = time.Hour
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.AudienceOf == nil {
		opts.AudienceOf = func(resources []string) []string { return resources }
	}
	if opts.HTTP == nil {
		opts.HTTP = http.DefaultClient
	}
	s := &Server{
		opts: opts, clients: map[string]Client{}, codes: map[string]*grant{}, refresh: map[string]*grant{},
		spent: map[string]bool{}, opaque: map[string]map[string]any{},
	}
	s.keys.rotate()
	for _, c := range opts.Clients {
		s.clients[c.ID] = c
	}
	return s
}

// Requests returns the requests so far whose path ends in suffix.
func (s *Server) Requests(suffix string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var some []Request
	for _, r := range s.requests {
		if strings.HasSuffix(r.Path, suffix) {
			some = append(some, r)
		}
	}
	return some
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	if r.Header.Get("Content-Type") != "application/json" {
		if err := r.ParseForm(); err != nil {
			fail(w, http.StatusBadRequest, "invalid_request", err.Error())
			return
		}
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.Method, r.URL.Path, r.Form, r.Header.Clone()})
	s.mu.Unlock()
	if s.opts.Before != nil && s.opts.Before(w, r) {
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	path := r.URL.Path
	if s.isMetadata(path) {
		s.metadata(w)
		return
	}
	handler, ok := map[string]http.HandlerFunc{
		"/authorize": s.authorize, "/token": s.token, "/register": s.register, "/introspect": s.introspect, "/jwks": s.jwks,
	}[strings.TrimPrefix(path, s.opts.Path)]
	if !ok {
		http.NotFound(w, r)
		return
	}
	handler(w, r)
}

// isMetadata reports whether a path is one of the places of the metadata.
func (s *Server) isMetadata(path string) bool {
	if s.opts.NoDiscovery {
		return false
	}
	places := MetadataPaths(s.opts.Path)
	if s.opts.OnlyOpenID {
		places = places[1:]
	}
	return slices.Contains(places, path)
}

// MetadataPaths returns the paths at which clients look for the metadata of a server, given the path of its issuer
// (basic/authorization, section Authorization Server Metadata Discovery).
func MetadataPaths(issuer string) []string {
	paths := []string{"/.well-known/oauth-authorization-server" + issuer, "/.well-known/openid-configuration" + issuer}
	if issuer != "" {
		paths = append(paths, issuer+"/.well-known/openid-configuration")
	}
	return paths
}

func (s *Server) metadata(w http.ResponseWriter) {
	m := map[string]any{
		"issuer":                                           s.Issuer,
		"authorization_endpoint":                           s.Issuer + "/authorize",
		"token_endpoint":                                   s.Issuer + "/token",
		"registration_endpoint":                            s.Issuer + "/register",
		"introspection_endpoint":                           s.Issuer + "/introspect",
		"jwks_uri":                                         s.Issuer + "/jwks",
		"response_types_supported":                         []string{"code"},
		"grant_types_supported":                            []string{grantCode, grantRefresh, grantClient, grantJWT, grantExchange},
		"code_challenge_methods_supported":                 []string{"S256"},
		"token_endpoint_auth_methods_supported":            []string{"none", "client_secret_basic", "client_secret_post", "private_key_jwt"},
		"token_endpoint_auth_signing_alg_values_supported": []string{"ES256", "RS256"},
		"subject_types_supported":                          []string{"public"},
		"id_token_signing_alg_values_supported":            []string{"ES256"},
		"authorization_response_iss_parameter_supported":   true,
		"client_id_metadata_document_supported":            !s.opts.NoCIMD,
		"dpop_signing_alg_values_supported":                []string{"ES256", "EdDSA"},
	}
	if s.opts.Scopes != nil {
		m["scopes_supported"] = s.opts.Scopes
	}
	if s.opts.NoRegistration {
		delete(m, "registration_endpoint")
	}
	if s.opts.NoRefresh {
		m["grant_types_supported"] = []string{grantCode, grantClient}
	}
	if s.opts.Metadata != nil {
		s.opts.Metadata(m)
	}
	write(w, http.StatusOK, m)
}

func (s *Server) jwks(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, s.keys.public())
}

// write sends a JSON document.
func write(w http.ResponseWriter, status int, document any) {
	text, err := json.Marshal(document)
	if err != nil {
		panic(err) // a mistake of the test
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// fail sends the error of an endpoint (RFC 6749, section 5.2).
func fail(w http.ResponseWriter, status int, code, description string) {
	write(w, status, map[string]any{"error": code, "error_description": description})
}

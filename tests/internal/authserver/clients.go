package authserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// document is the metadata of a client: of a registration (RFC 7591) or at the URL that is its id.
type document struct {
	ClientID                string              `json:"client_id,omitempty"`
	ClientSecret            string              `json:"client_secret,omitempty"`
	ClientName              string              `json:"client_name,omitempty"`
	RedirectURIs            []string            `json:"redirect_uris,omitempty"`
	GrantTypes              []string            `json:"grant_types,omitempty"`
	ResponseTypes           []string            `json:"response_types,omitempty"`
	TokenEndpointAuthMethod string              `json:"token_endpoint_auth_method,omitempty"`
	ApplicationType         string              `json:"application_type,omitempty"`
	Scope                   string              `json:"scope,omitempty"`
	JWKS                    *jose.JSONWebKeySet `json:"jwks,omitempty"`
}

// register registers a client dynamically (RFC 7591, section 3).
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	if s.opts.NoRegistration {
		http.NotFound(w, r)
		return
	}
	var d document
	if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
		fail(w, http.StatusBadRequest, "invalid_client_metadata", err.Error())
		return
	}
	// OpenID Connect Dynamic Client Registration, section 2: web clients use https, native ones loopback.
	for _, redirect := range d.RedirectURIs {
		u, err := url.Parse(redirect)
		if err != nil || u.Fragment != "" || u.Scheme == "http" && d.ApplicationType != "native" {
			fail(w, http.StatusBadRequest, "invalid_redirect_uri", fmt.Sprintf("%q does not suit the application type %q", redirect, d.ApplicationType))
			return
		}
	}
	c := Client{ID: rand.Text(), RedirectURIs: d.RedirectURIs}
	if d.TokenEndpointAuthMethod == "" {
		d.TokenEndpointAuthMethod = "client_secret_basic"
	}
	switch {
	case strings.HasPrefix(d.TokenEndpointAuthMethod, "client_secret"):
		c.Secret = rand.Text()
	case d.JWKS != nil && len(d.JWKS.Keys) > 0:
		c.Key = d.JWKS.Keys[0].Key
	}
	d.ClientID, d.ClientSecret = c.ID, c.Secret
	s.mu.Lock()
	s.clients[c.ID] = c
	s.mu.Unlock()
	write(w, http.StatusCreated, d)
}

// client returns a client by its id, whose metadata document is fetched if the id is a URL.
func (s *Server) client(r *http.Request, id string) (Client, error) {
	s.mu.Lock()
	c, ok := s.clients[id]
	s.mu.Unlock()
	switch {
	case ok:
		return c, nil
	case strings.Contains(id, "://") && !s.opts.NoCIMD:
		return s.fetch(r.Context(), id)
	}
	return Client{}, fmt.Errorf("unknown client %q", id)
}

// fetch reads the metadata document of a client (draft-ietf-oauth-client-id-metadata-document).
func (s *Server) fetch(ctx context.Context, id string) (Client, error) {
	u, err := url.Parse(id)
	if err != nil || u.Scheme != "https" && u.Hostname() != "127.0.0.1" || u.Path == "" || u.Fragment != "" {
		return Client{}, errors.New("the client id is not an https URL with a path")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return Client{}, err
	}
	response, err := s.opts.HTTP.Do(request)
	if err != nil {
		return Client{}, err
	}
	defer response.Body.Close()
	var d document
	if err := json.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(&d); err != nil {
		return Client{}, err
	}
	if d.ClientID != id || len(d.RedirectURIs) == 0 || d.ClientName == "" {
		return Client{}, errors.New("the metadata document lacks client_name or redirect_uris, or its client_id is not its URL")
	}
	c := Client{ID: id, RedirectURIs: d.RedirectURIs}
	if d.JWKS != nil && len(d.JWKS.Keys) > 0 {
		c.Key = d.JWKS.Keys[0].Key
	}
	return c, nil
}

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// authenticate returns the client of a request to the token endpoint.
func (s *Server) authenticate(r *http.Request) (Client, error) {
	id, secret := r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	if user, password, ok := r.BasicAuth(); ok {
		var err1, err2 error
		id, err1 = url.QueryUnescape(user)
		secret, err2 = url.QueryUnescape(password)
		if err := errors.Join(err1, err2); err != nil {
			return Client{}, err
		}
	}
	if r.PostForm.Get("client_assertion_type") == assertionType {
		return s.asserted(r)
	}
	c, err := s.client(r, id)
	if err != nil {
		return Client{}, err
	}
	if c.Secret != secret || c.Key != nil {
		return Client{}, errors.New("the client is not authenticated")
	}
	return c, nil
}

// asserted authenticates a client by private_key_jwt (RFC 7523, section 2.2).
func (s *Server) asserted(r *http.Request) (Client, error) {
	var c Client
	claims, err := s.assertion(r.PostForm.Get("client_assertion"), func(issuer string) any {
		found, err := s.client(r, issuer)
		if err != nil {
			return nil
		}
		c = found
		return c.Key
	})
	if err != nil {
		return Client{}, err
	}
	if given := r.PostForm.Get("client_id"); text(claims, "sub") != c.ID || given != "" && given != c.ID {
		return Client{}, errors.New("the assertion is not about the client")
	}
	return c, nil
}

// introspect explains an opaque token to a client with a secret (RFC 7662).
func (s *Server) introspect(w http.ResponseWriter, r *http.Request) {
	if c, err := s.authenticate(r); err != nil || c.Secret == "" && c.Key == nil {
		fail(w, http.StatusUnauthorized, "invalid_client", "introspection needs a client with a secret")
		return
	}
	s.mu.Lock()
	claims := s.opaque[r.PostForm.Get("token")]
	s.mu.Unlock()
	if claims == nil || r.Method != http.MethodPost {
		write(w, http.StatusOK, map[string]any{"active": false})
		return
	}
	answer := map[string]any{"active": true, "token_type": "Bearer"}
	for name, value := range claims {
		answer[name] = value
	}
	write(w, http.StatusOK, answer)
}

package authserver

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	grantCode     = "authorization_code"
	grantRefresh  = "refresh_token"
	grantClient   = "client_credentials"
	grantJWT      = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	grantExchange = "urn:ietf:params:oauth:grant-type:token-exchange"

	tokenIDJAG = "urn:ietf:params:oauth:token-type:id-jag"
)

// refusal is an error of the token endpoint.
type refusal struct {
	status            int
	code, description string
}

func refused(code, description string) *refusal {
	return &refusal{http.StatusBadRequest, code, description}
}

// token answers the token endpoint (RFC 6749, section 3.2).
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		fail(w, http.StatusMethodNotAllowed, "invalid_request", "the token endpoint takes POST")
		return
	}
	key, err := s.proof(w, r)
	if err != nil {
		fail(w, http.StatusBadRequest, err.code, err.description)
		return
	}
	form := r.PostForm
	var g *grant
	if form.Get("grant_type") == grantJWT && form.Get("client_id") == "" && form.Get("client_assertion") == "" && r.Header.Get("Authorization") == "" {
		g, err = s.fromAssertion(form, Client{})
	} else {
		c, failed := s.authenticate(r)
		if failed != nil {
			fail(w, http.StatusUnauthorized, "invalid_client", failed.Error())
			return
		}
		switch form.Get("grant_type") {
		case grantCode:
			g, err = s.fromCode(form, c)
		case grantRefresh:
			g, err = s.fromRefresh(form, c)
		case grantClient:
			g, err = s.fromClient(form, c)
		case grantJWT:
			g, err = s.fromAssertion(form, c)
		case grantExchange:
			s.exchange(w, form, c)
			return
		default:
			err = refused("unsupported_grant_type", form.Get("grant_type"))
		}
	}
	switch {
	case err != nil:
		fail(w, err.status, err.code, err.description)
		return
	case g.key != "" && g.key != key:
		fail(w, http.StatusBadRequest, "invalid_dpop_proof", "the grant is bound to another key")
		return
	}
	g.key = key
	s.answer(w, g, form.Get("grant_type"))
}

// answer sends the tokens of a grant.
func (s *Server) answer(w http.ResponseWriter, g *grant, how string) {
	claims := s.Claims("", strings.Fields(g.scope)...)
	claims["sub"], claims["client_id"], claims["aud"] = g.subject, g.client, s.opts.AudienceOf(g.resources)
	kind := "Bearer"
	if g.key != "" {
		kind = "DPoP"
		claims["cnf"] = map[string]any{"jkt": g.key}
	}
	answer := map[string]any{
		"access_token": s.Issue(claims), "token_type": kind, "expires_in": int(s.opts.Lifetime.Seconds()), "scope": g.scope,
	}
	if (how == grantCode || how == grantRefresh) && !s.opts.NoRefresh {
		token := rand.Text()
		s.mu.Lock()
		s.refresh[token] = g
		s.mu.Unlock()
		answer["refresh_token"] = token
	}
	if s.opts.Grant != nil {
		s.opts.Grant(answer)
	}
	write(w, http.StatusOK, answer)
}

func (s *Server) fromCode(form url.Values, c Client) (*grant, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.codes[form.Get("code")]
	delete(s.codes, form.Get("code"))
	switch {
	case g == nil || g.client != c.ID || s.opts.Now().After(g.expires):
		return nil, refused("invalid_grant", "the code is not valid for this client, or no longer")
	case g.redirect != form.Get("redirect_uri"):
		return nil, refused("invalid_grant", "the redirect_uri differs")
	case !g.proves(form.Get("code_verifier")):
		return nil, refused("invalid_grant", "the code_verifier is wrong")
	}
	if resources := form["resource"]; len(resources) > 0 {
		for _, one := range resources {
			if len(g.resources) > 0 && !slices.Contains(g.resources, one) {
				return nil, refused("invalid_target", "the resource was not authorized")
			}
		}
		g.resources = resources
	}
	return g, nil
}

// fromRefresh rotates a refresh token. One that is used twice ends all tokens of its client (RFC 9700,
// section 4.14.2).
func (s *Server) fromRefresh(form url.Values, c Client) (*grant, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := form.Get("refresh_token")
	if s.spent[token] {
		for other, g := range s.refresh {
			if g.client == c.ID {
				delete(s.refresh, other)
			}
		}
		return nil, refused("invalid_grant", "the refresh token was used before")
	}
	g := s.refresh[token]
	if g == nil || g.client != c.ID {
		return nil, refused("invalid_grant", "unknown refresh token")
	}
	delete(s.refresh, token)
	s.spent[token] = true
	renewed := *g
	if scope := form.Get("scope"); scope != "" {
		for _, one := range strings.Fields(scope) {
			if !slices.Contains(strings.Fields(g.scope), one) {
				return nil, refused("invalid_scope", "the scope "+one+" was not granted")
			}
		}
		renewed.scope = scope
	}
	return &renewed, nil
}

func (s *Server) fromClient(form url.Values, c Client) (*grant, *refusal) {
	if c.Secret == "" && c.Key == nil {
		return nil, refused("unauthorized_client", "the client is public")
	}
	return &grant{client: c.ID, subject: c.ID, scope: form.Get("scope"), resources: form["resource"]}, nil
}

// fromAssertion is the grant of RFC 7523, section 2.1: for identity assertions of other servers and
// workload identities.
func (s *Server) fromAssertion(form url.Values, c Client) (*grant, *refusal) {
	claims, err := s.assertion(form.Get("assertion"), func(issuer string) any { return s.opts.Assertions[issuer] })
	if err != nil {
		return nil, refused("invalid_grant", err.Error())
	}
	if id := text(claims, "client_id"); id != "" && c.ID != "" && id != c.ID {
		return nil, refused("invalid_grant", "the assertion is for another client")
	}
	resources := form["resource"]
	if r := text(claims, "resource"); r != "" {
		resources = []string{r}
	}
	scope := form.Get("scope")
	if of := text(claims, "scope"); of != "" && scope == "" {
		scope = of
	}
	return &grant{client: c.ID, subject: text(claims, "sub"), scope: scope, resources: resources}, nil
}

// exchange is the grant of RFC 8693, for an ID-JAG only: the token of a user becomes an assertion for
// another authorization server.
func (s *Server) exchange(w http.ResponseWriter, form url.Values, c Client) {
	if form.Get("requested_token_type") != tokenIDJAG {
		fail(w, http.StatusBadRequest, "invalid_request", "only identity assertions are issued")
		return
	}
	var subject string
	claims, err := s.assertion(form.Get("subject_token"), func(issuer string) any {
		if issuer == s.Issuer {
			key := s.keys.current()
			return key.Public()
		}
		return s.opts.Assertions[issuer]
	})
	if err == nil {
		subject = text(claims, "sub")
	}
	if err != nil || subject == "" || form.Get("audience") == "" {
		fail(w, http.StatusBadRequest, "invalid_grant", "the subject_token or the audience is wrong")
		return
	}
	now := s.opts.Now()
	assertion := Sign(s.keys.current(), "oauth-id-jag+jwt", map[string]any{
		"iss": s.Issuer, "sub": subject, "aud": form.Get("audience"), "resource": form.Get("resource"), "client_id": c.ID,
		"scope": strings.Join(strings.Fields(form.Get("scope")), " "), "jti": rand.Text(),
		"iat": now.Unix(), "exp": now.Add(s.opts.Lifetime).Unix(),
	})
	write(w, http.StatusOK, map[string]any{
		"access_token": assertion, "issued_token_type": tokenIDJAG, "token_type": "N_A", "expires_in": int(s.opts.Lifetime.Seconds()),
	})
}

package authserver

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// grant is what a code or refresh token stands for.
type grant struct {
	client    string
	subject   string
	redirect  string
	challenge string // of PKCE
	scope     string
	resources []string
	key       string // the thumbprint of the DPoP key
	expires   time.Time
}

// authorize consents for the user and redirects back (RFC 6749, section 4.1, with RFC 7636, RFC 8707
// and RFC 9207).
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.Form
	client, err := s.client(r, q.Get("client_id"))
	if err != nil {
		fail(w, http.StatusBadRequest, "invalid_client", err.Error())
		return
	}
	redirect, ok := client.redirect(q.Get("redirect_uri"))
	if !ok { // never redirect to an address that is not registered
		fail(w, http.StatusBadRequest, "invalid_request", "the redirect_uri is not registered")
		return
	}
	answer := url.Values{"iss": {s.Issuer}}
	if state := q.Get("state"); state != "" {
		answer.Set("state", state)
	}
	switch {
	case q.Get("response_type") != "code":
		answer.Set("error", "unsupported_response_type")
	case q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43:
		answer.Set("error", "invalid_request")
		answer.Set("error_description", "PKCE with S256 is required")
	default:
		code := rand.Text()
		s.mu.Lock()
		s.codes[code] = &grant{
			client: client.ID, subject: s.opts.Subject, redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"),
			scope: q.Get("scope"), resources: q["resource"], key: q.Get("dpop_jkt"), expires: s.opts.Now().Add(time.Minute),
		}
		s.mu.Unlock()
		answer.Set("code", code)
	}
	if s.opts.Redirect != nil {
		s.opts.Redirect(answer)
	}
	to, query := *redirect, redirect.Query()
	for name, values := range answer {
		query[name] = values
	}
	to.RawQuery = query.Encode()
	http.Redirect(w, r, to.String(), http.StatusFound)
}

// redirect returns a redirect URI that the client has registered. The port of a loopback address may
// differ (RFC 8252, section 7.3).
func (c Client) redirect(given string) (*url.URL, bool) {
	u, err := url.Parse(given)
	if err != nil || !u.IsAbs() || u.Fragment != "" {
		return nil, false
	}
	return u, slices.ContainsFunc(c.RedirectURIs, func(registered string) bool {
		if registered == given {
			return true
		}
		known, err := url.Parse(registered)
		if err != nil || !slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, u.Hostname()) {
			return false
		}
		return known.Scheme == "http" && u.Scheme == "http" && known.Hostname() == u.Hostname() &&
			known.Path == u.Path && known.RawQuery == u.RawQuery
	})
}

// proves reports whether a verifier is that of the challenge (RFC 7636, section 4.6).
func (g *grant) proves(verifier string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:]) == g.challenge
}

// Browse is the browser of a user who agrees to everything: it opens a URL and follows its redirects, in the
// background as a browser does. It never fails; a login that it cannot finish does not end.
func Browse(address string) error {
	go func() {
		if resp, err := http.Get(address); err == nil {
			resp.Body.Close()
		}
	}()
	return nil
}

package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	shared "github.com/mcpgen/mcpgen/runtime/internal/web"
)

// Options configure a Transport.
type Options struct {
	// Flow is how tokens are obtained. It is required.
	Flow Flow
	// Name is the name that the authorization server shows to users when the client is registered
	// dynamically.
	Name string
	// Credentials identify the program to authorization servers where it is registered. If there are
	// any, only these are used.
	Credentials []Credentials
	// ClientIDURL is the URL of the program's client id metadata document, if it has one ("Client ID
	// Metadata Documents", 2025-11-25 and later). The document lists the redirect URIs.
	ClientIDURL string
	// Ask returns the program's credentials at an authorization server, for example by asking the user,
	// when there is no other way to get any. They are stored, except for keys. Nil makes that an
	// ErrNoClient.
	Ask func(ctx context.Context, issuer string) (Credentials, error)
	// Store keeps tokens and registrations. Nil is a Memory of the transport's own.
	Store Store
	// DPoP asks for tokens that are bound to a key of the client (RFC 9449), where the authorization
	// server supports it. Servers that demand such tokens get them anyway.
	DPoP bool
	// Base sends the requests to the MCP server. Nil is a transport configured as
	// http.DefaultTransport.
	Base http.RoundTripper
}

// Transport is an http.RoundTripper that authorizes requests to one MCP server. Use New to create it. It may
// be used by several sessions at a time.
type Transport struct {
	server    *url.URL
	canonical string // resource identifier of the server
	opts      Options
	store     Store
	base      http.RoundTripper
	web       *web

	mu       sync.Mutex
	loaded   bool     // whether current has been read from the store
	current  *grant   // nil if there is none
	renewing *renewal // nil if there is none
	budget   budget
}

// New returns a transport for the server at a URL. The URL must be one of HTTPS, or of HTTP on this
// machine.
func New(server string, opts Options) (*Transport, error) {
	u, err := url.Parse(server)
	if err == nil {
		u.Fragment, u.RawFragment = "", ""
		err = fetch.CheckURL(u)
	}
	if err != nil {
		return nil, fmt.Errorf("auth: the server: %w", err)
	}
	canonical, err := auth.CanonicalResource(u.String())
	if err != nil {
		return nil, fmt.Errorf("auth: the server: %w", err)
	}
	if opts.Flow == nil {
		return nil, errors.New("auth: the options have no Flow")
	}
	if opts.ClientIDURL != "" {
		id, err := url.Parse(opts.ClientIDURL)
		if err != nil || id.Scheme != "https" || id.Host == "" || strings.Trim(id.Path, "/") == "" || id.Fragment != "" || id.User != nil {
			return nil, fmt.Errorf("auth: the ClientIDURL %q is not an HTTPS URL with a path", shown(opts.ClientIDURL))
		}
	}
	t := &Transport{server: u, canonical: canonical, opts: opts, store: opts.Store, base: opts.Base, web: newWeb()}
	if t.store == nil {
		t.store = &Memory{}
	}
	if t.base == nil {
		client, _ := shared.Client(nil)
		t.base = client.Transport
	}
	return t, nil
}

// Client returns an HTTP client that sends its requests through the transport. It follows no redirects to
// other origins, which would get the bodies of requests.
func (t *Transport) Client() *http.Client {
	client, _ := shared.Client(&http.Client{Transport: t})
	return client
}

// CloseIdleConnections closes the unused connections to the MCP server.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// maxRenewals limits how often one request leads to another token ("Step-Up Authorization Flow", step 4,
// 2026-07-28). See also the type budget.
const maxRenewals = 3

// RoundTrip implements http.RoundTripper. Requests to other origins than the server's, and those with an
// Authorization header, are sent unchanged, except that the server cannot redirect the body of a request to
// another origin. A request whose body cannot be read again (see http.Request.GetBody) is not repeated.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.leaks(req) {
		req.Body.Close()
		return nil, fmt.Errorf("auth: the server redirects the body of a request to another server, %s", shown(req.URL.Host))
	}
	if !sameOrigin(req.URL, t.server) || req.Header.Get("Authorization") != "" {
		return t.base.RoundTrip(req)
	}
	used, err := t.usable(req.Context())
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, fmt.Errorf("auth: %w", err)
	}
	resp, err := t.send(req, used)
	for renewals := 0; err == nil; renewals++ {
		needed, ok := t.needs(resp, used)
		if !ok || !repeatable(req) {
			return resp, nil
		}
		shared.Discard(resp)
		if renewals == maxRenewals {
			return nil, unhandled{fmt.Errorf("auth: %w", needed.refusal())}
		}
		if used, err = t.renew(req.Context(), used, needed); err != nil {
			return nil, unhandled{fmt.Errorf("auth: %w", err)}
		}
		if req, err = repeated(req); err != nil {
			return nil, err
		}
		resp, err = t.send(req, used)
	}
	return resp, err
}

// leaks reports whether the server has redirected a request with a body to another origin. An http.Client with
// the transport that is not the one of [Transport.Client] would follow that.
func (t *Transport) leaks(req *http.Request) bool {
	return req.Body != nil && req.Body != http.NoBody && !sameOrigin(req.URL, t.server) &&
		req.Response != nil && req.Response.Request != nil && sameOrigin(req.Response.Request.URL, t.server)
}

// repeatable reports whether a request can be sent again, and repeated returns it for that.
func repeatable(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

func repeated(req *http.Request) (*http.Request, error) {
	if req.GetBody == nil {
		return req, nil
	}
	again := *req
	var err error
	again.Body, err = req.GetBody()
	return &again, err
}

// send sends a request with a grant, which may be nil, and once more if the server demands a DPoP nonce.
func (t *Transport) send(req *http.Request, g *grant) (*http.Response, error) {
	for try := 0; ; try++ {
		trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { t.web.seen(req, t.base, info.Conn.RemoteAddr()) }}
		own := req.Clone(httptrace.WithClientTrace(req.Context(), trace))
		if g != nil {
			own.Header.Set("Authorization", g.Type+" "+g.Access)
			if g.Type == auth.SchemeDPoP {
				if err := g.proofs.prove(own, g.Access); err != nil {
					return nil, err
				}
			}
		}
		resp, err := t.base.RoundTrip(own)
		if err != nil || g == nil || g.Type != auth.SchemeDPoP {
			return resp, err
		}
		fresh := g.proofs.learn(req.URL, resp.Header)
		if try > 0 || !fresh || resp.StatusCode != http.StatusUnauthorized || challenged(resp, auth.ErrorUseDPoPNonce) == nil {
			return resp, nil
		}
		if !repeatable(req) {
			return resp, nil
		}
		shared.Discard(resp)
		if req, err = repeated(req); err != nil {
			return nil, err
		}
	}
}

// need is why a grant does not suffice.
type need struct {
	status    int            // 401 or 403; 0 if the grant ends
	challenge auth.Challenge // the zero value if there is none
}

// needs reports whether a response asks for another grant, and why. If it does not, the grant is accepted.
func (t *Transport) needs(resp *http.Response, used *grant) (need, bool) {
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		n := need{status: resp.StatusCode}
		if c := challenged(resp, ""); c != nil {
			n.challenge = *c
		}
		return n, true
	case http.StatusForbidden:
		if c := challenged(resp, auth.ErrorInsufficientScope); c != nil {
			return need{resp.StatusCode, *c}, true
		}
	}
	if used != nil && resp.StatusCode < http.StatusInternalServerError {
		t.accepted(used)
	}
	return need{}, false
}

// refusal returns the error of a request for which the server refuses one token after the other.
func (n need) refusal() error {
	if n.status == http.StatusForbidden {
		return fmt.Errorf("%w: it demands the scopes %q", ErrRefused, shown(auth.FormatScopes(n.challenge.Scopes())))
	}
	if description := n.challenge.Get("error_description"); description != "" {
		return fmt.Errorf("%w: %s", ErrRefused, shown(description))
	}
	return ErrRefused
}

// challenged returns the challenge of a response that asks for a token, and has an error if that is not "".
func challenged(resp *http.Response, code string) *auth.Challenge {
	all, _ := auth.Challenges(resp.Header) // those before a syntax error count
	for _, scheme := range []string{auth.SchemeBearer, auth.SchemeDPoP} {
		for i, c := range all {
			if c.HasScheme(scheme) && (code == "" || c.ErrorCode() == code) {
				return &all[i]
			}
		}
	}
	return nil
}

// sameOrigin reports whether two URLs have the same scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && fetch.HostPort(a) == fetch.HostPort(b)
}

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
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
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
	// when there is no other way to get any. They are stored, except for keys, until the authorization server refuses
	// them. Nil makes that an ErrNoClient.
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
	server    *url.URL       // canonical
	canonical string         // the same, the resource identifier of the server
	opts      Options        // with a Store and a Base
	web       *oauth.Fetcher // for URLs in metadata

	mu       sync.Mutex
	loaded   bool     // whether current has been read from the store
	current  *grant   // nil if there is none
	renewing *renewal // nil if there is none
	budget   budget
}

// New returns a transport for the server at a URL. The URL must be one of HTTPS, or of HTTP on this
// machine.
func New(server string, opts Options) (*Transport, error) {
	server, _, _ = strings.Cut(server, "#")
	u, err := oauth.CanonicalURL(server)
	if err == nil {
		err = oauth.CheckURL(u)
	}
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
	if opts.Store == nil {
		opts.Store = &Memory{}
	}
	if opts.Base == nil {
		client, _ := web.Client(nil)
		opts.Base = client.Transport
	}
	fetcher := oauth.NewFetcher(oauth.FetchOptions{Timeout: waits.AuthorizationServer, Redirects: maxRedirects})
	return &Transport{server: u, canonical: u.String(), opts: opts, web: fetcher}, nil
}

// Client returns an HTTP client that sends its requests through the transport. It follows no redirects to
// other origins, which would get the bodies of requests.
func (t *Transport) Client() *http.Client {
	client, _ := web.Client(&http.Client{Transport: t})
	return client
}

// CloseIdleConnections closes the unused connections to the MCP server.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.opts.Base.(interface{ CloseIdleConnections() }); ok {
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
		return t.opts.Base.RoundTrip(req)
	}
	used, err := t.usable(req.Context())
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, fmt.Errorf("auth: %w", err)
	}
	for renewals := 0; ; renewals++ {
		resp, err := t.send(req, used)
		if err != nil {
			return nil, err
		}
		needed, ok := needs(resp, used)
		if !ok || !repeatable(req) {
			return resp, nil
		}
		web.Discard(resp)
		if renewals == maxRenewals {
			return nil, unhandled{fmt.Errorf("auth: %w", needed.refusal())}
		}
		if used, err = t.renew(req.Context(), used, needed); err != nil {
			return nil, unhandled{fmt.Errorf("auth: %w", err)}
		}
		if req, err = repeated(req); err != nil {
			return nil, err
		}
	}
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
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { t.seen(req, info.Conn.RemoteAddr()) }}
	for again := false; ; again = true {
		own := req.Clone(httptrace.WithClientTrace(req.Context(), trace))
		var proofs *prover
		if g != nil {
			own.Header.Set("Authorization", g.Type+" "+g.Access)
		}
		if g != nil && g.Type == oauth.SchemeDPoP {
			proofs = g.DPoP
			if err := proofs.prove(own, g.Access); err != nil {
				return nil, err
			}
		}
		resp, err := t.opts.Base.RoundTrip(own)
		if err != nil || !proofs.learn(req.URL, resp.Header) || again || !repeatable(req) ||
			resp.StatusCode != http.StatusUnauthorized || challenged(resp, oauth.ErrorUseDPoPNonce) == nil {
			return resp, err
		}
		web.Discard(resp)
		if req, err = repeated(req); err != nil {
			return nil, err
		}
	}
}

// need is why a grant does not suffice.
type need struct {
	status    int             // 401 or 403; 0 if the grant ends
	challenge oauth.Challenge // the zero value if there is none
}

// needs reports whether a response asks for another grant, and why. If it does not, the grant is accepted.
func needs(resp *http.Response, used *grant) (need, bool) {
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		n := need{status: resp.StatusCode}
		if c := challenged(resp, ""); c != nil {
			n.challenge = *c
		}
		return n, true
	case http.StatusForbidden:
		if c := challenged(resp, oauth.ErrorInsufficientScope); c != nil {
			return need{resp.StatusCode, *c}, true
		}
	}
	if used != nil && resp.StatusCode < http.StatusInternalServerError {
		used.by.Store(byNothing)
	}
	return need{}, false
}

// refusal returns the error of a request for which the server refuses one token after the other.
func (n need) refusal() error {
	if n.status == http.StatusForbidden {
		return fmt.Errorf("%w: it demands the scopes %q", ErrRefused, shown(oauth.FormatScopes(n.challenge.Scopes())))
	}
	if description := n.challenge.Params["error_description"]; description != "" {
		return fmt.Errorf("%w: %s", ErrRefused, shown(description))
	}
	return ErrRefused
}

// challenged returns the challenge of a response that asks for a token, and has an error if that is not "".
func challenged(resp *http.Response, code string) *oauth.Challenge {
	all := oauth.Challenges(resp.Header)
	for _, scheme := range []string{oauth.SchemeBearer, oauth.SchemeDPoP} {
		for i, c := range all {
			if strings.EqualFold(c.Scheme, scheme) && (code == "" || c.Params["error"] == code) {
				return &all[i]
			}
		}
	}
	return nil
}

// sameOrigin reports whether two URLs have the same scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && oauth.HostPort(a) == oauth.HostPort(b)
}

// Login obtains a token if the server demands one and the store has none that it accepts. Sessions do that
// on their own. A program calls Login first if the user may take longer than the timeout of a call, or to
// ask again after the user has refused.
func (t *Transport) Login(ctx context.Context) error {
	t.mu.Lock()
	t.budget = budget{}
	if t.current != nil {
		t.current.by.Store(byNothing)
	}
	t.mu.Unlock()
	status, err := t.touch(ctx, http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if err == nil && (status == http.StatusNotFound || status == http.StatusMethodNotAllowed) {
		_, err = t.touch(ctx, http.MethodGet, "") // HTTP with SSE begins with a GET
	}
	return err
}

// touch sends a request that changes nothing at the server, and returns the status of the response.
func (t *Transport) touch(ctx context.Context, method, body string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, method, t.server.String(), strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := t.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	resp.Body.Close() // without reading: it may be an endless stream
	return resp.StatusCode, nil
}

// Status describes the token for a server, without its secrets.
type Status struct {
	// Issuer is the authorization server that issued the token; "" for a token from elsewhere.
	Issuer string
	// ClientID is the id of the program there.
	ClientID string
	// Scopes are those of the token, as far as they are known.
	Scopes []string
	// Expiry is the end of the token; zero if it is unknown.
	Expiry time.Time
	// Renewable says that a refresh token can renew it without the user.
	Renewable bool
	// Bound says that it is bound to a key of this program (DPoP).
	Bound bool
}

// Status returns what the store knows about the token for the server. It sends no request. Without a
// token the error is ErrNoGrant.
func (t *Transport) Status(ctx context.Context) (Status, error) {
	g, err := t.firstGrant(ctx)
	if err != nil {
		return Status{}, fmt.Errorf("auth: %w", err)
	}
	if g == nil {
		return Status{}, fmt.Errorf("auth: %w to %s", ErrNoGrant, t.canonical)
	}
	return Status{Issuer: g.Issuer, ClientID: g.ClientID, Scopes: g.Granted, Expiry: g.Expiry, Renewable: g.Refresh != "", Bound: g.Type == oauth.SchemeDPoP}, nil
}

// Logout deletes what the store has for the server: the token, and the registration of the client, which other
// servers of the same authorization server may share and then repeat. It revokes the token at the authorization
// server if that is possible (RFC 7009); the token is deleted even if that fails. If there is nothing to delete,
// the error is ErrNoGrant.
func (t *Transport) Logout(ctx context.Context) error {
	unlock, err := t.opts.Store.Lock(ctx, t.grantKey())
	if err != nil {
		return fmt.Errorf("auth: %w", err)
	}
	defer unlock()
	// Values that are broken are deleted, too.
	g, broken := t.loadGrant(ctx)
	var keys []string
	_, _ = t.load(ctx, t.notesKey(), &keys)
	if g != nil && g.Issuer != "" {
		keys = append(keys, registrationKey(g.Issuer))
	}
	t.mu.Lock()
	t.current, t.loaded = nil, true
	t.mu.Unlock()
	found := false
	for _, key := range append(keys, t.notesKey(), t.grantKey()) {
		old, err := t.opts.Store.Get(ctx, key)
		if err == nil && old != nil {
			found = true
			err = t.save(ctx, key, nil)
		}
		if err != nil {
			return fmt.Errorf("auth: %w", err)
		}
	}
	switch {
	case !found:
		return fmt.Errorf("auth: %w to %s", ErrNoGrant, t.canonical)
	case g != nil:
		broken = t.revoke(ctx, g)
	}
	if broken != nil {
		return fmt.Errorf("auth: the token is deleted here, but not revoked: %w", broken)
	}
	return nil
}

// revoke revokes the tokens of a grant, if the authorization server can do that.
func (t *Transport) revoke(ctx context.Context, g *grant) error {
	if g.Issuer == "" {
		return nil
	}
	from, err := t.again(ctx, g)
	if err != nil {
		return err
	}
	client, err := t.clientOf(ctx, from, g)
	if err != nil || client == nil || from.RevocationEndpoint == "" {
		return err
	}
	var problems []error
	for _, token := range []struct{ value, kind string }{{g.Refresh, "refresh_token"}, {g.Access, "access_token"}} {
		if token.value == "" {
			continue
		}
		form := url.Values{"token": {token.value}, "token_type_hint": {token.kind}}
		_, err := t.post(ctx, "revocation_endpoint", from.RevocationEndpoint, from.AuthorizationServerMetadata, client, nil, form)
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

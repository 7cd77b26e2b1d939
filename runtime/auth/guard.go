package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

const (
	defaultCacheFor = time.Minute
	// cacheSize limits the tokens that are remembered.
	cacheSize = 10_000
)

// Options configure a Guard. Resource is required, and Issuers or Verifier or both.
type Options struct {
	// Resource is the URL of the server as its clients write it, such as https://mcp.example.com/mcp. It
	// is the audience that tokens must have (RFC 8707), and the origin of the URL of the metadata.
	Resource string
	// Issuers are the authorization servers whose tokens the server accepts.
	Issuers []Issuer
	// Verifier verifies tokens of another kind, such as API keys. With Issuers, it is asked first, and the
	// tokens that it refuses are verified by them.
	Verifier Verifier
	// AuthorizationServers are those that the metadata names. The default are the URLs of Issuers. Without
	// any, there is no metadata, and clients need a token from elsewhere.
	AuthorizationServers []string

	// Audiences are accepted in tokens besides Resource, for authorization servers that do not put the
	// requested resource there.
	Audiences []string
	// Leeway is how long a token is accepted after it has expired, because clocks differ.
	Leeway time.Duration

	// Scopes are required of every request.
	Scopes []string
	// ScopesSupported are the scopes that the metadata lists, which clients request if a challenge names
	// none. The default is Scopes and those of the tools, prompts and resources of the handlers that the guard
	// protects. If such a handler is behind another one, runtime.Server.Scopes returns them.
	ScopesSupported []string
	// Implies reports whether a scope of a token includes another one, as "admin" may include "read".
	// Equal scopes are not passed to it. Nil means that no scope includes another one.
	Implies func(has, needed string) bool

	// DPoP configures tokens that are bound to a key of the client (RFC 9449).
	DPoP DPoP
	// Certificate returns the certificate with which a client has authenticated itself, for tokens that
	// are bound to one (RFC 8705), or nil. The default is that of the TLS connection. A server behind a
	// proxy that ends TLS needs a function that reads the proxy's header.
	Certificate func(*http.Request) []byte
	// RequireBound refuses tokens that are bound neither to a key nor to a certificate.
	RequireBound bool

	// CacheFor is how long a verified token is accepted without verifying it again, and therefore how
	// long a revoked one may be used. 0 means a minute, a negative duration no cache.
	CacheFor time.Duration

	// Name and Documentation are the resource_name and resource_documentation of the metadata.
	Name, Documentation string
	// HTTP fetches metadata and keys of authorization servers, and calls introspection endpoints. Nil
	// means a client that follows no redirects and limits times.
	HTTP *http.Client
	// Logger receives refusals, without tokens. Nil means slog.Default().
	Logger *slog.Logger
}

// Guard admits requests with valid access tokens. It is safe for concurrent use.
type Guard struct {
	opts        Options
	resource    *url.URL
	metadataURL string
	paths       []string // of the metadata
	mu          sync.Mutex
	scoped      []interface{ Scopes() []string } // the protected handlers that know their scopes
	verifiers   []Verifier
	accepted    *cache[*access]
	refused     *cache[*TokenError]
	proofs      *seal.Used
	nonces      *seal.Ring
}

// NewGuard returns a Guard. It makes no requests: an authorization server is asked when its first token comes.
func NewGuard(o Options) (*Guard, error) {
	g := &Guard{opts: o}
	if err := g.readResource(); err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	g.opts.Logger = logs.Or(o.Logger, slog.LevelDebug)
	g.opts.Scopes = oauth.UnionScopes(o.Scopes)
	for _, s := range slices.Concat(g.opts.Scopes, g.opts.ScopesSupported) {
		switch {
		case !oauth.IsScope(s):
			return nil, fmt.Errorf("auth: %q is not a scope", s)
		case s == "offline_access":
			return nil, errors.New("auth: offline_access is not a scope of a resource; clients ask for it by themselves (section Refresh Tokens)")
		}
	}
	g.opts.CacheFor = cmp.Or(o.CacheFor, defaultCacheFor)
	g.accepted, g.refused = newCache[*access](cacheSize), newCache[*TokenError](cacheSize)
	g.proofs = seal.NewUsed(maxProofs, maxCallerProofs)
	var keys [][]byte
	if o.DPoP.NonceKey != nil {
		keys = append(keys, o.DPoP.NonceKey)
	}
	var err error
	if g.nonces, err = seal.NewRing(keys...); err != nil {
		return nil, fmt.Errorf("auth: DPoP.NonceKey: %w", err)
	}
	if err := g.setVerifiers(); err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	return g, nil
}

// readResource reads the identifier of the resource.
func (g *Guard) readResource() error {
	var err error
	if g.resource, err = oauth.CanonicalURL(g.opts.Resource); err != nil {
		return fmt.Errorf("option Resource: %w", err)
	}
	g.opts.Resource = g.resource.String()
	if a, err := netip.ParseAddr(g.resource.Hostname()); err == nil && a.Unmap().IsUnspecified() || g.resource.Port() == "0" {
		return fmt.Errorf("option Resource: %q is an address to listen at: expected the URL of the server as its clients write it", g.opts.Resource)
	}
	urls := oauth.ResourceMetadataURLs(g.resource)
	g.metadataURL = urls[0]
	for _, address := range urls {
		if u, err := url.Parse(address); err == nil {
			g.paths = append(g.paths, u.Path)
		}
	}
	return nil
}

// setVerifiers sets the verifiers and the authorization servers of the metadata.
func (g *Guard) setVerifiers() error {
	var urls []string
	if g.opts.Verifier != nil {
		g.verifiers = append(g.verifiers, g.opts.Verifier)
	}
	for _, given := range g.opts.Issuers {
		i, err := newIssuer(given, &g.opts)
		if err == nil && slices.Contains(urls, given.URL) {
			err = fmt.Errorf("issuer %q: listed twice", given.URL)
		}
		if err != nil {
			return err
		}
		g.verifiers, urls = append(g.verifiers, i.verify), append(urls, given.URL)
	}
	if g.verifiers == nil {
		return errors.New("there are no Issuers and no Verifier")
	}
	if len(g.opts.AuthorizationServers) == 0 {
		g.opts.AuthorizationServers = urls
	}
	if len(g.opts.AuthorizationServers) == 0 {
		g.metadataURL, g.paths = "", nil // metadata without an authorization server is of no use to clients
	}
	return nil
}

// metadata returns the metadata with the scopes of the protected handlers, which may change.
func (g *Guard) metadata() []byte {
	text, _ := json.Marshal(oauth.ProtectedResourceMetadata{ // strings do not fail
		Resource:                              g.opts.Resource,
		AuthorizationServers:                  g.opts.AuthorizationServers,
		ScopesSupported:                       g.metadataScopes(),
		BearerMethodsSupported:                []string{"header"},
		ResourceName:                          g.opts.Name,
		ResourceDocumentation:                 g.opts.Documentation,
		TLSClientCertificateBoundAccessTokens: g.opts.Certificate != nil,
		DPoPSigningAlgValuesSupported:         proofAlgorithmNames(),
		DPoPBoundAccessTokensRequired:         g.opts.RequireBound && g.opts.Certificate == nil,
	})
	return text
}

// metadataScopes returns the scopes that the metadata lists.
func (g *Guard) metadataScopes() []string {
	if g.opts.ScopesSupported != nil {
		return g.opts.ScopesSupported
	}
	all := g.opts.Scopes
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, of := range g.scoped {
		all = oauth.UnionScopes(all, of.Scopes())
	}
	return all
}

// MetadataURL returns the URL of the metadata of the resource (RFC 9728), which challenges name, or "" if
// no authorization server is known.
func (g *Guard) MetadataURL() string { return g.metadataURL }

// Protect returns a handler that passes requests with a valid token to next, and answers those for the
// metadata of the resource: at /.well-known/oauth-protected-resource with the path of Resource and
// without it.
func (g *Guard) Protect(next http.Handler) *Protected {
	if of, ok := next.(interface{ Scopes() []string }); ok {
		g.mu.Lock()
		g.scoped = append(g.scoped, of)
		g.mu.Unlock()
	}
	return &Protected{g, next}
}

// Protected is a handler that a guard protects. streamable.ListenAndServe serves it as it serves the handler
// of the sessions.
type Protected struct {
	guard *Guard
	next  http.Handler
}

// Unwrap returns the handler that is protected.
func (p *Protected) Unwrap() http.Handler { return p.next }

// Mount registers the handler for a path of a mux, and the metadata at its paths.
func (p *Protected) Mount(mux *http.ServeMux, path string) {
	mux.Handle(path, p)
	for _, own := range p.guard.paths {
		if own != path {
			mux.HandleFunc(own, p.guard.serveMetadata)
		}
	}
}

// ServeHTTP implements http.Handler.
func (p *Protected) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g := p.guard
	if slices.Contains(g.paths, r.URL.Path) {
		g.serveMetadata(w, r)
		return
	}
	admitted, denied := g.admit(w, r)
	if denied != nil {
		g.refuse(w, r, denied)
		return
	}
	ctx := g.contextOf(r.Context(), admitted)
	if isStream(r) {
		// A stream of messages must not outlive the permission to read them. Its client comes
		// back with a new token.
		var cancel context.CancelFunc
		ctx, cancel = g.whileValid(ctx, r, admitted)
		defer cancel()
	}
	p.next.ServeHTTP(w, r.WithContext(ctx))
}

// whileValid returns a context that ends with the token of a request: when it expires, or when it turns out to be
// revoked or to lack a scope that every request needs. The token is verified again after each CacheFor of the options,
// or each minute without a cache.
func (g *Guard) whileValid(ctx context.Context, r *http.Request, a *access) (context.Context, context.CancelFunc) {
	var cancel context.CancelFunc
	if until := a.caller.Expiry; until.IsZero() {
		ctx, cancel = context.WithCancel(ctx)
	} else {
		ctx, cancel = context.WithDeadline(ctx, until.Add(g.opts.Leeway))
	}
	every := g.opts.CacheFor
	if every <= 0 {
		every = defaultCacheFor
	}
	given, _ := g.credentialsOf(r) // which were good
	go func() {
		defer cancel()
		defer func() {
			if v := recover(); v != nil { // as net/http recovers panics of a Verifier
				g.opts.Logger.Error("an access token could not be verified again", "panic", v, "stack", string(debug.Stack()))
			}
		}()
		for good := true; good; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(every):
			}
			now, denied := g.verify(ctx, given)
			// An authorization server that cannot be reached revokes nothing.
			good = denied == nil && now.Allow(g.opts.Scopes) == nil || denied != nil && denied.Status != http.StatusUnauthorized
		}
	}()
	return ctx, cancel
}

// isStream reports whether a request opens a stream of messages that lasts until its client ends it: a GET, or
// in revisions without sessions a request whose header Mcp-Method, which repeats its method, says so. The handler
// refuses a request with another header.
func isStream(r *http.Request) bool {
	return r.Method == http.MethodGet || headers.MethodOf(r.Header) == "subscriptions/listen"
}

// serveMetadata answers a request for the metadata of the resource (RFC 9728, section 3). It needs no
// token, and pages of every origin may read it.
func (g *Guard) serveMetadata(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	switch r.Method {
	case http.MethodOptions:
		h.Set("Access-Control-Allow-Methods", "GET")
		h.Set("Access-Control-Allow-Headers", "*")
		w.WriteHeader(http.StatusNoContent)
	case http.MethodGet, http.MethodHead:
		h.Set("Cache-Control", "max-age=3600")
		_ = web.WriteJSON(w, http.StatusOK, g.metadata()) // net/http leaves out the body for HEAD
	default:
		h.Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// contextOf returns the context of a request that was admitted.
func (g *Guard) contextOf(ctx context.Context, a *access) context.Context {
	ctx = context.WithValue(ctx, callerKey{}, a.caller)
	ctx = runtime.WithPrincipal(ctx, a.principal)
	return runtime.WithAccess(ctx, a)
}

// As returns a context whose requests come from a caller, for servers that do not receive tokens, such
// as one over standard input, whose user is the one who started the process. The scopes of tools are
// then checked as they are over HTTP.
func (g *Guard) As(ctx context.Context, caller *Caller) context.Context {
	return g.contextOf(ctx, g.newAccess(caller))
}

func (g *Guard) newAccess(caller *Caller) *access {
	return &access{guard: g, caller: caller, principal: caller.Principal()}
}

// Caller identifies the sender of a request, according to a verified access token. Its fields are
// not changed after the token was verified, because requests with the same token share them.
type Caller struct {
	// Issuer is the authorization server that issued the token.
	Issuer string
	// Subject identifies the user, or the client if it acts on its own behalf. It is unique among the
	// subjects of the issuer and of the same kind only, see Principal.
	Subject string
	// Kind is what the Subject is: KindUser, KindUsername or KindClient.
	Kind string
	// ClientID identifies the client that the token was issued to; "" if the token does not say.
	ClientID string
	// Scopes are the permissions of the token.
	Scopes []string
	// Audience are the resources that the token was issued for.
	Audience []string
	// Expiry is the end of the token; zero if it does not end.
	Expiry time.Time
	// Claims are all claims of the token as a JSON object, or the response of the introspection
	// endpoint.
	Claims json.RawMessage

	// CertificateThumbprint is the SHA-256 of the client certificate to which the token is bound, in
	// base64url (RFC 8705, section 3.1); "" if it is bound to none.
	CertificateThumbprint string
	// KeyThumbprint is the SHA-256 thumbprint of the DPoP key to which the token is bound, in
	// base64url (RFC 9449, section 6.1); "" if it is bound to none.
	KeyThumbprint string
}

// The kinds of subjects.
const (
	// KindUser is the kind of a subject as the claim sub has it (RFC 9068, section 2.2).
	KindUser = ""
	// KindUsername is the kind of the username of a token without the claim sub (RFC 7662, section 2.2).
	KindUsername = "username"
	// KindClient is the kind of the id of a client that acts on its own behalf.
	KindClient = "client"
)

// Principal returns a string that identifies the caller uniquely among the callers of all issuers. Sessions,
// tasks, sealed states and limits belong to it.
func (c *Caller) Principal() string {
	if c == nil {
		return ""
	}
	kind, subject := cmp.Or(c.Kind, "user"), c.Subject
	if subject == "" {
		kind, subject = KindClient, c.ClientID
	}
	// A quoted issuer has an end, so that no other issuer and subject give the same text.
	return kind + " " + strconv.Quote(c.Issuer) + " " + subject
}

type callerKey struct{}

// CallerOf returns the Caller of the handler's request, or nil if the request was not authorized.
func CallerOf(ctx context.Context) *Caller {
	c, _ := ctx.Value(callerKey{}).(*Caller)
	return c
}

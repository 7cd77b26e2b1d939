package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/reach"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// grant is an access token with what belongs to it, as the store keeps it. It is not changed when it is in use.
type grant struct {
	identity        // of the client that has it
	Server   string `json:"server"`           // the MCP server
	Legacy   bool   `json:"legacy,omitempty"` // of a server that is its own authorization server
	Resource string `json:"resource,omitempty"`
	// Type is the scheme of the Authorization header: oauth.SchemeBearer or oauth.SchemeDPoP.
	Type    string    `json:"type"`
	Access  string    `json:"access_token"`
	Refresh string    `json:"refresh_token,omitempty"`
	Expiry  time.Time `json:"expiry,omitzero"`
	// Requested are the scopes that were asked for, over all authorizations by this issuer.
	Requested []string `json:"requested,omitempty"`
	// Granted are those that the authorization server reports, or else those that were asked for.
	Granted []string `json:"granted,omitempty"`
	// Reach has the kinds of addresses that the server could refer to when the grant was obtained.
	// Requests that renew the grant before any request to the server may reach these.
	Reach reach.Kind `json:"reach,omitempty"`
	// DPoP has the private key to which the token is bound.
	DPoP *prover `json:"dpop,omitempty"`

	// by says how the grant was obtained after the server had refused the one before. It is byNothing when the server
	// has accepted the grant. Each way is tried once: another token that was obtained in the same way
	// would be refused, too.
	by atomic.Int32
}

const (
	byNothing = iota
	byRefresh
	byFlow
)

// valid reports whether the token can be sent.
func (g *grant) valid() bool {
	scheme := g != nil && (g.Type == oauth.SchemeBearer || g.Type == oauth.SchemeDPoP && g.DPoP != nil)
	return scheme && isToken(g.Access) && (g.Expiry.IsZero() || time.Until(g.Expiry) > waits.ExpiresSoon)
}

// requestGrant obtains a grant by a flow, for a client or, if it is nil, for that of a program without a user.
func (t *Transport) requestGrant(ctx context.Context, from *target, client *Credentials, scopes []string, form url.Values) (g *grant, err error) {
	if client == nil {
		if client, err = t.identify(ctx, from, ""); err != nil {
			return nil, err
		}
		from.client = client
		if len(scopes) > 0 { // a code has its scopes
			form.Set("scope", oauth.FormatScopes(scopes))
		}
	}
	var proofs *prover
	if from.bound || t.opts.DPoP && slices.Contains(from.DPoPSigningAlgValuesSupported, string(jose.ES256)) {
		proofs = newProver()
	}
	return t.exchange(ctx, from, client, scopes, form, proofs)
}

// exchange asks the token endpoint for a grant, whose Granted is nil if the response has no scopes. The exchange has
// the time limit of t.web and does not end with ctx: the authorization server may have used up the code or the refresh
// token, and without its response the user would have to log in again.
func (t *Transport) exchange(ctx context.Context, from *target, client *Credentials, scopes []string, form url.Values, proofs *prover) (*grant, error) {
	form.Set("resource", from.resource)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	requested := time.Now()
	response, err := t.token(context.WithoutCancel(ctx), from.AuthorizationServerMetadata, client, proofs, form)
	if err != nil {
		return nil, err
	}
	g := &grant{
		identity:  identity{from.Issuer, client.ClientID, client.Secret.Reveal(), client.method(from.AuthorizationServerMetadata)},
		Server:    t.canonical,
		Reach:     t.web.Allowed(),
		Legacy:    from.legacy,
		Resource:  from.resource,
		Access:    response.AccessToken,
		Refresh:   response.RefreshToken,
		Requested: scopes,
		DPoP:      proofs, // also if the token is not bound: the refresh token of a public client is (RFC 9449, section 5)
	}
	if response.ExpiresIn != 0 {
		g.Expiry = requested.Add(time.Duration(float64(response.ExpiresIn) * float64(time.Second)))
	}
	if response.Scope != nil {
		g.Granted = oauth.ParseScopes(*response.Scope)
	}
	switch {
	case strings.EqualFold(response.TokenType, oauth.SchemeBearer):
		g.Type = oauth.SchemeBearer
	case strings.EqualFold(response.TokenType, oauth.SchemeDPoP) && proofs != nil:
		g.Type = oauth.SchemeDPoP
	default:
		return nil, fmt.Errorf("the authorization server %s issued a token of type %q", shown(from.Issuer), shown(response.TokenType))
	}
	if from.bound && g.Type != oauth.SchemeDPoP {
		return nil, fmt.Errorf("the server demands tokens that are bound to a key, and %s issued one that is not", shown(from.Issuer))
	}
	return g, nil
}

// grantKey returns the key of the grant in the store. Tokens by different flows belong to different users.
func (t *Transport) grantKey() string { return "grant " + t.opts.Flow.kind() + " " + t.canonical }

// note adds a key of the store to those that Logout deletes.
func (t *Transport) note(ctx context.Context, key string) error {
	var keys []string
	if _, err := t.load(ctx, t.notesKey(), &keys); err != nil || slices.Contains(keys, key) {
		return err
	}
	return t.save(ctx, t.notesKey(), append(keys, key))
}

func (t *Transport) notesKey() string { return "keys of " + t.grantKey() }

// loadGrant returns the stored grant, or nil if there is none that belongs to the options.
func (t *Transport) loadGrant(ctx context.Context) (*grant, error) {
	var g grant
	if ok, err := t.load(ctx, t.grantKey(), &g); !ok || err != nil {
		return nil, err
	}
	if g.Server != t.canonical {
		return nil, nil
	}
	if len(t.opts.Credentials) > 0 && !slices.ContainsFunc(t.opts.Credentials, func(c Credentials) bool {
		return c.ClientID == g.ClientID && (c.Issuer == "" || c.Issuer == g.Issuer)
	}) {
		return nil, nil // it was issued to another client
	}
	if !oauth.IsProxied(&http.Request{URL: t.server}, t.opts.Base) { // otherwise it may be the address of a proxy
		t.web.Allow(g.Reach)
	}
	return &g, nil
}

// saveGrant stores a grant, even if ctx has ended: the authorization server may have used up the one before.
func (t *Transport) saveGrant(ctx context.Context, g *grant) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), waits.AuthorizationServer)
	defer cancel()
	return t.save(ctx, t.grantKey(), g)
}

// load reads a value of the store, and reports whether there is one.
func (t *Transport) load(ctx context.Context, key string, into any) (bool, error) {
	text, err := t.opts.Store.Get(ctx, key)
	if err != nil || text == nil {
		return false, err
	}
	if err := json.Unmarshal(text, into); err != nil {
		// The error of package json does not show the text.
		return false, fmt.Errorf("token store: the entry %q is broken; a logout deletes it: %w", key, err)
	}
	return true, nil
}

// save sets a value of the store, or deletes it if value is nil. It replaces what others have stored
// meanwhile: what the authorization server has just issued is newer.
func (t *Transport) save(ctx context.Context, key string, value any) error {
	var text []byte
	if value != nil {
		var err error
		if text, err = json.Marshal(value); err != nil {
			return err
		}
	}
	return t.opts.Store.Set(ctx, key, text)
}

// renewal is a grant being obtained. All requests that need one wait for the same renewal, which goes on
// as long as any of them waits. A request to the token endpoint is always finished, and its grant stored.
type renewal struct {
	done    chan struct{} // closed when got and err are set
	got     *grant        // nil if the next request is sent without a token
	err     error
	waiting int // guarded by Transport.mu
	cancel  context.CancelFunc
}

// usable returns the grant for a request: the current one, or its successor if it is about to expire.
// If there is none, it returns nil, and the response of the server says how to get one.
func (t *Transport) usable(ctx context.Context) (*grant, error) {
	t.mu.Lock()
	current, loaded := t.current, t.loaded
	t.mu.Unlock()
	if loaded && (current == nil || current.valid()) {
		return current, nil
	}
	return t.renew(ctx, current, need{})
}

// firstGrant returns the stored grant, or the first token of a TokenSource.
func (t *Transport) firstGrant(ctx context.Context) (*grant, error) {
	if source, ok := t.opts.Flow.(TokenSource); ok {
		return source.grant(ctx, t, nil, nil)
	}
	return t.loadGrant(ctx)
}

// renew returns the successor of a grant that does not suffice. It returns nil if a request without a token
// is needed to know how to get one.
func (t *Transport) renew(ctx context.Context, used *grant, n need) (*grant, error) {
	t.mu.Lock()
	if t.current != nil && t.current != used && t.current.valid() {
		defer t.mu.Unlock()
		return t.current, nil
	}
	r := t.renewing
	if r == nil {
		if err := t.budget.open(time.Now()); err != nil {
			t.mu.Unlock()
			return nil, err
		}
		var own context.Context
		r = &renewal{done: make(chan struct{})}
		own, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
		t.renewing = r
		go t.run(own, r, used, n)
	}
	r.waiting++
	t.mu.Unlock()
	select {
	case <-r.done:
		return r.got, r.err
	case <-ctx.Done():
		t.mu.Lock()
		defer t.mu.Unlock()
		if r.waiting--; r.waiting == 0 {
			r.cancel()
			if t.renewing == r {
				t.renewing = nil
			}
		}
		return nil, context.Cause(ctx)
	}
}

// run obtains a grant for all waiting requests.
func (t *Transport) run(ctx context.Context, r *renewal, used *grant, n need) {
	defer r.cancel()
	r.got, r.err = t.acquire(ctx, used, n)
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.err == nil {
		t.loaded, t.current = true, r.got
	} else if ctx.Err() == nil {
		t.budget.close(r.err, time.Now())
	}
	if t.renewing == r {
		t.renewing = nil
	}
	close(r.done)
}

// acquire obtains a grant. The lock of the store makes other programs wait, which then find it there.
func (t *Transport) acquire(ctx context.Context, used *grant, n need) (*grant, error) {
	if source, ok := t.opts.Flow.(TokenSource); ok {
		g, err := source.grant(ctx, t, nil, nil)
		if err == nil && n.status != 0 && used != nil && g.Access == used.Access {
			return nil, n.refusal()
		}
		return g, err
	}
	unlock, err := t.opts.Store.Lock(ctx, t.grantKey())
	if err != nil {
		return nil, err
	}
	defer unlock()
	stored, err := t.loadGrant(ctx)
	if err != nil {
		return nil, err
	}
	if stored.valid() && (used == nil || stored.Access != used.Access) && includes(stored.Requested, n.challenge.Scopes()) {
		return stored, nil
	}
	if n.status == 0 {
		return t.acquireSilently(ctx, stored)
	}
	found, err := t.discover(ctx, n.challenge, stored)
	if err != nil {
		return nil, err
	}
	found.need, found.bound = n, found.bound || strings.EqualFold(n.challenge.Scheme, oauth.SchemeDPoP)
	by := int32(byNothing)
	if used != nil {
		by = used.by.Load()
	}
	var earlier []string
	if stored != nil && stored.Issuer == found.Issuer {
		earlier = stored.Requested
		refreshable := !found.bound || stored.Type == oauth.SchemeDPoP // otherwise the next token is not bound either
		if refreshable && n.status == http.StatusUnauthorized && includes(earlier, n.challenge.Scopes()) && by == byNothing {
			g, err := t.refresh(ctx, found, stored)
			if g != nil {
				g.by.Store(byRefresh)
			}
			if g != nil || err != nil {
				return g, err
			}
		}
	}
	_, user := t.opts.Flow.(AuthorizationCode)
	scopes := wanted(n.challenge, found, earlier, user)
	if by == byFlow && used.Issuer == found.Issuer && includes(used.Requested, scopes) {
		return nil, n.refusal()
	}
	g, err := t.opts.Flow.grant(ctx, t, found, scopes)
	if code(err) == "invalid_client" {
		if again, forgetErr := t.forget(ctx, found.Issuer, found.client); forgetErr != nil || !again {
			return nil, errors.Join(err, forgetErr)
		}
		g, err = t.opts.Flow.grant(ctx, t, found, scopes)
	}
	if err != nil {
		return nil, err
	}
	if g.Granted == nil {
		g.Granted = scopes // RFC 6749, section 5.1
	}
	g.by.Store(byFlow)
	return g, t.saveGrant(ctx, g)
}

// acquireSilently obtains the successor of an expiring grant. It returns nil if that needs a
// challenge.
func (t *Transport) acquireSilently(ctx context.Context, stored *grant) (*grant, error) {
	if stored == nil || stored.Refresh == "" {
		return nil, nil
	}
	from, err := t.again(ctx, stored)
	if err != nil {
		return nil, nil // the MCP server may name another authorization server now
	}
	return t.refresh(ctx, from, stored)
}

// refuses reports whether an authorization server refuses a refresh token by an error. Servers have codes of their own
// for that; without a code, or with words such as Forbidden in its place, it may be the refusal of a proxy.
func refuses(err error) bool {
	e, ok := errors.AsType[*OAuthError](err)
	prose := func(c rune) bool { return c == ' ' || unicode.IsUpper(c) }
	return ok && e.Code != "" && !strings.ContainsFunc(e.Code, prose) &&
		slices.Contains([]int{http.StatusOK, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden}, e.Status) &&
		!slices.Contains([]string{"server_error", "temporarily_unavailable", oauth.ErrorInvalidDPoPProof, oauth.ErrorUseDPoPNonce}, e.Code)
}

// refresh obtains a grant by a refresh token. It returns nil if the authorization server no longer
// accepts that token, which it then removes from the grant.
func (t *Transport) refresh(ctx context.Context, from *target, g *grant) (*grant, error) {
	client, err := t.clientOf(ctx, from, g)
	if g.Refresh == "" || client == nil || err != nil {
		return nil, err
	}
	form := url.Values{"grant_type": {grantRefresh}, "refresh_token": {g.Refresh}}
	next, err := t.exchange(ctx, from, client, g.Requested, form, g.DPoP)
	switch {
	case code(err) == "invalid_client":
		_, err := t.forget(ctx, from.Issuer, client)
		return nil, err
	case refuses(err):
		from.known = client.ClientID
		g.Refresh = "" // the scopes are kept
		return nil, t.saveGrant(ctx, g)
	case err != nil:
		what := "the token"
		if refusal, ok := errors.AsType[*OAuthError](err); ok && refusal.Status/100 == 4 {
			what += ", which a logout forgets" // the next attempt may fail, too
		}
		return nil, fmt.Errorf("refreshing %s: %w", what, err)
	}
	if next.Refresh == "" {
		next.Refresh = g.Refresh
	}
	if next.Granted == nil {
		next.Granted = g.Granted // RFC 6749, section 6
	}
	return next, t.saveGrant(ctx, next)
}

// clientOf returns the client to which a grant was issued, or nil if it can no longer authenticate.
func (t *Transport) clientOf(ctx context.Context, from *target, g *grant) (*Credentials, error) {
	if len(t.opts.Credentials) > 0 {
		c, err := t.given(ctx, from.Issuer)
		if err != nil || c.ClientID != g.ClientID {
			return nil, err
		}
		return c, nil
	}
	if g.AuthMethod == methodKey {
		return nil, nil // keys are not stored
	}
	return g.credentials(), nil
}

func includes(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// budget limits what a server, or an authorization server, makes the client do by refusing its tokens. Login
// renews it.
type budget struct {
	visits []time.Time // when the user was last sent to the authorization server
	closed error       // why no grant may be obtained; nil if one may
	until  time.Time   // when closed ends; zero if only Login ends it
}

// maxVisits limits how often the user is sent to the authorization server within waits.Visits: to log in, and
// for the scopes of two more operations.
const maxVisits = 3

// open returns the error of the last authorization if another one would only fail in the same way,
// and nil otherwise.
func (b *budget) open(now time.Time) error {
	if !b.until.IsZero() && !now.Before(b.until) {
		b.closed, b.until = nil, time.Time{}
	}
	return b.closed
}

// close notes why an authorization has failed. A user is not asked again before Login.
func (b *budget) close(err error, now time.Time) {
	if _, ok := errors.AsType[*stopped](err); ok {
		b.closed, b.until = err, time.Time{}
	} else if refusal, ok := errors.AsType[*OAuthError](err); ok && (refusal.Status/100 == 4 || refusal.Status/100 == 2) {
		b.closed, b.until = err, now.Add(waits.LoginRefused)
	}
}

// mayVisit returns an error if the user was sent to the authorization server too often.
func (b *budget) mayVisit(n need, now time.Time) error {
	b.visits = slices.DeleteFunc(b.visits, func(at time.Time) bool { return now.Sub(at) >= waits.Visits })
	if len(b.visits) >= maxVisits {
		return fmt.Errorf("%w, and the user was asked %d times within %v: only a new login asks again before that time is over", n.refusal(), maxVisits, waits.Visits)
	}
	return nil
}

package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/reach"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// grant is an access token with what belongs to it, as the store keeps it. It is not changed.
type grant struct {
	Server   string `json:"server"` // the MCP server
	Issuer   string `json:"issuer,omitempty"`
	Legacy   bool   `json:"legacy,omitempty"` // of a server that is its own authorization server
	Resource string `json:"resource,omitempty"`
	ClientID string `json:"client_id,omitempty"`
	// Secret and AuthMethod are those of the client. A program that is not configured with them
	// needs them to renew the grant.
	Secret     string `json:"client_secret,omitempty"`
	AuthMethod string `json:"auth_method,omitempty"`
	// Type is the scheme of the Authorization header: oauth.SchemeBearer or oauth.SchemeDPoP.
	Type    string    `json:"type"`
	Access  string    `json:"access_token"`
	Refresh string    `json:"refresh_token,omitempty"`
	Expiry  time.Time `json:"expiry,omitzero"`
	// Requested are the scopes that were asked for, over all authorizations by this issuer.
	Requested []string `json:"requested,omitempty"`
	// Granted are those that the authorization server reports, or else those that were asked for.
	Granted []string `json:"granted,omitempty"`
	// Reach is what the server could refer to when the grant was obtained, for the requests that renew it
	// before the server is asked anything.
	Reach reach.Kind `json:"reach,omitempty"`
	// DPoP is the private key to which the token is bound.
	DPoP json.RawMessage `json:"dpop,omitempty"`

	proofs *prover // of DPoP
}

// String keeps secrets out of logs and error messages.
func (*grant) String() string { return redacted }

// valid reports whether the token can be sent.
func (g *grant) valid() bool {
	scheme := g != nil && (g.Type == oauth.SchemeBearer || g.Type == oauth.SchemeDPoP && g.proofs != nil)
	return scheme && isToken(g.Access) && (g.Expiry.IsZero() || time.Until(g.Expiry) > waits.ExpiresSoon)
}

// newGrant returns the grant of a response that was requested at a time. Its Granted is nil if the response has no
// scopes.
func (t *Transport) newGrant(from *target, client *Credentials, scopes []string, response *issued, requested time.Time, proofs *prover) (*grant, error) {
	g := &grant{
		Server:     t.canonical,
		Reach:      t.web.allowed(),
		Issuer:     from.issuer,
		Legacy:     from.legacy,
		Resource:   from.resource,
		ClientID:   client.ClientID,
		Secret:     client.Secret.Reveal(),
		AuthMethod: client.method(from.server),
		Access:     response.AccessToken,
		Refresh:    response.RefreshToken,
		Requested:  scopes,
	}
	if response.ExpiresIn != 0 {
		g.Expiry = requested.Add(time.Duration(float64(response.ExpiresIn) * float64(time.Second)))
	}
	if response.Scope != nil {
		g.Granted = oauth.ParseScopes(*response.Scope)
	}
	scheme := oauth.Challenge{Scheme: response.TokenType}
	switch {
	case scheme.HasScheme(oauth.SchemeBearer):
		g.Type = oauth.SchemeBearer
	case scheme.HasScheme(oauth.SchemeDPoP) && proofs != nil:
		g.Type = oauth.SchemeDPoP
	default:
		return nil, fmt.Errorf("the authorization server %s issued a token of type %q", shown(from.issuer), shown(response.TokenType))
	}
	if from.bound && g.Type != oauth.SchemeDPoP {
		return nil, fmt.Errorf("the server demands tokens that are bound to a key, and %s issued one that is not", shown(from.issuer))
	}
	if proofs != nil {
		// The refresh token of a public client is bound to the key, too (RFC 9449, section 5).
		secret, err := proofs.secret()
		if err != nil {
			return nil, err
		}
		g.DPoP, g.proofs = secret, proofs
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
	if !oauth.IsProxied(&http.Request{URL: t.server}, t.base) { // otherwise it may be the address of a proxy
		t.web.allow(g.Reach)
	}
	if g.DPoP != nil {
		var err error
		if g.proofs, err = newProver(g.DPoP); err != nil {
			return nil, err
		}
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
	text, err := t.store.Get(ctx, key)
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
	return t.store.Set(ctx, key, text)
}

package resource

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxQuestions limits the concurrent requests to an authorization server, because anyone can send tokens
// that lead to such requests.
const maxQuestions = 32

// introspect asks the authorization server about a token (RFC 7662, section 2).
func (i *issuer) introspect(ctx context.Context, token string) (*auth.Caller, error) {
	select {
	case i.places <- struct{}{}:
		defer func() { <-i.places }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	text, err := i.ask(ctx, token)
	if err != nil {
		return nil, fmt.Errorf("introspection at %s: %w", i.URL, err)
	}
	c := new(claims)
	if err := wire.UnmarshalString(string(text), &c.Object); err != nil {
		return nil, fmt.Errorf("introspection at %s: %w", i.URL, err)
	}
	if active, _ := c.get("active"); active != "true" {
		return nil, refusedf("the access token is not valid, or no longer")
	}
	if _, ok := c.get("iss"); ok && c.text("iss") != i.URL {
		return nil, refusedf("the access token is of an issuer that is not accepted")
	}
	c.checkKind(false)
	return i.callerOf(c)
}

func (i *issuer) ask(ctx context.Context, token string) ([]byte, error) {
	how := i.Introspection
	place := how.Endpoint
	if place == "" {
		m, err := i.discover(ctx)
		if err != nil {
			return nil, err
		}
		if place = m.IntrospectionEndpoint; place == "" {
			return nil, errors.New("the metadata has no introspection_endpoint")
		}
	}
	u, err := fetch.ParseURL(place)
	if err != nil {
		return nil, err
	}
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if how.ClientID != "" {
		r.SetBasicAuth(url.QueryEscape(how.ClientID), url.QueryEscape(how.ClientSecret)) // RFC 6749, section 2.3.1
	}
	if how.Authorize != nil {
		if err := how.Authorize(r); err != nil {
			return nil, err
		}
	}
	status, _, text, err := i.web.Do(r)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s: status %d", u.Redacted(), status)
	}
	return text, err
}

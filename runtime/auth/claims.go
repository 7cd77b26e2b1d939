package auth

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// claims are those of a token, or the answer about one: a JSON object without duplicate names. A member that
// is null is absent. A member of the wrong type leads to fault, so that no reader takes it for absent.
type claims struct {
	wire.Object
	fault error // the first one
}

// claimsOf reads the claims of a token. Two claims with the same name are an error, because readers
// differ in which one they take.
func claimsOf(text string) (*claims, error) {
	c := new(claims)
	if err := wire.UnmarshalString(text, &c.Object); err != nil {
		return nil, refusedf("the claims of the access token are not a JSON object")
	}
	return c, nil
}

func (c *claims) get(name string) (wire.Raw, bool) {
	value, ok := c.Get(name)
	return value, ok && value != "null"
}

// refuse notes that a claim is not what it must be.
func (c *claims) refuse(name, not string) {
	if c.fault == nil {
		c.fault = refusedf("the claim %s of the access token is not %s", name, not)
	}
}

// text returns a claim that is a string, or "".
func (c *claims) text(name string) string {
	value, ok := c.get(name)
	if !ok {
		return ""
	}
	text, ok := value.Str()
	if !ok {
		c.refuse(name, "a string")
	}
	return text
}

// list returns a claim that is a string or an array of strings.
func (c *claims) list(name string) []string {
	value, ok := c.get(name)
	if !ok {
		return nil
	}
	if value.Kind() != wire.KindArray {
		return []string{c.text(name)}
	}
	var all []string
	for _, item := range value.Elements() {
		one, ok := item.Str()
		if !ok {
			c.refuse(name, "a string or an array of strings")
		}
		all = append(all, one)
	}
	return all
}

// date returns a claim that is a number of seconds since 1970, or the zero time if it is absent.
func (c *claims) date(name string) time.Time {
	value, ok := c.get(name)
	if !ok {
		return time.Time{}
	}
	seconds, err := strconv.ParseFloat(string(value), 64)
	if err != nil || math.Abs(seconds) > 1<<40 {
		c.refuse(name, "a date")
	}
	return time.Unix(int64(math.Floor(seconds)), 0)
}

// scopes returns the scopes of a token: scope, a list with spaces (RFC 9068, section 2.2.3), or scp, as
// some authorization servers call it.
func (c *claims) scopes() []string {
	name := "scope"
	if _, ok := c.get(name); !ok {
		name = "scp"
	}
	return oauth.ParseScopes(strings.Join(c.list(name), " "))
}

// clientNames are the claims in which authorization servers name the client.
var clientNames = []string{"client_id", "azp", "cid", "appid"}

// setIdentity sets who calls. Users must not share an identity: a sub that cannot be used is an error, even if
// there is a username, and the id of the client identifies only the client itself. A token is the client's own
// if its sub is the client (RFC 9068, section 2.2) and it has no username, or if it says so in the form of an
// authorization server that isOwn knows.
func (c *claims) setIdentity(caller *Caller) {
	for _, name := range clientNames {
		if caller.ClientID == "" {
			caller.ClientID = c.text(name) // the first one; other programs may mean something else by the others
		}
	}
	_, identified := c.Get("sub")
	subject, username := c.text("sub"), c.text("username")
	ofClient := subject != "" && subject == caller.ClientID
	switch {
	case username != "" && (!identified || ofClient): // a user is not the client that has the token
		caller.Subject, caller.Kind = username, KindUsername
	case ofClient:
		caller.Subject, caller.Kind = subject, KindClient
	case identified:
		caller.Subject = subject
	case c.isOwn():
		caller.Subject, caller.Kind = caller.ClientID, KindClient
	}
	if strings.TrimSpace(caller.Subject) == "" && c.fault == nil {
		c.fault = refusedf("the access token names no user by sub or username, and does not say that it is its client's own")
	}
}

// isOwn reports whether a token without a user says that the client has obtained it on its own behalf.
func (c *claims) isOwn() bool {
	for _, name := range []string{"grant_type", "gty"} {
		if by := c.list(name); len(by) == 1 && strings.ReplaceAll(by[0], "-", "_") == "client_credentials" {
			return true
		}
	}
	return c.text("idtyp") == "app" // of Microsoft Entra
}

// accessKinds are what authorization servers call access tokens in the members of kindNames.
var (
	kindNames   = []string{"token_type", "token_use", "typ"}
	accessKinds = []string{"bearer", "dpop", "access", "access_token", "at+jwt"}
)

// checkKind refuses a token that says that it is no access token: a refresh token, which introspection may find
// active, or an ID token. If untyped is set, the token is a JWT without the type of access tokens, and may be
// an ID token that does not say so. An ID token is recognized by claims that only ID tokens have, or by the
// lack of a client and scopes (RFC 9068, section 5).
func (c *claims) checkKind(untyped bool) {
	said := false
	for _, name := range kindNames {
		kind := c.text(name)
		if kind != "" && !slices.Contains(accessKinds, strings.ToLower(kind)) {
			c.refuse(name, "that of an access token")
		}
		said = said || kind != ""
	}
	if said || !untyped {
		return
	}
	has := func(name string) bool { _, ok := c.get(name); return ok }
	if slices.ContainsFunc([]string{"nonce", "at_hash", "c_hash", "s_hash"}, has) ||
		!slices.ContainsFunc(slices.Concat(clientNames, []string{"scope", "scp"}), has) {
		c.fault = cmp.Or(c.fault, refusedf("the token is an ID token and not an access token"))
	}
}

// setPossession sets what the token is bound to (RFC 7800). A token that is bound to something else is
// refused, because a thief could use it.
func (c *claims) setPossession(caller *Caller) {
	value, ok := c.get("cnf")
	if !ok {
		return
	}
	ways := map[string]*string{"x5t#S256": &caller.CertificateThumbprint, "jkt": &caller.KeyThumbprint}
	bound := false
	for name, thumbprint := range wire.Object(value).All() {
		if to := ways[name]; to != nil {
			*to, _ = thumbprint.Str()
			bound = true
			if *to == "" {
				c.refuse("cnf", "a thumbprint")
			}
		}
	}
	if !bound {
		c.refuse("cnf", "a way to bind it to its sender that is supported")
	}
}

package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"time"
)

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

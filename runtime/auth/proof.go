package auth

import (
	"cmp"
	"crypto"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

const (
	// proofAge is how old a proof may be.
	proofAge = time.Minute
	// maxProofs limits the proofs that are remembered to detect their reuse, to 200 MB. [seal.NewUsed] says what
	// happens beyond it.
	maxProofs = 1_000_000
	// maxCallerProofs limits those of one caller. Beyond it, requests of the caller get status 503.
	maxCallerProofs = 100_000
)

// DPoP configures how proofs of possession are checked (RFC 9449). A token that is bound to a key always
// needs one, which is at most a minute old. Replicas each remember the proofs that were used.
type DPoP struct {
	// Offer names the scheme DPoP in challenges to clients without a token.
	Offer bool
	// Nonce requires a nonce of this server in proofs, so that they cannot be made in advance.
	Nonce bool
	// NonceKey makes the nonces: at least 32 random bytes, the same in all replicas of the server. Nil
	// means a key of this process.
	NonceKey []byte
}

var proofAlgorithms = []jose.SignatureAlgorithm{jose.ES256, jose.ES384, jose.EdDSA, jose.RS256, jose.PS256}

func proofAlgorithmNames() []string {
	names := make([]string, len(proofAlgorithms))
	for i, alg := range proofAlgorithms {
		names[i] = string(alg)
	}
	return names
}

// checkPossession checks that the sender of a request possesses what its token is bound to.
func (g *Guard) checkPossession(w http.ResponseWriter, r *http.Request, given credentials, caller *Caller) *runtime.DeniedError {
	switch {
	case caller.KeyThumbprint != "" && given.scheme != oauth.SchemeDPoP:
		return g.badToken(oauth.SchemeDPoP, "the access token is bound to a key and needs the scheme DPoP")
	case caller.KeyThumbprint == "" && given.scheme == oauth.SchemeDPoP:
		return g.badToken(oauth.SchemeDPoP, "the access token is bound to no key")
	case caller.KeyThumbprint == "" && caller.CertificateThumbprint == "" && g.opts.RequireBound:
		return g.badToken(given.scheme, "the access token must be bound to its client")
	}
	if caller.CertificateThumbprint != "" {
		if subtle.ConstantTimeCompare([]byte(digest(g.certificate(r))), []byte(caller.CertificateThumbprint)) != 1 {
			return g.badToken(given.scheme, "the access token is bound to another certificate")
		}
	}
	if caller.KeyThumbprint != "" {
		return g.checkProof(w, r, given.token, caller)
	}
	return nil
}

// digest returns the SHA-256 of a text in base64url, as tokens and proofs have it.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// certificate returns the certificate of the client, nil for none.
func (g *Guard) certificate(r *http.Request) []byte {
	switch {
	case g.opts.Certificate != nil:
		return g.opts.Certificate(r)
	case r.TLS != nil && len(r.TLS.PeerCertificates) > 0:
		return r.TLS.PeerCertificates[0].Raw
	}
	return nil
}

// checkProof checks the DPoP proof of a request (RFC 9449, section 4.3).
func (g *Guard) checkProof(w http.ResponseWriter, r *http.Request, token string, caller *Caller) *runtime.DeniedError {
	proofs := r.Header["Dpop"]
	if len(proofs) != 1 || len(proofs[0]) > maxToken {
		return g.badProof("the request needs one DPoP header")
	}
	jws, err := jose.ParseSignedCompact(proofs[0], proofAlgorithms)
	if err != nil {
		return g.badProof("the DPoP proof is not a JWT with an acceptable signature")
	}
	h := jws.Signatures[0].Protected
	if typ, _ := h.ExtraHeaders[jose.HeaderType].(string); typ != "dpop+jwt" || h.JSONWebKey == nil || !isSigning(h.JSONWebKey) {
		return g.badProof("the DPoP proof has the wrong type or no public key")
	}
	payload, err := jws.Verify(h.JSONWebKey.Key)
	if err != nil {
		return g.badProof("the signature of the DPoP proof is wrong")
	}
	sum, err := h.JSONWebKey.Thumbprint(crypto.SHA256)
	if err != nil || base64.RawURLEncoding.EncodeToString(sum) != caller.KeyThumbprint {
		return g.badProof("the access token is bound to another key")
	}
	c, err := claimsOf(string(payload))
	if err != nil {
		return g.badProof("the DPoP proof has no claims")
	}
	made, now := c.date("iat"), time.Now()
	switch {
	case c.text("htm") != r.Method || !g.isTarget(c.text("htu"), r):
		return g.badProof("the DPoP proof is for another request")
	case c.text("ath") != digest([]byte(token)):
		return g.badProof("the DPoP proof is for another access token")
	case made.IsZero() || now.Sub(made) > proofAge || made.Sub(now) > waits.NotYetValid:
		return g.badProof("the DPoP proof is too old, or from the future")
	}
	id, nonce := c.text("jti"), c.text("nonce")
	if c.fault != nil {
		return g.badProof("a claim of the DPoP proof is of the wrong type")
	}
	if refused := g.checkNonce(w, nonce, now); refused != nil {
		return refused
	}
	if id == "" {
		return g.badProof("the DPoP proof has no id")
	}
	// A proof is used once (RFC 9449, section 11.1). It is remembered as long as it can be used again, and a second for
	// requests at the same time.
	used := sha256.Sum256([]byte(caller.KeyThumbprint + " " + id))
	switch added, full := g.proofs.Add(caller.Principal(), string(used[:]), made.Add(proofAge+time.Second), now); {
	case full:
		return unavailable("too many DPoP proofs of this caller")
	case !added:
		return g.badProof("the DPoP proof was used before")
	}
	return nil
}

func (g *Guard) badProof(reason string) *runtime.DeniedError {
	return g.denied(http.StatusUnauthorized, oauth.SchemeDPoP, oauth.ErrorInvalidDPoPProof, reason)
}

// isTarget reports whether a proof is for the URL of the request, without query and fragment. Behind a
// proxy, the server does not see the URL that its clients use, so Resource stands for its host.
func (g *Guard) isTarget(target string, r *http.Request) bool {
	target, _, _ = strings.Cut(target, "#")
	given, err := oauth.CanonicalURL(target)
	if err != nil {
		return false
	}
	path := given.EscapedPath()
	return given.Scheme == g.resource.Scheme && given.Host == g.resource.Host &&
		(path == g.resource.EscapedPath() || cmp.Or(path, "/") == cmp.Or(r.URL.EscapedPath(), "/"))
}

// checkNonce checks the nonce of a proof and gives the client a new one before it expires (RFC 9449, section
// 9).
func (g *Guard) checkNonce(w http.ResponseWriter, given string, now time.Time) *runtime.DeniedError {
	if !g.opts.DPoP.Nonce {
		return nil
	}
	known, err := g.nonces.Open(given, nonces, now)
	if err != nil || known.Expires.Sub(now) < waits.Nonce/2 {
		w.Header().Set("DPoP-Nonce", g.nextNonce(now))
	}
	if err != nil {
		return g.denied(http.StatusUnauthorized, oauth.SchemeDPoP, oauth.ErrorUseDPoPNonce, "the DPoP proof needs a nonce of this server")
	}
	return nil
}

// nonces separates nonces, which need not be remembered, from other sealed texts.
var nonces = seal.Purpose{Request: seal.Request("", "nonce of DPoP", "")}

func (g *Guard) nextNonce(now time.Time) string {
	text, _ := g.nonces.Seal(nonces, now.Add(waits.Nonce), nil) // it fails for bad keys only, and NewGuard has tried them
	return text
}

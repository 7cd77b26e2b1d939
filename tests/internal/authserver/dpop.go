package authserver

import (
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Nonce is the nonce that the token endpoint requires with Options.DPoPNonce.
const Nonce = "nonce-of-the-authorization-server"

// proof verifies the DPoP proof of a request to the token endpoint and returns the thumbprint of its key,
// or "" without one (RFC 9449, section 5).
func (s *Server) proof(w http.ResponseWriter, r *http.Request) (string, *refusal) {
	proofs := r.Header.Values("DPoP")
	if len(proofs) == 0 {
		return "", nil
	}
	token, err := jwt.ParseSigned(proofs[0], []jose.SignatureAlgorithm{jose.ES256, jose.EdDSA, jose.RS256})
	if err != nil || len(proofs) > 1 || len(token.Headers) != 1 || token.Headers[0].JSONWebKey == nil {
		return "", refused("invalid_dpop_proof", "not one proof with a key")
	}
	h := token.Headers[0]
	var claims map[string]any
	if err := token.Claims(h.JSONWebKey.Key, &claims); err != nil || h.ExtraHeaders["typ"] != "dpop+jwt" {
		return "", refused("invalid_dpop_proof", "the proof is not signed with its key")
	}
	if text(claims, "htm") != r.Method || text(claims, "htu") != s.Issuer+"/token" || text(claims, "jti") == "" {
		return "", refused("invalid_dpop_proof", "the proof is for another request")
	}
	if s.opts.DPoPNonce && text(claims, "nonce") != Nonce {
		w.Header().Set("DPoP-Nonce", Nonce)
		return "", refused("use_dpop_nonce", "a nonce is required")
	}
	return Thumbprint(*h.JSONWebKey), nil
}

// Thumbprint returns the thumbprint of a key in base64url (RFC 7638).
func Thumbprint(key jose.JSONWebKey) string {
	sum, err := key.Thumbprint(crypto.SHA256)
	if err != nil {
		panic(err) // a mistake of the test
	}
	return base64.RawURLEncoding.EncodeToString(sum)
}

// Proof returns the claims of a DPoP proof for a request with an access token ("" for none). A test may
// change them and pass them to SignProof.
func (s *Server) Proof(method, target, accessToken string) map[string]any {
	claims := map[string]any{"htm": method, "htu": target, "iat": s.opts.Now().Unix(), "jti": rand.Text()}
	if accessToken != "" {
		sum := sha256.Sum256([]byte(accessToken))
		claims["ath"] = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	return claims
}

// SignProof returns a DPoP proof signed with a private key, which carries the public key.
func SignProof(key jose.JSONWebKey, claims map[string]any) string {
	opts := (&jose.SignerOptions{}).WithType("dpop+jwt").WithHeader("jwk", key.Public())
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.SignatureAlgorithm(key.Algorithm), Key: key.Key}, opts)
	if err != nil {
		panic(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		panic(err)
	}
	return token
}

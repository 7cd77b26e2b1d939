package client

import (
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// A25: private_key_jwt, with keys of every kind.
func TestAssertion(t *testing.T) {
	_, edwards, _ := ed25519.GenerateKey(rand.Reader)
	curve, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	small, _ := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
	rivest, _ := rsa.GenerateKey(rand.Reader, 2048)
	for _, test := range []struct {
		name      string
		key       crypto.Signer
		supported []string
		want      jose.SignatureAlgorithm // "" is an error
	}{
		{"Ed25519", edwards, nil, jose.EdDSA},
		{"P-384", curve, []string{"ES256", "ES384"}, jose.ES384},
		{"RSA", rivest, nil, jose.PS256},
		{"RSA for an old server", rivest, []string{"RS256"}, jose.RS256},
		{"unsupported", curve, []string{"RS256"}, ""},
		{"P-224", small, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			der, err := x509.MarshalPKCS8PrivateKey(test.key)
			if err != nil {
				t.Fatal(err)
			}
			key, err := ParseKey(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), "key id")
			var text string
			if err == nil {
				text, err = key.assertion("client", &oauth.AuthorizationServerMetadata{Issuer: "https://as", TokenEndpointAuthSigningAlgValuesSupported: test.supported})
			}
			if (err != nil) != (test.want == "") {
				t.Fatal(err)
			}
			if err != nil {
				return
			}
			token, err := jwt.ParseSigned(text, []jose.SignatureAlgorithm{test.want})
			if err != nil {
				t.Fatal(err)
			}
			var claims jwt.Claims
			if err := token.Claims(test.key.Public(), &claims); err != nil {
				t.Fatal(err)
			}
			if err := claims.Validate(jwt.Expected{Issuer: "client", Subject: "client", AnyAudience: jwt.Audience{"https://as"}, Time: time.Now()}); err != nil {
				t.Error(err)
			}
			if len(claims.Audience) != 1 || claims.ID == "" || token.Headers[0].KeyID != "key id" {
				t.Errorf("%+v", claims)
			}
			if printed := fmt.Sprintf("%v %+v %#v %d", key, key, key, key); printed != strings.Repeat(redacted+" ", 3)+redacted {
				t.Error(printed)
			}
		})
	}
	if _, err := ParseKey([]byte("no key"), ""); err == nil {
		t.Error("no error")
	}
}

// A25: proofs have what RFC 9449 says, and a nonce where the server wants one.
func TestProofs(t *testing.T) {
	secret, err := json.Marshal(newProver())
	if err != nil {
		t.Fatal(err)
	}
	p := new(prover)
	if err := json.Unmarshal(secret, p); err != nil { // as from a store
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, nonce := range []string{"", "first", "second"} {
		req := httptest.NewRequest(http.MethodPost, "https://mcp.example.com:8443/a%2Fb?x=1", nil)
		if nonce != "" && (!p.learn(req.URL, http.Header{"Dpop-Nonce": {nonce}}) || p.learn(req.URL, http.Header{"Dpop-Nonce": {nonce}})) {
			t.Error("a nonce is new once")
		}
		if err := p.prove(req, "token"); err != nil {
			t.Fatal(err)
		}
		parsed, err := jwt.ParseSigned(req.Header.Get("DPoP"), []jose.SignatureAlgorithm{jose.ES256})
		if err != nil {
			t.Fatal(err)
		}
		header := parsed.Headers[0]
		if header.ExtraHeaders[jose.HeaderType] != "dpop+jwt" || header.JSONWebKey == nil || !header.JSONWebKey.IsPublic() {
			t.Errorf("header %+v", header)
		}
		var got struct {
			ID       string           `json:"jti"`
			Method   string           `json:"htm"`
			URL      string           `json:"htu"`
			IssuedAt *jwt.NumericDate `json:"iat"`
			Token    string           `json:"ath"`
			Nonce    string           `json:"nonce"`
		}
		if err := parsed.Claims(header.JSONWebKey, &got); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte("token"))
		if got.Method != "POST" || got.URL != "https://mcp.example.com:8443/a%2Fb" || got.Nonce != nonce ||
			got.Token != base64.RawURLEncoding.EncodeToString(sum[:]) || time.Since(got.IssuedAt.Time()) > time.Minute || ids[got.ID] {
			t.Errorf("%+v", got)
		}
		ids[got.ID] = true
	}
	other := httptest.NewRequest(http.MethodGet, "https://other.example.com/", nil)
	if _, ok := p.nonces.Load(oauth.HostPort(other.URL)); ok {
		t.Error("a nonce of one server is used at another")
	}
	for _, broken := range []string{"{}", "x", `{"kty":"oct","k":"AA"}`} {
		p := new(prover)
		if err := cmp.Or(json.Unmarshal([]byte(broken), p), p.prove(other, "")); err == nil {
			t.Errorf("%s: no error", broken)
		}
	}
}

func TestNoSigner(t *testing.T) {
	if _, err := NewKey(nil, ""); err == nil {
		t.Error("there is a key without a signer")
	}
}

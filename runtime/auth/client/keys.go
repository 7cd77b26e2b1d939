package client

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/cryptosigner"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// Key is a private key by which a program authenticates (private_key_jwt, RFC 7523). It is not printed.
type Key struct {
	signer jose.OpaqueSigner
	id     string
}

// assertionAlgorithms are the signatures of assertions, the best one of each kind of keys first.
var assertionAlgorithms = []jose.SignatureAlgorithm{jose.PS256, jose.RS256, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA}

// NewKey returns a key. Its id, which may be "", identifies it to the authorization server. RSA,
// ECDSA and Ed25519 keys are supported.
func NewKey(signer crypto.Signer, id string) (*Key, error) {
	if signer == nil {
		return nil, errors.New("NewKey: the signer is nil")
	}
	k := &Key{cryptosigner.Opaque(signer), id}
	if k.algorithm(nil) == "" {
		return nil, fmt.Errorf("a key of type %T cannot sign assertions: expected one for RSA, ECDSA with P-256, P-384 or P-521, or Ed25519", signer.Public())
	}
	return k, nil
}

// algorithm returns the signature for a server that supports some, or all if there are none. It returns "" if the key
// cannot make any of them.
func (k *Key) algorithm(supported []string) jose.SignatureAlgorithm {
	for _, a := range assertionAlgorithms {
		if slices.Contains(k.signer.Algs(), a) && (len(supported) == 0 || slices.Contains(supported, string(a))) {
			return a
		}
	}
	return ""
}

// ParseKey returns the first private key of a PEM text, in the form PKCS #8, PKCS #1 or SEC 1. NewKey
// describes the id.
func ParseKey(text []byte, id string) (*Key, error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		var key any
		var err error
		switch block.Type {
		case "PRIVATE KEY":
			key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
		case "RSA PRIVATE KEY":
			key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
		case "EC PRIVATE KEY":
			key, err = x509.ParseECPrivateKey(block.Bytes)
		default:
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("private key: %w", err)
		}
		signer, ok := key.(crypto.Signer)
		if !ok {
			return nil, fmt.Errorf("private key: a key of type %T cannot sign", key)
		}
		return NewKey(signer, id)
	}
	return nil, errors.New("private key: no PEM block PRIVATE KEY, RSA PRIVATE KEY or EC PRIVATE KEY")
}

// Format implements fmt.Formatter for every verb.
func (*Key) Format(f fmt.State, verb rune) { Secret("").Format(f, verb) }

// assertion returns a JWT that authenticates the client at a token endpoint. Its audience is the issuer
// alone, so that no other authorization server accepts it (RFC 7523bis).
func (k *Key) assertion(clientID string, server *oauth.AuthorizationServerMetadata) (string, error) {
	supported := server.TokenEndpointAuthSigningAlgValuesSupported
	algorithm := k.algorithm(supported)
	if algorithm == "" {
		return "", fmt.Errorf("the authorization server accepts assertions signed by %q, and the key signs by %q", supported, k.signer.Algs())
	}
	options := (&jose.SignerOptions{}).WithType("JWT")
	if k.id != "" {
		options = options.WithHeader("kid", k.id)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: k.signer}, options)
	if err != nil {
		return "", fmt.Errorf("client assertion: %w", err)
	}
	now := time.Now()
	text, err := jwt.Signed(signer).Claims(jwt.Claims{
		Issuer:   clientID,
		Subject:  clientID,
		Audience: jwt.Audience{server.Issuer},
		ID:       rand.Text(),
		IssuedAt: jwt.NewNumericDate(now),
		Expiry:   jwt.NewNumericDate(now.Add(waits.Assertion)),
	}).Serialize()
	if err != nil {
		return "", fmt.Errorf("client assertion: %w", err)
	}
	return text, nil
}

// prover proves that the client has the key to which its token is bound (RFC 9449). In JSON, it is that private key.
type prover struct {
	jose.JSONWebKey
	nonces sync.Map // the newest of each server, by its host and port
}

// newProver returns a prover with a new key.
func newProver() *prover {
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader) // never fails
	return &prover{JSONWebKey: jose.JSONWebKey{Key: key, Algorithm: string(jose.ES256)}}
}

// prove adds a proof to a request, unless p is nil (RFC 9449, section 4.2). token is the access token of the request,
// or "" at a token endpoint.
func (p *prover) prove(req *http.Request, token string) error {
	if p == nil {
		return nil
	}
	claims := map[string]any{
		"jti": rand.Text(),
		"htm": req.Method,
		"htu": (&url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host, Path: req.URL.Path, RawPath: req.URL.RawPath}).String(),
		"iat": jwt.NewNumericDate(time.Now()),
	}
	if nonce, ok := p.nonces.Load(oauth.HostPort(req.URL)); ok {
		claims["nonce"] = nonce
	}
	if token != "" {
		sum := sha256.Sum256([]byte(token))
		claims["ath"] = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	text := ""
	options := (&jose.SignerOptions{EmbedJWK: true}).WithType("dpop+jwt")
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: p.Key}, options)
	if err == nil {
		text, err = jwt.Signed(signer).Claims(claims).Serialize()
	}
	if err != nil {
		return fmt.Errorf("DPoP: %w", err)
	}
	req.Header["Dpop"] = []string{text}
	return nil
}

// maxNonce limits the nonces that are kept, in bytes.
const maxNonce = 1 << 10

// learn keeps the nonce of a response from a URL, unless p is nil, and reports whether it is a new one.
func (p *prover) learn(u *url.URL, header http.Header) bool {
	nonce := header.Get("DPoP-Nonce")
	if p == nil || nonce == "" || len(nonce) > maxNonce {
		return false
	}
	old, _ := p.nonces.Swap(oauth.HostPort(u), nonce)
	return old != nonce
}

// Secret is a string that is printed, logged and marshalled as "[redacted]".
type Secret string

const redacted = "[redacted]"

// Reveal returns the text.
func (s Secret) Reveal() string { return string(s) }

// String returns "[redacted]".
func (Secret) String() string { return redacted }

// Format implements fmt.Formatter for every verb.
func (Secret) Format(f fmt.State, _ rune) { io.WriteString(f, redacted) }

// LogValue implements slog.LogValuer.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText implements encoding.TextMarshaler.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

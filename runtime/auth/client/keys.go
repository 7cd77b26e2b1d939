package client

import (
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
	signer     crypto.Signer
	algorithms []jose.SignatureAlgorithm
	id         string
}

// NewKey returns a key. Its id, which may be "", identifies it to the authorization server. RSA,
// ECDSA and Ed25519 keys are supported.
func NewKey(signer crypto.Signer, id string) (*Key, error) {
	if signer == nil {
		return nil, errors.New("NewKey: the signer is nil")
	}
	k := &Key{signer: signer, id: id}
	switch public := signer.Public().(type) {
	case *rsa.PublicKey:
		k.algorithms = []jose.SignatureAlgorithm{jose.PS256, jose.RS256}
	case ed25519.PublicKey:
		k.algorithms = []jose.SignatureAlgorithm{jose.EdDSA}
	case *ecdsa.PublicKey:
		algorithm, ok := map[string]jose.SignatureAlgorithm{"P-256": jose.ES256, "P-384": jose.ES384, "P-521": jose.ES512}[public.Params().Name]
		if !ok {
			return nil, fmt.Errorf("a key of the curve %s cannot sign assertions", public.Params().Name)
		}
		k.algorithms = []jose.SignatureAlgorithm{algorithm}
	default:
		return nil, fmt.Errorf("a key of type %T cannot sign assertions", public)
	}
	return k, nil
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
	algorithm := k.algorithms[0]
	if supported := server.TokenEndpointAuthSigningAlgValuesSupported; len(supported) > 0 {
		i := slices.IndexFunc(k.algorithms, func(a jose.SignatureAlgorithm) bool { return slices.Contains(supported, string(a)) })
		if i < 0 {
			return "", fmt.Errorf("the authorization server accepts assertions signed by %q, and the key signs by %q", supported, k.algorithms)
		}
		algorithm = k.algorithms[i]
	}
	options := (&jose.SignerOptions{}).WithType("JWT")
	if k.id != "" {
		options = options.WithHeader("kid", k.id)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: cryptosigner.Opaque(k.signer)}, options)
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

// headerNonce is the header with the nonce for the next proofs.
const headerNonce = "Dpop-Nonce"

// prover proves that the client has the key to which its token is bound (RFC 9449).
type prover struct {
	key    *ecdsa.PrivateKey
	signer jose.Signer
	nonces sync.Map // the newest of each server, by its origin
}

// newProver returns a prover for a key in the form of prover.secret, or for a new key if text is nil.
func newProver(text []byte) (*prover, error) {
	var key *ecdsa.PrivateKey
	if text == nil {
		var err error
		if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			return nil, err
		}
	} else {
		var stored jose.JSONWebKey
		var ok bool
		if err := json.Unmarshal(text, &stored); err != nil {
			return nil, errors.New("the stored DPoP key is broken")
		}
		if key, ok = stored.Key.(*ecdsa.PrivateKey); !ok {
			return nil, errors.New("the stored DPoP key is not an ECDSA key")
		}
	}
	options := (&jose.SignerOptions{EmbedJWK: true}).WithType("dpop+jwt")
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, options)
	if err != nil {
		return nil, fmt.Errorf("DPoP: %w", err)
	}
	return &prover{key: key, signer: signer}, nil
}

// secret returns the private key as a JWK.
func (p *prover) secret() ([]byte, error) {
	return json.Marshal(jose.JSONWebKey{Key: p.key, Algorithm: string(jose.ES256)})
}

// prove adds a proof to a request (RFC 9449, section 4.2). token is the access token of the request, or "" at a token
// endpoint.
func (p *prover) prove(req *http.Request, token string) error {
	claims := map[string]any{
		"jti": rand.Text(),
		"htm": req.Method,
		"htu": (&url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host, Path: req.URL.Path, RawPath: req.URL.RawPath}).String(),
		"iat": jwt.NewNumericDate(time.Now()),
	}
	if nonce, ok := p.nonces.Load(originOf(req.URL)); ok {
		claims["nonce"] = nonce
	}
	if token != "" {
		sum := sha256.Sum256([]byte(token))
		claims["ath"] = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	text, err := jwt.Signed(p.signer).Claims(claims).Serialize()
	if err != nil {
		return fmt.Errorf("DPoP: %w", err)
	}
	req.Header["Dpop"] = []string{text}
	return nil
}

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// maxNonce limits the nonces that are kept, in bytes.
const maxNonce = 1 << 10

// learn keeps the nonce of a response, and reports whether it is a new one.
func (p *prover) learn(u *url.URL, header http.Header) bool {
	nonce := header.Get(headerNonce)
	if nonce == "" || len(nonce) > maxNonce {
		return false
	}
	old, _ := p.nonces.Swap(originOf(u), nonce)
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

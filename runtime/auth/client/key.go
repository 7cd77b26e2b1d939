package client

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/cryptosigner"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/auth"
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

// ParseKey returns the first private key of a PEM text, in the form PKCS #8, PKCS #1 or SEC 1. See NewKey
// for the id.
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
func (k *Key) assertion(clientID string, server *auth.AuthorizationServerMetadata) (string, error) {
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

package client

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// headerNonce is the header with the nonce for the next proofs.
const headerNonce = "Dpop-Nonce"

// prover proves that the client has the key to which its token is bound (RFC 9449).
type prover struct {
	key    *ecdsa.PrivateKey
	signer jose.Signer

	mu     sync.Mutex
	nonces map[string]string // the newest of each server, by its origin
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
	return &prover{key: key, signer: signer, nonces: make(map[string]string)}, nil
}

// secret returns the private key as a JWK.
func (p *prover) secret() ([]byte, error) {
	return json.Marshal(jose.JSONWebKey{Key: p.key, Algorithm: string(jose.ES256)})
}

// proof is the payload of a DPoP proof (RFC 9449, section 4.2).
type proof struct {
	ID       string           `json:"jti"`
	Method   string           `json:"htm"`
	URL      string           `json:"htu"`
	IssuedAt *jwt.NumericDate `json:"iat"`
	Token    string           `json:"ath,omitempty"`
	Nonce    string           `json:"nonce,omitempty"`
}

// prove adds a proof to a request. token is the access token of the request, or "" at a token endpoint.
func (p *prover) prove(req *http.Request, token string) error {
	claims := proof{
		ID:       rand.Text(),
		Method:   req.Method,
		URL:      (&url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host, Path: req.URL.Path, RawPath: req.URL.RawPath}).String(),
		IssuedAt: jwt.NewNumericDate(time.Now()),
		Nonce:    p.nonce(req.URL),
	}
	if token != "" {
		sum := sha256.Sum256([]byte(token))
		claims.Token = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	text, err := jwt.Signed(p.signer).Claims(claims).Serialize()
	if err != nil {
		return fmt.Errorf("DPoP: %w", err)
	}
	req.Header["Dpop"] = []string{text}
	return nil
}

func (p *prover) nonce(u *url.URL) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nonces[u.Scheme+"://"+u.Host]
}

// maxNonce limits the nonces that are kept, in bytes.
const maxNonce = 1 << 10

// learn keeps the nonce of a response, and reports whether it is a new one.
func (p *prover) learn(u *url.URL, header http.Header) bool {
	nonce := header.Get(headerNonce)
	if nonce == "" || len(nonce) > maxNonce {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	origin := u.Scheme + "://" + u.Host
	old := p.nonces[origin]
	p.nonces[origin] = nonce
	return old != nonce
}

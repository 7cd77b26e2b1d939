package resource

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// keySet keeps the public keys of an issuer. Keys are read when they are first needed and again when a
// token names an unknown one, but not often, because clients choose what tokens name. One request reads
// them for all waiting tokens.
type keySet struct {
	fetch func(context.Context) ([]jose.JSONWebKey, error)
	now   func() time.Time

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	read    time.Time     // when the keys were read; zero if never
	tried   time.Time     // when reading them ended last
	failure error         // of the last try
	reading chan struct{} // closed when the current try ends; nil if there is none
}

func newKeySet(fetch func(context.Context) ([]jose.JSONWebKey, error), now func() time.Time) *keySet {
	return &keySet{fetch: fetch, now: now}
}

const (
	// maxKeys limits the keys of an issuer.
	maxKeys = 100
	// minRSA is the shortest RSA key that is accepted, in bits (RFC 7518, section 3.3).
	minRSA = 2048
)

// maxUnnamed limits the keys that are tried for a token that names none.
const maxUnnamed = 8

// find returns the keys that may have signed a token. The error is a *TokenError if there is none, and
// another one if the keys are not known.
func (s *keySet) find(ctx context.Context, id, algorithm string) ([]jose.JSONWebKey, error) {
	s.mu.Lock()
	now := s.now()
	found := s.matching(id, algorithm)
	age := now.Sub(s.read)
	usable := !s.read.IsZero() && age < waits.KeysUsable
	mayTry := s.tried.IsZero() || now.Sub(s.tried) >= waits.KeysAgain
	if usable && len(found) > 0 {
		if age >= waits.KeysFresh && mayTry {
			s.startLocked()
		}
		s.mu.Unlock()
		return found, nil
	}
	if s.reading == nil && !mayTry {
		defer s.mu.Unlock()
		return s.noneLocked(usable)
	}
	done := s.startLocked()
	s.mu.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	usable = !s.read.IsZero() && s.now().Sub(s.read) < waits.KeysUsable
	if found := s.matching(id, algorithm); usable && len(found) > 0 {
		return found, nil
	}
	return s.noneLocked(usable)
}

// noneLocked returns the error for a token whose key is not found. If the keys could not be read, the error
// says so.
func (s *keySet) noneLocked(usable bool) ([]jose.JSONWebKey, error) {
	if !usable || s.failure != nil {
		return nil, fmt.Errorf("the keys of the issuer are not known: %w", s.failure)
	}
	return nil, refusedf("the access token is signed with an unknown key")
}

// startLocked starts reading the keys, unless they are being read already. The returned channel is
// closed at the end. The context of a request does not end the reading, because other requests may
// wait for it.
func (s *keySet) startLocked() <-chan struct{} {
	if s.reading != nil {
		return s.reading
	}
	done := make(chan struct{})
	s.reading = done
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), waits.AuthFetch)
		defer cancel()
		keys, err := s.fetch(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tried, s.failure, s.reading = s.now(), err, nil
		if err == nil {
			s.keys, s.read = keys, s.tried
		}
		close(done)
	}()
	return done
}

// matching returns the keys with an id, or a few if the id is "".
func (s *keySet) matching(id, algorithm string) []jose.JSONWebKey {
	var found []jose.JSONWebKey
	for _, key := range s.keys {
		if id != "" && key.KeyID != id || key.Algorithm != "" && key.Algorithm != algorithm {
			continue
		}
		if found = append(found, key); len(found) == maxUnnamed {
			break
		}
	}
	return found
}

// fetchKeys reads the public keys of the issuer.
func (i *issuer) fetchKeys(ctx context.Context) ([]jose.JSONWebKey, error) {
	place := i.JWKS
	if place == "" {
		m, err := i.discover(ctx)
		if err != nil {
			return nil, err
		}
		if place = m.JWKSURI; place == "" {
			return nil, fmt.Errorf("the metadata of %s has no jwks_uri", i.URL)
		}
	}
	var document struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := i.web.Document(ctx, place, nil, &document); err != nil {
		i.metadata.Store(nil) // the keys may have moved
		return nil, err
	}
	if len(document.Keys) > maxKeys {
		return nil, fmt.Errorf("%s: %d keys are more than %d", place, len(document.Keys), maxKeys)
	}
	var keys []jose.JSONWebKey
	for _, text := range document.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(text, &key) != nil || !isSigning(&key) {
			continue // of a kind that is not needed here
		}
		keys = append(keys, key)
	}
	return slices.Clip(keys), nil
}

// isSigning reports whether a key is a public key for signatures.
func isSigning(key *jose.JSONWebKey) bool {
	if !key.Valid() || !key.IsPublic() || key.Use != "" && key.Use != "sig" {
		return false
	}
	if r, ok := key.Key.(*rsa.PublicKey); ok {
		return r.N.BitLen() >= minRSA
	}
	return true
}

package auth

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// source is where a keySet reads keys.
type source struct {
	mu    sync.Mutex
	ids   []string
	err   error
	takes time.Duration
	reads int
}

func (s *source) set(err error, ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err, s.ids = err, ids
}

func (s *source) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	s.mu.Lock()
	s.reads++
	takes := s.takes
	s.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []jose.JSONWebKey
	for _, id := range s.ids {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		keys = append(keys, jose.JSONWebKey{Key: key.Public(), KeyID: id})
	}
	return keys, s.err
}

// TestKeySet checks when keys are read: a key that is published later is found, a withdrawn one is
// forgotten, and tokens with unknown keys make few requests.
func TestKeySet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &source{ids: []string{"a"}}
		s := &keySet{fetch: from.fetch}
		find := func(id string) string {
			keys, err := s.find(t.Context(), id, "ES256")
			synctest.Wait()
			if bad, ok := errors.AsType[*TokenError](err); ok {
				return bad.Reason
			}
			if err != nil {
				return "unknown: " + err.Error()
			}
			return fmt.Sprint(len(keys))
		}
		const unknown = "the access token is signed with an unknown key"
		step := func(what, id, want string, reads int) {
			t.Helper()
			if got := find(id); got != want || from.reads != reads {
				t.Errorf("%s: got %q after %d reads, want %q after %d", what, got, from.reads, want, reads)
			}
		}
		step("first use", "a", "1", 1)
		step("kept", "a", "1", 1)
		step("a token that names no key", "", "1", 1)
		step("unknown, soon after", "b", unknown, 1)
		time.Sleep(waits.KeysAgain)
		from.set(nil, "a", "b")
		step("published since", "b", "1", 2)
		time.Sleep(waits.KeysAgain)
		step("unknown", "c", unknown, 3)
		step("unknown, at once again", "d", unknown, 3)
		time.Sleep(waits.KeysFresh)
		from.set(nil, "b")
		step("no longer fresh", "a", "1", 4) // read again for the next request
		step("withdrawn", "a", unknown, 4)
		time.Sleep(waits.KeysFresh)
		from.set(errors.New("down"))
		step("the issuer is down", "b", "1", 5)
		step("and a key is unknown", "c", "unknown: the keys of the issuer are not known: down", 5)
		time.Sleep(waits.KeysUsable)
		step("for too long", "b", "unknown: the keys of the issuer are not known: down", 6)
		time.Sleep(waits.KeysAgain)
		from.set(nil, "b")
		step("and up again", "b", "1", 7)
	})
}

// TestKeySetSingleFlight checks that one request reads the keys for all that wait, that one who gives up
// does not end it, and that it has an end.
func TestKeySetSingleFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &source{ids: []string{"a"}, takes: time.Second}
		s := &keySet{fetch: from.fetch}
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if keys, err := s.find(t.Context(), "a", "ES256"); err != nil || len(keys) != 1 {
					t.Errorf("%v, %v", keys, err)
				}
			})
		}
		gone, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := s.find(gone, "a", "ES256"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		all.Wait()
		if from.reads != 1 {
			t.Errorf("%d reads", from.reads)
		}
		from.takes = time.Hour
		time.Sleep(waits.KeysAgain)
		start := time.Now()
		if _, err := s.find(t.Context(), "b", "ES256"); err == nil || time.Since(start) != waits.AuthFetch {
			t.Errorf("a source without an end: %v after %v", err, time.Since(start))
		}
	})
}

func TestCache(t *testing.T) {
	c := newCache[int](10)
	now := time.Now()
	key := func(i int) tokenKey { return keyOf(fmt.Sprint(i)) }
	for i := range 1000 {
		c.put(key(i), i, now.Add(time.Minute))
		if v, ok := c.get(key(0), now); i < 4 && (!ok || v != 0) {
			t.Errorf("%d: lost the first value", i)
		}
		if len(c.young)+len(c.old) > 10 {
			t.Fatalf("%d values", len(c.young)+len(c.old))
		}
	}
	if v, ok := c.get(key(0), now); !ok || v != 0 { // it was used again and again
		t.Error("lost a value that is in use")
	}
	if _, ok := c.get(key(1), now); ok {
		t.Error("kept a value that nobody used")
	}
	if _, ok := c.get(key(0), now.Add(time.Minute)); ok {
		t.Error("a value at its end")
	}
}

// TestNonces checks which nonces are accepted, and that a client gets a new one before its nonce expires.
func TestNonces(t *testing.T) {
	newGuard := func(key []byte) (*Guard, error) {
		return NewGuard(Options{Resource: "https://r.example", Issuers: []Issuer{{URL: "https://a.example"}}, DPoP: DPoP{Nonce: true, NonceKey: key}})
	}
	key := bytes.Repeat([]byte{7}, 32)
	var all []*Guard
	for _, key := range [][]byte{key, key, nil} {
		g, err := newGuard(key)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	if _, err := newGuard([]byte("short")); err == nil {
		t.Error("a short key: want an error")
	}
	now := time.Unix(1_000_000, 0)
	nonce := all[0].nextNonce(now)
	for _, test := range []struct {
		guard      int // that gets the nonce
		nonce      string
		after      time.Duration
		good, next bool
	}{
		{0, nonce, 0, true, false}, {1, nonce, time.Minute, true, false}, {2, nonce, 0, false, true},
		{0, nonce, waits.Nonce/2 + time.Second, true, true}, {0, nonce, waits.Nonce, false, true},
		{0, "", 0, false, true}, {0, "x", 0, false, true}, {0, nonce[:len(nonce)-2], 0, false, true}, {0, nonce + "\n", 0, false, true},
	} {
		w := httptest.NewRecorder()
		refused := all[test.guard].checkNonce(w, test.nonce, now.Add(test.after))
		next := w.Header().Get("DPoP-Nonce")
		if (refused == nil) != test.good || (next != "") != test.next || next == test.nonce && next != "" {
			t.Errorf("%+v: got %+v, next nonce %q", test, refused, next)
		}
	}
}

// TestTargets checks for which URLs of a proof a request is its target: query and fragment do not count (RFC 9449,
// section 4.3).
func TestTargets(t *testing.T) {
	g, err := NewGuard(Options{Resource: "https://r.example/mcp", Verifier: func(context.Context, string) (*Caller, error) { return nil, nil }})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/inner?a=b", nil)
	for target, want := range map[string]bool{
		"https://r.example/mcp":         true,
		"HTTPS://R.example:443/mcp?c#d": true,
		"https://r.example/inner":       true,
		"https://r.example/inner#":      true,
		"https://r.example/mcp/":        false,
		"https://r.example":             false,
		"http://r.example/mcp":          false,
		"https://localhost/inner":       false,
		"/mcp":                          false,
		"":                              false,
	} {
		if got := g.isTarget(target, r); got != want {
			t.Errorf("%q: %v, want %v", target, got, want)
		}
	}
}

// TestProofsOfOneCaller checks that a caller whose proofs fill the memory gets no one else refused.
func TestProofsOfOneCaller(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := (&jose.JSONWebKey{Key: key.Public()}).Thumbprint(crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGuard(Options{Resource: "https://r.example", Verifier: func(_ context.Context, token string) (*Caller, error) {
		return &Caller{Subject: token, KeyThumbprint: base64.RawURLEncoding.EncodeToString(sum)}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	g.proofs = seal.NewUsed(100, 3)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, (&jose.SignerOptions{EmbedJWK: true}).WithType("dpop+jwt"))
	if err != nil {
		t.Fatal(err)
	}
	prove := func(token, id string) string {
		text, err := jwt.Signed(signer).Claims(map[string]any{
			"jti": id, "htm": http.MethodPost, "htu": "https://r.example", "iat": time.Now().Unix(), "ath": digest([]byte(token)),
		}).Serialize()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	send := func(token, proof string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://r.example", nil)
		r.Header = http.Header{"Authorization": {"DPoP " + token}, "Dpop": {proof}}
		w := httptest.NewRecorder()
		g.Protect(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
		return w.Code
	}
	first := prove("bob", "bob-1")
	if got := send("bob", first); got != http.StatusOK {
		t.Fatalf("status %d", got)
	}
	for i, want := range []int{200, 200, 200, 503, 503} {
		if got := send("ada", prove("ada", fmt.Sprint("ada-", i))); got != want {
			t.Errorf("proof %d of the busy caller: status %d, want %d", i, got, want)
		}
	}
	if got := send("bob", prove("bob", "bob-2")); got != http.StatusOK {
		t.Errorf("another caller: status %d", got)
	}
	if got := send("bob", first); got != http.StatusUnauthorized {
		t.Errorf("a used proof of another caller: status %d", got)
	}
}

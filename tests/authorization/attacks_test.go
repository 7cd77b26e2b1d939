package authorization

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/tests/internal/authserver"
)

// attacks has the tests of the rows X.
var attacks = map[string]func(*testing.T){
	"M1": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		other := authserver.New(t, authserver.Options{})
		r.refused("another issuer", other.Token(r.url, "mcp"))
		claims := other.Claims(r.url, "mcp")
		claims["iss"] = r.as.Issuer
		r.refused("another issuer under a known name", other.Sign(claims))
		for _, issuer := range []string{r.as.Issuer + "/", strings.ToUpper(r.as.Issuer), ""} {
			claims := r.as.Claims(r.url, "mcp")
			claims["iss"] = issuer
			r.refused(issuer, r.as.Sign(claims))
		}
	},
	"M2": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		key := newKey(t)
		key.KeyID = r.as.Key().KeyID
		r.refused("another key", authserver.Sign(key, "at+jwt", r.as.Claims(r.url, "mcp")))
		parts := strings.Split(r.as.Token(r.url, "mcp"), ".")
		r.refused("no signature", parts[0]+"."+parts[1]+".")
		more := strings.Split(r.as.Token(r.url, "mcp", "files:admin"), ".")
		r.refused("other claims", parts[0]+"."+more[1]+"."+parts[2])
		r.accepted("the right one", r.as.Token(r.url, "mcp"))
	},
	"M3": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		for _, alg := range []string{"none", "None", "NONE", ""} {
			r.refused(alg, unsigned(t, map[string]any{"alg": alg, "typ": "at+jwt", "kid": r.as.Key().KeyID}, r.as.Claims(r.url, "mcp"))+".")
			r.refused(alg+" with a signature", unsigned(t, map[string]any{"alg": alg}, r.as.Claims(r.url, "mcp"))+".YWJj")
		}
	},
	"M4": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		key := r.as.Key()
		public := key.Public()
		der, err := x509.MarshalPKIXPublicKey(public.Key)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(public)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range [][]byte{der, text} {
			r.refused("HS256", authserver.Sign(jose.JSONWebKey{Key: secret, KeyID: key.KeyID, Algorithm: "HS256"}, "at+jwt", r.as.Claims(r.url, "mcp")))
		}
		for _, alg := range []string{"HS256", "none", "RSA1_5"} {
			if _, err := auth.NewGuard(auth.Options{Resource: r.url, Issuers: []auth.Issuer{{URL: r.as.Issuer, Algorithms: []string{alg}}}}); err == nil {
				t.Errorf("%s as an algorithm: want an error", alg)
			}
		}
	},
	"M5": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		for what, change := range map[string]func(map[string]any){
			"expired":         func(c map[string]any) { c["exp"] = time.Now().Add(-time.Second).Unix() },
			"expires now":     func(c map[string]any) { c["exp"] = time.Now().Unix() },
			"not yet valid":   func(c map[string]any) { c["nbf"] = time.Now().Add(time.Minute).Unix() },
			"exp is a string": func(c map[string]any) { c["exp"] = "9999999999" },
			"exp is huge":     func(c map[string]any) { c["exp"] = 1e300 },
		} {
			claims := r.as.Claims(r.url, "mcp")
			change(claims)
			r.refused(what, r.as.Sign(claims))
		}
		lenient := newRig(t, authserver.Options{}, func(_ *rig, o *auth.Options) { o.Leeway = time.Minute })
		claims := lenient.as.Claims(lenient.url, "mcp")
		claims["exp"], claims["nbf"] = time.Now().Add(-time.Second).Unix(), time.Now().Add(30*time.Second).Unix()
		lenient.accepted("within the leeway", lenient.as.Sign(claims))
	},
	"M6": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		key := newKey(t)
		for name, value := range map[jose.HeaderKey]any{"jwk": key.Public(), "jku": r.as.Issuer + "/jwks", "x5u": "https://evil.example", "crit": []string{"b64"}} {
			opts := (&jose.SignerOptions{}).WithType("at+jwt").WithHeader(name, value)
			signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key.Key}, opts)
			if err != nil {
				t.Fatal(err)
			}
			r.refused(string(name), signed(t, signer, r.as.Claims(r.url, "mcp")))
		}
	},
	"M7": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		for _, typ := range []string{"dpop+jwt", "oauth-id-jag+jwt", "logout+jwt", "secevent+jwt"} {
			r.refused(typ, authserver.Sign(r.as.Key(), typ, r.as.Claims(r.url, "mcp")))
		}
		claims := r.as.Claims("client", "mcp") // an ID token is for its client
		r.refused("an ID token", authserver.Sign(r.as.Key(), "JWT", claims))
		r.accepted("without a type of its own", authserver.Sign(r.as.Key(), "JWT", r.as.Claims(r.url, "mcp")))
	},
	"M8": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		for _, names := range [][]string{{"exp"}, {"iss"}, {"aud"}, {"sub", "client_id"}} {
			claims := r.as.Claims(r.url, "mcp")
			for _, name := range names {
				delete(claims, name)
			}
			r.refused(fmt.Sprintf("without %v", names), r.as.Sign(claims))
		}
		claims := r.as.Claims("https://other.example", "mcp")
		claims["AUD"], claims["Aud"] = r.url, r.url
		r.refused("another case", r.as.Sign(claims))
		key := r.as.Key()
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, payload := range []string{
			fmt.Sprintf(`{"iss":%q,"sub":"u","aud":"x","aud":%q,"exp":%d,"scope":"mcp"}`, r.as.Issuer, r.url, time.Now().Add(time.Hour).Unix()),
			`[]`, `"x"`, ``, `{`, strings.Repeat(`{"a":`, 10000),
		} {
			jws, err := signer.Sign([]byte(payload))
			if err != nil {
				t.Fatal(err)
			}
			token, err := jws.CompactSerialize()
			if err != nil {
				t.Fatal(err)
			}
			if len(token) < 16<<10 {
				r.refused(fmt.Sprintf("%.100s", payload), token)
			}
		}
		r.refused("a long token", strings.Repeat("a", 20<<10))
	},
	"M9":  testKeyFlood,
	"M10": testBadKeys,
	"M11": testRotation,
	"M12": testBadMetadata,
	"M13": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		token, _ := r.bound(t)
		a := r.call("who", token)
		if a.status != http.StatusUnauthorized || len(a.challenges) != 1 || a.challenges[0].scheme != "DPoP" {
			t.Errorf("status %d, challenges %v", a.status, a.challenges)
		}
		request := r.request("tools/list", "", "")
		request.Header.Set("Authorization", "DPoP "+r.as.Token(r.url, "mcp"))
		if a := r.send(request); a.status != http.StatusUnauthorized {
			t.Errorf("an unbound token with the scheme DPoP: status %d", a.status)
		}
		claims := r.as.Claims(r.url, "mcp")
		claims["cnf"] = map[string]any{"kid": "x"}
		r.refused("bound in an unknown way", r.as.Sign(claims))
		strict := newRig(t, authserver.Options{}, func(_ *rig, o *auth.Options) { o.RequireBound = true })
		if a := strict.call("who", strict.as.Token(strict.url, "mcp")); a.status != http.StatusUnauthorized {
			t.Errorf("an unbound token where bound ones are required: status %d", a.status)
		}
	},
	"M14": testProofs,
	"M15": testCertificates,
	"M16": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		token := r.as.Token(r.url, "mcp")
		twice := r.request("tools/list", "", token)
		twice.Header.Add("Authorization", "Bearer "+token)
		r.send(twice).want(t, "two headers", http.StatusBadRequest, "invalid_request")
		both := r.request("tools/list", "", token)
		both.URL.RawQuery = "a=b&access%5Ftoken=x&access_token=" + token
		r.send(both).want(t, "header and query", http.StatusBadRequest, "invalid_request")
	},
	"M17": testOpaque,
	"M18": func(t *testing.T) {
		other := authserver.New(t, authserver.Options{})
		r := newRig(t, authserver.Options{}, func(_ *rig, o *auth.Options) {
			o.Issuers = append(o.Issuers, auth.Issuer{URL: other.Issuer})
		})
		id := r.session(r.as.Token(r.url, "mcp"))
		for _, session := range []string{id, `user "` + r.as.Issuer + `" user:` + id} {
			a := r.inSession(session, other.Token(r.url, "mcp"), `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
			if a.status != http.StatusNotFound {
				t.Errorf("%s: the same subject of another issuer: status %d: %s", session, a.status, a.body)
			}
		}
	},
	"M21": testHidden,
	"M22": testListen,
	"M23": testIdentities,
	"M24": testNobody,
	"M25": testOddClaims,
	"M26": testKinds,
	"M27": testListenEnds,
	"M19": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		server, err := mcp.NewServer(mcp.ServerOptions{Name: "s", Version: "1"}, r.items()...)
		if err != nil {
			t.Fatal(err)
		}
		handler := streamable.NewHandler(server, streamable.Options{})
		t.Cleanup(handler.Close)
		r.Server.Config.Handler = handler
		if a := r.call("write", ""); !strings.Contains(a.body, `"code":-32603`) || r.calls.Load() != 0 {
			t.Errorf("status %d: %s", a.status, a.body)
		}
	},
	"M20": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		token := r.as.Token(r.url, "mcp")
		id := r.session(token)
		subscribe := `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:b"}}`
		r.inSession(id, token, subscribe).want(t, "resources/subscribe", http.StatusForbidden, "insufficient_scope")
		if a := r.inSession(id, r.as.Token(r.url, "mcp", "files:read"), subscribe); a.status != http.StatusOK {
			t.Errorf("with the scope: status %d: %s", a.status, a.body)
		}
		task := `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"write","task":{"ttl":1000}}}`
		r.inSession(id, token, task).want(t, "a task", http.StatusForbidden, "insufficient_scope")
		batch := r.inSession(id, token, `[{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"write"}}]`)
		if strings.Contains(batch.body, `"result"`) || r.calls.Load() != 0 {
			t.Errorf("a batch: status %d: %s", batch.status, batch.body)
		}
	},
}

func newKey(t *testing.T) jose.JSONWebKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return jose.JSONWebKey{Key: key, Algorithm: string(jose.ES256)}
}

// unsigned returns the first two parts of a JWT.
func unsigned(t *testing.T, header, claims map[string]any) string {
	t.Helper()
	var parts []string
	for _, part := range []any{header, claims} {
		text, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(text))
	}
	return strings.Join(parts, ".")
}

func signed(t *testing.T, signer jose.Signer, claims map[string]any) string {
	t.Helper()
	text, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	jws, err := signer.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jws.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func testKeyFlood(t *testing.T) {
	r := newRig(t, authserver.Options{}, nil)
	r.accepted("before", r.as.Token(r.url, "mcp"))
	before := len(r.as.Requests("/jwks"))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 25 {
				key := newKey(t)
				key.KeyID = rand.Text()
				r.refused("an unknown key", authserver.Sign(key, "at+jwt", r.as.Claims(r.url, "mcp")))
			}
		})
	}
	all.Wait()
	if got := len(r.as.Requests("/jwks")) - before; got > 1 {
		t.Errorf("200 tokens with unknown keys made %d requests for keys", got)
	}
	r.accepted("afterwards", r.as.Token(r.url, "mcp"))
}

func testBadKeys(t *testing.T) {
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	weak := jose.JSONWebKey{Key: small, KeyID: "weak"}
	secret := jose.JSONWebKey{Key: []byte("secretsecretsecretsecretsecretse"), KeyID: "secret"}
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"not JSON": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"huge": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"keys":[]`, strings.Repeat(" ", 1<<20), "}")
		},
		"many": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"keys":[{}`, strings.Repeat(",{}", 1000), "]}")
		},
		"an error":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) },
		"a redirect":  func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/other", http.StatusFound) },
		"interrupted": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, authserver.Options{Before: func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/jwks" {
					answer(w, r)
				}
				return r.URL.Path == "/jwks"
			}}, nil)
			for range 3 { // nobody can say whether the token is good
				if a := r.call("who", r.as.Token(r.url, "mcp")); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
					t.Errorf("status %d: %s", a.status, a.body)
				}
			}
			// Net/http itself repeats a request whose connection was closed.
			if n := len(r.as.Requests("/jwks")); n > 2 || n != 1 && name != "interrupted" {
				t.Errorf("%d requests for keys", n)
			}
		})
	}
	t.Run("unsuitable", func(t *testing.T) {
		r := newRig(t, authserver.Options{Before: func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/jwks" {
				return false
			}
			_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{weak.Public(), secret}})
			return true
		}}, nil)
		weak.Algorithm = string(jose.RS256)
		r.refused("a short key", authserver.Sign(weak, "at+jwt", r.as.Claims(r.url, "mcp")))
	})
	t.Run("slow", func(t *testing.T) {
		release := make(chan struct{})
		r := newRig(t, authserver.Options{Before: func(_ http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/jwks" {
				<-release
			}
			return false
		}}, nil)
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { r.accepted("while keys are read", r.as.Token(r.url, "mcp")) })
		}
		close(release)
		all.Wait()
		if n := len(r.as.Requests("/jwks")); n != 1 {
			t.Errorf("%d requests for keys", n)
		}
	})
}

func testRotation(t *testing.T) {
	r := newRig(t, authserver.Options{}, nil)
	r.as.Rotate()
	r.accepted("the first key", r.as.Token(r.url, "mcp"))
	if n := len(r.as.Requests("/jwks")); n != 1 {
		t.Errorf("%d requests for keys", n)
	}
	// That a key that is published later is found, and a withdrawn one forgotten, takes time: see
	// TestKeySet in runtime/auth.
}

func testBadMetadata(t *testing.T) {
	for name, change := range map[string]func(map[string]any){
		"another issuer":      func(m map[string]any) { m["issuer"] = "https://evil.example" },
		"a slash":             func(m map[string]any) { m["issuer"] = m["issuer"].(string) + "/" },
		"no keys":             func(m map[string]any) { m["jwks_uri"] = "" },
		"keys over http":      func(m map[string]any) { m["jwks_uri"] = "http://evil.example/jwks" },
		"keys in a file":      func(m map[string]any) { m["jwks_uri"] = "file:///etc/passwd" },
		"keys of a neighbour": func(m map[string]any) { m["jwks_uri"] = "http://127.0.0.1:1/jwks" },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, authserver.Options{Metadata: change}, nil)
			if a := r.call("who", r.as.Token(r.url, "mcp")); a.status != http.StatusServiceUnavailable {
				t.Errorf("status %d: %s", a.status, a.body)
			}
		})
	}
}

// bound returns a token that is bound to a key, and the key.
func (r *rig) bound(t *testing.T) (string, jose.JSONWebKey) {
	t.Helper()
	key := newKey(t)
	claims := r.as.Claims(r.url, "mcp")
	claims["cnf"] = map[string]any{"jkt": authserver.Thumbprint(key)}
	return r.as.Sign(claims), key
}

// prove sends a request with a token and a proof.
func (r *rig) prove(token string, proofs ...string) *answer {
	r.t.Helper()
	request := r.request("tools/call", `"name":"who"`, "")
	request.Header.Set("Authorization", "DPoP "+token)
	request.Header["Dpop"] = proofs
	return r.send(request)
}

func testProofs(t *testing.T) {
	r := newRig(t, authserver.Options{}, func(_ *rig, o *auth.Options) { o.DPoP.Offer = true })
	if a := r.call("who", ""); len(a.challenges) != 2 || !strings.Contains(a.challenges[1].params["algs"], "ES256") {
		t.Errorf("challenges %v", a.challenges)
	}
	token, key := r.bound(t)
	first := authserver.SignProof(key, r.as.Proof(http.MethodPost, r.url, token))
	if a := r.prove(token, first); a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	bad := func(what string, a *answer) {
		t.Helper()
		if len(a.challenges) != 1 || a.status != http.StatusUnauthorized || a.challenges[0].params["error"] != "invalid_dpop_proof" {
			t.Errorf("%s: status %d, challenges %v", what, a.status, a.challenges)
		}
	}
	bad("replayed", r.prove(token, first))
	bad("none", r.prove(token))
	bad("two", r.prove(token, first, authserver.SignProof(key, r.as.Proof(http.MethodPost, r.url, token))))
	bad("another key", r.prove(token, authserver.SignProof(newKey(t), r.as.Proof(http.MethodPost, r.url, token))))
	bad("not a JWT", r.prove(token, "x"))
	bad("an access token", r.prove(token, token))
	for what, change := range map[string]map[string]any{
		"method": {"htm": "GET"}, "URL": {"htu": "https://other.example/mcp"}, "token": {"ath": "x"}, "no id": {"jti": ""},
		"old": {"iat": time.Now().Add(-2 * time.Minute).Unix()}, "future": {"iat": time.Now().Add(time.Minute).Unix()}, "no time": {"iat": nil},
	} {
		claims := r.as.Proof(http.MethodPost, r.url, token)
		maps.Copy(claims, change)
		bad(what, r.prove(token, authserver.SignProof(key, claims)))
	}
	withQuery := r.as.Proof(http.MethodPost, strings.ToUpper(r.url[:4])+r.url[4:]+"?a=b", token)
	if a := r.prove(token, authserver.SignProof(key, withQuery)); a.status != http.StatusOK {
		t.Errorf("the URL written otherwise: status %d: %v", a.status, a.challenges)
	}

	nonces := newRig(t, authserver.Options{}, func(_ *rig, o *auth.Options) { o.DPoP.Nonce, o.RequireBound = true, true })
	token, key = nonces.bound(t)
	claims := nonces.as.Proof(http.MethodPost, nonces.url, token)
	a := nonces.prove(token, authserver.SignProof(key, claims))
	nonce := a.header.Get("DPoP-Nonce")
	if a.status != http.StatusUnauthorized || nonce == "" || a.challenges[0].params["error"] != "use_dpop_nonce" {
		t.Fatalf("without a nonce: status %d, nonce %q, challenges %v", a.status, nonce, a.challenges)
	}
	claims["nonce"] = nonce
	if a := nonces.prove(token, authserver.SignProof(key, claims)); a.status != http.StatusOK {
		t.Errorf("with the nonce: status %d: %v", a.status, a.challenges)
	}
	claims = nonces.as.Proof(http.MethodPost, nonces.url, token)
	claims["nonce"] = base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{1}, 40))
	if a := nonces.prove(token, authserver.SignProof(key, claims)); a.status != http.StatusUnauthorized {
		t.Errorf("a nonce of somebody else: status %d", a.status)
	}
}

func testCertificates(t *testing.T) {
	r := newRig(t, authserver.Options{}, func(_ *rig, o *auth.Options) {
		o.Certificate = func(r *http.Request) []byte { return []byte(r.Header.Get("X-Certificate")) }
	})
	sum := sha256.Sum256([]byte("mine"))
	claims := r.as.Claims(r.url, "mcp")
	claims["cnf"] = map[string]any{"x5t#S256": base64.RawURLEncoding.EncodeToString(sum[:])}
	token := r.as.Sign(claims)
	for certificate, want := range map[string]int{"": http.StatusUnauthorized, "yours": http.StatusUnauthorized, "mine": http.StatusOK} {
		request := r.request("tools/call", `"name":"who"`, token)
		request.Header.Set("X-Certificate", certificate)
		if a := r.send(request); a.status != want {
			t.Errorf("%q: status %d, want %d", certificate, a.status, want)
		}
	}
}

// TestWithoutMetadata checks that an authorization server without metadata can be used, if the options have the URLs.
func TestWithoutMetadata(t *testing.T) {
	unknown := newRig(t, authserver.Options{NoDiscovery: true}, nil)
	if a := unknown.call("who", unknown.as.Token(unknown.url, "mcp")); a.status != http.StatusServiceUnavailable {
		t.Errorf("without the URL of the keys: status %d", a.status)
	}
	keys := newRig(t, authserver.Options{NoDiscovery: true}, func(r *rig, o *auth.Options) {
		o.Issuers[0].JWKS = r.as.Issuer + "/jwks"
	})
	keys.accepted("a good token", keys.as.Token(keys.url, "mcp"))
	keys.refused("for another server", keys.as.Token("https://other.example", "mcp"))

	clients := []authserver.Client{{ID: "rs", Secret: "s"}}
	asked := newRig(t, authserver.Options{NoDiscovery: true, Opaque: true, Clients: clients}, func(r *rig, o *auth.Options) {
		o.Issuers[0].Introspection = &auth.Introspection{Endpoint: r.as.Issuer + "/introspect", Authorize: func(req *http.Request) error {
			req.SetBasicAuth("rs", "s")
			return nil
		}}
	})
	asked.accepted("a good token", asked.as.Token(asked.url, "mcp"))
	asked.refused("an unknown one", "abcdef")
	failing := newRig(t, authserver.Options{NoDiscovery: true, Opaque: true, Clients: clients}, func(r *rig, o *auth.Options) {
		o.Issuers[0].Introspection = &auth.Introspection{Endpoint: r.as.Issuer + "/introspect", Authorize: func(*http.Request) error {
			return errors.New("no credentials")
		}}
	})
	if a := failing.call("who", failing.as.Token(failing.url, "mcp")); a.status != http.StatusServiceUnavailable {
		t.Errorf("while Authorize fails: status %d", a.status)
	}
}

func testOpaque(t *testing.T) {
	fail := false
	var mu sync.Mutex
	asking := func(_ *rig, o *auth.Options) {
		o.Issuers[0].Introspection = &auth.Introspection{ClientID: "rs", ClientSecret: "s e:c"}
		o.CacheFor = -1
	}
	options := authserver.Options{Opaque: true, Clients: []authserver.Client{{ID: "rs", Secret: "s e:c"}}, Before: func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if fail && r.URL.Path == "/introspect" {
			http.Error(w, "no", http.StatusInternalServerError)
		}
		return fail && r.URL.Path == "/introspect"
	}}
	r := newRig(t, options, asking)
	token := r.as.Token(r.url, "mcp")
	r.accepted("a good token", token)
	r.refused("an unknown one", "abcdef")
	r.refused("for another server", r.as.Token("https://other.example", "mcp"))
	r.refused("a JWT of somebody else", authserver.Sign(newKey(t), "at+jwt", r.as.Claims(r.url, "mcp")))
	r.as.Revoke(token)
	r.refused("revoked", token)
	mu.Lock()
	fail = true
	mu.Unlock()
	if a := r.call("who", r.as.Token(r.url, "mcp")); a.status != http.StatusServiceUnavailable {
		t.Errorf("while introspection fails: status %d", a.status)
	}

	options.Before = nil
	cached := newRig(t, options, func(r *rig, o *auth.Options) { asking(r, o); o.CacheFor = time.Minute })
	token = cached.as.Token(cached.url, "mcp")
	for range 5 {
		cached.accepted("a good token", token)
		cached.refused("an unknown one", "abcdef")
	}
	if n := len(cached.as.Requests("/introspect")); n != 2 {
		t.Errorf("%d questions, want 2", n)
	}
	if got := cached.as.Requests("/introspect"); slices.ContainsFunc(got, func(q authserver.Request) bool { return q.Form.Get("token_type_hint") != "access_token" }) {
		t.Errorf("questions %v", got)
	}
}

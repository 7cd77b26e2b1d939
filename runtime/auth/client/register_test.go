package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/auth/client"
)

// An authorization server that has forgotten a client says so when it is asked for a token, or sends the user
// back with an error, or shows a page from which nobody comes back. The client registers anew.
func TestForgottenRegistration(t *testing.T) {
	for name, forget := range map[string]func(w *world, isForgotten func(id string) bool){
		"a page": func(w *world, isForgotten func(string) bool) {
			w.agree = func(_ context.Context, address string) error {
				if u, _ := url.Parse(address); isForgotten(u.Query().Get("client_id")) {
					return errors.New("the user sees an error")
				}
				return nil
			}
			w.answer = refuseClient("/token", isForgotten)
		},
		"a page, and no secret": func(w *world, isForgotten func(string) bool) {
			w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/authorize" && isForgotten(r.FormValue("client_id")) {
					reply(rw, 400, map[string]any{"error": "invalid_client"}) // no redirect
					return true
				}
				return refuseClient("/token", isForgotten)(rw, r)
			}
		},
		"an error in the redirect": func(w *world, isForgotten func(string) bool) {
			w.response = func(q url.Values) {
				if isForgotten(w.visits[len(w.visits)-1].Get("client_id")) {
					q.Del("code")
					q.Set("error", "invalid_client")
				}
			}
		},
		"the token endpoint after the visit": func(w *world, isForgotten func(string) bool) {
			w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
				w.mu.Lock()
				visited := len(w.visits) > 1
				w.mu.Unlock()
				return visited && refuseClient("/token", isForgotten)(rw, r)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.issue = func(_ url.Values, response map[string]any) { delete(response, "refresh_token") }
			store, err := client.NewFile(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if err := w.transport(client.Options{Store: store}).Login(t.Context()); err != nil {
				t.Fatal(err)
			}
			forget(w, func(id string) bool { return id == "client-1" })
			w.revokeAccess()
			next := w.transport(client.Options{Store: store})
			if err := next.Login(t.Context()); err != nil {
				t.Fatal(err)
			}
			status, err := next.Status(t.Context())
			if err != nil || status.ClientID != "client-2" || w.clients != 2 {
				t.Errorf("%+v, %v, %d registrations", status, err, w.clients)
			}
		})
	}
}

// The user is asked again for credentials that the authorization server refuses, and not for those that it accepts.
func TestRefusedCredentials(t *testing.T) {
	w := newWorld(t)
	w.metadata = func(m map[string]any) { delete(m, "registration_endpoint") }
	w.answer = refuseClient("/token", func(id string) bool { return id == "mistyped" })
	asked := 0
	transport := w.transport(client.Options{Ask: func(context.Context, string) (client.Credentials, error) {
		asked++
		if asked == 1 {
			return client.Credentials{ClientID: "mistyped"}, nil
		}
		return client.Credentials{ClientID: "right"}, nil
	}})
	for range 2 {
		if err := transport.Login(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.revokeAccess()
	}
	if status, err := transport.Status(t.Context()); err != nil || status.ClientID != "right" || asked != 2 {
		t.Errorf("%+v, %v, asked %d times", status, err, asked)
	}
}

// The refusal of one client does not forget another one, which the user has named since.
func TestOtherCredentials(t *testing.T) {
	w := newWorld(t)
	w.metadata = func(m map[string]any) { delete(m, "registration_endpoint") }
	refused := "" // the client
	w.answer = refuseClient("/token", func(id string) bool { return id == refused })
	store := &client.Memory{}
	asked := 0
	transport := w.transport(client.Options{Store: store, Ask: func(context.Context, string) (client.Credentials, error) {
		asked++
		return client.Credentials{ClientID: "first"}, nil
	}})
	if err := transport.Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	key := "client " + w.as.URL
	text, err := store.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	// At another server with the same authorization server, the user has named another client.
	if err := store.Set(t.Context(), key, []byte(strings.ReplaceAll(string(text), `"first"`, `"second"`))); err != nil {
		t.Fatal(err)
	}
	refused = "first"
	w.revokeAccess()
	if err := transport.Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status, err := transport.Status(t.Context()); err != nil || status.ClientID != "second" || asked != 1 {
		t.Errorf("%+v, %v, asked %d times", status, err, asked)
	}
	// The given credentials of another program are refused.
	w.revokeAccess()
	refused = "given"
	given := w.transport(client.Options{Store: store, Flow: client.ClientCredentials{}, Credentials: []client.Credentials{{ClientID: "given"}}})
	if err := given.Login(t.Context()); err == nil {
		t.Error("logged in by credentials that the authorization server refuses")
	}
	if text, err := store.Get(t.Context(), key); err != nil || !strings.Contains(string(text), `"second"`) {
		t.Errorf("got %s, %v", text, err)
	}
}

// refuseClient answers requests of forgotten clients at a path.
func refuseClient(path string, isForgotten func(string) bool) func(http.ResponseWriter, *http.Request) bool {
	return func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != path || !isForgotten(r.FormValue("client_id")) {
			return false
		}
		reply(rw, 401, map[string]any{"error": "invalid_client"})
		return true
	}
}

// A client that the authorization server still knows is not registered again.
func TestKnownRegistration(t *testing.T) {
	for name, answer := range map[string]func(rw http.ResponseWriter){
		"an invalid token": func(rw http.ResponseWriter) { reply(rw, 400, map[string]any{"error": "invalid_grant"}) },
		"an invalid proof": func(rw http.ResponseWriter) { reply(rw, 400, map[string]any{"error": "invalid_dpop_proof"}) },
		"another page":     func(rw http.ResponseWriter) { rw.WriteHeader(502) },
		"no JSON":          func(rw http.ResponseWriter) { rw.WriteHeader(400) },
		"a token for all": func(rw http.ResponseWriter) {
			reply(rw, 200, map[string]any{"access_token": "a", "token_type": "Bearer"})
		},
	} {
		w := newWorld(t)
		w.issue = func(_ url.Values, response map[string]any) { delete(response, "refresh_token") }
		store := &client.Memory{}
		if err := w.transport(client.Options{Store: store}).Login(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.FormValue("grant_type") != "refresh_token" {
				return false
			}
			answer(rw)
			return true
		}
		w.revokeAccess()
		if err := w.transport(client.Options{Store: store}).Login(t.Context()); err != nil || w.clients != 1 || len(w.visits) != 2 {
			t.Errorf("%s: %v, %d registrations, %d visits", name, err, w.clients, len(w.visits))
		}
	}
}

// Logout forgets everything of a server, also if the user never got a token, or if it is broken.
func TestLogoutForgets(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, w *world, store client.Store){
		"logged in": func(*testing.T, *world, client.Store) {},
		"broken": func(t *testing.T, w *world, store client.Store) {
			if err := store.Set(t.Context(), "grant code "+w.url(), []byte("{")); err != nil {
				t.Fatal(err)
			}
		},
		"logged in by an earlier program": func(t *testing.T, w *world, store client.Store) { // which made no notes
			key := "keys of grant code " + w.url()
			old, err := store.Get(t.Context(), key)
			if err != nil || old == nil {
				t.Fatal(err)
			}
			if err := store.Set(t.Context(), key, nil); err != nil {
				t.Fatal(err)
			}
		},
		"not logged in": nil,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			store := &client.Memory{}
			if spoil == nil {
				w.agree = func(context.Context, string) error { return errors.New("an error page") }
			}
			if err := w.transport(client.Options{Store: store}).Login(t.Context()); (err == nil) != (spoil != nil) {
				t.Fatal(err)
			}
			if spoil != nil {
				spoil(t, w, store)
			}
			other := w.transport(client.Options{Store: store})
			if err := other.Logout(t.Context()); (err != nil) != (name == "broken") {
				t.Errorf("got %v", err)
			}
			if err := other.Logout(t.Context()); !errors.Is(err, client.ErrNoGrant) {
				t.Errorf("again: got %v", err)
			}
			w.agree = nil
			next := w.transport(client.Options{Store: store})
			if err := next.Login(t.Context()); err != nil {
				t.Fatal(err)
			}
			status, err := next.Status(t.Context())
			if err != nil || status.ClientID != "client-2" {
				t.Errorf("%+v, %v: the registration was not forgotten; requests:\n%s", status, err, strings.Join(w.log, "\n"))
			}
		})
	}
}

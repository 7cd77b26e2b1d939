package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime/auth/client"
)

// visitPage follows redirects as a browser does.
func visitPage(address string) error {
	resp, err := http.Get(address)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode != 200 || !strings.Contains(string(text), "close this page")) {
		err = errors.New(resp.Status + " " + string(text))
	}
	return err
}

func TestBrowser(t *testing.T) {
	w := newWorld(t)
	var out bytes.Buffer
	pages := make(chan error, 2)
	browser := &client.Browser{Output: &out, Open: func(address string) error {
		go func() { pages <- visitPage(address) }()
		return nil
	}}
	c := w.transport(client.Options{Flow: client.AuthorizationCode{Agent: browser}}).Client()
	got, err := call(t.Context(), c, w.url(), "")
	want(t, got, err, "200 ok access-1 body")
	got, err = call(t.Context(), c, w.url(), "write")
	want(t, got, err, "200 ok access-2 body")
	for range 2 {
		if err := <-pages; err != nil {
			t.Error(err)
		}
	}
	// A23: the redirect URI is one of this machine; the second login uses the registration of the first.
	first, second := w.visits[0].Get("redirect_uri"), w.visits[1].Get("redirect_uri")
	if !strings.HasPrefix(first, "http://127.0.0.1:") || first != second || w.clients != 1 {
		t.Errorf("%s, %s, %d clients", first, second, w.clients)
	}
	if !strings.Contains(out.String(), "open this URL in a browser:\n\n"+w.as.URL+"/authorize?") {
		t.Error(out.String())
	}
}

// An authorization server that accepts only the name localhost as a redirect URI on this machine gets it, also
// from later logins. One that accepts neither is asked twice, and its reason is reported.
func TestRedirectToLocalhost(t *testing.T) {
	for _, test := range []struct{ accepts, redirect, asked string }{
		{"localhost", "", "127.0.0.1 localhost"},
		{"127.0.0.1", "", "127.0.0.1"},
		{"example.com", "", "127.0.0.1 localhost"},
		{"localhost", "http://127.0.0.1/callback", "127.0.0.1"}, // the program's choice
	} {
		w := newWorld(t)
		var asked []string
		w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/register" {
				return false
			}
			text, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(text))
			var request struct {
				RedirectURIs []string `json:"redirect_uris"`
			}
			json.Unmarshal(text, &request)
			u, _ := url.Parse(request.RedirectURIs[0])
			asked = append(asked, u.Hostname())
			if u.Hostname() == test.accepts {
				return false
			}
			reply(rw, 400, map[string]any{"error": "invalid_redirect_uri", "error_description": "not this one"})
			return true
		}
		browser := &client.Browser{RedirectURI: test.redirect, Open: func(address string) error {
			go visitPage(address)
			return nil
		}}
		c := w.transport(client.Options{Flow: client.AuthorizationCode{Agent: browser}}).Client()
		got, err := call(t.Context(), c, w.url(), "")
		if strings.HasSuffix(test.asked, test.accepts) {
			want(t, got, err, "200 ok access-1 body")
			got, err = call(t.Context(), c, w.url(), "write")
			want(t, got, err, "200 ok access-2 body")
			if first, second := w.visits[0].Get("redirect_uri"), w.visits[1].Get("redirect_uri"); first != second || !strings.Contains(first, test.accepts) {
				t.Errorf("%s, then %s", first, second)
			}
		} else if err == nil || !strings.Contains(err.Error(), "not this one") {
			t.Errorf("got %s, %v, want an error with the server's reason", got, err)
		}
		if all := strings.Join(asked, " "); all != test.asked {
			t.Errorf("%+v: asked with %s", test, all)
		}
	}
}

// The redirect is pasted when the browser runs elsewhere.
func TestPastedRedirect(t *testing.T) {
	w := newWorld(t)
	in, user := io.Pipe()
	browser := &client.Browser{Output: io.Discard, Input: in, Open: func(address string) error {
		back, err := w.visit(context.Background(), address) // which requests nothing at the redirect URI
		go user.Write([]byte("hello\n\nhttp://127.0.0.1/callback?code=x&state=y\n  " + back + " \n"))
		if err != nil {
			return err
		}
		return errors.New("no display")
	}}
	got, err := call(t.Context(), w.transport(client.Options{Flow: client.AuthorizationCode{Agent: browser}}).Client(), w.url(), "")
	want(t, got, err, "200 ok access-1 body")
}

// A URL that is pasted for a login arrives there, whatever logins have begun before: one that was given up, one that
// ended by a redirect, one that still waits.
func TestPastedLater(t *testing.T) {
	in, user := io.Pipe()
	t.Cleanup(func() { user.Close() })
	var opened chan struct{}
	browser := &client.Browser{Output: io.Discard, Input: in, Open: func(string) error {
		close(opened)
		return nil
	}}
	type login struct {
		redirect, state string
		cancel          context.CancelFunc
		done            chan error
	}
	// begin returns when the login waits for its redirect.
	begin := func(state string) login {
		ctx, cancel := context.WithCancel(t.Context())
		l := login{"", state, cancel, make(chan error, 1)}
		opened = make(chan struct{})
		redirects := make(chan string, 1)
		go func() {
			redirect := ""
			back, err := browser.Authorize(ctx, "", func(redirectURI string) (string, error) {
				redirect = redirectURI
				redirects <- redirect
				return "https://as.example/authorize?state=" + state, nil
			})
			if err == nil && back != redirect+"?code=c&state="+state {
				err = errors.New("got " + back)
			}
			l.done <- err
		}()
		<-opened
		l.redirect = <-redirects
		return l
	}
	back := func(l login) string { return l.redirect + "?code=c&state=" + l.state }
	ends := func(l login) {
		t.Helper()
		select {
		case err := <-l.done:
			if err != nil {
				t.Errorf("login %s: %v", l.state, err)
			}
		case <-testkit.Context(t).Done():
			t.Fatalf("login %s does not end", l.state)
		}
	}
	given := begin("given-up")
	given.cancel()
	if err := <-given.done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	pasted := begin("pasted")
	io.WriteString(user, back(pasted)+"\n")
	ends(pasted)
	redirected := begin("redirected")
	if err := visitPage(back(redirected)); err != nil {
		t.Error(err)
	}
	ends(redirected)
	first, second := begin("first"), begin("second")
	io.WriteString(user, back(first)+"\nhello\n"+back(second)+"\n")
	ends(first)
	ends(second)
	// Without a login, what the user types is not for the browser.
	go io.WriteString(user, "typed")
	text := make([]byte, 5)
	if n, err := in.Read(text); err != nil || string(text[:n]) != "typed" {
		t.Errorf("read %q, %v", text[:n], err)
	}
}

// Pages in the browser cannot end a login or give it a code.
func TestForeignRequests(t *testing.T) {
	w := newWorld(t)
	browser := &client.Browser{Open: func(address string) error {
		u, _ := url.Parse(address)
		redirect := u.Query().Get("redirect_uri")
		for _, test := range []struct {
			method, target, host string
			status               int
		}{
			{"GET", redirect + "?code=evil", "", 400},
			{"GET", redirect + "?error=access_denied&state=guess", "", 400},
			{"GET", strings.TrimSuffix(redirect, "/callback") + "/?state=" + u.Query().Get("state"), "", 404},
			{"POST", redirect + "?code=evil&state=" + u.Query().Get("state"), "", 405},
			{"GET", redirect + "?code=evil&state=" + u.Query().Get("state"), "evil.example", 404}, // DNS rebinding
		} {
			req, err := http.NewRequest(test.method, test.target, nil)
			if err != nil {
				return err
			}
			req.Host = test.host
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return err
			}
			resp.Body.Close()
			if resp.StatusCode != test.status {
				t.Errorf("%s %s: %s", test.method, test.target, resp.Status)
			}
		}
		go visitPage(address)
		return nil
	}}
	got, err := call(t.Context(), w.transport(client.Options{Flow: client.AuthorizationCode{Agent: browser}}).Client(), w.url(), "")
	want(t, got, err, "200 ok access-1 body")
}

func TestBrowserErrors(t *testing.T) {
	for _, bad := range []string{"https://127.0.0.1/x", "http://example.com/callback", "http://0.0.0.0/", "x:"} {
		begin := func(string) (string, error) { return "", errors.New("begun") }
		if _, err := (&client.Browser{RedirectURI: bad}).Authorize(t.Context(), "", begin); err == nil || err.Error() == "begun" {
			t.Errorf("%s: got %v", bad, err)
		}
	}
	browser := &client.Browser{Open: func(string) error { return errors.New("no display") }}
	w := newWorld(t)
	_, err := call(t.Context(), w.transport(client.Options{Flow: client.AuthorizationCode{Agent: browser}}).Client(), w.url(), "")
	if err == nil || !strings.Contains(err.Error(), "opening a browser: no display") {
		t.Errorf("got %v", err)
	}
}

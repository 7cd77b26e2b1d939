package client

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// A browser sends the host of the redirect URI in lower case, and leaves out port 80.
func TestHostOfRedirect(t *testing.T) {
	for redirect, hosts := range map[string]map[string]int{
		"http://127.0.0.1:80/callback":   {"127.0.0.1": 200, "127.0.0.1:80": 200, "localhost": 404, "127.0.0.1:81": 404, "evil.example": 404, "": 404},
		"http://LocalHost:8765/callback": {"localhost:8765": 200, "LOCALHOST:8765": 200, "localhost": 404, "127.0.0.1:8765": 404},
		"http://[::1]:80/callback":       {"[::1]": 200, "[::1]:80": 200, "::1": 404},
	} {
		u, err := url.Parse(redirect)
		if err != nil {
			t.Fatal(err)
		}
		for host, want := range hosts {
			v := &visit{redirect: u, state: "s", found: make(chan string, 1)}
			r := httptest.NewRequest(http.MethodGet, "/callback?code=c&state=s", nil)
			r.Host = host
			w := httptest.NewRecorder()
			v.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s, host %q: status %d, want %d", redirect, host, w.Code, want)
			}
		}
	}
}

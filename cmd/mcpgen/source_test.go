package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestFetch(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/schema.json":
			w.Write([]byte(`{"$defs": {}}`))
		case "/large":
			chunk := strings.Repeat(" ", 1<<20)
			for range maxSource>>20 + 1 {
				w.Write([]byte(chunk))
			}
		case "/cut":
			w.Header().Set("Content-Length", "100")
			w.Write([]byte("{"))
		case "/moved":
			http.Redirect(w, r, "/schema.json", http.StatusFound)
		case "/unsafe":
			http.Redirect(w, r, "http://example.invalid/schema.json", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()

	client := server.Client()
	client.CheckRedirect = onlyHTTPS
	for _, path := range []string{"/schema.json", "/moved"} {
		src, err := fetch(t.Context(), client, server.URL+path)
		if err != nil || string(src) != `{"$defs": {}}` {
			t.Errorf("%s: got %q, %v", path, src, err)
		}
	}
	for path, want := range map[string]string{
		"/unsafe": "only https URLs are supported, but the server redirects to http://example.invalid/schema.json",
		"/round":  "stopped after 10 redirects",
		"/gone":   "the server answered 404 Not Found",
		"/large":  "larger than 64 MiB",
		"/cut":    "unexpected EOF",
	} {
		if _, err := fetch(t.Context(), client, server.URL+path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to contain %q", path, err, want)
		}
	}
}

package rest_test

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/rest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// serve answers every request in the same way.
func serve(t *testing.T, status int, mediaType, body string) *rest.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{mediaType}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return &rest.Client{BaseURL: s.URL}
}

var get = &rest.Operation{Method: "GET", Path: "/a"}

func TestCall(t *testing.T) {
	for _, row := range []struct {
		status          int
		mediaType, body string
		wrapped         bool
		want            string // the result, or a part of the error
	}{
		{200, "application/json", `{"a": 1.0}`, false, `{"a":1.0}`},
		{201, "", " [1]\n", true, `{"result":[1]}`},
		{204, "", "", true, `{}`},
		{204, "", "", false, "GET /a: the answer of the API is not what its description says: expected JSON, found nothing (status 204)"},
		{200, "application/json", `[1]`, false, "expected an object"},
		{200, "text/html", "<p>", false, "expected JSON, found text/html (wire: at byte 0: expected a value, found '<'): <p>"},
		{200, "application/json", `{"a":1,"a":2}`, false, `duplicate`},
		{302, "text/plain", "", false, "GET /a: 302 Found"},
		{404, "application/json", ` {"no":1} `, false, `GET /a: 404 Not Found: {"no":1}`},
		{500, "image/png", "\xff", false, "GET /a: 500 Internal Server Error"},
		{418, "text/plain", strings.Repeat("é", 5000), false, "GET /a: 418 I'm a teapot: " + strings.Repeat("é", 1024) + "..."},
	} {
		o := *get
		o.Wrapped = row.wrapped
		var out wire.Object
		_, err := rest.Call(t.Context(), serve(t, row.status, row.mediaType, row.body), &o, wire.Object("{}"), &out)
		if err != nil {
			if !strings.Contains(err.Error(), row.want) || row.status >= 300 && err.Error() != row.want {
				t.Errorf("%s: got %v, want %s", row.body, err, row.want)
			}
			continue
		}
		if got, err := out.AppendJSON(nil); err != nil || string(got) != row.want {
			t.Errorf("%s: got %s, %v, want %s", row.body, got, err, row.want)
		}
	}
	_, err := rest.Call(t.Context(), serve(t, 404, "", ""), get, wire.Object("{}"), new(wire.Object))
	if status, ok := errors.AsType[*rest.StatusError](err); !ok || status.Status != 404 {
		t.Errorf("got %v", err)
	}
}

func TestCallContent(t *testing.T) {
	decode := func(o wire.Object) ([]string, error) { return []string{string(o)}, nil }
	for _, row := range []struct{ mediaType, body, want string }{
		{"text/plain", "a\"b", `{"type":"text","text":"a\"b"}`},
		{"application/json", `{"a":1}`, `{"type":"text","text":"{\"a\":1}"}`},
		{"image/png", "\x89", `{"type":"image","data":"iQ==","mimeType":"image/png"}`},
		{"audio/wav", "a", `{"type":"audio","data":"YQ==","mimeType":"audio/wav"}`},
		{"image/svg+xml", "<svg/>", `{"type":"text","text":"<svg/>"}`},
		{"", "\xff", `{"type":"resource","resource":{"uri":"URL/a","mimeType":"application/octet-stream","blob":"/w=="}}`},
		{"", "", `{"type":"text","text":"200 OK"}`},
	} {
		c := serve(t, 200, row.mediaType, row.body)
		got, err := rest.CallContent(t.Context(), c, get, wire.Object("{}"), decode)
		want := `{"content":[` + strings.ReplaceAll(row.want, "URL", c.BaseURL) + `]}`
		if err != nil || got[0] != want {
			t.Errorf("%s: got %v, %v, want %s", row.mediaType, got, err, want)
		}
	}
}

func TestResponseLimit(t *testing.T) {
	c := serve(t, 200, "text/plain", "12345")
	decode := func(o wire.Object) ([]wire.Object, error) { return []wire.Object{o}, nil }
	for _, c.MaxResponse = range []int64{5, math.MaxInt64} {
		if got, err := rest.CallContent(t.Context(), c, get, wire.Object("{}"), decode); err != nil || !strings.Contains(string(got[0]), "12345") {
			t.Errorf("%d: %s, %v", c.MaxResponse, got, err)
		}
	}
	c.MaxResponse = 4
	if _, err := rest.CallContent(t.Context(), c, get, wire.Object("{}"), decode); err == nil || err.Error() != "GET /a: the answer is longer than 4 bytes" {
		t.Errorf("got %v", err)
	}
}

// TestCredentials checks which credentials are sent, and how.
func TestCredentials(t *testing.T) {
	bearer := rest.Scheme{Name: "token", Kind: "bearer"}
	basic := rest.Scheme{Name: "user", Kind: "basic"}
	header := rest.Scheme{Name: "header", Kind: "apiKey", In: "header", Parameter: "X-Key"}
	query := rest.Scheme{Name: "query", Kind: "apiKey", In: "query", Parameter: "key"}
	cookie := rest.Scheme{Name: "cookie", Kind: "apiKey", In: "cookie", Parameter: "sid"}
	for _, row := range []struct {
		security [][]rest.Scheme
		has      string // the names of schemes with credentials
		want     string
	}{
		{nil, "token", "/a?q=1"},
		{[][]rest.Scheme{{bearer}}, "token", "/a?q=1 Authorization=Bearer c d"},
		{[][]rest.Scheme{{basic}}, "user", "/a?q=1 Authorization=Basic YyBk"},
		{[][]rest.Scheme{{header, query, cookie}}, "header query cookie", "/a?q=1&key=c%20d X-Key=c d Cookie=a=1; sid=c%20d"},
		{[][]rest.Scheme{{bearer, header}, {query}}, "token query", "/a?q=1&key=c%20d"},
		{[][]rest.Scheme{{}, {bearer}}, "token", "/a?q=1 Authorization=Bearer c d"},
		{[][]rest.Scheme{{}, {bearer}}, "", "/a?q=1"},
		{[][]rest.Scheme{{bearer, header}, {query}}, "token", "GET /a: the API requires credentials that are not in the environment of the server: TOKEN and HEADER, or QUERY"},
	} {
		got := ""
		s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			got = r.RequestURI
			for _, name := range []string{"Authorization", "X-Key", "Cookie"} {
				if value := r.Header.Get(name); value != "" && value != "a=1" {
					got += " " + name + "=" + value
				}
			}
		}))
		o := &rest.Operation{Method: "GET", Path: "/a", Wrapped: true, Security: row.security, Parameters: []rest.Parameter{
			{Member: "q", Name: "q", In: "query", Style: "form"}, {Member: "c", Name: "a", In: "cookie", Style: "form"},
		}}
		c := &rest.Client{BaseURL: s.URL, Credentials: func(_ context.Context, s rest.Scheme) (string, error) {
			if strings.Contains(" "+row.has+" ", " "+s.Name+" ") {
				return "c d", nil
			}
			return "", nil
		}}
		if _, err := rest.Call(t.Context(), c, o, wire.Object(`{"q":1,"c":1}`), new(wire.Object)); err != nil {
			got = err.Error()
		}
		s.Close()
		if got != row.want {
			t.Errorf("%s: got %s, want %s", row.has, got, row.want)
		}
	}
}

func TestVariables(t *testing.T) {
	got := map[string]string{}
	for _, name := range []string{"bearerAuth", "api_key", "X-API-Key", "OAuth2", "petstore auth", "é", "2legged", "httpBasic2"} {
		got[name] = rest.Scheme{Name: name}.Variable()
	}
	want := map[string]string{
		"bearerAuth": "BEARER_AUTH", "api_key": "API_KEY", "X-API-Key": "X_API_KEY", "OAuth2": "OAUTH2", "petstore auth": "PETSTORE_AUTH",
		"é": "API_", "2legged": "API_2LEGGED", "httpBasic2": "HTTP_BASIC2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	t.Setenv("BEARER_AUTH", "secret")
	if value, err := rest.Environment(t.Context(), rest.Scheme{Name: "bearerAuth"}); value != "secret" || err != nil {
		t.Errorf("got %q, %v", value, err)
	}
}

// TestSecrets checks that a redirect to another host and errors do not reveal credentials.
func TestSecrets(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a" {
			http.Redirect(w, r, "/b?"+r.URL.RawQuery, http.StatusFound)
			return
		}
		http.Redirect(w, r, other.URL, http.StatusFound)
	}))
	o := *get
	o.Security = [][]rest.Scheme{{{Name: "k", Kind: "apiKey", In: "query", Parameter: "key"}}}
	c := &rest.Client{BaseURL: s.URL, Credentials: func(context.Context, rest.Scheme) (string, error) { return "secret", nil }}
	_, err := rest.Call(t.Context(), c, &o, wire.Object("{}"), new(wire.Object))
	if status, ok := errors.AsType[*rest.StatusError](err); !ok || status.Status != http.StatusFound || reached {
		t.Errorf("got %v, reached the other host: %v", err, reached)
	}
	s.Close()
	_, err = rest.Call(t.Context(), c, &o, wire.Object("{}"), new(wire.Object))
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.HasPrefix(err.Error(), "GET /a: ") {
		t.Errorf("got %v", err)
	}
}

// TestHeader checks the headers that a program adds.
func TestHeader(t *testing.T) {
	var got http.Header
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer s.Close()
	o := *get
	o.Wrapped, o.Accept = true, "application/json"
	c := &rest.Client{BaseURL: s.URL, Header: http.Header{"User-Agent": {"me"}, "Accept": {"text/html"}}}
	if _, err := rest.Call(t.Context(), c, &o, wire.Object("{}"), new(wire.Object)); err != nil {
		t.Fatal(err)
	}
	if got.Get("User-Agent") != "me" || got.Get("Accept") != "application/json" {
		t.Errorf("got %v", got)
	}
}

package oauth

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/reach"
)

// TestCheckHost checks which hosts a URL of another party may have, beside one that the user of the package permits.
func TestCheckHost(t *testing.T) {
	c := NewFetcher(FetchOptions{Host: "10.0.0.9:8443"})
	for host, want := range map[string]bool{
		"93.184.216.34": true, "[2606:2800:220:1::1]:8443": true, "auth.example.com": true, "auth.example.com.": true, "10.0.0.9:8443": true, "xn--bcher-kva.example": true,
		"127.0.0.1": false, "[::1]": false, "10.0.0.1": false, "10.0.0.9": false, "192.168.0.1": false, "169.254.169.254": false,
		"[fe80::1]": false, "[fd00::1]": false, "0.0.0.0": false, "[::ffff:127.0.0.1]": false, "100.64.0.1": false, "[64:ff9b::7f00:1]": false,
		"localhost": false, "LocalHost.": false, "a.localhost": false, "2130706433": false, "127.1": false, "0x7f.1": false, "0177.0.0.1": false, ".": false,
		"１６９.２５４.１６９.２５４": false, "ｌｏｃａｌｈｏｓｔ": false, "%EF%BC%91.%EF%BC%91": false, "b\u00fccher.example": false,
	} {
		u, err := url.Parse("https://" + host + "/x")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.CheckHost(u); (err == nil) != want {
			t.Errorf("%s: got %v, allowed should be %t", host, err, want)
		}
	}
}

// TestCheckFound checks to which addresses of a name a proxy is sent.
func TestCheckFound(t *testing.T) {
	c := NewFetcher(FetchOptions{Host: "own.example:8443"})
	for address, want := range map[string]bool{
		"93.184.216.34": true, "2606:2800:220:1::1": true, "198.18.0.7": true, "::ffff:198.19.0.7": true,
		"127.0.0.1": false, "::1": false, "10.0.0.1": false, "169.254.169.254": false, "fd00::1": false, "::ffff:127.0.0.1": false,
		"0.0.0.0": false, "0.0.0.1": false, "::": false, "::ffff:0.0.0.0": false, "64:ff9b::": false, "224.0.0.1": false, "255.255.255.255": false,
	} {
		a := netip.MustParseAddr(address)
		if err := c.checkFound(&url.URL{Scheme: "https", Host: "a.example"}, a); (err == nil) != want {
			t.Errorf("%s: got %v, allowed should be %t", address, err, want)
		}
		if err := c.checkFound(&url.URL{Scheme: "https", Host: "own.example:8443"}, a); err != nil {
			t.Errorf("%s: got %v, want it allowed as for any server of the user", address, err)
		}
	}
}

// TestParseURL checks which URLs of other parties are refused.
func TestParseURL(t *testing.T) {
	for text, want := range map[string]bool{
		"https://a.example": true, "https://a.example/b?c=d": true, "http://127.0.0.1:1/": true, "http://localhost/": true,
		"http://a.example": false, "https://u@a.example": false, "https://a.example/#f": false, "https:///x": false, "https://:443": false, "ftp://a.example": false,
		"javascript:alert(1)": false, "": false, "https://a.example/?\u009b": false, "https://a.example/ b": true, "https://a.example/?a b": false,
	} {
		if _, err := ParseURL(text); (err == nil) != want {
			t.Errorf("%q: got %v, allowed should be %t", text, err, want)
		}
	}
}

// TestGivenClient checks that a client of the program decides alone, and that redirects are not followed without it.
func TestGivenClient(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there", http.StatusFound)
			return
		}
		w.Write([]byte(`"here"`))
	}))
	defer s.Close()
	for name, test := range map[string]struct {
		opts    FetchOptions
		allowed reach.Kind
		want    string
	}{
		"given":     {FetchOptions{HTTP: s.Client()}, 0, ""},
		"forbidden": {FetchOptions{Timeout: time.Minute, Redirects: 1}, reach.Private | reach.LinkLocal, "refused to connect"},
		"redirect":  {FetchOptions{Timeout: time.Minute}, reach.Loopback, "status 302"},
		"followed":  {FetchOptions{Timeout: time.Minute, Redirects: 1}, reach.Loopback, ""},
	} {
		var text string
		f := NewFetcher(test.opts)
		f.Allow(test.allowed)
		_, err := f.Document(t.Context(), nil, &text, s.URL)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) || err == nil && text != "here" {
			t.Errorf("%s: got %q, %v, want %q", name, text, err, test.want)
		}
	}
}

// TestPages checks that a page in place of a document is an error only if no other URL has the document.
func TestPages(t *testing.T) {
	document := true
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if document && r.URL.Path == "/a"+wellKnownOpenID {
			fmt.Fprintf(w, `{"issuer":%q}`, s.URL+"/a")
			return
		}
		if r.URL.Path == "/a"+wellKnownOpenID {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, "<!doctype html>")
	}))
	defer s.Close()
	f := NewFetcher(FetchOptions{HTTP: s.Client()})
	if m, err := f.IssuerMetadata(t.Context(), s.URL+"/a"); err != nil || m.Issuer != s.URL+"/a" {
		t.Errorf("got %v, %v", m, err)
	}
	document = false
	if _, err := f.IssuerMetadata(t.Context(), s.URL+"/a"); err == nil || !strings.Contains(err.Error(), wellKnownOpenID+"/a: not a JSON document as expected: invalid character '<'") {
		t.Errorf("got %v", err)
	}
}

package oauth

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A4: a client parses WWW-Authenticate headers.
func TestParseChallenges(t *testing.T) {
	type challenges = []Challenge
	params := func(pairs ...string) map[string]string {
		all := map[string]string{}
		for pair := range slices.Chunk(pairs, 2) {
			all[pair[0]] = pair[1]
		}
		return all
	}
	for _, test := range []struct {
		name, value string
		want        challenges
	}{
		{name: "empty", value: " , "},
		{name: "scheme alone", value: "Bearer", want: challenges{{"Bearer", params()}}},
		{name: "token and quoted values", value: `Bearer error=invalid_token, scope="a b"`, want: challenges{{"Bearer", params("error", "invalid_token", "scope", "a b")}}},
		{name: "escapes and commas in a quoted string", value: `Bearer realm="a\"b\\, c", Scope="x"`, want: challenges{{"Bearer", params("realm", `a"b\, c`, "scope", "x")}}},
		{name: "several challenges", value: `Negotiate YWJj=, Basic realm="x" , DPoP algs="ES256 RS256", NTLM ab/c , Bearer`,
			want: challenges{{"Negotiate", params()}, {"Basic", params("realm", "x")}, {"DPoP", params("algs", "ES256 RS256")}, {"NTLM", params()}, {"Bearer", params()}}},
		{name: "space around the equals sign", value: `Bearer error = "x" ,scope= a`, want: challenges{{"Bearer", params("error", "x", "scope", "a")}}},
		{name: "a second scheme with a parameter", value: `Bearer error="x", Digest nonce=1`, want: challenges{{"Bearer", params("error", "x")}, {"Digest", params("nonce", "1")}}},
		{name: "the value of a scheme at the end", value: `Bearer error="x", Negotiate YWJj==`, want: challenges{{"Bearer", params("error", "x")}, {"Negotiate", params()}}},
		{name: "a URL without quotes", value: `Bearer resource_metadata=https://a.example:1/b?c=d, scope=x`,
			want: challenges{{"Bearer", params("resource_metadata", "https://a.example:1/b?c=d", "scope", "x")}}},
		// What precedes a syntax error counts.
		{name: "a semicolon", value: `Bearer error=x; scope="y"`, want: challenges{{"Bearer", params("error", "x")}}},
		{name: "unfinished string", value: `Basic, Bearer scope="a`, want: challenges{{"Basic", params()}, {"Bearer", params()}}},
		{name: "unfinished escape", value: `Basic, Bearer scope="a\`, want: challenges{{"Basic", params()}, {"Bearer", params()}}},
		{name: "duplicate", value: `Bearer scope=a, SCOPE=b`, want: challenges{{"Bearer", params("scope", "a")}}},
		{name: "no scheme", value: `="x"`},
		{name: "no scheme before a parameter", value: `a="x"`},
		{name: "no value", value: `Bearer a="x", b=, c=d`, want: challenges{{"Bearer", params("a", "x")}}},
		{name: "no comma", value: `Bearer a="x" b="y"`, want: challenges{{"Bearer", params("a", "x")}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Challenges(http.Header{"Www-Authenticate": {test.value, "DPoP"}})
			if diff := cmp.Diff(append(test.want, Challenge{"DPoP", params()}), got); diff != "" {
				t.Errorf("challenges (-want +got):\n%s", diff)
			}
			for _, c := range got {
				if diff := cmp.Diff(challenges{c}, parseChallenges(format(c))); diff != "" {
					t.Errorf("formatted and parsed again (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestLongChallenges checks that the time for a header grows with its length, not with the square of it: a response may
// have 10 MB of headers.
func TestLongChallenges(t *testing.T) {
	start := time.Now()
	Challenges(http.Header{"Www-Authenticate": {strings.Repeat("a ", 1<<19)}})
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("a header of 1 MB took %v", took)
	}
}

func format(c Challenge) string {
	var pairs []string
	for name, value := range c.Params {
		pairs = append(pairs, name, value)
	}
	return FormatChallenge(c.Scheme, pairs...)
}

func FuzzParseChallenges(f *testing.F) {
	f.Add(`Negotiate YWJj=, Basic realm="a\"b", Bearer error = x,scope="a b"`)
	f.Fuzz(func(t *testing.T, value string) {
		for _, c := range parseChallenges(value) {
			again := parseChallenges(format(c))
			if len(again) != 1 || again[0].Scheme != c.Scheme {
				t.Errorf("%q gives %q, which gives %v", value, format(c), again)
			}
		}
	})
}

func TestChallengeLeavesOutControlCharacters(t *testing.T) {
	c := FormatChallenge("Bearer", "error_description", "a\r\nSet-Cookie: x\x00\x7f", "scope", "", "realm", `a\"b`)
	if diff := cmp.Diff(`Bearer error_description="aSet-Cookie: x", realm="a\\\"b"`, c); diff != "" {
		t.Error(diff)
	}
}

// A2, A3, A5: where metadata is found.
func TestWellKnownURLs(t *testing.T) {
	for _, test := range []struct {
		url              string
		resource, issuer []string
		canonical        string
	}{
		{"https://example.com/public/mcp",
			[]string{"https://example.com/.well-known/oauth-protected-resource/public/mcp", "https://example.com/.well-known/oauth-protected-resource"},
			[]string{"https://example.com/.well-known/oauth-authorization-server/public/mcp",
				"https://example.com/.well-known/openid-configuration/public/mcp",
				"https://example.com/public/mcp/.well-known/openid-configuration"},
			"https://example.com/public/mcp"},
		{"HTTPS://Example.com:443/",
			[]string{"https://example.com/.well-known/oauth-protected-resource"},
			[]string{"https://example.com/.well-known/oauth-authorization-server", "https://example.com/.well-known/openid-configuration"},
			"https://example.com"},
		{"http://127.0.0.1:8080/a%2Fb/",
			[]string{"http://127.0.0.1:8080/.well-known/oauth-protected-resource/a%2Fb", "http://127.0.0.1:8080/.well-known/oauth-protected-resource"},
			[]string{"http://127.0.0.1:8080/.well-known/oauth-authorization-server/a%2Fb",
				"http://127.0.0.1:8080/.well-known/openid-configuration/a%2Fb",
				"http://127.0.0.1:8080/a%2Fb/.well-known/openid-configuration"},
			"http://127.0.0.1:8080/a%2Fb/"},
		{"https://[::1]:8443", []string{"https://[::1]:8443/.well-known/oauth-protected-resource"},
			[]string{"https://[::1]:8443/.well-known/oauth-authorization-server", "https://[::1]:8443/.well-known/openid-configuration"},
			"https://[::1]:8443"},
	} {
		canonical, err := CanonicalURL(test.url)
		if err != nil {
			t.Fatal(err)
		}
		resource, issuer := ResourceMetadataURLs(canonical), IssuerMetadataURLs(canonical)
		if diff := cmp.Diff(test.resource, resource); diff != "" {
			t.Errorf("%s: resource (-want +got):\n%s", test.url, diff)
		}
		if diff := cmp.Diff(test.issuer, issuer); diff != "" {
			t.Errorf("%s: issuer (-want +got):\n%s", test.url, diff)
		}
		if diff := cmp.Diff(test.canonical, canonical.String()); diff != "" {
			t.Errorf("%s: canonical (-want +got):\n%s", test.url, diff)
		}
	}
	for _, bad := range []string{"", "mcp.example.com", "ftp://a/b", "https://u:p@a", "https:///x", "https://a/#f", "https://a#", "https:a", "http://:8080/mcp", "https://:443"} {
		if got, err := CanonicalURL(bad); err == nil {
			t.Errorf("%q: got %q, want an error", bad, got)
		}
	}
}

package oauth

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A4: a client parses WWW-Authenticate headers.
func TestParseChallenges(t *testing.T) {
	type challenges = []Challenge
	params := func(pairs ...string) []Param {
		var list []Param
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, Param{Name: pairs[i], Value: pairs[i+1]})
		}
		return list
	}
	for _, test := range []struct {
		name, value string
		want        challenges
		wantErr     string
	}{
		{name: "empty", value: " , "},
		{name: "scheme alone", value: "Bearer", want: challenges{{Scheme: "Bearer"}}},
		{name: "token and quoted values", value: `Bearer error=invalid_token, scope="a b"`,
			want: challenges{{Scheme: "Bearer", Params: params("error", "invalid_token", "scope", "a b")}}},
		{name: "escapes and commas in a quoted string", value: `Bearer realm="a\"b\\, c", Scope="x"`,
			want: challenges{{Scheme: "Bearer", Params: params("realm", `a"b\, c`, "scope", "x")}}},
		{name: "several challenges", value: `Negotiate YWJj=, Basic realm="x" , DPoP algs="ES256 RS256", Bearer`,
			want: challenges{{Scheme: "Negotiate", Token68: "YWJj="}, {Scheme: "Basic", Params: params("realm", "x")},
				{Scheme: "DPoP", Params: params("algs", "ES256 RS256")}, {Scheme: "Bearer"}}},
		{name: "space around the equals sign", value: `Bearer error = "x" ,scope= a`,
			want: challenges{{Scheme: "Bearer", Params: params("error", "x", "scope", "a")}}},
		{name: "a second scheme with a parameter", value: `Bearer error="x", Digest nonce=1`,
			want: challenges{{Scheme: "Bearer", Params: params("error", "x")}, {Scheme: "Digest", Params: params("nonce", "1")}}},
		{name: "unfinished string", value: `Basic, Bearer scope="a`, want: challenges{{Scheme: "Basic"}, {Scheme: "Bearer"}},
			wantErr: `WWW-Authenticate: unfinished quoted string after 20 bytes of "Basic, Bearer scope=\"a"`},
		{name: "duplicate", value: `Bearer scope=a, SCOPE=b`, want: challenges{{Scheme: "Bearer", Params: params("scope", "a")}},
			wantErr: `WWW-Authenticate: the parameter "SCOPE" occurs twice after 23 bytes of "Bearer scope=a, SCOPE=b"`},
		{name: "no scheme", value: `="x"`, wantErr: `WWW-Authenticate: expected a scheme after 0 bytes of "=\"x\""`},
		{name: "no comma", value: `Bearer a="x" b="y"`, want: challenges{{Scheme: "Bearer", Params: params("a", "x")}},
			wantErr: `WWW-Authenticate: expected a comma after 13 bytes of "Bearer a=\"x\" b=\"y\""`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Challenges(http.Header{"Www-Authenticate": {test.value}})
			gotErr := ""
			if err != nil {
				gotErr = err.Error()
			}
			if diff := cmp.Diff(test.wantErr, gotErr); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("challenges (-want +got):\n%s", diff)
			}
			if err != nil {
				return
			}
			for _, c := range got {
				again, err := parseChallenges(c.String())
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(challenges{c}, again); diff != "" {
					t.Errorf("formatted and parsed again (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func FuzzParseChallenges(f *testing.F) {
	f.Add(`Negotiate YWJj=, Basic realm="a\"b", Bearer error = x,scope="a b"`)
	f.Fuzz(func(t *testing.T, value string) {
		list, err := parseChallenges(value)
		if err != nil {
			return
		}
		for _, c := range list {
			if _, err := parseChallenges(c.String()); err != nil {
				t.Errorf("%q gives %q: %v", value, c.String(), err)
			}
		}
	})
}

func TestChallengeLeavesOutControlCharacters(t *testing.T) {
	c := Challenge{Scheme: "Bearer"}.With("error_description", "a\r\nSet-Cookie: x\x00\x7f").With("scope", "")
	if diff := cmp.Diff(`Bearer error_description="aSet-Cookie: x"`, c.String()); diff != "" {
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
		resource, err := ResourceMetadataURLs(test.url)
		if err != nil {
			t.Fatal(err)
		}
		issuer, err := IssuerMetadataURLs(test.url)
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := CanonicalResource(test.url)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.resource, resource); diff != "" {
			t.Errorf("%s: resource (-want +got):\n%s", test.url, diff)
		}
		if diff := cmp.Diff(test.issuer, issuer); diff != "" {
			t.Errorf("%s: issuer (-want +got):\n%s", test.url, diff)
		}
		if diff := cmp.Diff(test.canonical, canonical); diff != "" {
			t.Errorf("%s: canonical (-want +got):\n%s", test.url, diff)
		}
	}
	for _, bad := range []string{"", "mcp.example.com", "ftp://a/b", "https://u:p@a", "https:///x", "https://a/#f", "https://a#", "https:a", "http://:8080/mcp", "https://:443"} {
		if got, err := ResourceMetadataURLs(bad); err == nil {
			t.Errorf("%q: got %q, want an error", bad, got)
		}
	}
}

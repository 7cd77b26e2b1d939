package authorization

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/authserver"
)

// requirement is a row of server.yaml or client.yaml.
type requirement struct {
	ID        string   `yaml:"id"`
	Revisions []string `yaml:"revisions"`
	Level     string   `yaml:"level"`
	Text      string   `yaml:"text"`
	Not       string   `yaml:"not"`

	// Tests and Suite are those of the rows of client.yaml.
	Tests []string `yaml:"tests"`
	Suite []string `yaml:"suite"`
}

// readTable reads the rows of a file.
func readTable(t *testing.T, file string) []requirement {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Requirements []requirement `yaml:"requirements"`
	}
	if err := yaml.Load(src, &table, yaml.WithKnownFields()); err != nil {
		t.Fatal(err)
	}
	return table.Requirements
}

// TestTable checks that each row has a test or says why not, and runs the tests of the rows.
func TestTable(t *testing.T) {
	all := maps.Clone(rows)
	maps.Copy(all, attacks)
	known := map[string]bool{}
	for _, row := range readTable(t, "server.yaml") {
		run := all[row.ID]
		if known[row.ID] || (run == nil) != (row.Not != "") {
			t.Errorf("%s: two rows have this id, or it has both or neither of a test and a reason: %s", row.ID, row.Text)
		}
		known[row.ID] = true
		if run != nil {
			t.Run(row.ID, func(t *testing.T) {
				t.Parallel()
				t.Log(row.Text)
				run(t)
			})
		}
	}
	for id := range all {
		if !known[id] {
			t.Errorf("the test %s has no row", id)
		}
	}
}

// rows has the tests of the requirements.
var rows = map[string]func(*testing.T){
	"R1": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		r.call("who", "").want(t, "no token", http.StatusUnauthorized, "")
		r.inSession("", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`).want(t, "initialize", http.StatusUnauthorized, "")
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			request, err := http.NewRequest(method, r.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.send(request).want(t, method, http.StatusUnauthorized, "")
		}
		basic := r.request("tools/list", "", "")
		basic.SetBasicAuth("a", "b")
		r.send(basic).want(t, "another scheme", http.StatusUnauthorized, "")
	},
	"R2": func(t *testing.T) { // A1
		r := newRig(t, authserver.Options{}, func(_ *rig, o *auth.Options) {
			o.Name, o.Documentation, o.ScopesSupported = "Files", "https://docs.example", []string{"mcp", "files:read"}
		})
		want := map[string]any{
			"resource": r.url, "authorization_servers": []any{r.as.Issuer}, "scopes_supported": []any{"mcp", "files:read"}, "resource_name": "Files", "resource_documentation": "https://docs.example",
			"bearer_methods_supported": []any{"header"}, "dpop_signing_alg_values_supported": []any{"ES256", "ES384", "EdDSA", "RS256", "PS256"},
		}
		if diff := cmp.Diff(want, r.document(r.guard.MetadataURL())); diff != "" {
			t.Errorf("metadata (-want +got):\n%s", diff)
		}
		byItems := newRig(t, authserver.Options{}, nil)
		if got, want := byItems.document(byItems.guard.MetadataURL())["scopes_supported"], []any{"mcp", "files:read", "files:write", "prompts"}; !cmp.Equal(got, any(want)) {
			t.Errorf("scopes_supported: got %q, want those of the server and of its items, %q", got, want)
		}
		keys := newRig(t, authserver.Options{}, ownTokens)
		if got := keys.call("who", "").bearer().params["resource_metadata"]; got != "" || keys.guard.MetadataURL() != "" {
			t.Errorf("no authorization server: the challenge names the metadata %q", got)
		}
		answer, err := http.Get(keys.URL + "/.well-known/oauth-protected-resource/mcp")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusNotFound {
			t.Errorf("no authorization server: status %d for the metadata, want 404", answer.StatusCode)
		}
	},
	"R3": func(t *testing.T) { // A2
		r := newRig(t, authserver.Options{}, nil)
		if got, want := r.call("who", "").bearer().params["resource_metadata"], r.URL+"/.well-known/oauth-protected-resource/mcp"; got != want {
			t.Errorf("resource_metadata: got %q, want %q", got, want)
		}
	},
	"R4": func(t *testing.T) { // A2
		r := newRig(t, authserver.Options{}, nil)
		at := r.document(r.URL + "/.well-known/oauth-protected-resource/mcp")
		root := r.document(r.URL + "/.well-known/oauth-protected-resource")
		if diff := cmp.Diff(at, root); diff != "" {
			t.Errorf("with and without a path:\n%s", diff)
		}
	},
	"R5": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, func(_ *rig, o *auth.Options) { o.Scopes = []string{"mcp", "basic"} })
		if diff := cmp.Diff([]string{"mcp", "basic"}, strings.Fields(r.call("who", "").bearer().params["scope"])); diff != "" {
			t.Errorf("scopes (-want +got):\n%s", diff)
		}
	},
	"R6": func(t *testing.T) { // A15
		r := newRig(t, authserver.Options{}, nil)
		r.accepted("a good token", r.as.Token(r.url, "mcp"))
		a := r.call("who", r.as.Token(r.url, "mcp", "x"))
		if !strings.Contains(a.body, "user client mcp,x") {
			t.Errorf("the handler does not see the caller: %s", a.body)
		}
	},
	"R7": func(t *testing.T) { // A15
		r := newRig(t, authserver.Options{}, nil)
		r.refused("not a JWT", "abc")
		claims := r.as.Claims(r.url, "mcp")
		claims["exp"] = time.Now().Add(-time.Hour).Unix()
		token := r.as.Sign(claims)
		r.refused("expired", token)
		r.refused("expired, again", token)
	},
	"R8": func(t *testing.T) { // A15
		r := newRig(t, authserver.Options{}, nil)
		for _, audience := range []any{"https://other.example", r.URL, r.url + "/x", r.url + "#x", []string{}, "mcp", r.as.Issuer, []any{1}} {
			claims := r.as.Claims(r.url, "mcp")
			claims["aud"] = audience
			r.refused(fmt.Sprintf("audience %v", audience), r.as.Sign(claims))
		}
		claims := r.as.Claims(r.url, "mcp")
		claims["aud"] = []string{"https://other.example", r.url}
		r.accepted("one of two audiences", r.as.Sign(claims))
	},
	"R9": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		request := r.request("tools/list", "", "")
		request.URL.RawQuery = "access_token=" + r.as.Token(r.url, "mcp")
		r.send(request).want(t, "a token in the query", http.StatusBadRequest, "invalid_request")
	},
	"R10": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		token := r.as.Token(r.url, "mcp")
		id := r.session(token)
		r.inSession(id, "", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`).want(t, "in a session", http.StatusUnauthorized, "")
		if a := r.inSession(id, token, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); a.status != http.StatusOK {
			t.Errorf("with the token: status %d: %s", a.status, a.body)
		}
	},
	"R11": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		for _, header := range []string{"Bearer", "Bearer ", "Bearer a b", "Bearer a,b", `Bearer "x"`, "bearer =x", "DPoP"} {
			request := r.request("tools/list", "", "")
			request.Header.Set("Authorization", header)
			r.send(request).want(t, header, http.StatusBadRequest, "invalid_request")
		}
	},
	"R12": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		r.call("who", r.as.Token(r.url, "other")).want(t, "without the scope of the server", http.StatusForbidden, "insufficient_scope")
		r.call("write", r.as.Token(r.url, "mcp", "files:read")).want(t, "without a scope of the tool", http.StatusForbidden, "insufficient_scope")
		if r.calls.Load() != 0 {
			t.Error("the tool was called")
		}
	},
	"R13": testInsufficient, // A19
	"R14": func(t *testing.T) { // A19
		r := newRig(t, authserver.Options{}, nil)
		if diff := cmp.Diff([]string{"mcp", "files:read", "files:write"}, strings.Fields(r.call("write", r.as.Token(r.url, "mcp")).bearer().params["scope"])); diff != "" {
			t.Errorf("scopes (-want +got):\n%s", diff)
		}
	},
	"R15": func(t *testing.T) { // A21
		r := newRig(t, authserver.Options{}, nil)
		if a := r.send(r.request("tools/call", `"name":"write","arguments":{"x":1}`, r.as.Token(r.url, "mcp", "files:admin"))); a.status != http.StatusOK || r.calls.Load() != 1 {
			t.Errorf("status %d: %s", a.status, a.body)
		}
	},
	"R16": func(t *testing.T) { // A18
		for _, o := range []auth.Options{{Scopes: []string{"offline_access"}}, {ScopesSupported: []string{"offline_access"}}} {
			o.Resource, o.Issuers = "https://r.example", []auth.Issuer{{URL: "https://a.example"}}
			if _, err := auth.NewGuard(o); err == nil || !strings.Contains(err.Error(), "offline_access") {
				t.Errorf("%+v: got %v, want an error", o, err)
			}
		}
	},
	"R17": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, func(r *rig, o *auth.Options) { o.Resource = strings.ToUpper(r.URL[:4]) + r.URL[4:] + "/" })
		for _, audience := range []string{r.URL, r.URL + "/", "HTTP" + r.URL[4:]} {
			r.accepted(audience, r.as.Token(audience, "mcp"))
		}
	},
	"R32": func(t *testing.T) {
		for _, bad := range []string{"http://:8080/mcp", "https://", "http://0.0.0.0:8080/mcp", "http://[::]:8080/mcp", "http://[::ffff:0.0.0.0]/mcp", "http://localhost:0/mcp"} {
			if _, err := auth.NewGuard(auth.Options{Resource: bad, Issuers: []auth.Issuer{{URL: "https://a.example"}}}); err == nil || !strings.Contains(err.Error(), "option Resource") {
				t.Errorf("%s: got %v, want an error", bad, err)
			}
		}
	},
	"R18": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		var first string
		for i, scopes := range [][]string{{"mcp"}, {"mcp", "files:read"}, {"mcp", "files:write", "x"}} {
			c := r.call("write", r.as.Token(r.url, scopes...)).header.Get("WWW-Authenticate")
			if i == 0 {
				first = c
			}
			if c != first {
				t.Errorf("%v: got %s, want %s", scopes, c, first)
			}
		}
	},
	"R21": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		a := r.send(r.request("server/discover", "", ""))
		if a.status != http.StatusUnauthorized || strings.Contains(a.body, "serverInfo") || strings.Contains(a.body, "2026") {
			t.Errorf("status %d: %s", a.status, a.body)
		}
	},
	"R22": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		good, bad := r.as.Token(r.url, "mcp"), r.as.Token("https://other.example", "mcp")
		a, b := r.call("write", good), r.call("who", bad)
		for _, token := range []string{good, bad} {
			parts := strings.Split(token, ".")
			if log := r.log.String(); strings.Contains(log, parts[2]) || strings.Contains(a.body+b.body+fmt.Sprint(a.challenges, b.challenges), parts[2]) {
				t.Errorf("a log or answer has the token: %s", log)
			}
		}
	},
	"R23": func(t *testing.T) {
		for _, issuer := range []auth.Issuer{{URL: "http://a.example"}, {URL: "ftp://a.example"}, {URL: "a.example"}, {URL: "https://u:p@a.example"}, {URL: ""}} {
			if _, err := auth.NewGuard(auth.Options{Resource: "https://r.example", Issuers: []auth.Issuer{issuer}}); err == nil {
				t.Errorf("%q: want an error", issuer.URL)
			}
		}
	},
	"R24": testLocal, // B22
	"R26": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		id := r.session(r.as.Token(r.url, "mcp"))
		other := r.as.Claims(r.url, "mcp")
		other["sub"] = "somebody"
		list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
		if a := r.inSession(id, r.as.Sign(other), list); a.status != http.StatusNotFound {
			t.Errorf("another user: status %d: %s", a.status, a.body)
		}
		if a := r.inSession(id, r.as.Token(r.url, "mcp"), list); a.status != http.StatusOK {
			t.Errorf("another token of the user: status %d: %s", a.status, a.body)
		}
	},
	"R27": func(t *testing.T) {
		r := newRig(t, authserver.Options{}, nil)
		id := r.session(r.as.Token(r.url, "mcp"))
		for lifetime := 2 * time.Second; ; lifetime *= 2 {
			claims := r.as.Claims(r.url, "mcp")
			claims["exp"] = time.Now().Add(lifetime).Unix()
			token := r.as.Sign(claims)
			request, err := http.NewRequest(http.MethodGet, r.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header = http.Header{"Authorization": {"Bearer " + token}, "Mcp-Session-Id": {id}, "Accept": {"text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"}}
			a := r.send(request) // reads to the end of the stream
			r.refused("after the end", token)
			if a.status == http.StatusOK {
				return
			}
			// On a busy machine, the request may come after the end of a short lifetime.
			if a.status != http.StatusUnauthorized || lifetime > testkit.Limit {
				t.Fatalf("status %d: %s", a.status, a.body)
			}
		}
	},
}

// document reads metadata.
func (r *rig) document(place string) map[string]any {
	r.t.Helper()
	request, err := http.NewRequest(http.MethodGet, place, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	a := r.send(request)
	var m map[string]any
	if err := json.Unmarshal([]byte(a.body), &m); err != nil || a.status != http.StatusOK || a.header.Get("Content-Type") != "application/json" {
		r.t.Fatalf("%s: status %d: %v: %s", place, a.status, err, a.body)
	}
	return m
}

// ownTokens lets in one token, which no authorization server knows.
func ownTokens(_ *rig, o *auth.Options) {
	o.Issuers = nil
	o.Verifier = func(_ context.Context, token string) (*auth.Caller, error) {
		if token == "key-of-zoe" {
			return &auth.Caller{Subject: "zoe", Scopes: []string{"mcp"}}, nil
		}
		return nil, &auth.TokenError{Reason: "unknown API key"}
	}
}

// TestOwnTokens lets in tokens of another kind beside those of an authorization server.
func TestOwnTokens(t *testing.T) {
	r := newRig(t, authserver.Options{}, func(r *rig, o *auth.Options) {
		issuers := o.Issuers
		ownTokens(r, o)
		o.Issuers = issuers
	})
	r.accepted("an API key", "key-of-zoe")
	r.accepted("a token of the issuer", r.as.Token(r.url, "mcp"))
	r.refused("a token for another server", r.as.Token("https://other.example.com", "mcp"))
	r.refused("a token that nobody knows", "guess")
	if got, want := r.document(r.guard.MetadataURL())["authorization_servers"], []any{r.as.Issuer}; !cmp.Equal(got, any(want)) {
		t.Errorf("authorization servers: got %q, want %q", got, want)
	}
}

// testInsufficient checks the refusals of every kind of item, in both eras.
func testInsufficient(t *testing.T) {
	r := newRig(t, authserver.Options{}, nil)
	token := r.as.Token(r.url, "mcp")
	id := r.session(token)
	for _, test := range []struct{ method, params, scopes string }{
		{"tools/call", `"name":"write"`, "mcp files:read files:write"}, // before the arguments are read: x is missing
		{"tools/call", `"name":"dynamic","arguments":{"scope":"found"}`, "mcp found"},
		{"prompts/get", `"name":"p"`, "mcp prompts"},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}`, "mcp prompts"},
		{"resources/read", `"uri":"a:b"`, "mcp files:read"},
		{"resources/read", `"uri":"t:1"`, "mcp files:write"},
	} {
		in := fmt.Sprintf(`{"jsonrpc":"2.0","id":"i","method":%q,"params":{%s}}`, test.method, test.params)
		for era, a := range map[string]*answer{"stateless": r.send(r.request(test.method, test.params, token)), "session": r.inSession(id, token, in)} {
			what := era + " " + test.method
			a.want(t, what, http.StatusForbidden, "insufficient_scope")
			c := a.bearer()
			if got := c.params["scope"]; got != test.scopes || c.params["resource_metadata"] != r.guard.MetadataURL() || c.params["error_description"] == "" {
				t.Errorf("%s: challenge %s, want the scopes %s", what, c, test.scopes)
			}
			var body struct {
				ID    any
				Error struct {
					Code int
					Data struct {
						HTTPStatus      int      `json:"httpStatus"`
						WWWAuthenticate []string `json:"wwwAuthenticate"`
					}
				}
			}
			if err := json.Unmarshal([]byte(a.body), &body); err != nil || body.ID == nil || body.Error.Code != 403 ||
				body.Error.Data.HTTPStatus != 403 || !slices.Equal(body.Error.Data.WWWAuthenticate, a.header["Www-Authenticate"]) {
				t.Errorf("%s: body %s: %v", what, a.body, err)
			}
		}
	}
}

// testLocal checks that scopes are not enforced over a transport without HTTP, unless the program says who
// calls.
func testLocal(t *testing.T) {
	r := newRig(t, authserver.Options{}, nil)
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "s", Version: "1"}, r.items()[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		ctx  context.Context
		want string
	}{
		{t.Context(), "no caller"}, // of the tool itself
		{r.guard.As(t.Context(), &auth.Caller{Subject: "me", Scopes: []string{"files:admin"}}), ""},
		{r.guard.As(t.Context(), &auth.Caller{Subject: "me"}), "forbidden"},
	} {
		near, far := inproc.Pair()
		ctx, cancel := context.WithCancel(test.ctx)
		go server.Serve(ctx, far)
		session, err := mcp.Connect(t.Context(), near, mcp.ClientOptions{Name: "c", Version: "1"})
		if err != nil {
			t.Fatal(err)
		}
		result, err := session.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "write", Arguments: wire.Object(`{"x":1}`)})
		got := fmt.Sprint(err)
		if err == nil {
			text, _ := wire.MarshalString(result)
			got = text
		}
		if !strings.Contains(got, test.want) || test.want == "" && strings.Contains(got, "isError") {
			t.Errorf("got %s, want %q", got, test.want)
		}
		cancel()
	}
}

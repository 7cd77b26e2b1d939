package authorization

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/tests/internal/authserver"
)

// testHidden checks that lists leave out what the caller may not use, and that a client does not keep such a
// list for another caller. Calls are checked in any case.
func testHidden(t *testing.T) {
	r := newRig(t, authserver.Options{}, nil)
	for _, hide := range []bool{true, false} {
		c := catalog.New(catalog.Options{HideForbidden: hide, PageSize: 2, Convert: compat.Converter(mcp.Revision, compat.Options{})})
		if err := c.Add(r.items()...); err != nil {
			t.Fatal(err)
		}
		public := runtime.CacheHint{TTL: time.Minute, Public: true}
		server, err := mcp.NewServer(mcp.ServerOptions{Name: "s", Version: "1", Cache: runtime.CacheHints{CacheHint: public}}, c)
		if err != nil {
			t.Fatal(err)
		}
		handler := streamable.NewHandler(server, streamable.Options{})
		t.Cleanup(handler.Close)
		r.Server.Config.Handler = r.guard.Protect(handler)
		for _, test := range []struct{ scope, tools, prompts, resources, templates string }{
			{"mcp", "who dynamic", "", "", ""},
			{"files:read", "who dynamic", "", "r", ""},
			{"files:admin", "who write dynamic", "", "r", "t"},
			{"prompts", "who dynamic", "p", "", ""},
		} {
			token := r.as.Token(r.url, "mcp", test.scope)
			for method, want := range map[string]string{
				"tools/list": test.tools, "prompts/list": test.prompts, "resources/list": test.resources, "resources/templates/list": test.templates,
			} {
				scope := "private"
				if !hide {
					want = map[string]string{"tools/list": "who write dynamic", "prompts/list": "p", "resources/list": "r", "resources/templates/list": "t"}[method]
					scope = "public"
				}
				names, scopes := r.list(method, token)
				if got := strings.Join(names, " "); got != want {
					t.Errorf("%s with %s, hiding %t: got %q, want %q", method, test.scope, hide, got, want)
				}
				if slices.ContainsFunc(scopes, func(s string) bool { return s != scope }) {
					t.Errorf("%s with %s, hiding %t: cacheScope %q, want %s", method, test.scope, hide, scopes, scope)
				}
			}
		}
		r.call("write", r.as.Token(r.url, "mcp")).want(t, "a hidden tool", http.StatusForbidden, "insufficient_scope")
	}
}

// list returns the names in all pages of a list, and the cacheScope of each page.
func (r *rig) list(method, token string) (names, scopes []string) {
	r.t.Helper()
	for params := ""; ; {
		a := r.send(r.request(method, params, token))
		var body struct {
			Result struct {
				Tools, Prompts, Resources, ResourceTemplates []struct{ Name string }
				NextCursor, CacheScope                       string
			}
		}
		if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.status != http.StatusOK {
			r.t.Fatalf("%s: status %d: %v: %s", method, a.status, err, a.body)
		}
		in := body.Result
		for _, item := range slices.Concat(in.Tools, in.Prompts, in.Resources, in.ResourceTemplates) {
			names = append(names, item.Name)
		}
		scopes = append(scopes, in.CacheScope)
		if in.NextCursor == "" {
			return names, scopes
		}
		cursor, err := json.Marshal(in.NextCursor)
		if err != nil {
			r.t.Fatal(err)
		}
		params = `"cursor":` + string(cursor)
	}
}

// testListen checks that a client without a session that listens to a resource gets a challenge for the scopes
// of all that it listens to, and that one with the scopes listens.
func testListen(t *testing.T) {
	r := newRig(t, authserver.Options{}, nil)
	a := r.send(r.request("subscriptions/listen", `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b","t:1","unknown:x"]}`, r.as.Token(r.url, "mcp", "files:read")))
	a.want(t, "a forbidden resource", http.StatusForbidden, "insufficient_scope")
	if got := a.bearer().params["scope"]; got != "mcp files:read files:write" || strings.Contains(a.body, "acknowledged") {
		t.Errorf("scopes %q, body %s", got, a.body)
	}
	// With the scopes, the stream stays open. A resource that does not exist is left out.
	request := r.request("subscriptions/listen", `"notifications":{"resourceSubscriptions":["a:b","t:1","unknown:x"]}`, r.as.Token(r.url, "mcp", "files:admin"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text := make([]byte, 4096)
	n, err := response.Body.Read(text)
	for err == nil && !strings.Contains(string(text[:n]), "acknowledged") {
		var more int
		more, err = response.Body.Read(text[n:])
		n += more
	}
	if got := string(text[:n]); err != nil || !strings.Contains(got, `"resourceSubscriptions":["a:b","t:1"]`) {
		t.Errorf("with the scopes: status %d: %v: %s", response.StatusCode, err, got)
	}
}

package interop

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/auth"
	authclient "github.com/mcpgen/mcpgen/runtime/auth/client"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/tests/internal/authserver"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// TestLoginAtTypeScriptServer logs in to a protected server on the TypeScript SDK, through a browser, and
// calls a tool that tells the user of the token.
func TestLoginAtTypeScriptServer(t *testing.T) {
	npm.Need(t, ".")
	as := authserver.New(t, authserver.Options{Scopes: []string{"tools"}})
	url, _ := startHTTP(t, exec.Command("node", "login_server.mjs", as.Issuer), "url=")
	login, err := authclient.New(url, authclient.Options{Name: "test", Flow: authclient.AuthorizationCode{Agent: &authclient.Browser{Open: authserver.Browse}}})
	if err != nil {
		t.Fatal(err)
	}
	bindings := compat.Client(mcp.BindClient(mcp.UnimplementedClient{}), compat.Options{})
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, bindings...).
		Connect(t.Context(), streamable.URL(url, streamable.ClientOptions{HTTPClient: login.Client()}))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	result, err := mcp.NewServerCaller(session).CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "who"})
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := result.Content[0].(*mcp.TextContent); !ok || text.Text != "user" {
		t.Errorf("%+v", result.Content)
	}
	status, err := login.Status(t.Context())
	if err != nil || status.Issuer != as.Issuer || !slices.Contains(status.Scopes, "tools") {
		t.Errorf("%+v, %v", status, err)
	}
}

// protected serves two tools that tell the user of the token, the second of which needs a scope of its own. It
// returns the URL of the server.
func protected(t *testing.T, as *authserver.Server) string {
	t.Helper()
	type (
		in  struct{}
		out struct {
			User string `json:"user"`
		}
	)
	user := func(ctx context.Context, _ *in) (*out, error) { return &out{auth.CallerOf(ctx).Subject}, nil }
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "protected", Version: "1.0.0"},
		typed.Tool(&mcp.Tool{Name: "who"}, user),
		typed.Tool(&mcp.Tool{Name: "write_note"}, user).Require("notes:write"))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	front := httptest.NewServer(mux)
	handler := streamable.NewHandler(server, streamable.Options{})
	t.Cleanup(func() {
		handler.Close()
		front.Close()
	})
	guard, err := auth.NewGuard(auth.Options{
		Resource: front.URL + "/mcp", Issuers: []auth.Issuer{{URL: as.Issuer}}, Scopes: []string{"notes"},
	})
	if err != nil {
		t.Fatal(err)
	}
	guard.Protect(handler).Mount(mux, "/mcp")
	return front.URL + "/mcp"
}

// TestTypeScriptClientLogsIn has the TypeScript client of both generations log in to a protected server, and
// again when a tool needs another scope.
func TestTypeScriptClientLogsIn(t *testing.T) {
	t.Parallel()
	npm.Need(t, ".")
	for _, test := range []struct {
		name, kind, revision string
		noRefresh            bool
	}{
		// With a refresh token, this client asks for the scope in vain: it refreshes the token that lacks it.
		{"v1", "v1", "2025-11-25", true},
		{"v2 in a session", "session", "2025-11-25", true},
		{"v2 with a refresh token", "session", "2025-11-25", false},
		{"v2 without a session", "stateless", "2026-07-28", false},
		{"v2 that asks for revisions", "both", "2026-07-28", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			as := authserver.New(t, authserver.Options{Scopes: []string{"notes", "notes:write"}, NoRefresh: test.noRefresh})
			url := protected(t, as)
			ctx := testkit.Context(t)
			text, err := exec.CommandContext(ctx, "node", "login_client.mjs", test.kind, url).Output()
			if err != nil {
				t.Fatalf("node: %v", err)
			}
			var got struct{ Revision, Who, Wrote, Error string }
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			const user = `{"user":"user"}`
			if got.Error != "" || got.Revision != test.revision || got.Who != user || got.Wrote != user {
				t.Errorf("got %+v", got)
			}
			var scopes []string
			for _, r := range as.Requests("/authorize") {
				scopes = append(scopes, r.Form.Get("scope"))
				if r.Form.Get("resource") != url {
					t.Errorf("the authorization request %v is not for the server", r.Form)
				}
			}
			if want := []string{"notes", "notes notes:write"}; !slices.Equal(scopes, want) {
				t.Errorf("the user was asked for %q, want %q", scopes, want)
			}
			if n := len(as.Requests("/register")); n != 1 {
				t.Errorf("%d registrations", n)
			}
		})
	}
}

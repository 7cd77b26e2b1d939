package interop

import (
	"net/http"
	"os/exec"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	authclient "github.com/mcpgen/mcpgen/runtime/auth/client"
	"github.com/mcpgen/mcpgen/runtime/dial"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/tests/internal/authserver"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// TestLoginAtTypeScriptServer logs in to a protected server on the TypeScript SDK, through a browser, and
// calls a tool that tells the user of the token.
func TestLoginAtTypeScriptServer(t *testing.T) {
	npm.Need(t, ".")
	as := authserver.New(t, authserver.Options{Scopes: []string{"tools"}})
	url, _ := startHTTP(t, exec.Command("node", "login_server.mjs", as.Issuer), "url=")
	open := func(address string) error {
		go func() {
			if resp, err := http.Get(address); err == nil {
				resp.Body.Close()
			}
		}()
		return nil
	}
	login, err := authclient.New(url, authclient.Options{Name: "test", Flow: authclient.AuthorizationCode{Agent: &authclient.Browser{Open: open}}})
	if err != nil {
		t.Fatal(err)
	}
	bindings := compat.Client(mcp.BindClient(mcp.UnimplementedClient{}), compat.Options{})
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, bindings...).
		Connect(t.Context(), dial.With(url, streamable.ClientOptions{HTTPClient: login.Client()}))
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

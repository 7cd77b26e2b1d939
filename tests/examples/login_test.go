package examples

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/proxy"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// TestLogin runs the program login with the weather server behind a guard that accepts one token.
func TestLogin(t *testing.T) {
	bin := t.TempDir()
	program, weather := filepath.Join(bin, "login"), filepath.Join(bin, "weather")
	build(t, program, "./tests/examples/login")
	build(t, weather, "./tests/examples/weather")
	handler := streamable.NewHandler(proxy.New(func() runtime.Transport { return stdio.Command(exec.Command(weather)) }, proxy.Options{}), streamable.Options{})
	server := httptest.NewUnstartedServer(nil)
	guard, err := auth.NewGuard(auth.Options{
		Resource: "http://" + server.Listener.Addr().String() + "/mcp",
		Verifier: func(_ context.Context, token string) (*auth.Caller, error) {
			if token == "good" {
				return &auth.Caller{Subject: "ada"}, nil
			}
			return nil, &auth.TokenError{Reason: "unknown token"}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = guard.Protect(handler)
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(handler.Close)
	for token, want := range map[string]string{"good": "Oslo", "bad": "unknown token"} {
		cmd := exec.CommandContext(t.Context(), program, server.URL+"/mcp")
		cmd.Env = append(os.Environ(), "TOKEN="+token, "HOME="+bin, "XDG_CONFIG_HOME="+bin)
		out, err := cmd.CombinedOutput()
		if !strings.Contains(string(out), want) || (err == nil) != (token == "good") {
			t.Errorf("with the token %q: got %q, %v, want %q", token, out, err, want)
		}
	}
}

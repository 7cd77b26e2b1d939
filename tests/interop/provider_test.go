package interop

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	authclient "github.com/mcpgen/mcpgen/runtime/auth/client"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// startProvider starts provider.mjs. It returns its issuer, and a function that ends it.
func startProvider(t *testing.T, port, scopes string) (issuer string, end func()) {
	t.Helper()
	cmd, log := exec.Command("node", "provider.mjs", port, scopes), new(buffer)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	end = func() {
		if !ended {
			ended = true
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	t.Cleanup(end)
	log.wait(t, "url=http://127.0.0.1:")
	log.wait(t, "\n")
	_, rest, _ := strings.Cut(log.String(), "url=")
	issuer, _, _ = strings.Cut(rest, "\n")
	return issuer, end
}

var (
	formAction = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
	formInput  = regexp.MustCompile(`<input[^>]* type="hidden"[^>]* name="([^"]+)" value="([^"]*)"`)
)

// clickThrough is the browser of a user who logs in as ada on the pages of oidc-provider, and agrees.
func clickThrough(t *testing.T) func(address string) error {
	return func(address string) error {
		go func() {
			jar, _ := cookiejar.New(nil)
			browser := &http.Client{Jar: jar}
			resp, err := browser.Get(address)
			for err == nil {
				var page []byte
				page, err = io.ReadAll(resp.Body)
				resp.Body.Close()
				action := formAction.FindSubmatch(page)
				if err != nil || action == nil {
					break
				}
				values := url.Values{"login": {"ada"}, "password": {"x"}}
				for _, input := range formInput.FindAllSubmatch(page, -1) {
					values.Set(string(input[1]), string(input[2]))
				}
				resp, err = browser.PostForm(string(action[1]), values)
			}
			if err != nil {
				t.Logf("the browser: %v", err)
			}
		}()
		return nil
	}
}

// noteList is a list of which one tool needs a scope.
const noteList = `{"tools":[{"name":"read_notes","description":"Reads.","inputSchema":{"type":"object"}},
	{"name":"write_note","description":"Writes.","x-mcp-scopes":["notes:write"],"inputSchema":{"type":"object"}}]}`

// generatedServer returns the program of a server that was generated from noteList with --auth and not edited.
func generatedServer(t *testing.T) string {
	t.Helper()
	mcpgen, dir := program(t, "mcpgen"), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.json"), []byte(noteList), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []*exec.Cmd{
		exec.Command(mcpgen, "server", "--tools", "notes.json", "--out", ".", "--auth"),
		exec.Command("go", "build", "-o", "server", "."),
	} {
		command.Dir = dir
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	return filepath.Join(dir, "server")
}

// startGuarded starts a program of generatedServer. It returns its URL.
func startGuarded(t *testing.T, server, issuer string) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	cmd := exec.Command(server, "--http", address)
	cmd.Env = append(os.Environ(), "MCP_ISSUER="+issuer)
	startHTTP(t, cmd, "listening")
	return fmt.Sprintf("http://%s/mcp", address)
}

// TestRealProvider logs in at oidc-provider to a generated server whose list has scopes, and again after a restart
// of the provider, which then has forgotten the client and its tokens.
func TestRealProvider(t *testing.T) {
	t.Parallel()
	npm.Need(t, ".")
	issuer, end := startProvider(t, "0", "notes:write")
	program := generatedServer(t)
	server := startGuarded(t, program, issuer)
	store, err := authclient.NewFile(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	login := func() (*authclient.Transport, authclient.Status) {
		t.Helper()
		transport, err := authclient.New(server, authclient.Options{
			Name: "test", Store: store, Flow: authclient.AuthorizationCode{Agent: &authclient.Browser{Open: clickThrough(t)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := transport.Login(t.Context()); err != nil {
			t.Fatal(err)
		}
		status, err := transport.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return transport, status
	}
	transport, first := login()
	if !slices.Equal(first.Scopes, []string{"notes:write"}) {
		t.Errorf("scopes %q", first.Scopes)
	}
	bindings := compat.Client(mcp.BindClient(mcp.UnimplementedClient{}), compat.Options{})
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, bindings...).
		Connect(t.Context(), streamable.URL(server, streamable.ClientOptions{HTTPClient: transport.Client()}))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := mcp.NewServerCaller(session).CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "write_note"}); err != nil {
		t.Errorf("the tool with the scope: %v", err)
	}

	end()
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(issuer, "http://"))
	startProvider(t, port, "notes:write")
	// The server knows the old keys for a while and accepts the old token. A login to another one needs the client.
	server = startGuarded(t, program, issuer)
	if _, again := login(); again.ClientID == first.ClientID || !slices.Equal(again.Scopes, first.Scopes) {
		t.Errorf("after the restart: %+v", again)
	}
}

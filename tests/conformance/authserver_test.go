package conformance

import (
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/tests/internal/authserver"
)

// authorizing matches the URL that the suite asks its user to open.
var authorizing = regexp.MustCompile(`(?m)^http\S+/authorize\?\S+$`)

// TestAuthorizationServerConformance runs the suite against the authorization server of the tests, so that what
// other tests show of clients and protected servers holds with servers that conform.
func TestAuthorizationServerConformance(t *testing.T) {
	s := newSuite(t)
	const redirect = "http://127.0.0.1/callback" // with any port
	methods := func(method string) func(map[string]any) {
		return func(m map[string]any) { m["token_endpoint_auth_methods_supported"] = []string{method} }
	}
	for _, row := range []struct {
		name, revision string
		client         authserver.Client
		options        authserver.Options
	}{
		{"a public client", "2026-07-28", authserver.Client{ID: "a"}, authserver.Options{}},
		{"an issuer with a path", "2025-11-25", authserver.Client{ID: "a"}, authserver.Options{Path: "/tenant"}},
		{"OpenID Connect", "2025-11-25", authserver.Client{ID: "a"}, authserver.Options{Path: "/tenant", OnlyOpenID: true}},
		{"opaque tokens", "2025-06-18", authserver.Client{ID: "a"}, authserver.Options{Opaque: true}},
		{"a secret", "2025-06-18", authserver.Client{ID: "a:b", Secret: "s e:c"}, authserver.Options{Metadata: methods("client_secret_basic")}},
		{"a secret in the form", "2025-03-26", authserver.Client{ID: "a:b", Secret: "s e:c"}, authserver.Options{Metadata: methods("client_secret_post")}},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.client.RedirectURIs = []string{redirect}
			row.options.Clients = []authserver.Client{row.client}
			as := authserver.New(t, row.options)
			s := s.of(t, newest)
			scenarios := s.scenarios("authorization", "--spec-version", row.revision)
			if len(scenarios) < 2 {
				t.Fatalf("%d scenarios: %s", len(scenarios), scenarios)
			}
			folder := t.TempDir()
			arguments := []string{"authorization", "--url", as.Issuer, "--client-id", row.client.ID, "--resource", "https://mcp.example.com/mcp",
				"--port", freePort(t), "--spec-version", row.revision, "-o", folder}
			if row.client.Secret != "" {
				arguments = append(arguments, "--client-secret", row.client.Secret)
			}
			out := s.visit(arguments...)
			for _, scenario := range scenarios {
				s.judge(folder, "authorization-server-"+scenario)
			}
			if t.Failed() {
				t.Logf("output of the suite:\n%s", out)
			}
		})
	}
}

// visit is run for scenarios that ask the user to open a URL, which a browser does.
func (s *suite) visit(arguments ...string) string {
	s.t.Helper()
	ctx := testkit.Context(s.t)
	cmd := exec.CommandContext(ctx, s.node, append([]string{filepath.Join("node_modules", s.version, "dist", "index.js")}, arguments...)...)
	cmd.WaitDelay = 5 * time.Second
	out := &visited{}
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		s.t.Errorf("conformance %s: %v", strings.Join(arguments, " "), err)
	}
	return out.text.String()
}

// visited is the output of the suite. It opens the first URL for the user.
type visited struct {
	text strings.Builder
	seen bool
}

// Write implements io.Writer. It is called by one goroutine.
func (v *visited) Write(p []byte) (int, error) {
	v.text.Write(p)
	// The suite prints the URL before it can receive the callback.
	before, _, ready := strings.Cut(v.text.String(), "Callback server started")
	address := authorizing.FindString(before)
	if v.seen || !ready || address == "" {
		return len(p), nil
	}
	v.seen = true
	return len(p), authserver.Browse(address)
}

// freePort returns a port that nothing listened on a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

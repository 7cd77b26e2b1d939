package interop

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// TestProxy runs mcpgen proxy between correct clients and servers. It must report only
// deliberate violations.
func TestProxy(t *testing.T) {
	t.Parallel()
	server := startEverything(t)
	mcpgen := program(t, "mcpgen")
	for _, way := range []string{"stdio", "sse", "http"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			ctx := testkit.Context(t)
			report := filepath.Join(t.TempDir(), "report")
			args := []string{"proxy", "--report", report}
			var transport runtime.Transport
			var err error
			switch way {
			case "stdio":
				args = append(args, "--cmd", "node "+everythingServer)
				cmd := exec.Command(mcpgen, args...)
				cmd.Stderr = new(buffer)
				transport = stdio.Command(cmd)
			case "sse":
				transport, err = streamable.DialSSE(ctx, watch(t, exec.Command(mcpgen, append(args, "--url", server.sse, "--listen", "127.0.0.1:0")...)), streamable.ClientOptions{})
			case "http":
				transport, err = streamable.NewTransport(watch(t, exec.Command(mcpgen, append(args, "--url", server.http, "--listen", "127.0.0.1:0")...)), streamable.ClientOptions{})
			}
			if err != nil {
				t.Fatal(err)
			}
			useEverything(ctx, t, transport)
			noProblems(t, report)
		})
	}
	t.Run("TypeScript", func(t *testing.T) {
		t.Parallel()
		npm.Need(t, ".")
		dir := t.TempDir()
		c := &typeScript{sdk: "v1", way: "stdio", log: filepath.Join(dir, "log"), code: 1}
		if err := os.WriteFile(c.log, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		report, file := filepath.Join(dir, "report"), filepath.Join(dir, "transcript")
		c.checkSteps(t, c.node(t, os.Args[0], relayArgument, file, c.log, mcpgen, "proxy", "--report", report, "--cmd", program(t, "hello")))
		noProblems(t, report)
	})
}

// watch starts a proxy over HTTP and returns its URL.
func watch(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	line, _ := startHTTP(t, cmd, "mcpgen proxy: ")
	url, _, _ := strings.Cut(line, " forwards to ")
	return url
}

// noProblems reads a report of the proxy.
func noProblems(t *testing.T, report string) {
	t.Helper()
	f, err := os.Open(report)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	noErrors(t, f, 0)
}

// deliberate are the rules that tests break to see how a peer reacts.
var deliberate = []string{"arguments-invalid", "elicitation-content"}

// noErrors reads findings and fails for errors that are not deliberate. Exactly the given number of
// requests must be unanswered.
func noErrors(t *testing.T, report io.Reader, unanswered int) {
	t.Helper()
	lines := bufio.NewScanner(report)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var finding struct{ Level, Rule string }
		err := json.Unmarshal(lines.Bytes(), &finding)
		if finding.Rule == "unanswered" && unanswered > 0 {
			unanswered--
			continue
		}
		if err != nil || finding.Level == "error" && !slices.Contains(deliberate, finding.Rule) {
			t.Errorf("%v, %s", err, lines.Text())
		}
	}
	if unanswered > 0 {
		t.Errorf("%d fewer requests than expected were not answered", unanswered)
	}
}

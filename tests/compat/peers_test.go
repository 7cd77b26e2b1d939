package compat

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	ladder "github.com/mcpgen/mcpgen/generated/compat"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// calls are what the client on the TypeScript SDK reports when all goes well.
var calls = []string{
	"tools/list: ok", "prompts/list: ok", "resources/list: ok", "resources/templates/list: ok",
	"prompts/get: ok", "resources/read: ok", "resources/subscribe: ok", "completion/complete: ok",
	"logging/setLevel: ok", "ping: ok",
	"tools/call content: ok", "tools/call structured: ok", "tools/call form: ok", "tools/call choices: ok",
	"tools/call page: ok", "tools/call sample: ok", "tools/call sample_audio: ok", "tools/call sample_tools: ok",
	"tools/call roots: ok", "tools/call news: ok",
}

// TestTypeScript has the official TypeScript SDK, in the version that was for each
// revision, use the server that is written once. It checks what it gets by schemas of its
// own; the independent validator checks it too.
func TestTypeScript(t *testing.T) {
	npm.Need(t, "peers")
	for _, j := range judges(t) {
		t.Run(j.ir.ID, func(t *testing.T) {
			t.Parallel()
			var log journal
			server, _ := newEverything(t, ladder.Options{Lost: log.lost})
			got := runPeer(t, j.ir.ID, server, &log)
			if diff := cmp.Diff(calls, got); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			log.judge(t, j)
		})
	}
}

// TestTypeScriptNotices holds that the SDKs notice what is not of their revision: the
// same server, unconverted under the old revisions' names, does not pass.
func TestTypeScriptNotices(t *testing.T) {
	npm.Need(t, "peers")
	for _, revision := range []string{"2024-11-05", "2025-03-26"} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			var log journal
			c := catalog.New(catalog.Options{})
			addTools(t, c)
			addRest(t, c)
			binding := c.Over(mcp.BindServer(everything{}))
			binding.Revision, binding.Methods = revision, code(t, revision).Methods
			server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: &mcp.ServerCapabilities{
				Tools: &mcp.ServerCapabilitiesTools{}, Prompts: &mcp.ServerCapabilitiesPrompts{},
			}}, binding)
			got := runPeer(t, revision, server, &log)
			for _, call := range []string{"prompts/get: ok", "tools/call content: ok"} {
				for _, line := range got {
					if line == call {
						t.Errorf("the SDK for %s accepts what is of 2025-11-25: %s", revision, line)
					}
				}
			}
		})
	}
}

// runPeer serves the client on the SDK for a revision and returns what it reports.
func runPeer(t *testing.T, revision string, server *runtime.Server, log *journal) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "client.mjs", "sdk-"+revision)
	cmd.Dir = "peers"
	var report bytes.Buffer
	cmd.Stderr = &report
	in, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%s: %v", filepath.Join(cmd.Dir, "client.mjs"), err)
	}
	err = server.Serve(ctx, &recorder{&stdio.Transport{In: in, Out: out}, log})
	if err := errors.Join(err, cmd.Wait()); err != nil {
		t.Fatalf("%v\n%s", err, report.String())
	}
	return strings.Split(strings.TrimSpace(report.String()), "\n")
}

package compat

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/tests/internal/everything"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// calls is the report of the TypeScript client if every call succeeds.
var calls = []string{
	"tools/list: ok", "prompts/list: ok", "resources/list: ok", "resources/templates/list: ok",
	"prompts/get: ok", "resources/read: ok", "resources/subscribe: ok", "completion/complete: ok",
	"logging/setLevel: ok", "ping: ok",
	"tools/call content: ok", "tools/call structured: ok", "tools/call form: ok", "tools/call choices: ok",
	"tools/call page: ok", "tools/call sample: ok", "tools/call sample_audio: ok", "tools/call sample_tools: ok",
	"tools/call roots: ok", "tools/call log: ok", "tools/call progress: ok",
}

// TestTypeScript uses the everything server with the official TypeScript SDK, in its version
// for each revision. The SDK checks messages by its own schemas; the independent validator
// checks them too.
func TestTypeScript(t *testing.T) {
	npm.Need(t, "peers")
	for _, j := range sessions(t) {
		t.Run(j.ir.ID, func(t *testing.T) {
			t.Parallel()
			var log journal
			server, _, err := everything.New(everything.Options{Lost: log.lost})
			if err != nil {
				t.Fatal(err)
			}
			got := runPeer(t, j.ir.ID, server, &log)
			if diff := cmp.Diff(calls, got); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			log.judge(t, j)
		})
	}
}

// TestTypeScriptNotices checks that the SDKs detect messages of other revisions: without
// conversion, the everything server fails in a session of an old revision.
func TestTypeScriptNotices(t *testing.T) {
	npm.Need(t, "peers")
	for _, revision := range []string{"2024-11-05", "2025-03-26"} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			var log journal
			c := catalog.New(catalog.Options{})
			if err := c.Add(everything.Items(c)...); err != nil {
				t.Fatal(err)
			}
			binding := c.Over(mcp.BindBase())
			binding.Revision, binding.Methods = revision, code(t, revision).Methods
			server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: &mcp.ServerCapabilities{
				Tools: &mcp.ServerCapabilitiesTools{}, Prompts: &mcp.ServerCapabilitiesPrompts{},
			}}, binding)
			got := runPeer(t, revision, server, &log)
			for _, call := range []string{"prompts/get: ok", "tools/call content: ok"} {
				for _, line := range got {
					if line == call {
						t.Errorf("the SDK for %s accepts a message of 2025-11-25: %s", revision, line)
					}
				}
			}
		})
	}
}

// runPeer serves the TypeScript client for a revision and returns its report.
func runPeer(t *testing.T, revision string, server *runtime.Server, log *journal) []string {
	t.Helper()
	ctx := testkit.Context(t)
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

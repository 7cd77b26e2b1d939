package interop

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// client offers its roots and records the progress that it receives.
type client struct {
	mcp.UnimplementedClient
	progress chan float64
}

func (c *client) Progress(_ context.Context, params *mcp.ProgressNotificationParams) error {
	c.progress <- params.Progress
	return nil
}

func (c *client) ListRoots(context.Context, *mcp.RequestParams) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///a"}, {URI: "file:///b"}}}, nil
}

// TestTypeScriptServer uses a server of the TypeScript SDK with a generated client.
func TestTypeScriptServer(t *testing.T) {
	t.Parallel()
	npm.Need(t, ".")
	ctx := testkit.Context(t)
	transport, log := startServer(t)
	said := new(transcript)
	c := &client{progress: make(chan float64, 10)}
	session, err := runtime.NewClient(runtime.ClientOptions{
		Name:         "interop",
		Version:      "1.0.0",
		Capabilities: &mcp.ClientCapabilities{Roots: &mcp.ClientCapabilitiesRoots{}},
	}, mcp.BindClient(c)).Connect(ctx, recorder{transport, said})
	if err != nil {
		t.Fatalf("connect: %v; the server's log:\n%s", err, log)
	}
	defer session.Close()
	if got := session.Revision() + " " + string(session.ServerInfo()); got != `2025-11-25 {"name":"typescript","version":"1.0.0"}` {
		t.Errorf("negotiated %s", got)
	}
	if err := session.Ping(ctx); err != nil {
		t.Errorf("ping: %v", err)
	}
	server := mcp.NewServerCaller(session)

	list, err := server.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if diff := cmp.Diff([]string{"add", "fail", "count", "wait", "roots"}, names); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}

	for _, row := range []struct {
		params mcp.CallToolRequestParams
		want   string
	}{
		{mcp.CallToolRequestParams{Name: "add", Arguments: `{"a":1,"b":0.5}`}, `{"content":[{"type":"text","text":"1.5"}],"structuredContent":{"sum":1.5}}`},
		{mcp.CallToolRequestParams{Name: "fail"}, `{"content":[{"type":"text","text":"out of order"}],"isError":true}`},
		{mcp.CallToolRequestParams{Name: "roots"}, `{"content":[{"type":"text","text":"file:///a file:///b"}]}`},
		{mcp.CallToolRequestParams{
			Name: "count", Arguments: `{"to":3}`, Meta: &mcp.RequestMetaObject{ProgressToken: wire.IDOf("t")},
		}, `{"content":[{"type":"text","text":"counted"}]}`},
	} {
		result, err := server.CallTool(ctx, &row.params)
		if err != nil {
			t.Errorf("%s: %v", row.params.Name, err)
			continue
		}
		if got, err := wire.Marshal(result); err != nil || !wire.Equal(wire.Raw(got), wire.Raw(row.want)) {
			t.Errorf("%s:\n got %s (%v)\nwant %s", row.params.Name, got, err, row.want)
		}
	}
	for want := 1.0; want <= 3; want++ {
		select {
		case got := <-c.progress:
			if got != want {
				t.Errorf("progress: got %v, want %v", got, want)
			}
		case <-ctx.Done():
			t.Fatal("no progress")
		}
	}

	// The server declares no prompts, so the client does not ask for them.
	var refused *runtime.CapabilityError
	if _, err := server.ListPrompts(ctx, nil); !errors.As(err, &refused) || refused.Capability != "prompts" {
		t.Errorf("prompts/list: got %v", err)
	}

	testCancel(ctx, t, server, log)
	if err := session.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	check(t, said, mcp.Revision)
}

func testCancel(ctx context.Context, t *testing.T, server mcp.ServerCaller, log *buffer) {
	callCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := server.CallTool(callCtx, &mcp.CallToolRequestParams{Name: "wait"})
		failed <- err
	}()
	log.wait(t, "waiting")
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled call returned %v", err)
	}
	log.wait(t, "stopped waiting")
}

// startServer runs server.mjs. When the test ends, the server must have ended by itself.
func startServer(t *testing.T) (runtime.Transport, *buffer) {
	t.Helper()
	if _, err := os.ReadFile("server.mjs"); err != nil {
		t.Fatal(err)
	}
	log := new(buffer)
	cmd := exec.Command("node", "server.mjs")
	cmd.Stderr = log
	transport := stdio.Command(cmd)
	transport.ExitWait = 10 * time.Second
	transport.TermWait = -1 // the server must exit when its input ends, without a signal
	t.Cleanup(func() {      // the session has closed it
		if err := transport.Close(); err != nil {
			t.Errorf("the server exited with %v; its log:\n%s", err, log)
		}
	})
	return transport, log
}

package interop

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated/mcp20241105"
	"github.com/mcpgen/mcpgen/generated/mcp20250326"
	"github.com/mcpgen/mcpgen/generated/mcp20250618"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

const everythingServer = "node_modules/@modelcontextprotocol/server-everything/dist/index.js"

// everything is server-everything over each transport. Over HTTP, one process serves all
// sessions.
type everything struct{ sse, http string }

func startEverything(t *testing.T) *everything {
	t.Helper()
	npm.Need(t, ".")
	if _, err := os.ReadFile("listen.mjs"); err != nil {
		t.Fatal(err)
	}
	start := func(way string) string {
		cmd := exec.Command("node", "--import", "./listen.mjs", everythingServer, way)
		address, _ := startHTTP(t, cmd, "listening on ")
		return "http://" + address
	}
	return &everything{sse: start("sse") + "/sse", http: start("streamableHttp") + "/mcp"}
}

// dial opens a transport.
func (e *everything) dial(ctx context.Context, t *testing.T, way string) runtime.Transport {
	t.Helper()
	var transport runtime.Transport
	var err error
	switch way {
	case "stdio":
		cmd := exec.Command("node", everythingServer)
		cmd.Stderr = new(buffer)
		transport = stdio.Command(cmd)
	case "sse":
		transport, err = streamable.DialSSE(ctx, e.sse, streamable.ClientOptions{})
	case "http":
		transport, err = streamable.NewTransport(e.http, streamable.ClientOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return transport
}

// TestEverythingServer uses server-everything with a generated client, over each transport and
// in each revision.
func TestEverythingServer(t *testing.T) {
	t.Parallel()
	server := startEverything(t)
	for _, way := range []string{"stdio", "sse", "http"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			ctx := testkit.Context(t)
			useEverything(ctx, t, server.dial(ctx, t, way))
		})
	}
	for _, old := range oldRevisions {
		t.Run(old.revision, func(t *testing.T) {
			t.Parallel()
			ctx := testkit.Context(t)
			said := new(transcript)
			session, err := runtime.NewClient(runtime.ClientOptions{Name: "interop", Version: "1"}, old.binding).
				Connect(ctx, recorder{server.dial(ctx, t, old.way), said})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if err := old.use(ctx, session); err != nil {
				t.Error(err)
			}
			if err := session.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			check(t, said, old.revision)
		})
	}
	t.Run("resumption", func(t *testing.T) {
		t.Parallel()
		testResumption(t, server.http)
	})
}

// oldRevisions are the revisions before the one of the other tests.
var oldRevisions = []struct {
	revision string
	way      string
	binding  runtime.Binding
	use      func(context.Context, runtime.Caller) error
}{
	{mcp20241105.Revision, "sse", mcp20241105.BindClient(mcp20241105.UnimplementedClient{}),
		func(ctx context.Context, c runtime.Caller) error {
			s := mcp20241105.NewServerCaller(c)
			tools, err := s.ListTools(ctx, nil)
			if err != nil || len(tools.Tools) < 10 {
				return fmt.Errorf("tools: %+v, %w", tools, err)
			}
			result, err := s.CallTool(ctx, &mcp20241105.CallToolRequestParams{Name: "echo", Arguments: echoArguments})
			return isEcho(result, err)
		}},
	{mcp20250326.Revision, "http", mcp20250326.BindClient(mcp20250326.UnimplementedClient{}),
		func(ctx context.Context, c runtime.Caller) error {
			s := mcp20250326.NewServerCaller(c)
			tools, err := s.ListTools(ctx, nil)
			if err != nil || len(tools.Tools) < 10 {
				return fmt.Errorf("tools: %+v, %w", tools, err)
			}
			result, err := s.CallTool(ctx, &mcp20250326.CallToolRequestParams{Name: "echo", Arguments: echoArguments})
			return isEcho(result, err)
		}},
	{mcp20250618.Revision, "stdio", mcp20250618.BindClient(mcp20250618.UnimplementedClient{}),
		func(ctx context.Context, c runtime.Caller) error {
			s := mcp20250618.NewServerCaller(c)
			tools, err := s.ListTools(ctx, nil)
			if err != nil || len(tools.Tools) < 10 {
				return fmt.Errorf("tools: %+v, %w", tools, err)
			}
			result, err := s.CallTool(ctx, &mcp20250618.CallToolRequestParams{Name: "echo", Arguments: echoArguments})
			return isEcho(result, err)
		}},
}

const echoArguments = `{"message":"héllo"}`

func isEcho(result wire.Appender, err error) error {
	if err != nil {
		return err
	}
	return isJSON(result, `{"content":[{"type":"text","text":"Echo: héllo"}]}`)
}

func isJSON(v wire.Appender, want string) error {
	got, err := v.AppendJSON(nil)
	if err != nil || !wire.Equal(wire.Raw(got), wire.Raw(want)) {
		return fmt.Errorf("got %s, %v, want %s", got, err, want)
	}
	return nil
}

// testResumption cuts the stream of a call.
func testResumption(t *testing.T, url string) {
	ctx := testkit.Context(t)
	p := newProxy(t, url, func(body string, events int) bool {
		return strings.Contains(body, `"steps":5`) && events == 3
	})
	transport, err := streamable.NewTransport(p.URL, streamable.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "interop", Version: "1"}, mcp.BindClient(mcp.UnimplementedClient{})).Connect(ctx, transport)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	var progress []float64
	result, err := mcp.NewServerCaller(session).CallTool(
		runtime.WithProgress(ctx, func(p runtime.Progress) { progress = append(progress, p.Progress) }),
		&mcp.CallToolRequestParams{Name: "trigger-long-running-operation", Arguments: `{"duration":0.5,"steps":5}`})
	if err != nil {
		t.Fatal(err)
	}
	if err := isJSON(result, `{"content":[{"type":"text","text":"Long running operation completed. Duration: 0.5 seconds, Steps: 5."}]}`); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]float64{1, 2, 3, 4, 5}, progress); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if err := session.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	var cut, resumed, deleted int
	for _, e := range p.list() {
		switch {
		case e.Cut:
			cut++
		case e.Last != "":
			resumed++
		case e.Method == "DELETE":
			deleted++
		}
	}
	if cut != 1 || resumed != 1 || deleted != 1 {
		t.Errorf("%d streams were cut, %d resumed, %d sessions deleted; want one of each", cut, resumed, deleted)
	}
	check(t, p.log, mcp.Revision)
}

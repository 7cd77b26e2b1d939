package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// serveVariable makes the test binary act as the server, so that tests can start it as a
// process.
const serveVariable = "HELLO_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// fixture is a client that is connected to the server.
type fixture struct {
	*runtime.Session
	server mcp.ServerCaller
	client *client
	log    *buffer // the log of the server
}

// client records the progress that it receives.
type client struct {
	mcp.UnimplementedClient
	progress chan mcp.ProgressNotificationParams
}

func (c *client) Progress(_ context.Context, params *mcp.ProgressNotificationParams) error {
	c.progress <- *params
	return nil
}

// buffer is written by the server while the test reads it.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func connect(t *testing.T, transport runtime.Transport, log *buffer) *fixture {
	t.Helper()
	c := &client{progress: make(chan mcp.ProgressNotificationParams, 100)}
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, mcp.BindClient(c)).Connect(t.Context(), transport)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { session.Close() })
	return &fixture{session, mcp.NewServerCaller(session), c, log}
}

// inProcess connects to a server in the test process.
func inProcess(t *testing.T) *fixture {
	t.Helper()
	near, far := inproc.Pair()
	log := new(buffer)
	served := make(chan error, 1)
	server, err := newServer(slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	go func() { served <- server.Serve(context.Background(), far) }()
	t.Cleanup(func() {
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return connect(t, near, log)
}

// command returns a command that starts the server.
func command(arguments ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], arguments...)
	// A program built with -race otherwise takes a second to exit.
	cmd.Env = append(os.Environ(), serveVariable+"=1", "GORACE=atexit_sleep_ms=0")
	return cmd
}

// asProcess connects to a server process.
func asProcess(t *testing.T) *fixture {
	t.Helper()
	log := new(buffer)
	cmd := command()
	cmd.Stderr = log
	transport := stdio.Command(cmd)
	t.Cleanup(func() { // the session has closed it
		if err := transport.Close(); err != nil {
			t.Errorf("the server exited with %v; its log:\n%s", err, log)
		}
	})
	return connect(t, transport, log)
}

// listen starts a server on a free port of the loopback interface and returns the URL.
func listen(t *testing.T, flag string) (string, *buffer) {
	t.Helper()
	log := new(buffer)
	cmd := command(flag, "127.0.0.1:0")
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		kill := time.AfterFunc(testkit.Limit, func() { cmd.Process.Kill() })
		defer kill.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server exited with %v; its log:\n%s", err, log)
		}
	})
	waitFor(t, log, "msg=listening")
	_, url, _ := strings.Cut(log.String(), "url=")
	return strings.TrimSpace(url), log
}

// overHTTP connects to a server over Streamable HTTP.
func overHTTP(t *testing.T) *fixture {
	t.Helper()
	url, log := listen(t, "-http")
	transport, err := streamable.NewTransport(url, streamable.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, transport, log)
}

// overSSE connects to a server over HTTP+SSE.
func overSSE(t *testing.T) *fixture {
	t.Helper()
	url, log := listen(t, "-sse")
	transport, err := streamable.DialSSE(t.Context(), url, streamable.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, transport, log)
}

// TestServer runs the same requests over each transport.
func TestServer(t *testing.T) {
	for _, way := range []struct {
		name    string
		connect func(*testing.T) *fixture
	}{{"in process", inProcess}, {"as a process", asProcess}, {"over HTTP", overHTTP}, {"over SSE", overSSE}} {
		t.Run(way.name, func(t *testing.T) {
			t.Run("introduction", func(t *testing.T) { testIntroduction(t, way.connect(t)) })
			t.Run("results", func(t *testing.T) { testResults(t, way.connect(t)) })
			t.Run("errors", func(t *testing.T) { testErrors(t, way.connect(t)) })
			t.Run("progress", func(t *testing.T) { testProgress(t, way.connect(t)) })
			t.Run("cancellation", func(t *testing.T) { testCancellation(t, way.connect(t)) })
		})
	}
}

func testIntroduction(t *testing.T, f *fixture) {
	if got := f.Revision(); got != mcp.Revision {
		t.Errorf("negotiated %s", got)
	}
	if got, want := f.ServerInfo(), wire.Object(`{"name":"hello","version":"1.0.0"}`); got != want {
		t.Errorf("server info: got %s, want %s", got, want)
	}
	if got, want := f.ServerCapabilities(), wire.Object(`{"logging":{},"tools":{"listChanged":true}}`); got != want {
		t.Errorf("capabilities: got %s, want %s", got, want)
	}
	if err := f.Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
	list, err := f.server.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if diff := cmp.Diff([]string{"greet", "divide", "count", "wait"}, names); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

func call(t *testing.T, f *fixture, name string, arguments wire.Object) (*mcp.CallToolResult, error) {
	t.Helper()
	ctx := testkit.Context(t)
	return f.server.CallTool(ctx, &mcp.CallToolRequestParams{Name: name, Arguments: arguments})
}

func testResults(t *testing.T, f *fixture) {
	for _, row := range []struct {
		tool      string
		arguments wire.Object
		want      string
	}{
		{"greet", `{"name":"Ada"}`, `{"content":[{"type":"text","text":"Hello, Ada!"}],"structuredContent":{"greeting":"Hello, Ada!"}}`},
		{"greet", `{"formal":true,"name":"\"Zoë\""}`, `{"content":[{"type":"text","text":"Good day to you, \"Zoë\"."}],"structuredContent":{"greeting":"Good day to you, \"Zoë\"."}}`},
		{"divide", `{"dividend":1,"divisor":4}`, `{"content":[{"type":"text","text":"0.25"}]}`},
		{"divide", `{"dividend":1,"divisor":0}`, `{"content":[{"type":"text","text":"cannot divide by zero"}],"isError":true}`},
		{"count", `{"to":3.0}`, `{"content":[{"type":"text","text":"1 2 3"}]}`},
		{"wait", `{"seconds":0}`, `{"content":[{"type":"text","text":"done"}]}`},
	} {
		result, err := call(t, f, row.tool, row.arguments)
		if err != nil {
			t.Errorf("%s %s: %v", row.tool, row.arguments, err)
			continue
		}
		if got, err := wire.Marshal(result); err != nil || !wire.Equal(wire.Raw(got), wire.Raw(row.want)) {
			t.Errorf("%s %s:\n got %s (%v)\nwant %s", row.tool, row.arguments, got, err, row.want)
		}
	}
}

func testErrors(t *testing.T, f *fixture) {
	for _, row := range []struct {
		tool      string
		arguments wire.Object
		code      int64
		says      string
	}{
		{"dance", "", jsonrpc.CodeInvalidParams, `unknown tool: "dance"`},
		{"Greet", `{"name":"Ada"}`, jsonrpc.CodeInvalidParams, `unknown tool: "Greet"`},
		{"greet", "", jsonrpc.CodeInvalidParams, `missing member "name"`},
		{"greet", `{"Name":"Ada"}`, jsonrpc.CodeInvalidParams, `missing member "name"`},
		{"greet", `{"name":7}`, jsonrpc.CodeInvalidParams, "/name"},
		{"divide", `{}`, jsonrpc.CodeInvalidParams, `missing member "divisor"`},
		{"count", `{"to":1.5}`, jsonrpc.CodeInvalidParams, "/to"},
		{"count", `{"to":0}`, jsonrpc.CodeInvalidParams, "/to"},
		{"wait", `{"seconds":-1}`, jsonrpc.CodeInvalidParams, "/seconds"},
	} {
		_, err := call(t, f, row.tool, row.arguments)
		var answer *jsonrpc.Error
		if !errors.As(err, &answer) || answer.Code != row.code || !strings.Contains(answer.Message, row.says) {
			t.Errorf("%s %s: got %v, want code %d and %q", row.tool, row.arguments, err, row.code, row.says)
		}
	}
	_, err := f.server.ListPrompts(t.Context(), nil)
	var refused *runtime.CapabilityError
	if !errors.As(err, &refused) || refused.Capability != "prompts" {
		t.Errorf("prompts/list: got %v", err)
	}
}

func testProgress(t *testing.T, f *fixture) {
	token := wire.IDOf("the token")
	_, err := f.server.CallTool(t.Context(), &mcp.CallToolRequestParams{
		Name:      "count",
		Arguments: `{"to":3}`,
		Meta:      &mcp.RequestMetaObject{ProgressToken: token},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := 1.0; i <= 3; i++ {
		select {
		case p := <-f.client.progress:
			if p.ProgressToken != token || p.Progress != i || p.Total == nil || *p.Total != 3 || p.Message == nil {
				t.Errorf("progress %v: got %+v", i, p)
			}
		case <-time.After(testkit.Limit):
			t.Fatalf("progress %v did not come", i)
		}
	}
}

// testCancellation cancels a call that waits.
func testCancellation(t *testing.T, f *fixture) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := f.server.CallTool(ctx, &mcp.CallToolRequestParams{Name: "wait", Arguments: `{"seconds":3600}`})
		failed <- err
	}()
	waitFor(t, f.log, "msg=waiting")
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the call returned %v", err)
	}
	waitFor(t, f.log, "stopped waiting")
	if err := f.Ping(t.Context()); err != nil {
		t.Errorf("ping after the cancellation: %v", err)
	}
}

func waitFor(t *testing.T, log *buffer, message string) {
	t.Helper()
	if !testkit.Eventually(func() bool { return strings.Contains(log.String(), message) }) {
		t.Fatalf("the server's log has no %q:\n%s", message, log)
	}
}

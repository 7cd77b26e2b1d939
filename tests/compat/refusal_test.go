package compat

import (
	"context"
	"testing"

	ladder "github.com/mcpgen/mcpgen/generated/compat"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// greeter handles initialize itself and answers calls with tasks.
type greeter struct{ mcp.UnimplementedServer }

func (greeter) Initialize(_ context.Context, params *mcp.InitializeRequestParams) (*mcp.InitializeResult, error) {
	return &mcp.InitializeResult{
		ProtocolVersion: params.ProtocolVersion,
		ServerInfo:      mcp.Implementation{Name: "greeter", Version: "1", WebsiteURL: new("https://example.com/")},
		Capabilities:    mcp.ServerCapabilities{Tools: &mcp.ServerCapabilitiesTools{}, Tasks: &mcp.ServerCapabilitiesTasks{}},
	}, nil
}

func (greeter) CallTool(context.Context, *mcp.CallToolRequestParams) (mcp.CallToolResponse, error) {
	return &mcp.CreateTaskResult{Task: mcp.Task{TaskID: "1", Status: mcp.TaskStatusWorking, CreatedAt: "now", LastUpdatedAt: "now"}}, nil
}

// TestRefusals checks the errors that a client of an older revision receives.
func TestRefusals(t *testing.T) {
	near, far := inproc.Pair()
	ctx := testkit.Context(t)
	server := runtime.NewServer(runtime.ServerOptions{}, ladder.Serve(mcp.BindServer(greeter{}), ladder.Options{})...)
	go server.Serve(ctx, far)
	// A binding without a table of methods sends any request.
	client := runtime.NewClient(runtime.ClientOptions{Name: "old", Version: "1"}, runtime.Binding{
		Revision: "2025-06-18", Direction: runtime.ToClient,
		Handle: func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
			method := message.Method
			return nil, runtime.MethodNotFound(method)
		},
	})
	session, err := client.Connect(ctx, near)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if got := session.ServerInfo(); got != `{"name":"greeter","version":"1"}` {
		t.Errorf("the server is %s", got)
	}
	if got := session.ServerCapabilities(); got != `{"tools":{}}` {
		t.Errorf("the server declares %s", got)
	}
	for _, tt := range []struct {
		method string
		params wire.Raw
		want   string
	}{
		{"tools/call", `{"name":"t"}`, "jsonrpc: error -32603: internal error: the older revision has no tasks, so the result could never be fetched"},
		{"tools/call", `{"name":1}`, "jsonrpc: error -32602: invalid params: /name: expected a string, found a number"},
		{"tasks/list", `{}`, `jsonrpc: error -32601: method not found: "tasks/list"`},
		{"x-vendor/method", `{}`, `jsonrpc: error -32601: method not found: "x-vendor/method"`},
	} {
		err := session.Call(ctx, tt.method, tt.params, nil)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s %s: got %v, want %s", tt.method, tt.params, err, tt.want)
		}
	}
}

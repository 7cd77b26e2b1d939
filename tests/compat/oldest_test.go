package compat

import (
	"context"
	"fmt"
	"testing"

	ladder "github.com/mcpgen/mcpgen/generated/compat"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20241105"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// oldest is a server's handler, written for the oldest revision.
type oldest struct{ mcp.UnimplementedServer }

func (oldest) ListTools(context.Context, *mcp.PaginatedRequestParams) (*mcp.ListToolsResult, error) {
	return &mcp.ListToolsResult{Tools: []mcp.Tool{{
		Name:        "t",
		InputSchema: mcp.ToolInputSchema{Extra: wire.Members{{Name: "$schema", Value: `"https://json-schema.org/draft/2020-12/schema"`}}},
		Extra:       wire.Members{{Name: "title", Value: `5`}, {Name: "x-vendor", Value: `{"kept":1.50}`}},
	}}}, nil
}

func (oldest) CallTool(ctx context.Context, params *mcp.CallToolRequestParams) (*mcp.CallToolResult, error) {
	answer, err := mcp.NewClientCaller(runtime.CallOf(ctx)).CreateMessage(ctx, &mcp.CreateMessageRequestParams{
		MaxTokens: 1, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "Say."}}},
	})
	if err != nil {
		return nil, err
	}
	content, ok := answer.Content.(*mcp.TextContent)
	if !ok {
		return nil, fmt.Errorf("the client answered with a %T", answer.Content)
	}
	return &mcp.CallToolResult{Content: []mcp.ContentBlock{content}}, nil
}

// TestOldest uses a server of the oldest revision with clients of every revision.
func TestOldest(t *testing.T) {
	for _, j := range sessions(t) {
		t.Run(j.ir.ID, func(t *testing.T) {
			var log journal
			near, far := inproc.Pair()
			ctx := testkit.Context(t)
			server := runtime.NewServer(runtime.ServerOptions{
				Name: "oldest", Version: "1", Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ServerCapabilitiesTools{}},
			}, ladder.Serve(mcp.BindServer(oldest{}), ladder.Options{Lost: log.lost})...)
			served := make(chan error, 1)
			go func() { served <- server.Serve(ctx, &recorder{far, &log}) }()
			session, err := newClient(t, j.ir.ID).Connect(ctx, near)
			if err != nil {
				t.Fatal(err)
			}
			if session.Revision() != j.ir.ID {
				t.Errorf("the session speaks %s", session.Revision())
			}
			var list, result wire.Object
			if err := session.Call(ctx, "tools/list", nil, &list); err != nil {
				t.Error(err)
			}
			want := wire.Raw(`{"tools":[{"name":"t","inputSchema":{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema"},"x-vendor":{"kept":1.50}}]}`)
			if j.ir.ID < "2025-06-18" {
				want = wire.Raw(`{"tools":[{"name":"t","inputSchema":{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema"},"title":5,"x-vendor":{"kept":1.50}}]}`)
			}
			if !wire.Equal(wire.Raw(list), want) {
				t.Errorf("got the list %s", list)
			}
			if err := session.Call(ctx, "tools/call", wire.Object(`{"name":"t"}`), &result); err != nil {
				t.Error(err)
			}
			if result != `{"content":[{"type":"text","text":"said"}]}` {
				t.Errorf("got %s", result)
			}
			session.Close()
			if err := <-served; err != nil {
				t.Errorf("serve: %v", err)
			}
			log.judge(t, j)
		})
	}
}

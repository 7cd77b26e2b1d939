package compat_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newest is a server that is written for 2026-07-28 and speaks nothing else.
type newest struct {
	mcp20260728.UnimplementedServer
}

func (newest) ListTools(context.Context, *mcp20260728.PaginatedRequestParams) (*mcp20260728.ListToolsResult, error) {
	return &mcp20260728.ListToolsResult{Tools: []mcp20260728.Tool{{Name: "greet", InputSchema: mcp20260728.ToolInputSchema{}}}, TTLMs: 5, CacheScope: "public"}, nil
}

func (newest) CallTool(ctx context.Context, p *mcp20260728.CallToolRequestParams) (mcp20260728.CallToolResponse, error) {
	said, err := mcp20260728.NewClientCaller(runtime.CallOf(ctx)).Elicit(ctx, &mcp20260728.ElicitRequestFormParams{Message: "who?", RequestedSchema: mcp20260728.FormSchema{}})
	if err != nil {
		return nil, err
	}
	text := p.Name + " " + string(said.Action)
	return &mcp20260728.CallToolResult{Content: []mcp20260728.ContentBlock{&mcp20260728.TextContent{Text: text}}}, nil
}

// TestClientOfSessionsWithoutSessions checks that a client that is written for sessions works with a
// server that has none, without being told to.
func TestClientOfSessionsWithoutSessions(t *testing.T) {
	server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(`{"tools":{}}`)}, mcp20260728.BindServer(newest{}))
	handler := streamable.NewHandler(server, streamable.Options{})
	defer handler.Close()
	site := httptest.NewServer(handler)
	defer site.Close()
	for name, transport := range map[string]func() runtime.Transport{
		"in process": func() runtime.Transport {
			a, b := inproc.Pair()
			go server.Serve(context.Background(), a)
			return b
		},
		"HTTP": func() runtime.Transport { return streamable.URL(site.URL, streamable.ClientOptions{}) },
	} {
		t.Run("V20 "+name, func(t *testing.T) {
			session, err := mcp.Connect(t.Context(), transport(), mcp.ClientOptions{Name: "c", Version: "1",
				Elicit: func(context.Context, mcp.ElicitRequestParams) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "decline"}, nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if session.Revision() != mcp20260728.Revision || mcp.Revision != mcp20251125.Revision {
				t.Errorf("revision %s", session.Revision())
			}
			list, err := session.ListTools(t.Context(), nil)
			if err != nil || len(list.Tools) != 1 || list.Tools[0].Name != "greet" {
				t.Errorf("%v, %v", list, err)
			}
			result, err := session.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "greet"})
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := result.Content[0].(*mcp.TextContent); text == nil || text.Text != "greet decline" {
				t.Errorf("%v", result.Content)
			}
			if _, err := session.SetLevel(t.Context(), &mcp.SetLevelRequestParams{Level: "error"}); err != nil {
				t.Errorf("SetLevel: %v", err)
			}
			if err := session.Session.Ping(t.Context()); err != nil {
				t.Errorf("Ping: %v", err)
			}
		})
	}
}

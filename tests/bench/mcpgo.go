package main

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"

	gomcp "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/tests/bench/peers/mcpgo"
)

// onMCPGo measures mark3labs/mcp-go at a revision. By default it checks neither arguments nor
// results. An answer may overtake notifications, which are then lost.
func onMCPGo(revision string) library {
	return library{
		name:      mcpGo,
		loses:     true,
		late:      true,
		unchecked: true,
		handler: func(n int, _ bool) (http.Handler, error) {
			return server.NewStreamableHTTPServer(mcpgo.NewServer(n), server.WithStateLess(revision == stateless)), nil
		},
		inProcess: func(n int) (dial, error) { return mcpgoInProcess(mcpgo.NewServer(n), revision), nil },
		dialHTTP: func(ctx context.Context, url string, over *http.Client) (client, error) {
			c, err := gomcp.NewStreamableHttpClient(url, transport.WithHTTPBasicClient(over))
			if err != nil {
				return nil, err
			}
			return mcpgoConnect(ctx, c, revision)
		},
		start: func(ctx context.Context, program string) (client, error) {
			c, err := gomcp.NewStdioMCPClient(program, nil)
			if err != nil {
				return nil, err
			}
			return mcpgoConnect(ctx, c, revision)
		},
	}
}

func mcpgoInProcess(s *server.MCPServer, revision string) dial {
	return func(ctx context.Context) (client, error) {
		c, err := gomcp.NewInProcessClient(s)
		if err != nil {
			return nil, err
		}
		return mcpgoConnect(ctx, c, revision)
	}
}

type mcpgoClient struct {
	*gomcp.Client
	told atomic.Int64
}

func mcpgoConnect(ctx context.Context, c *gomcp.Client, revision string) (client, error) {
	connected := &mcpgoClient{Client: c}
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == "notifications/progress" {
			connected.told.Add(1)
		}
	})
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	opened, err := c.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: revision, ClientInfo: mcp.Implementation{Name: "bench", Version: "1"},
	}})
	if err != nil {
		return nil, err
	}
	if opened.ProtocolVersion != revision {
		return nil, fmt.Errorf("mcp-go speaks %s instead of %s", opened.ProtocolVersion, revision)
	}
	return connected, nil
}

func (c *mcpgoClient) weather(ctx context.Context, progress bool) error {
	r := mcp.CallToolRequest{Params: mcp.CallToolParams{
		Name: "get_weather", Arguments: map[string]any{"city": argCity, "hours": argHours, "units": argUnits},
	}}
	if progress {
		r.Params.Meta = &mcp.Meta{ProgressToken: "p"}
	}
	result, err := c.CallTool(ctx, r)
	if err != nil {
		return err
	}
	if result.IsError || len(result.Content) != 1 {
		return fmt.Errorf("the result is %+v", result)
	}
	text, ok := result.Content[0].(mcp.TextContent)
	if !ok || text.Text != wantText {
		return fmt.Errorf("the text is %+v", result.Content[0])
	}
	return checkStructured(result.StructuredContent)
}

func (c *mcpgoClient) refused(ctx context.Context, city string) error {
	result, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "get_weather", Arguments: map[string]any{"city": city}}})
	if err == nil && !result.IsError {
		return fmt.Errorf("%+v", result)
	}
	return nil
}

func (c *mcpgoClient) tools(ctx context.Context, want int) error {
	list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return err
	}
	return checkTools(len(list.Tools), want)
}

func (c *mcpgoClient) progress() int64 { return c.told.Load() }
func (c *mcpgoClient) close()          { c.Client.Close() }

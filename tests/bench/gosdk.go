package main

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/tests/bench/peers/gosdk"
)

// onGoSDK measures the official Go SDK at a revision. Its client runs notification handlers
// concurrently with the call.
func onGoSDK(revision string) library {
	return library{
		name: goSDK,
		late: true,
		handler: func(n int, stream bool) (http.Handler, error) {
			s := gosdk.NewServer(n)
			return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
				&mcp.StreamableHTTPOptions{JSONResponse: !stream, Stateless: revision == stateless}), nil
		},
		inProcess: func(n int) (dial, error) {
			s := gosdk.NewServer(n)
			return func(ctx context.Context) (client, error) {
				near, far := mcp.NewInMemoryTransports()
				if _, err := s.Connect(ctx, far, nil); err != nil {
					return nil, err
				}
				return gosdkConnect(ctx, near, revision)
			}, nil
		},
		dialHTTP: func(ctx context.Context, url string, over *http.Client) (client, error) {
			return gosdkConnect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: over}, revision)
		},
		start: func(ctx context.Context, program string) (client, error) {
			return gosdkConnect(ctx, &mcp.CommandTransport{Command: exec.Command(program)}, revision)
		},
	}
}

type gosdkClient struct {
	session *mcp.ClientSession
	told    *atomic.Int64
}

func gosdkConnect(ctx context.Context, t mcp.Transport, revision string) (client, error) {
	told := new(atomic.Int64)
	c := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { told.Add(1) },
	})
	session, err := c.Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		return nil, err
	}
	if got := session.InitializeResult().ProtocolVersion; got != revision {
		return nil, fmt.Errorf("go-sdk speaks %s instead of %s", got, revision)
	}
	return &gosdkClient{session, told}, nil
}

func (c *gosdkClient) weather(ctx context.Context, progress bool) error {
	params := &mcp.CallToolParams{
		Name: "get_weather", Arguments: map[string]any{"city": argCity, "hours": argHours, "units": argUnits},
	}
	if progress {
		params.SetProgressToken("p")
	}
	result, err := c.session.CallTool(ctx, params)
	if err != nil {
		return err
	}
	if result.IsError || len(result.Content) != 1 {
		return fmt.Errorf("the result is %+v", result)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok || text.Text != wantText {
		return fmt.Errorf("the text is %+v", result.Content[0])
	}
	return checkStructured(result.StructuredContent)
}

func (c *gosdkClient) refused(ctx context.Context, city string) error {
	result, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: "get_weather", Arguments: map[string]any{"city": city}})
	if err == nil && !result.IsError {
		return fmt.Errorf("%+v", result)
	}
	return nil
}

func (c *gosdkClient) tools(ctx context.Context, want int) error {
	list, err := c.session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	return checkTools(len(list.Tools), want)
}

func (c *gosdkClient) progress() int64 { return c.told.Load() }
func (c *gosdkClient) close()          { c.session.Close() }

package main

import (
	"context"
	"time"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// addCallTools adds the tools that are about what happens during a call.
func addCallTools(c *catalog.Catalog) error {
	return c.Add(
		tool(`{"name":"test_tool_with_logging","description":"Sends three log messages.","inputSchema":{"type":"object"}}`, withLogging),
		tool(`{"name":"test_tool_with_progress","description":"Reports its progress three times.","inputSchema":{"type":"object"}}`, withProgress),
		tool(`{"name":"test_reconnection","description":"Ends the connection before it returns.","inputSchema":{"type":"object"}}`, withReconnection),
	)
}

// pause is how long the tools that take several steps take for one.
const pause = 50 * time.Millisecond

func withLogging(ctx context.Context) (*mcp.CallToolResult, error) {
	for i, message := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			if err := sleep(ctx, pause); err != nil {
				return nil, err
			}
		}
		err := runtime.CallOf(ctx).Log(ctx, runtime.LogInfo, "everything-server", wire.StringScalar(message))
		if err != nil {
			return nil, err
		}
	}
	return text("Tool with logging executed successfully."), nil
}

func withProgress(ctx context.Context) (*mcp.CallToolResult, error) {
	for done := 0.0; done <= 100; done += 50 {
		if done > 0 {
			if err := sleep(ctx, pause); err != nil {
				return nil, err
			}
		}
		if err := runtime.CallOf(ctx).Progress(ctx, done, new(100.0), "working"); err != nil {
			return nil, err
		}
	}
	return text("Tool with progress executed successfully."), nil
}

// withReconnection returns when the client has had time to lose its patience. Only
// Streamable HTTP has a connection for each call.
func withReconnection(ctx context.Context) (*mcp.CallToolResult, error) {
	if err := streamable.Disconnect(ctx, 500*time.Millisecond); err != nil {
		return nil, err
	}
	if err := sleep(ctx, 2*pause); err != nil {
		return nil, err
	}
	return text("Reconnection test completed successfully."), nil
}

// sleep returns early, and with the reason, when ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

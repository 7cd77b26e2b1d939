package everything

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Progress implements the tool "progress".
func (h *Handlers) Progress(ctx context.Context, _ *ProgressInput) ([]mcp.ContentBlock, error) {
	call := runtime.CallOf(ctx)
	if err := call.Progress(ctx, 1, new(2.0), "half"); err != nil {
		return nil, err
	}
	if err := call.Progress(ctx, 2, new(2.0), ""); err != nil {
		return nil, err
	}
	return blocks(text("done"))
}

// Log implements the tool "log".
func (h *Handlers) Log(ctx context.Context, in *LogInput) ([]mcp.ContentBlock, error) {
	err := client(ctx).LoggingMessage(ctx, &mcp.LoggingMessageNotificationParams{Level: mcp.LoggingLevel(in.Level), Logger: new("everything"), Data: `{"a":1}`})
	if err != nil {
		return nil, err
	}
	return blocks(text("logged"))
}

// News implements the tool "news".
func (h *Handlers) News(ctx context.Context, _ *NewsInput) ([]mcp.ContentBlock, error) {
	if err := runtime.CallOf(ctx).Progress(ctx, 1, new(2.0), "half"); err != nil {
		return nil, err
	}
	return h.Log(ctx, &LogInput{Level: LogInputLevelInfo})
}

// Wait implements the tool "wait": it reports progress and waits for the end of the call.
func (h *Handlers) Wait(ctx context.Context, _ *WaitInput) ([]mcp.ContentBlock, error) {
	if err := runtime.CallOf(ctx).Progress(ctx, 1, nil, "waiting"); err != nil {
		return nil, err
	}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// Update implements the tool "update".
func (h *Handlers) Update(_ context.Context, in *UpdateInput) ([]mcp.ContentBlock, error) {
	h.Catalog.ResourceUpdated(in.URI)
	return blocks(text("updated"))
}

// Remove implements the tool "remove".
func (h *Handlers) Remove(_ context.Context, in *RemoveInput) ([]mcp.ContentBlock, error) {
	h.Catalog.RemoveTools(in.Name)
	return blocks(text("removed"))
}

// pause is the time between the notifications of the conformance fixtures.
const pause = 50 * time.Millisecond

// TestToolWithLogging implements the tool "test_tool_with_logging".
func (h *Handlers) TestToolWithLogging(ctx context.Context, _ *TestToolWithLoggingInput) ([]mcp.ContentBlock, error) {
	for i, message := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			if err := sleep(ctx, pause); err != nil {
				return nil, err
			}
		}
		if err := runtime.CallOf(ctx).Log(ctx, runtime.LogInfo, "everything", wire.ScalarOf(message)); err != nil {
			return nil, err
		}
	}
	return blocks(text("Tool with logging executed successfully."))
}

// TestToolWithProgress implements the tool "test_tool_with_progress".
func (h *Handlers) TestToolWithProgress(ctx context.Context, _ *TestToolWithProgressInput) ([]mcp.ContentBlock, error) {
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
	return blocks(text("Tool with progress executed successfully."))
}

// TestReconnection implements the tool "test_reconnection". Over Streamable HTTP, the client
// must reconnect to receive the response.
func (h *Handlers) TestReconnection(ctx context.Context, _ *TestReconnectionInput) ([]mcp.ContentBlock, error) {
	if err := streamable.Disconnect(ctx, 500*time.Millisecond); err != nil {
		return nil, err
	}
	if err := sleep(ctx, 2*pause); err != nil {
		return nil, err
	}
	return blocks(text("Reconnection test completed successfully."))
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// tools are the server's tools in the order in which clients see them.
func tools(log *slog.Logger) []tool {
	return []tool{
		{mcp.Tool{
			Name:        "greet",
			Description: new("Greets somebody."),
			InputSchema: mcp.ToolInputSchema{
				Properties: wire.Map[wire.Object]{
					{Name: "name", Value: `{"type":"string","description":"Whom to greet"}`},
					{Name: "formal", Value: `{"type":"boolean","description":"Greet with respect","default":false}`},
				},
				Required: []string{"name"},
			},
			OutputSchema: &mcp.ToolOutputSchema{
				Properties: wire.Map[wire.Object]{{Name: "greeting", Value: `{"type":"string"}`}},
				Required:   []string{"greeting"},
			},
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: new(true)},
		}, typed(greet)},
		{mcp.Tool{
			Name:        "divide",
			Description: new("Divides one number by another. Dividing by zero fails."),
			InputSchema: mcp.ToolInputSchema{
				Properties: wire.Map[wire.Object]{{Name: "dividend", Value: `{"type":"number"}`}, {Name: "divisor", Value: `{"type":"number"}`}},
				Required:   []string{"dividend", "divisor"},
			},
		}, typed(divide)},
		{mcp.Tool{
			Name:        "count",
			Description: new("Counts to a number and reports its progress."),
			InputSchema: mcp.ToolInputSchema{
				Properties: wire.Map[wire.Object]{{Name: "to", Value: `{"type":"integer","minimum":1,"maximum":100}`}},
				Required:   []string{"to"},
			},
		}, typed(count)},
		{mcp.Tool{
			Name:        "wait",
			Description: new("Waits, unless it is cancelled."),
			InputSchema: mcp.ToolInputSchema{
				Properties: wire.Map[wire.Object]{{Name: "seconds", Value: `{"type":"number","minimum":0,"maximum":3600}`}},
				Required:   []string{"seconds"},
			},
		}, typed(waiter{log}.wait)},
	}
}

// greet answers with words for the model and with the same as data, which its output
// schema promises.
func greet(_ context.Context, a greetArguments) (*mcp.CallToolResult, error) {
	greeting := "Hello, " + a.name + "!"
	if a.formal {
		greeting = "Good day to you, " + a.name + "."
	}
	var err error
	result := text(greeting)
	result.StructuredContent, err = wire.ObjectOf(map[string]string{"greeting": greeting})
	return result, err
}

func divide(_ context.Context, a divideArguments) (*mcp.CallToolResult, error) {
	if a.divisor == 0 {
		return failure("cannot divide by zero"), nil
	}
	return text(fmt.Sprint(a.dividend / a.divisor)), nil
}

// count takes a moment for each number and sends a progress notification before it, to a
// client that has asked for them with a progress token.
func count(ctx context.Context, a countArguments) (*mcp.CallToolResult, error) {
	if a.to < 1 || a.to > 100 {
		return failure("can count from 1 to 100"), nil
	}
	call, total := runtime.CallOf(ctx), float64(a.to)
	var numbers strings.Builder
	for i := int64(1); i <= a.to; i++ {
		if err := call.Progress(ctx, float64(i), &total, fmt.Sprintf("at %d", i)); err != nil {
			return nil, err
		}
		fmt.Fprintf(&numbers, "%d ", i)
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
	return text(strings.TrimSpace(numbers.String())), nil
}

type waiter struct{ log *slog.Logger }

// wait ends early when the client cancels the call. What it returns then reaches nobody.
func (w waiter) wait(ctx context.Context, a waitArguments) (*mcp.CallToolResult, error) {
	if a.seconds < 0 || a.seconds > 3600 {
		return failure("can wait for 0 to 3600 seconds"), nil
	}
	w.log.Info("waiting", "seconds", a.seconds)
	if err := pause(ctx, time.Duration(a.seconds*float64(time.Second))); err != nil {
		w.log.Info("stopped waiting", "cause", err)
		return nil, err
	}
	return text("done"), nil
}

// pause returns early, and with the reason, when ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

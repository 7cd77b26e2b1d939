package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type greetInput struct {
	Name   string `json:"name" jsonschema_description:"The person to greet."`
	Formal bool   `json:"formal,omitempty" jsonschema_description:"Greets with respect."`
}

type greeting struct {
	Greeting string `json:"greeting"`
}

// greet returns a structured result, and the same in words for the model.
func greet(ctx context.Context, in *greetInput) (*greeting, error) {
	out := &greeting{"Hello, " + in.Name + "!"}
	if in.Formal {
		out.Greeting = "Good day to you, " + in.Name + "."
	}
	tools.ResultOf(ctx).Content = []wire.Appender{&mcp.TextContent{Text: out.Greeting}}
	return out, nil
}

type divideInput struct {
	Dividend float64 `json:"dividend"`
	Divisor  float64 `json:"divisor"`
}

// divide fails for some arguments. The client's model reads the text of the error.
func divide(_ context.Context, in *divideInput) ([]mcp.ContentBlock, error) {
	if in.Divisor == 0 {
		return nil, errors.New("cannot divide by zero")
	}
	return text(fmt.Sprint(in.Dividend / in.Divisor)), nil
}

type countInput struct {
	To int `json:"to" jsonschema:"minimum=1,maximum=100"`
}

// count sends a progress notification before each number, if the client requested it.
func count(ctx context.Context, in *countInput) ([]mcp.ContentBlock, error) {
	call, total := runtime.CallOf(ctx), float64(in.To)
	var numbers []string
	for i := range in.To {
		number := fmt.Sprint(i + 1)
		if err := call.Progress(ctx, float64(i+1), &total, "at "+number); err != nil {
			return nil, err
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return nil, err
		}
		numbers = append(numbers, number)
	}
	return text(strings.Join(numbers, " ")), nil
}

type waitInput struct {
	Seconds float64 `json:"seconds" jsonschema:"minimum=0,maximum=3600"`
}

type waiter struct{ log *slog.Logger }

// wait returns early if the client cancels the call. The client then ignores the result.
func (w waiter) wait(ctx context.Context, in *waitInput) ([]mcp.ContentBlock, error) {
	w.log.Info("waiting", "seconds", in.Seconds)
	if err := pause(ctx, time.Duration(in.Seconds*float64(time.Second))); err != nil {
		w.log.Info("stopped waiting", "cause", err)
		return nil, err
	}
	return text("done"), nil
}

// pause waits for d. If ctx ends first, it returns the cause.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// text returns the content of a result that is one text.
func text(s string) []mcp.ContentBlock { return []mcp.ContentBlock{&mcp.TextContent{Text: s}} }

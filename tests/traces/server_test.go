package traces

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// subject is the server of a trace.
type subject struct {
	*runtime.Server
	catalog *catalog.Catalog

	mu       sync.Mutex
	held     map[string]chan struct{} // closed when the tool "hold" with that name may return
	over     chan struct{}            // closed at the end of the trace
	happened []string                 // in handlers
}

func newSubject(t *testing.T, s settings) *subject {
	logger := slog.New(slog.DiscardHandler)
	u := &subject{catalog: catalog.New(catalog.Options{PageSize: s.pageSize, Logger: logger}), held: map[string]chan struct{}{}, over: make(chan struct{})}
	items := append(u.tools(), u.catalog,
		catalog.NewPrompt(&mcp.Prompt{Name: "greet", Arguments: []mcp.PromptArgument{{Name: "who", Required: new(true)}}}, greet).
			Complete("who", catalog.OneOf("Ada", "Alan")),
		catalog.NewResource(&mcp.Resource{URI: "test://a", Name: "a", MIMEType: new("text/plain")}, read),
		catalog.NewResource(&mcp.Resource{URI: "test://b", Name: "b"}, read),
		catalog.NewTemplate(&mcp.ResourceTemplate{URITemplate: "test://t/{id}", Name: "t"}, func(ctx context.Context, uri string, _ catalog.Variables) (*mcp.ReadResourceResult, error) {
			return read(ctx, uri)
		}),
	)
	var err error
	u.Server, err = mcp.NewServer(mcp.ServerOptions{
		Name: "traced", Version: "1.0.0", Title: "Traced", Instructions: "Call a tool.", Logger: logger, Grace: s.grace,
		Limits: runtime.Limits{MaxMessage: s.maxMessage, MaxConcurrent: s.maxConcurrent, KeepAlive: s.keepAlive, Timeout: s.timeout},
	}, items...)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// takeHappened returns what has happened in handlers since the last time.
func (u *subject) takeHappened() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	lines := u.happened
	u.happened = nil
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func (u *subject) note(format string, args ...any) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.happened = append(u.happened, fmt.Sprintf(format+"\n", args...))
}

// remove removes what has that name or URI, if there is something.
func (u *subject) remove(name string) {
	u.catalog.RemoveTools(name)
	u.catalog.RemovePrompts(name)
	u.catalog.RemoveResources(name)
}

// release returns the channel that is closed when the tool "hold" with that name may return.
func (u *subject) release(name string) chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.held[name] == nil {
		u.held[name] = make(chan struct{})
	}
	return u.held[name]
}

func greet(_ context.Context, arguments map[string]string) (*mcp.GetPromptResult, error) {
	return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "Greet " + arguments["who"]}}}}, nil
}

func read(_ context.Context, uri string) (*mcp.ReadResourceResult, error) {
	return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{&mcp.TextResourceContents{URI: uri, Text: "The text."}}}, nil
}

func said(text string) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: text}}}, nil
}

// tools returns the tools of the server.
func (u *subject) tools() []catalog.Item {
	var items []catalog.Item
	add := func(name string, call func(ctx context.Context, arguments wire.Object) (*mcp.CallToolResult, error)) {
		items = append(items, catalog.NewTool(&mcp.Tool{Name: name}, call))
	}
	items = append(items, catalog.NewTool(wire.Object(`{
		"name": "echo", "title": "Echo", "description": "Repeats a text.",
		"inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
		"outputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
	}`), func(_ context.Context, arguments wire.Object) (*mcp.CallToolResult, error) {
		result, err := said(arguments.GetString("text"))
		result.StructuredContent = wire.MustObject(map[string]any{"text": arguments.GetString("text")})
		return result, err
	}))
	// hold waits until it is released. If told to, it reports progress or disconnects before, and sends a log message
	// after.
	// A call that is cancelled right behind its request is not noted, because its handler need not begin.
	add("hold", func(ctx context.Context, arguments wire.Object) (*mcp.CallToolResult, error) {
		name := arguments.GetString("name")
		note := func(what string) {
			if arguments.GetString("noted") != "no" {
				u.note("hold %s: %s", name, what)
			}
		}
		note("begun")
		var err error
		switch arguments.GetString("first") {
		case "progress":
			err = runtime.CallOf(ctx).Progress(ctx, 1, nil, "holding")
		case "disconnect":
			err = streamable.Disconnect(ctx, 500*time.Millisecond)
		}
		if err != nil {
			return nil, err
		}
		select {
		case <-u.release(name):
		case <-ctx.Done():
			note("the context has ended")
			if arguments.GetString("cancelled") != "ignored" {
				return nil, context.Cause(ctx)
			}
			select {
			case <-u.release(name):
			case <-u.over:
			}
		case <-u.over:
		}
		note("released")
		if arguments.GetString("last") == "log" {
			if err := runtime.CallOf(ctx).Log(ctx, runtime.LogWarning, "traced", wire.ScalarOf("released")); err != nil {
				return nil, err
			}
		}
		return said("released")
	})
	items = append(items, catalog.NewTool(wire.Object(`{
		"name": "place", "inputSchema": {"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}}
	}`), func(_ context.Context, arguments wire.Object) (*mcp.CallToolResult, error) {
		return said(arguments.GetString("city"))
	}))
	add("report", func(ctx context.Context, _ wire.Object) (*mcp.CallToolResult, error) {
		for done := range 2 {
			if err := runtime.CallOf(ctx).Progress(ctx, float64(done+1), new(2.0), "working"); err != nil {
				return nil, err
			}
		}
		return said("reported")
	})
	add("log", func(ctx context.Context, arguments wire.Object) (*mcp.CallToolResult, error) {
		err := mcp.NewClientCaller(runtime.CallOf(ctx)).LoggingMessage(ctx, &mcp.LoggingMessageNotificationParams{
			Level: mcp.LoggingLevel(arguments.GetString("level")), Logger: new("traced"), Data: `{"a":1}`,
		})
		if err != nil {
			return nil, err
		}
		return said("logged")
	})
	add("ask", u.ask)
	add("fail", func(context.Context, wire.Object) (*mcp.CallToolResult, error) {
		return nil, errors.New("the disk is full")
	})
	add("refuse", func(context.Context, wire.Object) (*mcp.CallToolResult, error) {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "the argument is too large")
	})
	add("panic", func(context.Context, wire.Object) (*mcp.CallToolResult, error) { panic("a secret") })
	add("exit", func(context.Context, wire.Object) (*mcp.CallToolResult, error) {
		goruntime.Goexit()
		return said("unreachable")
	})
	add("nothing", func(context.Context, wire.Object) (*mcp.CallToolResult, error) { return nil, nil })
	return items
}

// ask asks the client what the argument "for" names. After an error it waits until the name in "hold" is released.
func (u *subject) ask(ctx context.Context, arguments wire.Object) (*mcp.CallToolResult, error) {
	client := mcp.NewClientCaller(runtime.CallOf(ctx))
	var answer wire.Appender
	var err error
	switch arguments.GetString("for") {
	case "roots":
		answer, err = client.ListRoots(ctx, nil)
	case "sampling":
		answer, err = client.CreateMessage(ctx, &mcp.CreateMessageRequestParams{
			MaxTokens: 10, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "Say it."}}},
		})
	case "page":
		answer, err = client.Elicit(ctx, &mcp.ElicitRequestURLParams{Message: "Look.", ElicitationID: "e1", URL: "https://example.com/"})
	case "names": // one after the other
		if _, err = u.askName(ctx, "First name?"); err == nil {
			answer, err = u.askName(ctx, "Last name?")
		}
	default:
		answer, err = u.askName(ctx, "Who?")
	}
	if name := arguments.GetString("hold"); err != nil && name != "" {
		select {
		case <-u.release(name):
		case <-u.over:
		}
	}
	if err != nil {
		return nil, err
	}
	text, err := wire.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return said(string(text))
}

func (*subject) askName(ctx context.Context, message string) (wire.Appender, error) {
	return mcp.NewClientCaller(runtime.CallOf(ctx)).Elicit(ctx, &mcp.ElicitRequestFormParams{
		Message: message,
		RequestedSchema: mcp.FormSchema{
			Properties: wire.Map[mcp.PrimitiveSchemaDefinition]{{Name: "name", Value: &mcp.StringSchema{}}}, Required: []string{"name"},
		},
	})
}

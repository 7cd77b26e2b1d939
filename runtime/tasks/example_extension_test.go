package tasks_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// dig is a tool that may be begun again by another process.
func dig(ctx context.Context, _ wire.Object) (wire.Appender, error) {
	if n := tasks.Attempt(ctx); n > 1 {
		log.Printf("attempt %d: looking for the hole of the one before", n)
	}
	return &mcp20260728.CallToolResult{Content: []mcp20260728.ContentBlock{&mcp20260728.TextContent{Text: "water"}}}, nil
}

// newWell returns a server whose calls of tools become tasks in a store.
func newWell(ctx context.Context, store tasks.Store) (*runtime.Server, *tasks.Tasks, error) {
	items := catalog.New(catalog.Options{})
	err := items.Add(catalog.Tool{
		Definition: wire.Object(`{"name":"dig","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}`),
		Call:       dig,
	})
	if err != nil {
		return nil, nil, err
	}
	keeper := tasks.New(tasks.Options{Store: store, Support: items.TaskSupport, PollInterval: 10 * time.Millisecond})
	server := runtime.NewServer(runtime.ServerOptions{Name: "well", Version: "1.0.0"},
		keeper.Extend(items.Over(mcp20260728.BindBase())))
	go keeper.Serve(ctx, server)
	return server, keeper, server.Err()
}

// A server with the tasks extension, and a client whose calls take until their tasks have ended.
func ExampleTasks_Extend() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	server, keeper, err := newWell(ctx, tasks.NewMemory(0))
	if err != nil {
		log.Fatal(err)
	}
	defer keeper.Close()
	near, far := inproc.Pair()
	go server.Serve(ctx, far)

	client := runtime.NewClient(runtime.ClientOptions{Name: "gardener", Version: "1.0.0"},
		tasks.ExtendClient(mcp20260728.BindClient(mcp20260728.UnimplementedClient{}), tasks.ClientOptions{
			Created: func(_ context.Context, id string) { fmt.Println("a task with an id of", len(id), "letters and digits") },
		}))
	session, err := client.Connect(ctx, near)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := mcp20260728.NewServerCaller(session).CallTool(ctx, &mcp20260728.CallToolRequestParams{Name: "dig"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Content[0].(*mcp20260728.TextContent).Text)
	// Output:
	// a task with an id of 26 letters and digits
	// water
}

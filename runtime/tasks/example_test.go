package tasks_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A server with a tool that can only be called as a task, and a client that waits for it.
func Example() {
	tools := catalog.New(catalog.Options{})
	err := tools.Add(catalog.Tool{
		Definition: wire.Object(`{"name":"dig","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`),
		Call: func(ctx context.Context, _ wire.Object) (wire.Appender, error) {
			for depth := range 3 {
				if err := runtime.CallOf(ctx).Progress(ctx, float64(depth+1), nil, "digging"); err != nil {
					return nil, err
				}
			}
			return wire.Object(`{"content":[{"type":"text","text":"water"}]}`), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	keeper := tasks.New(tasks.Options{Support: tools.TaskSupport, PollInterval: time.Millisecond})
	server := runtime.NewServer(runtime.ServerOptions{
		Name: "well", Version: "1",
	}, keeper.Over(tools.Over(mcp20251125.BindServer(mcp20251125.UnimplementedServer{}))))

	near, far := inproc.Pair()
	go server.Serve(context.Background(), far)
	client := runtime.NewClient(runtime.ClientOptions{Name: "gardener", Version: "1"},
		mcp20251125.BindClient(mcp20251125.UnimplementedClient{}))
	session, err := client.Connect(context.Background(), near)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	params := &mcp20251125.CallToolRequestParams{Name: "dig"}
	_, err = mcp20251125.NewServerCaller(session).CallTool(context.Background(), params)
	fmt.Println(err)

	var result mcp20251125.CallToolResult
	ctx := runtime.WithProgress(context.Background(), func(p runtime.Progress) { fmt.Println(p.Message, p.Progress) })
	if err := tasks.Await(ctx, session, "tools/call", params, &result); err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Content[0].(*mcp20251125.TextContent).Text)
	// Output:
	// jsonrpc: error -32601: tool "dig" must be called as a task
	// digging 1
	// digging 2
	// digging 3
	// water
}

// Replicas change a value one after the other, because Swap demands the version that they have read.
func ExampleStore() {
	ctx := context.Background()
	var store tasks.Store = tasks.NewMemory(0)
	quota := &tasks.Record{ID: "quota-ada", State: "3", Expires: time.Now().Add(24 * time.Hour)}
	if err := store.Create(ctx, quota); err != nil {
		log.Fatal(err)
	}
	at, err := store.Get(ctx, "quota-ada") // another replica
	if err != nil {
		log.Fatal(err)
	}
	quota.State, at.State = "2", "1"
	fmt.Println(store.Swap(ctx, quota))
	fmt.Println(errors.Is(store.Swap(ctx, at), tasks.ErrConflict))
	// Output:
	// <nil>
	// true
}

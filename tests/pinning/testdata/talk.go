// Talk is a server and a client of a revision: a call becomes a task, a handler fails with a code, and the
// client listens for a notification that the newest pinned revision does not have.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const used = "notifications/tools/used"

func main() {
	ctx := context.Background()
	items := catalog.New(catalog.Options{})
	err := items.Add(
		catalog.Tool{
			Definition: wire.Object(`{"name":"dig","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}`),
			Call: func(context.Context, wire.Object) (wire.Appender, error) {
				return wire.Raw(`{"content":[{"type":"text","text":"water"}],"resultType":"complete"}`), nil
			},
		},
		catalog.Tool{
			Definition: wire.Object(`{"name":"fail","inputSchema":{"type":"object"}}`),
			Call: func(context.Context, wire.Object) (wire.Appender, error) {
				return nil, &jsonrpc.Error{Code: -32023, Message: "slow down", Data: `{"after":1}`}
			},
		})
	if err != nil {
		log.Fatal(err)
	}
	keeper := tasks.New(tasks.Options{Support: items.TaskSupport})
	defer keeper.Close()
	binding := keeper.Extend(items.Over(mcp20260728.BindBase()))
	server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, binding)
	near, far := inproc.Pair()
	go server.Serve(ctx, far)
	client := mcp20260728.BindClient(mcp20260728.UnimplementedClient{})
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, tasks.ExtendClient(client, tasks.ClientOptions{
		Created: func(context.Context, string) { fmt.Print("a task: ") },
	})).Connect(ctx, near)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	var result wire.Object
	if err := session.Call(ctx, "tools/call", wire.Object(`{"name":"dig"}`), &result); err != nil {
		log.Fatal(err)
	}
	content, _ := result.Get("content")
	for _, block := range content.Elements() {
		fmt.Println(wire.Object(block).GetString("text"))
	}
	err = session.Call(ctx, "tools/call", wire.Object(`{"name":"fail"}`), nil)
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		fmt.Println("an error:", e.Code)
	}
	for n, err := range session.Listen(ctx, wire.Object(`{"toolsUsed":true}`)) {
		if err != nil {
			log.Fatal(err)
		}
		if n.Method == used {
			fmt.Println(used)
			return
		}
		honoured, _ := wire.Object(n.Params).Get("notifications")
		fmt.Printf("acknowledged: %s\n", honoured)
		if honoured == "{}" {
			return
		}
		if err := server.Publish(used, wire.Object(`{"name":"dig"}`)); err != nil {
			log.Fatal(err)
		}
	}
}

package runtime_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A server over standard input and output. Its binding is written by hand here; a
// generated BindServer makes one of an implementation of the revision's Server.
func ExampleServer() {
	binding := runtime.Binding{
		Revision:  "2025-06-18",
		Direction: runtime.ToServer,
		Handle: func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			method := message.Method
			if method == "tools/list" {
				return wire.Raw(`{"tools":[]}`), nil
			}
			return nil, runtime.MethodNotFound(method)
		},
	}
	server := runtime.NewServer(runtime.ServerOptions{
		Name:         "hello",
		Version:      "1.0.0",
		Capabilities: wire.Raw(`{"tools":{}}`),
	}, binding)

	// A server process has &stdio.Transport{}, its own input and output.
	input := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if err := server.Serve(context.Background(), &stdio.Transport{In: input, Out: os.Stdout}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"hello","version":"1.0.0"}}}
	// {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}
}

// A client and a server in one process.
func ExampleClient_Connect() {
	ctx := context.Background()
	server := runtime.NewServer(runtime.ServerOptions{Name: "hello", Version: "1.0.0"}, runtime.Binding{
		Revision:  "2025-06-18",
		Direction: runtime.ToServer,
		Handle: func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			method := message.Method
			return nil, runtime.MethodNotFound(method)
		},
	})
	client := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, runtime.Binding{
		Revision:  "2025-06-18",
		Direction: runtime.ToClient,
	})

	clientEnd, serverEnd := inproc.Pair()
	go server.Serve(ctx, serverEnd)
	session, err := client.Connect(ctx, clientEnd)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	fmt.Println(session.Revision(), session.ServerInfo())
	fmt.Println(session.Ping(ctx))
	fmt.Println(session.Call(ctx, "tools/list", nil, nil))
	// Output:
	// 2025-06-18 {"name":"hello","version":"1.0.0"}
	// <nil>
	// jsonrpc: error -32601: method not found: "tools/list"
}

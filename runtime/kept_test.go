package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// padding makes a message large by a member of _meta that nothing reads.
var padding = wire.Raw(`{"padding":"` + strings.Repeat("x", 1<<20) + `"}`)

// padded returns an object with the padding as its _meta.
func padded(t *testing.T, object string) wire.Raw {
	t.Helper()
	with, err := wire.Object(object).With("_meta", padding)
	if err != nil {
		t.Fatal(err)
	}
	return wire.Raw(with)
}

// keeper serves everything that makes a server keep something for a session.
func keeper(t *testing.T) *runtime.Server {
	t.Helper()
	c := catalog.New(catalog.Options{})
	greet := catalog.Tool{
		Definition: wire.Object(`{"name":"greet","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}`),
		Call: func(context.Context, wire.Object) (wire.Appender, error) {
			return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: "hello"}}}, nil
		},
	}
	if err := c.Add(greet); err != nil {
		t.Fatal(err)
	}
	if err := c.Add(catalog.Template{
		Definition: wire.Object(`{"name":"any","uriTemplate":"test://{name}"}`),
		Read: func(context.Context, string, catalog.Variables) (wire.Appender, error) {
			return &mcp.ReadResourceResult{}, nil
		},
	}); err != nil {
		t.Fatal(err)
	}
	kept := tasks.New(tasks.Options{MaxTasks: 100})
	return runtime.NewServer(runtime.ServerOptions{
		Name: "keeper", Version: "1",
		Capabilities: wire.Raw(`{"logging":{},"tools":{},"resources":{"subscribe":true},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}`),
	}, kept.Over(c.Over(mcp.BindServer(mcp.UnimplementedServer{}))))
}

// connectKeeper opens a session with a server in the same process. The server keeps the
// capabilities of the client.
func connectKeeper(t *testing.T, server *runtime.Server, capabilities wire.Raw) *runtime.Session {
	t.Helper()
	near, far := inproc.Pair()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(context.Background(), far) }()
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1", Capabilities: capabilities}, mcp.BindClient(mcp.UnimplementedClient{}))
	session, err := client.Connect(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		<-ended
	})
	return session
}

// TestKeptMemory checks that what a server keeps for a session beyond a message is not the
// message: each of the messages below is larger than a megabyte.
func TestKeptMemory(t *testing.T) {
	const messages, most = 50, 8 << 20
	request := func(method, params string) func(t *testing.T, s *runtime.Session, i int) {
		return func(t *testing.T, s *runtime.Session, i int) {
			var result wire.Object
			if err := s.Call(t.Context(), method, padded(t, strings.ReplaceAll(params, "#", fmt.Sprint(i))), &result); err != nil {
				t.Fatal(err)
			}
		}
	}
	notification := func(method, params string) func(t *testing.T, s *runtime.Session, i int) {
		return func(t *testing.T, s *runtime.Session, i int) {
			if err := s.Notify(t.Context(), method, padded(t, strings.ReplaceAll(params, "#", fmt.Sprint(i)))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, send := range map[string]func(t *testing.T, s *runtime.Session, i int){
		"subscriptions":       request("resources/subscribe", `{"uri":"test://#"}`),
		"read resources":      request("resources/read", `{"uri":"test://#"}`),
		"log level":           request("logging/setLevel", `{"level":"error"}`),
		"calls":               request("tools/call", `{"name":"greet"}`),
		"cursors":             request("tools/list", `{}`),
		"progress of nothing": notification("notifications/progress", `{"progressToken":"#","progress":1}`),
		"cancelled nothing":   notification("notifications/cancelled", `{"requestId":"#"}`),
		"tasks": func(t *testing.T, s *runtime.Session, _ int) {
			var created wire.Object
			if err := s.Call(t.Context(), "tools/call", padded(t, `{"name":"greet","task":{"ttl":600000}}`), &created); err != nil {
				t.Fatal(err)
			}
			task, _ := created.Get("task")
			id, _ := wire.Object(task).Get("taskId")
			var result wire.Object
			if err := s.Call(t.Context(), "tasks/result", wire.Raw(`{"taskId":`+id+`}`), &result); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := connectKeeper(t, keeper(t), "{}")
			send(t, s, messages) // what is made for the first of them
			grown := testkit.Heap(most, func() any {
				for i := range messages {
					send(t, s, i)
				}
				if err := s.Ping(t.Context()); err != nil {
					t.Fatal(err)
				}
				return s
			})
			if grown > most {
				t.Errorf("%d messages left %d bytes", messages, grown)
			}
		})
	}
}

// TestListenerMemory checks that a listener does not keep its message.
func TestListenerMemory(t *testing.T) {
	const messages, most = 20, 8 << 20
	server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(`{"tools":{"listChanged":true}}`)},
		runtime.Binding{Revision: r26, Direction: runtime.ToServer, Methods: mcp20260728.Methods,
			Handle: func(_ context.Context, m *runtime.Message) (wire.Appender, error) {
				return nil, runtime.MethodNotFound(m.Method)
			}})
	out := new(replies)
	in, err := server.Open(t.Context(), out, runtime.Handshake{Stateless: true}, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	opened := 0
	grown := testkit.Heap(most, func() any {
		for i := range messages {
			text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"x":"%s",`+
				`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, opened+i, strings.Repeat("x", 1<<20))
			go in.Accept(runtime.Incoming{Text: text, Reply: out})()
		}
		opened += messages
		if !testkit.Eventually(func() bool { return server.Subscriptions() == opened }) {
			t.Fatalf("%d listeners, want %d", server.Subscriptions(), opened)
		}
		return in
	})
	if grown > most {
		t.Errorf("%d listeners keep %d bytes", messages, grown)
	}
	in.Shutdown(t.Context())
}

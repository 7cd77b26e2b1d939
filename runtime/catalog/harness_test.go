package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// methods is the part of a revision's table that the catalog is about.
var methods = []runtime.Method{
	{Name: "initialize", Kind: jsonrpc.Request, Direction: runtime.ToServer},
	{Name: "ping", Kind: jsonrpc.Request, Direction: runtime.ToServer | runtime.ToClient},
	{Name: "notifications/initialized", Kind: jsonrpc.Notification, Direction: runtime.ToServer},
	{Name: "tools/list", Kind: jsonrpc.Request, Direction: runtime.ToServer, Capability: "tools"},
	{Name: "tools/call", Kind: jsonrpc.Request, Direction: runtime.ToServer, Capability: "tools"},
	{Name: "prompts/list", Kind: jsonrpc.Request, Direction: runtime.ToServer, Capability: "prompts"},
	{Name: "prompts/get", Kind: jsonrpc.Request, Direction: runtime.ToServer, Capability: "prompts"},
	{Name: "resources/list", Kind: jsonrpc.Request, Direction: runtime.ToServer, Capability: "resources"},
	{Name: "resources/templates/list", Kind: jsonrpc.Request, Direction: runtime.ToServer, Capability: "resources"},
	{Name: "resources/read", Kind: jsonrpc.Request, Direction: runtime.ToServer, Capability: "resources"},
	{Name: "resources/subscribe", Kind: jsonrpc.Request, Direction: runtime.ToServer, Capability: "resources.subscribe"},
	{Name: "resources/unsubscribe", Kind: jsonrpc.Request, Direction: runtime.ToServer, Capability: "resources.subscribe"},
	{Name: "completion/complete", Kind: jsonrpc.Request, Direction: runtime.ToServer, Capability: "completions"},
	{Name: "notifications/tools/list_changed", Kind: jsonrpc.Notification, Direction: runtime.ToClient, Capability: "tools.listChanged"},
	{Name: "notifications/prompts/list_changed", Kind: jsonrpc.Notification, Direction: runtime.ToClient, Capability: "prompts.listChanged"},
	{Name: "notifications/resources/list_changed", Kind: jsonrpc.Notification, Direction: runtime.ToClient, Capability: "resources.listChanged"},
	{Name: "notifications/resources/updated", Kind: jsonrpc.Notification, Direction: runtime.ToClient, Capability: "resources.subscribe"},
}

// everything is what a server with a catalog may declare.
const everything = `{"completions":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}}`

// serve makes a server of a catalog.
func serve(t testing.TB, c *catalog.Catalog, capabilities wire.Raw) *runtime.Server {
	return runtime.NewServer(runtime.ServerOptions{
		Name: "probe", Version: "1",
		Capabilities: capabilities,
		Logger:       slog.New(slog.NewTextHandler(t.Output(), nil)),
	}, c.Over(runtime.Binding{Revision: "2025-11-25", Direction: runtime.ToServer, Methods: methods}))
}

// client is a session with a server, and what it has been told.
type client struct {
	*runtime.Session
	t     testing.TB
	ended chan error

	mu   sync.Mutex
	told []string
}

// connect opens a session.
func connect(t testing.TB, server *runtime.Server) *client {
	t.Helper()
	return connectIn(t, server, "2025-11-25")
}

// connectIn opens a session of a revision.
func connectIn(t testing.TB, server *runtime.Server, revision string) *client {
	t.Helper()
	c := &client{t: t, ended: make(chan error, 1)}
	near, far := inproc.Pair()
	go func() { c.ended <- server.Serve(context.Background(), far) }()
	binding := runtime.Binding{Revision: revision, Direction: runtime.ToClient, Methods: methods,
		Handle: func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
			method, params := message.Method, wire.Raw(message.Object())
			c.mu.Lock()
			defer c.mu.Unlock()
			c.told = append(c.told, strings.TrimSpace(strings.TrimPrefix(method, "notifications/")+" "+string(params)))
			return nil, nil
		}}
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, binding).Connect(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	c.Session = session
	return c
}

// heard is what the client has been told since the last time.
func (c *client) heard() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	told := c.told
	c.told = nil
	return told
}

// close ends the session and waits for the server.
func (c *client) close() {
	c.t.Helper()
	if err := c.Close(); err != nil {
		c.t.Errorf("client: %v", err)
	}
	if err := <-c.ended; err != nil {
		c.t.Errorf("server: %v", err)
	}
}

// ask sends a request and returns the text of the result, or of the error: "-32602 why".
func (c *client) ask(method string, params wire.Raw) string {
	c.t.Helper()
	var result wire.Raw
	var given wire.Appender
	if params != "" {
		given = params
	}
	err := c.Call(c.t.Context(), method, given, &result)
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return strings.TrimSpace(fmt.Sprintf("%d %s %s", e.Code, e.Message, e.Data))
	}
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	return string(result)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// echo is a tool that returns its arguments.
func echo(name string) catalog.Tool {
	return catalog.Tool{
		Definition: wire.Object(fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name)),
		Call: func(_ context.Context, arguments wire.Object) (wire.Appender, error) {
			return wire.Object(`{"content":[],"structuredContent":` + string(arguments) + `}`), nil
		},
	}
}

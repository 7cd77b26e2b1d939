package tasks_test

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// sessionWith returns the session of a client with a server that has the items.
func sessionWith(t *testing.T, items ...catalog.Item) *runtime.Session {
	server, err := catalog.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, mcp20251125.BindBase(), nil, items...)
	if err != nil {
		t.Fatal(err)
	}
	near, far := inproc.Pair()
	go server.Serve(context.Background(), far)
	client := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, mcp20251125.BindClient(mcp20251125.UnimplementedClient{}))
	session, err := client.Connect(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// TestItem checks that a server with the item declares tasks and that the definition of a tool decides
// whether it can be called as one.
func TestItem(t *testing.T) {
	call := func(context.Context, wire.Object) (wire.Appender, error) {
		return wire.Object(`{"content":[{"type":"text","text":"water"}]}`), nil
	}
	session := sessionWith(t,
		catalog.Tool{Definition: wire.Object(`{"name":"dig","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`), Call: call},
		catalog.Tool{Definition: wire.Object(`{"name":"look","inputSchema":{"type":"object"}}`), Call: call},
		catalog.Tasks(tasks.New(tasks.Options{})))
	if tasks, _ := session.ServerCapabilities().Get("tasks"); tasks != `{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}` {
		t.Fatalf("the server declares %s", session.ServerCapabilities())
	}
	for params, ok := range map[wire.Raw]bool{
		`{"name":"dig","task":{}}`:  true,
		`{"name":"dig"}`:            false,
		`{"name":"look","task":{}}`: false,
		`{"name":"look"}`:           true,
	} {
		var result wire.Raw
		if err := session.Call(t.Context(), "tools/call", params, &result); (err == nil) != ok {
			t.Errorf("%s: got %s, %v", params, result, err)
		}
	}
}

// TestItemReplaced checks that the last of several such items counts.
func TestItemReplaced(t *testing.T) {
	call := func(context.Context, wire.Object) (wire.Appender, error) { return wire.Object(`{"content":[]}`), nil }
	stores := []tasks.Store{tasks.NewMemory(0), tasks.NewMemory(0)}
	session := sessionWith(t,
		catalog.Tasks(tasks.New(tasks.Options{Store: stores[0]})),
		catalog.Tool{Definition: wire.Object(`{"name":"dig","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}`), Call: call},
		catalog.Tasks(tasks.New(tasks.Options{Store: stores[1]})))
	var result wire.Object
	if err := session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"dig","task":{}}`), &result); err != nil {
		t.Fatal(err)
	}
	task, _ := result.Get("task")
	for i, store := range stores {
		if _, err := store.Get(t.Context(), wire.Object(task).GetString("taskId")); (err == nil) != (i == 1) {
			t.Errorf("store %d: %v", i, err)
		}
	}
}

// TestItemOfCatalog checks that a catalog, which wraps no binding, refuses the item.
func TestItemOfCatalog(t *testing.T) {
	if err := catalog.New(catalog.Options{}).Add(catalog.Tasks(tasks.New(tasks.Options{}))); err == nil {
		t.Error("a catalog takes an item that it cannot apply")
	}
}

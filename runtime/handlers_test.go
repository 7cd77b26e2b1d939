package runtime_test

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestHandlersCapabilities derives the capabilities of a client from its handlers.
func TestHandlersCapabilities(t *testing.T) {
	methods := []runtime.Method{
		{Name: "ask", Kind: jsonrpc.Request, Direction: runtime.ToClient, Capability: "asking"},
		{Name: "list", Kind: jsonrpc.Request, Direction: runtime.ToClient, Capability: "work.list"},
		{Name: "get", Kind: jsonrpc.Request, Direction: runtime.ToClient, Capability: "work"},
		{Name: "plain", Kind: jsonrpc.Request, Direction: runtime.ToClient},
		{Name: "changed", Kind: jsonrpc.Notification, Direction: runtime.ToServer, Capability: "work.changed"},
		{Name: "asked", Kind: jsonrpc.Notification, Direction: runtime.ToServer, Capability: "asking"},
		{Name: "news", Kind: jsonrpc.Notification, Direction: runtime.ToClient, Capability: "logging"},
	}
	set := func(context.Context, *runtime.Message) (wire.Appender, error) { return nil, nil }
	for _, row := range []struct {
		handlers runtime.Handlers
		want     wire.Object
	}{
		{nil, `{}`},
		{runtime.Handlers{"ask": nil, "plain": set, "news": set}, `{}`},
		{runtime.Handlers{"ask": set}, `{"asking":{}}`},
		{runtime.Handlers{"get": set}, `{"work":{"changed":true}}`},
		{runtime.Handlers{"list": set, "get": set, "ask": set}, `{"asking":{},"work":{"list":{},"changed":true}}`},
	} {
		if got := row.handlers.Capabilities(methods); got != row.want {
			t.Errorf("%v: got %s, want %s", row.handlers, got, row.want)
		}
	}
}

package otelmcp_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/otelmcp"
)

// A client with traces. A real program exports them to a collector instead of memory.
func Example() {
	ctx := context.Background()
	spans := tracetest.NewInMemoryExporter()
	client := runtime.NewClient(runtime.ClientOptions{
		Name:    "c",
		Version: "1",
		Sending: []runtime.Middleware{otelmcp.New(otelmcp.Options{
			TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)),
			Attributes:     []attribute.KeyValue{attribute.String("network.transport", "pipe")},
		})},
	}, runtime.Binding{Revision: "2025-06-18", Direction: runtime.ToClient})
	server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"},
		runtime.Binding{Revision: "2025-06-18", Direction: runtime.ToServer, Handle: handle})

	clientEnd, serverEnd := inproc.Pair()
	go server.Serve(ctx, serverEnd)
	session, err := client.Connect(ctx, clientEnd)
	if err != nil {
		fmt.Println(err)
		return
	}
	session.Call(ctx, "tools/call", tool("echo"), nil)
	session.Close()
	for _, s := range spans.GetSpans() {
		fmt.Println(s.SpanKind, s.Name)
	}
	// Output:
	// client initialize
	// client notifications/initialized
	// client tools/call echo
}

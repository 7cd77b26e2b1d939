package streamable_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// A server for clients of both transports over HTTP, and a client that has only the older one.
func ExampleNewSSEHandler() {
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "notes", Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	newer, older := streamable.NewHandler(server, streamable.Options{}), streamable.NewSSEHandler(server, streamable.Options{})
	mux := http.NewServeMux()
	mux.Handle("/mcp", newer)
	mux.Handle("/sse", older)
	listening := httptest.NewServer(mux)
	defer listening.Close()
	defer newer.Close()
	defer older.Close()

	ctx := context.Background()
	transport, err := streamable.DialSSE(ctx, listening.URL+"/sse", streamable.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	session, err := mcp.Connect(ctx, transport, mcp.ClientOptions{Name: "app", Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	fmt.Println(session.ServerInfo().Name, session.Revision())
	// Output: notes 2025-11-25
}

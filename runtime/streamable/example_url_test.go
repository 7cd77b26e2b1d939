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

// A client of two servers, of which it knows only the URLs: the second has only HTTP with SSE.
func ExampleURL() {
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
	for _, path := range []string{"/mcp", "/sse"} {
		session, err := mcp.Connect(ctx, streamable.URL(listening.URL+path, streamable.ClientOptions{}), mcp.ClientOptions{Name: "app", Version: "1.0.0"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(path, session.ServerInfo().Name, session.Revision())
		session.Close()
	}
	// Output:
	// /mcp notes 2026-07-28
	// /sse notes 2025-11-25
}

package streamable_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// A server and a client over HTTP. A program listens with streamable.ListenAndServe.
func Example() {
	help := catalog.NewResource(&mcp.Resource{Name: "help", URI: "notes://help"},
		func(_ context.Context, uri string) (*mcp.ReadResourceResult, error) {
			text := &mcp.TextResourceContents{URI: uri, Text: "A note has a topic and a text."}
			return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{text}}, nil
		})
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "notes", Version: "1.0.0"}, help)
	if err != nil {
		log.Fatal(err)
	}
	handler := streamable.NewHandler(server, streamable.Options{})
	listening := httptest.NewServer(handler)
	defer listening.Close()
	defer handler.Close()

	ctx := context.Background()
	transport, err := streamable.NewTransport(listening.URL, streamable.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	session, err := mcp.Connect(ctx, transport, mcp.ClientOptions{Name: "app", Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := session.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: "notes://help"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Contents[0].(*mcp.TextResourceContents).Text)
	// Output: A note has a topic and a text.
}

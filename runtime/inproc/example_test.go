package inproc_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
)

// A client and a server in one process, as in a test of the server.
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

	ctx := context.Background()
	near, far := inproc.Pair()
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, far) }()
	session, err := mcp.Connect(ctx, near, mcp.ClientOptions{Name: "app", Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	for resource, err := range session.Resources(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(resource.Name, resource.URI)
	}
	session.Close()
	fmt.Println(<-served)
	// Output:
	// help notes://help
	// <nil>
}

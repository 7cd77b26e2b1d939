// Command protected is a server over HTTP that lets in whom an authorization server has let in. Its tool
// write_note needs a scope of its own.
package main

import (
	"cmp"
	"context"
	"log"
	"net/http"
	"os"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/typed"
)

type Note struct {
	Text string `json:"text"`
}

type Written struct {
	By string `json:"by"`
}

func writeNote(ctx context.Context, in *Note) (*Written, error) {
	return &Written{By: auth.CallerOf(ctx).Subject}, nil
}

func handler() (http.Handler, error) {
	tool := typed.Tool(&mcp.Tool{Name: "write_note"}, writeNote).Require("notes:write")
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "notes", Version: "1.0.0"}, tool)
	if err != nil {
		return nil, err
	}
	guard, err := auth.NewGuard(auth.Options{
		Resource: cmp.Or(os.Getenv("MCP_RESOURCE"), "http://localhost:8000/mcp"),
		Issuers:  []auth.Issuer{{URL: cmp.Or(os.Getenv("MCP_ISSUER"), "http://localhost:8080/realms/mcp")}},
	})
	if err != nil {
		return nil, err
	}
	return guard.Protect(streamable.NewHandler(server, streamable.Options{})), nil
}

func main() {
	h, err := handler()
	if err != nil {
		log.Fatal(err)
	}
	server := streamable.NewServer(h)
	server.Addr = "localhost:8000"
	log.Fatal(server.ListenAndServe())
}

package catalog_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/stdio"
)

// A server with a prompt, a resource and a template, and completion of their arguments.
func Example() {
	cities := catalog.OneOf("Lima", "Oslo")
	prompt := catalog.NewPrompt(&mcp.Prompt{
		Name:      "report",
		Arguments: []mcp.PromptArgument{{Name: "city"}},
	}, func(ctx context.Context, arguments map[string]string) (*mcp.GetPromptResult, error) {
		text := &mcp.TextContent{Text: "Write a weather report for " + arguments["city"] + "."}
		return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: text}}}, nil
	}).Complete("city", cities)
	resource := catalog.NewResource(&mcp.Resource{Name: "stations", URI: "weather://stations"},
		func(ctx context.Context, uri string) (*mcp.ReadResourceResult, error) {
			text := &mcp.TextResourceContents{URI: uri, Text: "Lima, Oslo"}
			return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{text}}, nil
		})
	template := catalog.NewTemplate(&mcp.ResourceTemplate{Name: "station", URITemplate: "weather://stations/{city}"},
		func(ctx context.Context, uri string, variables catalog.Variables) (*mcp.ReadResourceResult, error) {
			if variables.Get("city") == "Atlantis" {
				return nil, catalog.ErrNoResource
			}
			text := &mcp.TextResourceContents{URI: uri, Text: variables.Get("city") + " has one station."}
			return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{text}}, nil
		}).Complete("city", cities)

	server, err := mcp.NewServer(mcp.ServerOptions{Name: "weather", Version: "1.0.0"}, prompt, resource, template)
	if err != nil {
		log.Fatal(err)
	}
	for _, request := range []string{ // stdio.Serve(ctx, server) in a program
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"report","arguments":{"city":"Oslo"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"weather://stations/Oslo"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"weather://stations/Atlantis"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"report"},"argument":{"name":"city","value":"O"}}}`,
	} {
		transport := &stdio.Transport{In: strings.NewReader(request), Out: struct{ io.Writer }{os.Stdout}}
		if err := server.Resume(context.Background(), transport, runtime.Handshake{Revision: mcp.Revision}); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"messages":[{"content":{"type":"text","text":"Write a weather report for Oslo."},"role":"user"}]}}
	// {"jsonrpc":"2.0","id":2,"result":{"contents":[{"text":"Oslo has one station.","uri":"weather://stations/Oslo"}]}}
	// {"jsonrpc":"2.0","id":3,"error":{"code":-32002,"message":"resource not found","data":{"uri":"weather://stations/Atlantis"}}}
	// {"jsonrpc":"2.0","id":4,"result":{"completion":{"values":["Oslo"],"total":1,"hasMore":false}}}
}

// A catalog can be changed while the server runs.
func ExampleCatalog_Add() {
	offers := catalog.New(catalog.Options{})
	if _, err := mcp.NewServer(mcp.ServerOptions{Name: "weather", Version: "1.0.0"}, offers); err != nil {
		log.Fatal(err)
	}
	read := func(ctx context.Context, uri string) (*mcp.ReadResourceResult, error) {
		return nil, catalog.ErrNoResource
	}
	err := offers.Add(
		catalog.NewResource(&mcp.Resource{Name: "stations", URI: "weather://stations"}, read),
		catalog.NewResource(&mcp.Resource{Name: "stations", URI: "weather://stations"}, read),
	)
	fmt.Println(err)
	// Output:
	// catalog: resource "weather://stations": two items have this uri
}

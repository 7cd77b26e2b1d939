// Program proxy stands between a client and a server and forwards calls of tools, prompts
// and resources. It forwards no other messages.
package main

import (
	"context"
	"log"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	ctx := context.Background()
	c, err := client.NewStdioMCPClient(os.Args[1], nil, os.Args[2:]...)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	behind, err := c.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION,
		ClientInfo:      mcp.Implementation{Name: "proxy", Version: "1.0.0"},
	}})
	if err != nil {
		log.Fatal(err)
	}
	s := server.NewMCPServer(behind.ServerInfo.Name, behind.ServerInfo.Version)
	if behind.Capabilities.Tools != nil {
		tools, err := c.ListTools(ctx, mcp.ListToolsRequest{})
		if err != nil {
			log.Fatal(err)
		}
		for _, tool := range tools.Tools {
			s.AddTool(tool, c.CallTool)
		}
	}
	if behind.Capabilities.Prompts != nil {
		prompts, err := c.ListPrompts(ctx, mcp.ListPromptsRequest{})
		if err != nil {
			log.Fatal(err)
		}
		for _, prompt := range prompts.Prompts {
			s.AddPrompt(prompt, c.GetPrompt)
		}
	}
	if behind.Capabilities.Resources != nil {
		resources, err := c.ListResources(ctx, mcp.ListResourcesRequest{})
		if err != nil {
			log.Fatal(err)
		}
		for _, resource := range resources.Resources {
			s.AddResource(resource, func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				result, err := c.ReadResource(ctx, request)
				if err != nil {
					return nil, err
				}
				return result.Contents, nil
			})
		}
	}
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}

// Program answer starts a server, calls a tool, and answers what the tool asks the user and
// the model.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

type user struct{}

func (user) Elicit(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}}, nil
}

func (user) CreateMessage(ctx context.Context, request mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return &mcp.CreateMessageResult{Model: "none", SamplingMessage: mcp.SamplingMessage{
		Role: mcp.RoleAssistant, Content: mcp.NewTextContent("Hello!"),
	}}, nil
}

func main() {
	ctx := context.Background()
	c := client.NewClient(transport.NewStdio(os.Args[1], nil), client.WithElicitationHandler(user{}), client.WithSamplingHandler(user{}))
	if err := c.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	_, err := c.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION,
		ClientInfo:      mcp.Implementation{Name: "app", Version: "1.0.0"},
	}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "ask"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, block := range result.Content {
		if text, ok := block.(mcp.TextContent); ok {
			fmt.Println(text.Text)
		}
	}
}

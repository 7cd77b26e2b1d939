// Program answer starts a server, calls a tool, and answers what the tool asks the user and
// the model.
//
//lint:file-ignore SA1019 The library deprecates sampling, which the program shows.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func elicit(ctx context.Context, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return &mcp.ElicitResult{Action: "decline"}, nil
}

func sample(ctx context.Context, request *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return &mcp.CreateMessageResult{Role: "assistant", Model: "none", Content: &mcp.TextContent{Text: "Hello!"}}, nil
}

func main() {
	ctx := context.Background()
	options := &mcp.ClientOptions{ElicitationHandler: elicit, CreateMessageHandler: sample}
	client := mcp.NewClient(&mcp.Implementation{Name: "app", Version: "1.0.0"}, options)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(os.Args[1])}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "ask"})
	if err != nil {
		log.Fatal(err)
	}
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			fmt.Println(text.Text)
		}
	}
}

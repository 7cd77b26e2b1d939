// Program answer starts a server, calls a tool, and answers what the tool asks the user and
// the model.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/stdio"
)

func elicit(ctx context.Context, params mcp.ElicitRequestParams) (*mcp.ElicitResult, error) {
	return &mcp.ElicitResult{Action: mcp.ElicitActionDecline}, nil
}

func sample(ctx context.Context, params *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
	return &mcp.CreateMessageResult{Role: mcp.RoleAssistant, Model: "none", Content: &mcp.TextContent{Text: "Hello!"}}, nil
}

func main() {
	ctx := context.Background()
	options := mcp.ClientOptions{Name: "app", Version: "1.0.0", Elicit: elicit, CreateMessage: sample}
	session, err := mcp.Connect(ctx, stdio.Command(exec.Command(os.Args[1])), options)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolRequestParams{Name: "ask"})
	if err != nil {
		log.Fatal(err)
	}
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			fmt.Println(text.Text)
		}
	}
}

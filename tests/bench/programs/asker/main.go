// Program asker is a server whose tool asks the model and the user of the client.
package main

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/typed"
)

func ask(ctx context.Context, _ *struct{}) ([]mcp.ContentBlock, error) {
	client := mcp.NewClientCaller(runtime.CallOf(ctx))
	said, err := client.CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 10})
	if err != nil {
		return nil, err
	}
	asked, err := client.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: "Who are you?"})
	if err != nil {
		return nil, err
	}
	text := said.Content.(*mcp.TextContent).Text + " " + string(asked.Action)
	return []mcp.ContentBlock{&mcp.TextContent{Text: text}}, nil
}

func main() {
	stdio.Main(mcp.NewServer(mcp.ServerOptions{Name: "asker", Version: "1.0.0"}, typed.ContentTool(&mcp.Tool{Name: "ask"}, ask)))
}

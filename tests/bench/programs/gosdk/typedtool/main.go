// Program typedtool is a server with one typed tool.
package main

import (
	"context"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type Input struct {
	City string `json:"city"`
}

type Output struct {
	Degrees float64 `json:"degrees"`
}

func weather(ctx context.Context, _ *mcp.CallToolRequest, in *Input) (*mcp.CallToolResult, *Output, error) {
	return nil, &Output{Degrees: 21}, nil
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "weather", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "get_weather"}, weather)
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}

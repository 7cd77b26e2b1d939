// Program typedtool is a server with one typed tool.
package main

import (
	"context"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type Input struct {
	City string `json:"city"`
}

type Output struct {
	Degrees float64 `json:"degrees"`
}

func weather(ctx context.Context, _ mcp.CallToolRequest, in Input) (Output, error) {
	return Output{Degrees: 21}, nil
}

func main() {
	s := server.NewMCPServer("weather", "1.0.0")
	tool := mcp.NewTool("get_weather", mcp.WithInputSchema[Input](), mcp.WithOutputSchema[Output]())
	s.AddTool(tool, mcp.NewStructuredToolHandler(weather))
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}

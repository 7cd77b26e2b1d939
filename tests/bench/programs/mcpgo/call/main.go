// Program call starts a server, calls one of its tools by name and prints a part of the
// result.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

func main() {
	ctx := context.Background()
	c, err := client.NewStdioMCPClient(os.Args[1], nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	_, err = c.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION,
		ClientInfo:      mcp.Implementation{Name: "app", Version: "1.0.0"},
	}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{
		Name:      "get_weather",
		Arguments: map[string]any{"city": "Oslo"},
	}})
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(result.StructuredContent)
	if err != nil {
		log.Fatal(err)
	}
	var weather struct{ Degrees float64 }
	if err := json.Unmarshal(text, &weather); err != nil {
		log.Fatal(err)
	}
	fmt.Println(weather.Degrees, "degrees")
}

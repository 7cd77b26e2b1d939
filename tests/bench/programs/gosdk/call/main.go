// Program call starts a server, calls one of its tools by name and prints a part of the
// result.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "app", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(os.Args[1])}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{
		Name:      "get_weather",
		Arguments: map[string]any{"city": "Oslo"},
	})
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

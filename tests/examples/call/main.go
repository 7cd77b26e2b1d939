// Program call starts a server, calls one of its tools by name and prints a part of the
// result.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func main() {
	ctx := context.Background()
	session, err := mcp.Connect(ctx, stdio.Command(exec.Command(os.Args[1])), mcp.ClientOptions{Name: "app", Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolRequestParams{
		Name:      "get_weather",
		Arguments: wire.MustObject(map[string]any{"city": "Oslo"}),
	})
	if err != nil {
		log.Fatal(err)
	}
	var weather struct{ Degrees float64 }
	if err := result.StructuredContent.Decode(&weather); err != nil {
		log.Fatal(err)
	}
	fmt.Println(weather.Degrees, "degrees")
}

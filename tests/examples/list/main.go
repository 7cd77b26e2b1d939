// Program list starts a server and prints what it offers.
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

func main() {
	ctx := context.Background()
	session, err := mcp.Connect(ctx, stdio.Command(exec.Command(os.Args[1])), mcp.ClientOptions{Name: "app", Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for tool, err := range session.Tools(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("tool", tool.Name)
	}
	for resource, err := range session.Resources(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("resource", resource.URI)
	}
}

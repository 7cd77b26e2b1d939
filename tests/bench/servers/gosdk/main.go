// Command gosdk is a server on the official Go SDK over standard input and output.
package main

import (
	"context"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/tests/bench/peers/gosdk"
)

func main() {
	if err := gosdk.NewServer(1).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}

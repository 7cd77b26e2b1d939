// Command mcpgo is a server on mark3labs/mcp-go over standard input and output.
package main

import (
	"log"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/tests/bench/peers/mcpgo"
)

func main() {
	if err := server.ServeStdio(mcpgo.NewServer(1)); err != nil {
		log.Fatal(err)
	}
}

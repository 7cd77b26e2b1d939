package gen_test

import (
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/spec"
)

// The packages of all pinned revisions, as mcpgen spec generate writes them. The files are in memory; some
// are printed.
func ExampleAll() {
	facts, err := spec.Load(spec.Embedded())
	if err != nil {
		log.Fatal(err)
	}
	plan, err := gen.All(facts)
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range plan.Files {
		switch file.Path {
		case "mcp/client.go", "mcp/server.go", "revisions.go":
			fmt.Println(file.Path)
		}
	}
	// Unordered output:
	// mcp/client.go
	// mcp/server.go
	// revisions.go
}

package gen_test

import (
	"fmt"
	"log"
	"path"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/spec"
)

// The packages of all pinned revisions, as mcpgen spec generate writes them. The files are in memory; those
// named server.go are printed.
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
		if path.Base(file.Path) == "server.go" {
			fmt.Println(file.Path)
		}
	}
	// Output:
	// mcp20241105/server.go
	// mcp20250326/server.go
	// mcp20250618/server.go
	// mcp20251125/server.go
	// mcp20260728/server.go
	// ext/tasks/server.go
	// mcp/server.go
}

package stdio_test

import (
	"context"
	"fmt"
	"log"
	"os/exec"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
)

// A client of a server that is run as a child process.
func ExampleCommand() {
	ctx := context.Background()
	client := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, runtime.Binding{
		Revision:  "2025-11-25",
		Direction: runtime.ToClient,
	})
	session, err := client.Connect(ctx, stdio.Command(exec.Command("hello-server", "--verbose")))
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close() // ends the server, too
	fmt.Println(session.ServerInfo())
}

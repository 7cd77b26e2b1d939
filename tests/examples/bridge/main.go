// Program bridge connects a client with a server of another revision, and logs what is lost.
package main

import (
	"context"
	"log"
	"os"
	"os/exec"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/bridge"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/stdio"
)

func main() {
	server := func() runtime.Transport { return stdio.Command(exec.Command(os.Args[1], os.Args[2:]...)) }
	lost := func(_ context.Context, r convert.Report) { log.Print(r) }
	b := bridge.New(server, compat.Table(), bridge.Options{Name: "bridge", Version: "1.0.0", Lost: lost})
	if err := stdio.Serve(context.Background(), b); err != nil {
		log.Fatal(err)
	}
}

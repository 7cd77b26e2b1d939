// Program proxy stands between a client and a server and forwards every message as it is.
package main

import (
	"context"
	"log"
	"os"
	"os/exec"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/proxy"
	"github.com/mcpgen/mcpgen/runtime/stdio"
)

func main() {
	server := func() runtime.Transport { return stdio.Command(exec.Command(os.Args[1], os.Args[2:]...)) }
	if err := stdio.Serve(context.Background(), proxy.New(server, proxy.Options{})); err != nil {
		log.Fatal(err)
	}
}

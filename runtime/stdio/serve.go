package stdio

import (
	"context"
	"log"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/signals"
)

// Serve serves a session over the standard input and output of the process. It returns nil when
// the client ends the session. When ctx ends, or the process receives SIGINT or SIGTERM, Serve
// shuts the session down gracefully, as [runtime.Server.Serve] does, and returns nil. A second
// signal ends the process at once.
func Serve(ctx context.Context, server runtime.SessionServer) error {
	ctx, stop := signals.Context(ctx)
	defer stop()
	err := server.Serve(ctx, &Transport{})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// Main runs a server as a whole program: it serves one session over the standard input and
// output of the process, as [Serve] does, and ends the process with status 1 if that fails.
// It takes the results of a constructor:
//
//	stdio.Main(mcp.NewServer(options, tool))
func Main(server *runtime.Server, err error) {
	if err == nil {
		err = Serve(context.Background(), server)
	}
	if err != nil {
		log.Fatal(err)
	}
}

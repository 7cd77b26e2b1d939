// Package signals ends contexts with the signals by which a process is asked to end.
package signals

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Context returns a context that ends when the process gets SIGINT or SIGTERM. A second
// signal ends the process, as signals do by default. Stop lets go of the signals.
func Context(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

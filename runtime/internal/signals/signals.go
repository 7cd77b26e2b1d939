// Package signals ends a context when the process receives a signal to terminate.
package signals

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Context returns a context that ends when the process receives SIGINT or SIGTERM. After the first
// signal, and after stop is called, signals have their default effect, so a second one ends the
// process.
func Context(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

package share

import (
	"log/slog"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
)

// The revisions that tests speak.
const (
	r06 = "2025-06-18"
	r11 = "2025-11-25"
)

const (
	headerSession = headers.Session
	headerLast    = headers.LastID
)

var discard = slog.New(slog.DiscardHandler)

func newRuntimeServer(h mcptest.Handlers, opts runtime.ServerOptions, revisions ...string) *runtime.Server {
	opts.Name, opts.Version = "probe", "1"
	var bindings []runtime.Binding
	for _, r := range revisions {
		bindings = append(bindings, h.Bind(r, runtime.ToServer))
	}
	return runtime.NewServer(opts, bindings...)
}

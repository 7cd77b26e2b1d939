package runtime

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// settings are the options that all sessions of a server or client share, and their buffers.
type settings struct {
	log     *slog.Logger
	limits  limits
	buffers buffers
	layers  layers
	sender  Sender // nil without middleware for messages sent

	rounds   int                                          // see ClientOptions.MaxRounds; not 0
	output   func(wire.Raw) (func(wire.Raw) error, error) // see ClientOptions.CheckOutput; nil for a server
	lenient  Lenience
	deviated func(context.Context, *Deviations) // nil for none
}

func newSettings(log *slog.Logger, middleware []Middleware, l Limits, grace time.Duration) *settings {
	c := &settings{
		log:    logs.Or(log, slog.LevelWarn),
		limits: limits{l.withDefaults(), cmp.Or(grace, DefaultGrace)},
		layers: slices.Clone(middleware),
	}
	c.sender = c.layers.sender()
	return c
}

// limits are Limits without zero values.
type limits struct {
	Limits
	grace time.Duration // 0 or less means none
}

// withDefaults replaces zero values by the defaults.
func (l Limits) withDefaults() Limits {
	l.MaxMessage = cmp.Or(max(l.MaxMessage, 0), DefaultMaxMessage)
	l.MaxConcurrent = cmp.Or(max(l.MaxConcurrent, 0), DefaultMaxConcurrent)
	l.Timeout = cmp.Or(l.Timeout, DefaultTimeout)
	l.MaxTimeout = cmp.Or(l.MaxTimeout, DefaultMaxTimeout)
	l.KeepAliveFailures = cmp.Or(max(l.KeepAliveFailures, 0), DefaultKeepAliveFailures)
	return l
}

// patience returns how long a request of the method waits for its answer. A deadline of ctx takes
// precedence. Requests that wait for a person or a task report no progress, so the maximum applies to
// them.
func (l *limits) patience(ctx context.Context, method string) engine.Patience {
	if _, ok := ctx.Deadline(); ok {
		return engine.Patience{}
	}
	p := engine.Patience{Quiet: max(l.Timeout, 0), Total: max(l.MaxTimeout, 0)}
	switch method {
	case methodElicit, methodSample, methodTaskResult:
		p.Quiet = p.Total
	case methodListen: // it lasts until the server ends it
		return engine.Patience{}
	}
	if p.Total > 0 && (p.Quiet == 0 || p.Quiet > p.Total) {
		p.Quiet = p.Total
	}
	return p
}

// checkNotNil returns an error with the type of v if v is nil or an interface that holds a nil pointer,
// such as the result of a constructor that failed.
func checkNotNil(what string, v any) error {
	if v == nil {
		return fmt.Errorf("runtime: the %s is nil", what)
	}
	if fmt.Sprintf("%p", v) == "0x0" { // as package fmt prints nil pointers, maps and functions
		return fmt.Errorf("runtime: the %s is a nil %T", what, v)
	}
	return nil
}

// checkCapabilities returns an error if the capabilities in the options are an interface that holds a nil
// pointer. A nil interface means none.
func checkCapabilities(v any) error {
	if v == nil {
		return nil
	}
	return checkNotNil("value of Capabilities in the options", v)
}

package runtime

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
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
		log:    cmp.Or(log, slog.New(warnings{})),
		limits: limits{l.withDefaults(), cmp.Or(grace, DefaultGrace)},
		layers: slices.Clone(middleware),
	}
	c.sender = c.layers.sender()
	return c
}

// warnings is the handler of options without a logger: it passes warnings and errors to the handler of slog.Default
// at the time, and drops the rest.
type warnings struct {
	derived func(slog.Handler) slog.Handler // adds attributes and groups; nil for none
}

// Enabled implements slog.Handler.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && slog.Default().Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (w warnings) Handle(ctx context.Context, r slog.Record) error {
	return w.handler(slog.Default().Handler()).Handle(ctx, r)
}

func (w warnings) handler(h slog.Handler) slog.Handler {
	if w.derived != nil {
		h = w.derived(h)
	}
	return h
}

// WithAttrs implements slog.Handler.
func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{func(h slog.Handler) slog.Handler { return w.handler(h).WithAttrs(attrs) }}
}

// WithGroup implements slog.Handler.
func (w warnings) WithGroup(name string) slog.Handler {
	return warnings{func(h slog.Handler) slog.Handler { return w.handler(h).WithGroup(name) }}
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

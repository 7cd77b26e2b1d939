// Package logs has the logger that is used if the options name none.
package logs

import (
	"context"
	"log/slog"
)

// Or returns l or, if it is nil, a logger that passes records of at least a level to slog.Default. A program may
// set that later.
func Or(l *slog.Logger, least slog.Level) *slog.Logger {
	if l != nil {
		return l
	}
	return slog.New(fallback{least: least})
}

// All returns a logger of [Or] without its level, for records that a program asks for by calling a function.
// It returns any other logger as it is.
func All(l *slog.Logger) *slog.Logger {
	if f, ok := l.Handler().(fallback); ok {
		f.least = slog.LevelDebug
		return slog.New(f)
	}
	return l
}

// fallback passes records to the handler of slog.Default at the time.
type fallback struct {
	least   slog.Level
	derived func(slog.Handler) slog.Handler // adds attributes and groups; nil for none
}

// Enabled implements slog.Handler.
func (f fallback) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= f.least && slog.Default().Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (f fallback) Handle(ctx context.Context, r slog.Record) error {
	return f.handler(slog.Default().Handler()).Handle(ctx, r)
}

func (f fallback) handler(h slog.Handler) slog.Handler {
	if f.derived != nil {
		h = f.derived(h)
	}
	return h
}

// WithAttrs implements slog.Handler.
func (f fallback) WithAttrs(attrs []slog.Attr) slog.Handler {
	return fallback{f.least, func(h slog.Handler) slog.Handler { return f.handler(h).WithAttrs(attrs) }}
}

// WithGroup implements slog.Handler.
func (f fallback) WithGroup(name string) slog.Handler {
	return fallback{f.least, func(h slog.Handler) slog.Handler { return f.handler(h).WithGroup(name) }}
}

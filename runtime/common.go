package runtime

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
)

// common is what all sessions of a server or client share.
type common struct {
	log      *slog.Logger
	unlogged bool // the options name no logger
	limits   limits
	buffers  buffers
	layers   layers
	sender   Sender // nil without middleware for messages sent

	lenient  Lenience
	deviated func(context.Context, *Deviations) // nil for none
}

func newCommon(log *slog.Logger, middleware []Middleware, l Limits, grace time.Duration) *common {
	c := &common{
		log:      orDiscard(log),
		unlogged: log == nil,
		limits:   limits{l.withDefaults(), cmp.Or(grace, DefaultGrace)},
		layers:   slices.Clone(middleware),
	}
	c.sender = c.layers.sender()
	return c
}

func orDiscard(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}

// limits are Limits with the defaults put in.
type limits struct {
	Limits
	grace time.Duration // none if not above 0
}

// withDefaults replaces the zero values.
func (l Limits) withDefaults() Limits {
	l.MaxMessage = cmp.Or(max(l.MaxMessage, 0), DefaultMaxMessage)
	l.MaxConcurrent = cmp.Or(max(l.MaxConcurrent, 0), DefaultMaxConcurrent)
	l.Timeout = cmp.Or(l.Timeout, DefaultTimeout)
	l.MaxTimeout = cmp.Or(l.MaxTimeout, DefaultMaxTimeout)
	l.KeepAliveFailures = cmp.Or(max(l.KeepAliveFailures, 0), DefaultKeepAliveFailures)
	return l
}

// patience returns how long a request of the method waits for its answer. A deadline of ctx takes
// precedence. Nobody can say how long a person or a task takes, and there is no progress meanwhile, so
// requests that wait for one have all the time there is.
func (l *limits) patience(ctx context.Context, method string) engine.Patience {
	if _, ok := ctx.Deadline(); ok {
		return engine.Patience{}
	}
	p := engine.Patience{Quiet: max(l.Timeout, 0), Total: max(l.MaxTimeout, 0)}
	switch method {
	case methodElicit, methodSample, methodTaskResult:
		p.Quiet = p.Total
	}
	if p.Total > 0 && (p.Quiet == 0 || p.Quiet > p.Total) {
		p.Quiet = p.Total
	}
	return p
}

// maxKept is the largest buffer that is kept for further use.
const maxKept = 1 << 20

// buffers keeps the buffers that messages are encoded into.
type buffers struct{ pool sync.Pool }

func (b *buffers) get() *[]byte {
	if buf, ok := b.pool.Get().(*[]byte); ok {
		return buf
	}
	buf := make([]byte, 0, 1<<10)
	return &buf
}

func (b *buffers) put(buf *[]byte) {
	if cap(*buf) <= maxKept {
		*buf = (*buf)[:0]
		b.pool.Put(buf)
	}
}

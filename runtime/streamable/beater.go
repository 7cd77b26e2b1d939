package streamable

import (
	"context"
	"math"
	"sync"
	"time"
)

// beater has a stream beat while the goroutine of its connection is busy. A ticker for each
// request would cost more than many of their handlers.
type beater struct {
	every time.Duration
	timer *time.Timer

	mu  sync.Mutex
	st  *stream // nil when it is not in use
	ctx context.Context
}

// newBeater has a stream beat until stopBeater is called.
func (h *Handler) newBeater(ctx context.Context, st *stream) *beater {
	b, ok := h.beaters.Get().(*beater)
	if !ok {
		b = &beater{every: h.opts.KeepAlive}
		b.timer = time.AfterFunc(math.MaxInt64, b.beat)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.st, b.ctx = st, ctx
	b.timer.Reset(b.every)
	return b
}

func (b *beater) beat() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.st != nil {
		b.st.beat(b.ctx)
		b.timer.Reset(b.every)
	}
}

// stopBeater ends the beats, and keeps b for another stream.
func (h *Handler) stopBeater(b *beater) {
	b.timer.Stop()
	b.mu.Lock()
	b.st, b.ctx = nil, nil
	b.mu.Unlock()
	h.beaters.Put(b)
}

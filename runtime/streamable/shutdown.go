package streamable

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
)

// Shutdown ends all sessions gracefully. Ready is false from now on, and after the DrainDelay of the options, Shutdown
// refuses new sessions and calls with status 503 and ends the streams of the server's own messages. Calls in flight go on
// until they are answered, and the handler still accepts what they need: answers of the client, and GET requests that
// resume their streams. Over HTTP with SSE, a session keeps its stream until its calls are answered, and a new call gets
// an error. If ctx ends first, the contexts of the remaining calls end, and their clients get an error. Shutdown returns
// when all sessions are over: nil, or the cause of ctx if that ended first.
//
// [ListenAndServe] calls it before http.Server.Shutdown.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.drain(ctx)
	t := &h.sessions
	t.closing.Store(true) // a session that open has not refused is one of all
	open := t.all()
	h.mu.Lock()
	if h.shared != nil {
		open = append(open, h.shared)
	}
	h.mu.Unlock()
	for _, s := range open {
		go s.shutdown(ctx)
	}
	t.running.Wait()
	t.end()
	t.mu.Lock()
	if t.timer != nil {
		t.timer.Stop()
	}
	t.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// Close calls Shutdown with the Grace of the server's options as time limit, which begins after DrainDelay. It may
// be registered with http.Server.RegisterOnShutdown, but a client that needs a new connection to answer a question
// of the server cannot open one then.
func (h *Handler) Close() {
	h.drain(context.Background())
	ctx, cancel := context.WithTimeout(context.Background(), h.server.Grace())
	defer cancel()
	_ = h.Shutdown(ctx) // the error only says that the time was not enough
}

// drain begins a shutdown and waits for Options.DrainDelay, or until ctx has ended. Only the first call waits.
func (h *Handler) drain(ctx context.Context) {
	if !h.sessions.draining.Swap(true) && h.opts.DrainDelay > 0 {
		engine.Wait(ctx.Done(), h.opts.DrainDelay, nil)
	}
}

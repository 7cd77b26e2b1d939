package streamable

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

var (
	// errUnreachable refuses a request if no connection with the server can be opened or the connection
	// was lost, as may happen to a proxy.
	errUnreachable = &web.Refusal{Status: http.StatusServiceUnavailable, Code: jsonrpc.CodeUnavailable, Message: "unavailable: the server cannot be reached"}
	errClosing     = &web.Refusal{Status: http.StatusServiceUnavailable, Reason: web.ReasonDraining, Code: jsonrpc.CodeUnavailable, Message: "unavailable: shutting down; try again later"}
)

// maxIdleLanes limits the lanes that are kept for later requests, so that a moment with many requests
// does not occupy memory for long. With fewer requests at a time, none has to open a lane.
const maxIdleLanes = 256

// lanes holds the lanes of a handler.
type lanes struct {
	handler *Handler

	mu      sync.Mutex
	open    map[*lane]bool // all of them
	idle    []*lane        // those without a request, the one used last at the end
	spare   int            // that were idle since the last trim
	trimmer *time.Timer    // calls trim; nil while none is idle
	closing bool
	running sync.WaitGroup // open lanes
}

// take returns a lane for a request. Fresh means that it was opened for it.
func (ls *lanes) take() (l *lane, fresh bool, err error) {
	if l, err = ls.next(); err == nil && l.inbox == nil {
		return l, true, ls.connect(l)
	}
	return l, false, err
}

// next returns an idle lane, or one that is not connected.
func (ls *lanes) next() (*lane, error) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.closing {
		return nil, errClosing
	}
	if last := len(ls.idle) - 1; last >= 0 {
		l := ls.idle[last]
		ls.idle[last] = nil
		ls.idle = ls.idle[:last]
		ls.spare = min(ls.spare, last)
		return l, nil
	}
	l := &lane{lanes: ls}
	ls.open[l] = true
	ls.running.Add(1)
	return l, nil
}

// connect opens a lane that was not used before.
func (ls *lanes) connect(l *lane) error {
	h := ls.handler
	// The timer serves all requests of the lane. One for each would be 2 of the 150 allocations of a call,
	// and a goroutine would have to be woken for each.
	l.timer = time.AfterFunc(never, l.beat)
	in, err := h.server.Open(context.Background(), l, runtime.Handshake{Stateless: true}, l.ended)
	if err != nil {
		h.log.Error("a connection for requests without a session could not be opened", "error", err)
		ls.gone(l)
		return errUnreachable
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l.inbox = in
	if ls.closing { // shutdown has not seen the inbox
		in.End(runtime.ErrClosed)
		return errClosing
	}
	return nil
}

// give takes a lane back.
func (ls *lanes) give(l *lane) {
	l.Body.Release()
	if !ls.keep(l) && l.inbox != nil {
		l.inbox.End(runtime.ErrClosed)
	}
}

// keep adds a lane to the idle ones. It returns false if the lane must end.
func (ls *lanes) keep(l *lane) bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.closing || !ls.open[l] || l.over || len(ls.idle) >= maxIdleLanes {
		return false
	}
	ls.idle = append(ls.idle, l)
	if timeout := ls.handler.opts.IdleTimeout; ls.trimmer == nil && timeout > 0 {
		ls.spare = 0
		ls.trimmer = time.AfterFunc(timeout, ls.trim)
	}
	return true
}

// trim ends the lanes that no request has needed for the idle timeout. A timer calls it, because idle
// lanes have no goroutine.
func (ls *lanes) trim() {
	for _, l := range ls.cut() {
		l.inbox.End(runtime.ErrClosed)
	}
}

func (ls *lanes) cut() []*lane {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.closing {
		return nil
	}
	cut := slices.Clone(ls.idle[:ls.spare])
	ls.idle = slices.Delete(ls.idle, 0, ls.spare)
	if ls.spare = len(ls.idle); ls.spare > 0 {
		ls.trimmer.Reset(ls.handler.opts.IdleTimeout)
	} else {
		ls.trimmer = nil
	}
	return cut
}

// retire makes sure that a lane gets no further request.
func (ls *lanes) retire(l *lane) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l.over = true
	if i := slices.Index(ls.idle, l); i >= 0 {
		ls.idle = slices.Delete(ls.idle, i, i+1)
		ls.spare = min(ls.spare, len(ls.idle))
	}
}

// gone removes a lane whose connection has ended.
func (ls *lanes) gone(l *lane) {
	ls.retire(l)
	ls.mu.Lock()
	defer ls.mu.Unlock()
	delete(ls.open, l)
	ls.running.Done()
}

// shutdown refuses new requests and ends the lanes as runtime.Inbox.Shutdown does. It returns when all
// are over.
func (ls *lanes) shutdown(ctx context.Context) {
	ls.mu.Lock()
	ls.closing = true
	if ls.trimmer != nil {
		ls.trimmer.Stop()
	}
	for l := range ls.open {
		if l.inbox != nil {
			go l.inbox.Shutdown(ctx)
		}
	}
	ls.mu.Unlock()
	ls.running.Wait()
}

// len returns the number of lanes.
func (ls *lanes) len() int {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return len(ls.open)
}

// refusal returns the error for a request that the server has not answered although its client waits.
func (ls *lanes) refusal() error {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.closing {
		return errClosing
	}
	return errUnreachable
}

//go:build !bootstrap

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// When a watch reports that a server keeps mcpgen waiting. Most servers answer within the first of
// these durations, and package runners such as npx may download for minutes.
const (
	firstReport = time.Second
	nextReport  = 10 * time.Second
)

// mostStray limits the lines that a watch quotes.
const mostStray = 3

// watch tells the user what mcpgen waits for while it talks to a server, and which lines of the
// server's output are not messages.
type watch struct {
	out io.Writer

	mu     sync.Mutex
	method string // the request in flight, or ""
	since  time.Time
	heard  bool // the server has sent something
	stray  []string
}

// run reports until ctx ends.
func (w *watch) run(ctx context.Context) {
	timer := time.NewTimer(firstReport)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			w.report()
			timer.Reset(nextReport)
		}
	}
}

func (w *watch) report() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.method == "" {
		return
	}
	note := ""
	if !w.heard {
		note = "; it has sent nothing yet"
	}
	fmt.Fprintf(w.out, "mcpgen: waiting for the server to answer %s (%v)%s\n", w.method, time.Since(w.since).Round(time.Second), note)
}

// around notes the requests in flight.
func (w *watch) around(next runtime.Handler) runtime.Handler {
	return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
		w.begin(m.Method)
		result, err := next(ctx, m)
		w.end(m.Method, err)
		return result, err
	}
}

// begin notes that a message is sent.
func (w *watch) begin(method string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.method, w.since = method, time.Now()
}

// end notes that a message was answered, or that it needs no answer.
func (w *watch) end(method string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.method == method {
		w.method = ""
	}
	w.heard = w.heard || err == nil
}

// line notes a line of a server's standard output.
func (w *watch) line(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard = true
	text = strings.TrimSpace(text)
	if text == "" || text[0] == '{' || text[0] == '[' || len(w.stray) == mostStray {
		return
	}
	text = fmt.Sprintf("%.160q", text)
	w.stray = append(w.stray, text)
	fmt.Fprintf(w.out, "mcpgen: the server has printed a line that is not a message: %s\n", text)
}

// explain adds to an error what the user can do about it.
func (w *watch) explain(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(err, runtime.ErrClosed) {
		if len(w.stray) > 0 {
			return fmt.Errorf("%w: the server sent no message, only text such as %s; a server over stdio writes its log to standard error", err, w.stray[0])
		}
		if !w.heard {
			return fmt.Errorf("%w: the server ended without an answer", err)
		}
	}
	return err
}

// watchedProcess is a server's process whose output a watch sees.
type watchedProcess struct {
	*stdio.Process
	seen *watch
}

// Start implements runtime.Transport.
func (p watchedProcess) Start(in runtime.Inbox, max int) {
	p.Process.Start(watchedInbox{in, p.seen}, max)
}

// watchedInbox is an inbox whose messages a watch sees.
type watchedInbox struct {
	runtime.Inbox
	seen *watch
}

// Accept implements runtime.Inbox.
func (i watchedInbox) Accept(in runtime.Incoming) func() {
	i.seen.line(in.Text)
	return i.Inbox.Accept(in)
}

// Restart implements runtime.Remote.
func (p watchedProcess) Restart() (runtime.Transport, error) {
	next, err := p.Process.Restart()
	if process, ok := next.(*stdio.Process); ok {
		next = watchedProcess{process, p.seen}
	}
	return next, err
}

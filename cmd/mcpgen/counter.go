package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/gen/report"
)

// counter counts on a terminal what a verb has done, once this takes longer than a second. Its methods may be
// called from several goroutines.
type counter struct {
	w io.Writer // nil prints nothing
	// one is what is counted, and done what was done with it: "file" and "generated".
	one, done string
	began     time.Time

	mu    sync.Mutex
	count int
	shown bool
	over  chan struct{} // closed by end
}

// How long a verb works before it prints a count, and between two of them.
const (
	countAfter = time.Second
	countEvery = 200 * time.Millisecond
)

// newCounter returns the counter of a verb that begins now. It prints nothing if quiet is set or w is not a
// terminal.
func newCounter(w io.Writer, quiet bool, one, done string) *counter {
	p := &counter{one: one, done: done}
	if file, ok := w.(*os.File); ok && !quiet {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.start(w)
		}
	}
	return p
}

// start prints the count from time to time.
func (p *counter) start(w io.Writer) {
	p.w, p.began, p.over = w, time.Now(), make(chan struct{})
	go func() {
		for next := countAfter; ; next = countEvery {
			select {
			case <-p.over:
				return
			case <-time.After(next):
				p.print()
			}
		}
	}()
}

func (p *counter) print() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.over:
		return
	default:
	}
	p.shown = true
	fmt.Fprintf(p.w, "\r\x1b[K%s %s, %.0f s", report.Plural(p.count, p.one), p.done, time.Since(p.began).Seconds())
}

// step counts one more.
func (p *counter) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
}

// end removes the count from the terminal.
func (p *counter) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return
	}
	close(p.over)
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.w = nil
}

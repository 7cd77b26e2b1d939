package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/gen/report"
)

// counter counts on a terminal the files that are generated, once this takes longer than a second. Its methods may be
// called from several goroutines.
type counter struct {
	w io.Writer // nil prints nothing

	mu    sync.Mutex
	files int
	next  time.Time // when the count is printed again
	shown bool
}

// How long a verb works before it prints a count, and between two of them.
const (
	countAfter = time.Second
	countEvery = 200 * time.Millisecond
)

// newCounter returns the counter of a verb that begins now. It prints nothing if w is not a terminal.
func newCounter(w io.Writer) *counter {
	p := &counter{next: time.Now().Add(countAfter)}
	if file, ok := w.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.w = w
		}
	}
	return p
}

// file counts a file.
func (p *counter) file() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files++
	if now := time.Now(); p.w != nil && !now.Before(p.next) {
		p.next, p.shown = now.Add(countEvery), true
		fmt.Fprintf(p.w, "\r%s generated", report.Plural(p.files, "file"))
	}
}

// end removes the count from the terminal.
func (p *counter) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

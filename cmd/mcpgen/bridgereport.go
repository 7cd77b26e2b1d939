//go:build !bootstrap

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/convert"
)

// maxLosses limits the different losses that are kept, because names and URIs are those of a server.
const maxLosses = 10_000

// mostLossLines limits the lines that are printed.
const mostLossLines = 20

// losses counts what a bridge has lost.
type losses struct {
	mu    sync.Mutex
	count map[convert.Report]int
	more  int // losses that did not fit
}

// add counts a loss.
func (l *losses) add(_ context.Context, r convert.Report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count == nil {
		l.count = make(map[convert.Report]int)
	}
	if _, known := l.count[r]; !known && len(l.count) >= maxLosses {
		l.more++
		return
	}
	r.Method, r.Item = strings.Clone(r.Method), strings.Clone(r.Item) // not the whole message
	r.Pointer, r.Reason = strings.Clone(r.Pointer), strings.Clone(r.Reason)
	l.count[r]++
}

// loss is a loss in the report.
type loss struct {
	Count   int    `json:"count"`
	From    string `json:"from"`
	To      string `json:"to"`
	Method  string `json:"method,omitempty"`
	Item    string `json:"item,omitempty"`
	Pointer string `json:"pointer"`
	Reason  string `json:"reason"`
}

// lossReport is the content of the file with the losses.
type lossReport struct {
	Losses []loss `json:"losses"`
	More   int    `json:"more,omitempty"`
}

// report returns all losses, the most frequent ones first.
func (l *losses) report() lossReport {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := []loss{}
	for r, n := range l.count {
		all = append(all, loss{n, r.From, r.To, r.Method, r.Item, r.Pointer, r.Reason})
	}
	sortLosses(all)
	return lossReport{all, l.more}
}

func sortLosses(all []loss) {
	slices.SortFunc(all, func(a, b loss) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Method, b.Method), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To),
			cmp.Compare(a.Item, b.Item), cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Reason, b.Reason))
	})
}

// print prints the losses, with those that differ only in an index or an item in one line.
func (l *losses) print(w io.Writer) {
	r := l.report()
	total := r.More
	alike := make(map[loss]int)
	for _, one := range r.Losses {
		n := one.Count
		total += n
		one.Count, one.Item, one.Pointer = 0, "", anyIndex(one.Pointer)
		alike[one] += n
	}
	if total == 0 {
		fmt.Fprintln(w, "mcpgen bridge: nothing was lost")
		return
	}
	var lines []loss
	for one, n := range alike {
		one.Count = n
		lines = append(lines, one)
	}
	sortLosses(lines)
	fmt.Fprintf(w, "mcpgen bridge: %s\n", numbered(total, "loss", "losses"))
	for i, one := range lines {
		if i == mostLossLines {
			fmt.Fprintf(w, "\tand %s of other kinds; --report FILE lists all\n", numbered(remaining(lines[i:])+r.More, "loss", "losses"))
			return
		}
		place := one.From + " to " + one.To
		if one.Method != "" {
			place = one.Method + ", " + place
		}
		if one.Pointer != "" {
			place += ": " + one.Pointer
		}
		fmt.Fprintf(w, "\t%s: %s\n", numbered(one.Count, "time", "times"), printable(place+": "+one.Reason))
	}
}

func remaining(all []loss) (n int) {
	for _, one := range all {
		n += one.Count
	}
	return n
}

// numbered returns a count with its noun.
func numbered(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// anyIndex returns a JSON Pointer with a star in place of each index.
func anyIndex(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, part := range parts {
		if _, err := strconv.Atoi(part); err == nil {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
)

// idleSessions is how many are open at a time.
const idleSessions = 10_000

// sessionRows are what a session costs of which nobody wants anything.
func sessionRows() []*Row {
	row := &Row{
		Name: "sessions/idle", Title: "memory of an idle session over Streamable HTTP, of 10,000", Counts: "server, a process for each",
		Unit: heapBytes, Rounds: 3,
		Targets: []Target{atMost(2000, heapBytes), noGoroutine()},
	}
	for _, l := range libraries {
		row.Subjects = append(row.Subjects, Subject{l.name, func(ctx context.Context, lab *Lab) (*Work, error) {
			return &Work{Measure: func() (Sample, error) { return inChild(ctx, l.name, lab.partOf(idleSessions)) }}, nil
		}})
	}
	return []*Row{row}
}

// childVariable tells this program to be the process of a subject: how many sessions, and
// of which library.
const childVariable = "MCPGEN_BENCH_SESSIONS"

// inChild has a process of its own measure the sessions of a library.
func inChild(ctx context.Context, name string, n int) (Sample, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	out, err := run(ctx, "", []string{fmt.Sprintf("%s=%d %s", childVariable, n, name)}, program)
	if err != nil {
		return nil, err
	}
	var s Sample
	return s, json.Unmarshal(out, &s)
}

// child does what inChild asks for, and reports whether it was asked.
func child() bool {
	asked := os.Getenv(childVariable)
	if asked == "" {
		return false
	}
	var n int
	var name string
	var s Sample
	_, err := fmt.Sscan(asked, &n, &name)
	if err == nil {
		s, err = openSessions(name, n)
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

// openSessions opens sessions and measures what each costs.
func openSessions(name string, n int) (Sample, error) {
	i := slices.IndexFunc(libraries, func(l library) bool { return l.name == name })
	if i < 0 {
		return nil, fmt.Errorf("no library %q", name)
	}
	h, err := libraries[i].handler(1, false)
	if err != nil {
		return nil, err
	}
	s := newSink(h)
	if err := s.open(); err != nil { // what is made with the first session only
		return nil, err
	}
	before, running := settled()
	ids := map[string]bool{}
	for range n {
		if err := s.open(); err != nil {
			return nil, err
		}
		ids[s.session] = true
	}
	if len(ids) != n {
		return nil, fmt.Errorf("%d sessions, not %d", len(ids), n)
	}
	if _, err := s.list(1); err != nil { // the last of them is open
		return nil, err
	}
	ids = nil
	after, left := settled()
	per := func(before, after uint64) float64 { return (float64(after) - float64(before)) / float64(n) }
	runtime.KeepAlive(h)
	return Sample{
		heapBytes:  per(before.HeapAlloc, after.HeapAlloc),
		stackBytes: per(before.StackInuse, after.StackInuse),
		goroutines: float64(left-running) / float64(n),
	}, nil
}

// settled is what memory is in use when garbage has been collected, and the goroutines.
func settled() (runtime.MemStats, int) {
	var m runtime.MemStats
	for range 3 { // what finalizers and pools hold takes more than one
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m, runtime.NumGoroutine()
}

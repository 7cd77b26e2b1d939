package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
)

// idleSessions is the number of concurrently open sessions.
const idleSessions = 10_000

// sessionRows measure the memory of idle sessions.
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

// childVariable makes this program act as the process of a subject. It has the number of
// sessions and the library.
const childVariable = "MCPGEN_BENCH_SESSIONS"

// inChild measures the sessions of a library in a separate process.
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

// child does the work of inChild, and reports whether this process is such a child.
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

// openSessions opens sessions and measures the cost of each.
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
	if err := s.open(); err != nil { // allocated once, with the first session
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
	if _, err := s.list(1); err != nil { // the last session is still open
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

// settled returns the memory in use after garbage collection, and the number of goroutines.
func settled() (runtime.MemStats, int) {
	var m runtime.MemStats
	for range 3 { // finalizers and pools need several collections
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m, runtime.NumGoroutine()
}

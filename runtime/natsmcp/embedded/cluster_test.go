package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/natsmcp"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// TestCluster ends the leader of each stream of a cluster of three servers in turn, while tasks and
// events are written. Each stream goes on without an error, and nothing is lost or stored twice.
func TestCluster(t *testing.T) {
	t.Parallel()
	cluster := startCluster(t)
	nc := cluster.Connect(t)
	store, err := natsmcp.OpenStore(t.Context(), nc, natsmcp.Options{Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	other, err := natsmcp.OpenStore(t.Context(), nc, natsmcp.Options{Stream: "OTHER_STORE", Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	changing := task("k")
	events, err := natsmcp.OpenEvents(t.Context(), nc, natsmcp.Options{Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}

	// Each writer writes until the leader of its stream has ended and then some more.
	const before, more = 20, 100
	writers := []struct {
		stream string
		write  func(n int) error
		check  func(n int) error
	}{
		{"MCP_STORE", func(n int) error { return store.Create(t.Context(), task(fmt.Sprint("A", n))) }, func(n int) error {
			for i := range n {
				if _, err := store.Get(t.Context(), fmt.Sprint("A", i)); err != nil {
					return fmt.Errorf("task %d: %w", i, err)
				}
			}
			return nil
		}},
		{"OTHER_STORE", func(n int) error {
			changing.Attempt = n
			if n == 0 {
				return other.Create(t.Context(), changing)
			}
			return other.Swap(t.Context(), changing)
		}, func(n int) error {
			r, err := other.Get(t.Context(), "k")
			if err == nil && (r.Attempt != n-1 || r.Version != changing.Version) {
				err = fmt.Errorf("change %d with version %d, want %d with %d", r.Attempt, r.Version, n-1, changing.Version)
			}
			return err
		}},
		{"MCP_EVENTS", func(n int) error { return events.Append(t.Context(), "s", "a", uint64(n+1), fmt.Append(nil, n)) }, func(n int) error {
			texts, err := after(t, events, 0)
			if err == nil && len(texts) != n {
				err = fmt.Errorf("%d events, want %d", len(texts), n)
			}
			for i, text := range texts {
				if text != fmt.Sprint(i) {
					err = fmt.Errorf("event %d is %s", i+1, text)
				}
			}
			return err
		}},
	}
	// A cluster of three works with two, so only one server may end.
	doomed := cluster.Leader(t, nc, writers[0].stream)
	for _, w := range writers {
		for n := range before {
			if err := w.write(n); err != nil {
				t.Fatalf("%s, write %d: %v", w.stream, n, err)
			}
		}
	}
	changes := make(chan struct{}, 1)
	stop := store.Watch("A0", func() {
		select {
		case changes <- struct{}{}:
		default:
		}
	})
	defer stop()
	t.Logf("%s leads %s and ends", doomed.Name(), writers[0].stream)
	go doomed.Shutdown()
	for _, w := range writers {
		for n := before; n < before+more; n++ {
			if err := w.write(n); err != nil {
				t.Fatalf("%s, write %d: %v", w.stream, n, err)
			}
		}
		if err := w.check(before + more); err != nil {
			t.Errorf("%s: %v", w.stream, err)
		}
	}
	doomed.WaitForShutdown()
	if leader := cluster.Leader(t, nc, writers[0].stream); leader == doomed {
		t.Error("the leader is the server that has ended")
	}

	// Followers of tasks, and the bus, go on too.
	r, err := store.Get(t.Context(), "A0")
	if err != nil {
		t.Fatal(err)
	}
	r.Message = "changed"
	if err := store.Swap(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for range changes {
		if r, err := store.Get(t.Context(), "A0"); err == nil && r.Message == "changed" {
			break
		}
	}
	testBusGoesOn(t, bus(t, nc), bus(t, cluster.Connect(t)))
}

// testBusGoesOn checks that requests from one connection reach another. It takes a moment until the servers of
// a cluster know of each other's subscriptions.
func testBusGoesOn(t *testing.T, one, other share.Bus) {
	stop, err := other.Serve(t.Context(), "q", func(_ context.Context, data []byte) []byte {
		return []byte(strings.ToUpper(string(data)))
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for {
		answer, err := one.Request(t.Context(), "q", []byte("hello"))
		if errors.Is(err, share.ErrNobody) {
			time.Sleep(time.Millisecond)
			continue
		}
		if string(answer) != "HELLO" || err != nil {
			t.Errorf("%q, %v", answer, err)
		}
		return
	}
}

// TestClusterWork lets two processes finish tasks from a cluster of which a server ends: each task is finished
// once.
func TestClusterWork(t *testing.T) {
	t.Parallel()
	cluster := startCluster(t)
	var stores []*natsmcp.Store
	for range 2 {
		store, err := natsmcp.OpenStore(t.Context(), cluster.Connect(t), natsmcp.Options{Replicas: 3})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		stores = append(stores, store)
	}
	const count = 60
	for i := range count {
		if err := stores[0].Create(t.Context(), task(fmt.Sprint("A", i))); err != nil {
			t.Fatal(err)
		}
	}
	type end struct {
		by   int
		ends [count]bool
	}
	ends := make(chan end)
	go cluster.Leader(t, cluster.Connect(t), "MCP_STORE").Shutdown()
	for by, s := range stores {
		go func() {
			e := end{by: by}
			for i := range count {
				r, err := s.Get(t.Context(), fmt.Sprint("A", i))
				if err != nil {
					t.Errorf("Get: %v", err)
					continue
				}
				if r.Status != "working" {
					continue
				}
				r.Status, r.Holder, r.Leased = "completed", fmt.Sprint(by), time.Time{}
				switch err := s.Swap(t.Context(), r); {
				case err == nil:
					e.ends[i] = true
				case !errors.Is(err, tasks.ErrConflict):
					t.Errorf("Swap: %v", err)
				}
			}
			ends <- e
		}()
	}
	var finished [count]int
	for range stores {
		e := <-ends
		for i, ended := range e.ends {
			if !ended {
				continue
			}
			finished[i]++
			if r, err := stores[0].Get(t.Context(), fmt.Sprint("A", i)); err != nil || r.Holder != fmt.Sprint(e.by) {
				t.Errorf("task %d, which process %d has finished, is %+v, %v", i, e.by, r, err)
			}
		}
	}
	for i, n := range finished {
		if n != 1 {
			t.Errorf("task %d was finished %d times", i, n)
		}
	}
}

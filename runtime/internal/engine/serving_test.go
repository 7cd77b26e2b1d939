package engine

import (
	goruntime "runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// served is a request.
type served Entry

func (r *served) Entry() *Entry { return (*Entry)(r) }

func newServed(id int64) *served { return &served{ID: wire.IntScalar(id)} }

// TestServing checks ids, cancellation and the end of requests.
func TestServing(t *testing.T) {
	s := NewServing[*served](10)
	id, first, second := wire.IntScalar(1), newServed(1), newServed(2)
	if v := s.Begin(t.Context(), first); v != Begun {
		t.Fatal(v)
	}
	if v := s.Begin(t.Context(), newServed(1)); v != Duplicate {
		t.Error("the same id:", v)
	}
	if s.Finish(newServed(1)) || !s.Finish(first) || s.Finish(first) {
		t.Error("Finish is not true once, for the request itself")
	}
	if v := s.Begin(t.Context(), first); v != Begun { // the id is free before End
		t.Error(v)
	}
	if s.Remove(id) != first || s.Remove(id) != nil || s.Finish(first) {
		t.Error("a cancelled request can be answered")
	}
	s.Begin(t.Context(), second)
	if all := s.All(); !slices.Equal(all, []*served{second}) {
		t.Error(all)
	}
	drained := s.Refuse()
	if v := s.Begin(t.Context(), newServed(3)); v != Refused {
		t.Error("after Refuse:", v)
	}
	removed := 0
	if s.RemoveAll(func(*served) { removed++ }); removed != 1 || s.Finish(second) {
		t.Errorf("%d removed", removed)
	}
	for range 3 {
		select {
		case <-drained:
			t.Error("drained before all handlers have ended")
		default:
		}
		s.End()
	}
	<-drained
	<-s.Refuse()
}

// TestSlots checks that a request waits for a slot once, and then only after there was one.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewSlots(1)
		took := func(want bool, after time.Duration) {
			t.Helper()
			start := time.Now()
			if got := p.Take(t.Context()); got != want || time.Since(start) != after {
				t.Errorf("Take is %t after %v, want %t after %v", got, time.Since(start), want, after)
			}
		}
		took(true, 0)
		took(false, waits.Slot)
		took(false, 0)
		p.Give()
		took(true, 0)
		time.AfterFunc(time.Millisecond, p.Give)
		took(true, time.Millisecond)
		time.AfterFunc(time.Millisecond, p.Unlimit)
		took(true, time.Millisecond)
		took(true, 0)
	})
}

// TestQueue checks that jobs run in order, one at a time, whatever they do, and not after the end.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := begun(t.Context())
		q := NewQueue(l)
		var order []int
		for i := range 10 {
			q.Add(t.Context(), 0, func() {
				time.Sleep(time.Second)
				order = append(order, i)
				if i%3 == 0 {
					goruntime.Goexit()
				}
			})
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}; !slices.Equal(order, want) || l.Running() != 0 {
			t.Errorf("%v, %d goroutines left", order, l.Running())
		}
		release := make(chan struct{})
		q.Add(t.Context(), 0, func() { <-release })
		synctest.Wait()
		for i := range maxQueued {
			if !q.Add(t.Context(), 0, func() { t.Error("a job was run after the end") }) {
				t.Fatal(i)
			}
		}
		if q.Add(t.Context(), 0, func() {}) {
			t.Error("a job was added to a full queue")
		}
		l.End(errOver)
		close(release)
		time.Sleep(time.Minute)
		if l.Running() != 0 {
			t.Errorf("%d goroutines left", l.Running())
		}
	})
}

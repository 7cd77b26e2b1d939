package storetest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// side returns one of the two processes.
func side(i int, one, other tasks.Store) tasks.Store {
	if i%2 == 0 {
		return one
	}
	return other
}

// testConcurrentCreate checks that one of several tasks with the same id is created.
func testConcurrentCreate(t *testing.T, open Open) {
	one, other := open(t, 0)
	for round := range 10 {
		var created atomic.Pointer[tasks.Record]
		together(8, func(i int) {
			r := record(fmt.Sprint("A", round))
			r.Holder = fmt.Sprint(i)
			switch err := side(i, one, other).Create(t.Context(), r); {
			case err == nil && !created.CompareAndSwap(nil, r):
				t.Errorf("%s was created twice", r.ID)
			case err != nil && !errors.Is(err, tasks.ErrConflict):
				t.Errorf("Create: %v", err)
			}
		})
		if r := created.Load(); r == nil {
			t.Error("no task was created")
		} else if got, want := text(t, get(t, other, r.ID)), text(t, r); got != want {
			t.Errorf("Get returns %s, want %s", got, want)
		}
	}
}

// testConcurrentSwap checks that no change is lost.
func testConcurrentSwap(t *testing.T, open Open) {
	one, other := open(t, 0)
	create(t, one, record("A"))
	const writers, changes = 8, 10
	together(writers, func(i int) {
		s := side(i, one, other)
		for done := 0; done < changes; {
			r, err := s.Get(t.Context(), "A")
			if err != nil {
				t.Errorf("Get: %v", err)
				return
			}
			r.Attempt++
			switch err := s.Swap(t.Context(), r); {
			case err == nil:
				done++
			case !errors.Is(err, tasks.ErrConflict):
				t.Errorf("Swap: %v", err)
				return
			}
		}
	})
	if got, want := get(t, one, "A").Attempt, 1+writers*changes; got != want {
		t.Errorf("%d changes were stored, want %d", got-1, want-1)
	}
}

// testLease checks that one process takes over work whose lease has ended, and that its former holder can
// store nothing any more.
func testLease(t *testing.T, open Open) {
	one, other := open(t, 0)
	r := record("A")
	r.Leased = time.Now()
	create(t, one, r)
	former := get(t, one, "A")
	for round := range 5 {
		now := time.Now().Add(time.Duration(round) * time.Hour / 10)
		var holders atomic.Int64
		together(8, func(i int) {
			s := side(i, one, other)
			r, err := s.Get(t.Context(), "A")
			if err != nil {
				t.Errorf("Get: %v", err)
				return
			}
			if !r.Due(now) { // another one has it
				return
			}
			r.Holder, r.Leased = fmt.Sprint(round, " ", i), now.Add(time.Minute)
			r.Attempt++
			switch err := s.Swap(t.Context(), r); {
			case err == nil:
				holders.Add(1)
			case !errors.Is(err, tasks.ErrConflict):
				t.Errorf("Swap: %v", err)
			}
		})
		if holders.Load() != 1 {
			t.Errorf("%d processes have taken over the task", holders.Load())
		}
		former.Status, former.Result = "completed", `{"content":[]}`
		wantErr(t, "Swap by the former holder", one.Swap(t.Context(), former), tasks.ErrConflict)
		former = get(t, other, "A")
		if former.Attempt != round+2 || former.Status != "working" {
			t.Errorf("after %d takeovers: %s", round+1, text(t, former))
		}
	}
}

// testCancelRace checks that a task that is cancelled and completed at the same time has one end.
func testCancelRace(t *testing.T, open Open) {
	one, other := open(t, 0)
	for round := range 10 {
		id := fmt.Sprint("A", round)
		create(t, one, record(id))
		var ends atomic.Int64
		var end atomic.Value
		together(4, func(i int) {
			s, status := one, "completed"
			if i%2 == 1 {
				s, status = other, "cancelled"
			}
			for {
				r, err := s.Get(t.Context(), id)
				if err != nil {
					t.Errorf("Get: %v", err)
					return
				}
				if r.Status != "working" {
					return
				}
				r.Status = status
				if err = s.Swap(t.Context(), r); err == nil {
					ends.Add(1)
					end.Store(status)
				} else if !errors.Is(err, tasks.ErrConflict) {
					t.Errorf("Swap: %v", err)
					return
				}
			}
		})
		if got := get(t, one, id).Status; ends.Load() != 1 || got != end.Load() {
			t.Errorf("the task has ended %d times, last %v, and is %s", ends.Load(), end.Load(), got)
		}
	}
}

package filestore

import (
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/tasks"
	"go.etcd.io/bbolt"
)

// TestIndexOrder checks that the index gets changes in the order in which they are stored: a task that has ended is not
// due later.
func TestIndexOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks")
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		now := time.Now()
		r := &tasks.Record{ID: "A", Method: "m", Status: "working", Created: now, Updated: now, Expires: now.Add(time.Hour), Leased: now}
		if err := s.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		later := *r
		later.Version, later.Status = r.Version+1, "completed"
		hold := make(chan struct{})
		go s.put(r, r.Version+1, func(tx *bbolt.Tx) error {
			tx.OnCommit(func() { <-hold })
			return nil
		})
		synctest.Wait()
		go s.Swap(t.Context(), &later)
		synctest.Wait()
		close(hold)
		synctest.Wait()
		if due, err := s.Due(t.Context(), now.Add(time.Minute)); err != nil || len(due) > 0 {
			t.Errorf("due after the end: %q, %v", due, err)
		}
	})
}

// TestLostTransaction checks that a change has an error, and the next one none, if its transaction panics or ends the
// goroutine.
func TestLostTransaction(t *testing.T) {
	for name, fault := range map[string]func(){"panic": func() { panic("the disk is gone") }, "goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(filepath.Join(t.TempDir(), "tasks"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			now := time.Now()
			r := &tasks.Record{ID: "A", Method: "m", Status: "working", Created: now, Updated: now, Expires: now.Add(time.Hour), Leased: now}
			err = s.put(r, 1, func(*bbolt.Tx) error {
				fault()
				return nil
			})
			if err == nil {
				t.Error("a transaction that was not committed has no error")
			}
			if err := s.Create(t.Context(), r); err != nil {
				t.Errorf("the next change: %v", err)
			}
		})
	}
}

package filestore_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/filestore"
)

// fileVariable names the environment variable with which the test binary is a process that changes a file
// until it is killed.
const fileVariable = "FILESTORE_TEST_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(fileVariable); path != "" {
		change(path)
	}
	os.Exit(m.Run())
}

// change changes the tasks in a file, by several goroutines, and prints each version after it was stored.
func change(path string) {
	s, err := filestore.Open(path, filestore.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx, now := context.Background(), time.Now()
	var print sync.Mutex
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				r := &tasks.Record{ID: rand.Text(), Method: "tools/call", Status: "working", Created: now, Updated: now, Expires: now.Add(time.Hour), Leased: now}
				err := s.Create(ctx, r)
				for n := 0; n < 3 && err == nil; n++ {
					print.Lock()
					fmt.Println(r.ID, r.Version)
					print.Unlock()
					r.Leased = r.Leased.Add(time.Minute)
					err = s.Swap(ctx, r)
				}
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
			}
		})
	}
	all.Wait()
}

// TestKill kills processes that change a file, and checks that nothing is lost that was stored, and that
// the file is whole.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.db")
	stored := map[string]uint64{} // versions
	for round := range 5 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fileVariable+"="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for scanner := bufio.NewScanner(out); scanner.Scan(); lines++ {
			var id string
			var version uint64
			if n, _ := fmt.Sscan(scanner.Text(), &id, &version); n == 2 && len(id) == len(rand.Text()) {
				stored[id] = max(stored[id], version)
			}
			if lines == 10*(round+1) {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); lines < 10*(round+1) {
			t.Fatalf("the process has ended by itself: %v", err)
		}
		check(t, path, stored)
	}
}

// check opens a file in which tasks were stored with these versions.
func check(t *testing.T, path string, stored map[string]uint64) {
	t.Helper()
	s, err := filestore.Open(path, filestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	due, err := s.Due(t.Context(), time.Now().Add(30*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	for id, version := range stored {
		r, err := s.Get(t.Context(), id)
		if err != nil || r.Version < version || r.Version > version+1 { // one may be stored and not printed
			t.Errorf("task %s has the version %v (%v), want %d", id, r, err, version)
		}
		if !slices.Contains(due, id) {
			t.Errorf("task %s is not due", id)
		}
	}
	if more := len(due) - len(stored); more < 0 || more > 4*5 {
		t.Errorf("%d tasks are due, and %d were stored", len(due), len(stored))
	}
}

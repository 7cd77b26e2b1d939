package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/filestore"
)

// openFile returns the store for tasks.Options.
func openFile(path string) (*filestore.Store, error) {
	store, err := filestore.Open(path, filestore.Options{
		MaxTasks: 100_000,
		Wait:     time.Minute, // for the process that this one replaces
	})
	if err != nil {
		return nil, err
	}
	return store, nil
}

// A task is there when the file is opened again.
func Example() {
	dir, err := os.MkdirTemp("", "tasks")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tasks.db")
	ctx := context.Background()
	for _, do := range []func(*filestore.Store) error{
		func(s *filestore.Store) error {
			now := time.Now()
			return s.Create(ctx, &tasks.Record{ID: "A", Method: "tools/call", Status: "working", Created: now, Updated: now, Expires: now.Add(time.Hour)})
		},
		func(s *filestore.Store) error {
			r, err := s.Get(ctx, "A")
			if err == nil {
				fmt.Println(r.Method, "is", r.Status)
			}
			return err
		},
	} {
		store, err := openFile(path)
		if err == nil {
			err = errors.Join(do(store), store.Close())
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	// Output: tools/call is working
}

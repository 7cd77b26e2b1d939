package filestore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mcpgen/mcpgen/runtime/tasks/filestore"
)

// TestOpen checks the errors of Open, which name the file.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	database := func(bucket string, damage func(text []byte) []byte) func(path string) error {
		return func(path string) error {
			db, err := bbolt.Open(path, 0o600, nil)
			if err != nil {
				return err
			}
			err = db.Update(func(tx *bbolt.Tx) error {
				b, err := tx.CreateBucket([]byte(bucket))
				if err == nil {
					err = b.Put([]byte("format"), []byte("mcpgen tasks 3"))
				}
				return err
			})
			if err = errors.Join(err, db.Close()); err != nil || damage == nil {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, damage(text), 0o600)
		}
	}
	for _, test := range []struct {
		name, want string
		make       func(path string) error
	}{
		{"text", "invalid database", func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("no database\n", 10_000)), 0o600)
		}},
		{"other", `the file is another database: it has the bucket "users"`, database("users", nil)},
		{"newer", `the format is "mcpgen tasks 3", want "mcpgen tasks 2"`, database("meta", nil)},
		{"cleared", "the file is damaged: ", database("meta", func(text []byte) []byte {
			clear(text[2*os.Getpagesize():]) // everything but the header
			return text
		})},
		{"cut", "the file is damaged: ", database("meta", func(text []byte) []byte { return text[:2*os.Getpagesize()+1] })},
		{"folder", "is a directory", func(path string) error { return os.Mkdir(path, 0o700) }},
	} {
		path := filepath.Join(dir, test.name)
		if err := test.make(path); err != nil {
			t.Fatal(err)
		}
		_, err := filestore.Open(path, filestore.Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: the error is %v, want %q", test.name, err, test.want)
		}
	}
}

// TestOpenTwice checks that a second process waits for the file.
func TestOpenTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.db")
	first, err := filestore.Open(path, filestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = filestore.Open(path, filestore.Options{Wait: time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "another process has had the file open for 1ms") {
		t.Errorf("the error for a file that is open is %v", err)
	}
	opened := make(chan error, 1)
	go func() {
		second, err := filestore.Open(path, filestore.Options{Wait: time.Hour})
		if err == nil {
			err = second.Close()
		}
		opened <- err
	}()
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if err := <-opened; err != nil {
		t.Errorf("after the first process has closed the file: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file is open to others: %v, %v", info, err)
	}
}

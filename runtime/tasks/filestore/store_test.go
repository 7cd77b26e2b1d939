package filestore_test

import (
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/storetest"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/filestore"
)

func open(t testing.TB, limit int) (one, other tasks.Store) {
	s, err := filestore.Open(filepath.Join(t.TempDir(), "tasks.db"), filestore.Options{MaxTasks: limit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, s
}

func TestStore(t *testing.T) { storetest.Tasks(t, open) }

func BenchmarkStore(b *testing.B) { storetest.BenchmarkTasks(b, open) }

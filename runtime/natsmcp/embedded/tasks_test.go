package embedded_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/mcpgen/mcpgen/runtime/natsmcp"
	"github.com/mcpgen/mcpgen/runtime/storetest"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

func open(t testing.TB, s *server.Server, o natsmcp.Options) *natsmcp.Store {
	t.Helper()
	store, err := natsmcp.OpenStore(t.Context(), connect(t, s), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// openTwo opens a store of two processes.
func openTwo(t testing.TB, limit int) (one, other tasks.Store) {
	s := startNATS(t, t.TempDir())
	o := natsmcp.Options{MaxMessages: int64(limit)}
	return open(t, s, o), open(t, s, o)
}

// task returns a task on which a process works.
func task(id string) *tasks.Record {
	now := time.Now()
	return &tasks.Record{ID: id, Method: "tools/call", Status: "working", Created: now, Updated: now, Expires: now.Add(time.Hour), Leased: now.Add(time.Minute)}
}

func TestTasks(t *testing.T) { storetest.Tasks(t, openTwo) }

func BenchmarkTasks(b *testing.B) { storetest.BenchmarkTasks(b, openTwo) }

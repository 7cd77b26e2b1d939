package streamable_test

import (
	"cmp"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/storetest"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

func TestEventStore(t *testing.T) {
	storetest.Events(t, func(_ testing.TB, limit int) (one, other streamable.EventStore) {
		m := streamable.NewMemoryEvents(cmp.Or(limit, 1<<30))
		return m, m
	})
}

package tasks_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/storetest"
)

func openMemory(_ testing.TB, limit int) (one, other tasks.Store) {
	m := tasks.NewMemory(limit)
	return m, m
}

func TestMemory(t *testing.T) { storetest.Test(t, openMemory) }

func BenchmarkMemory(b *testing.B) { storetest.Benchmark(b, openMemory) }

package share_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/storetest"
)

func TestMemoryBus(t *testing.T) {
	storetest.Bus(t, func(testing.TB, int) (one, other share.Bus) {
		var m share.Memory
		return &m, &m
	})
}

func TestMemoryKV(t *testing.T) {
	storetest.KV(t, func(testing.TB, int) (one, other share.KV) {
		var m share.Memory
		return &m, &m
	})
}

// TestMemoryTTL checks the time of values to the second, which not every store keeps.
func TestMemoryTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m share.Memory
		first, err := m.Put(t.Context(), "k", []byte("1"), 0, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Second)
		if _, err := m.Put(t.Context(), "k", []byte("2"), first, time.Minute); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute - time.Nanosecond)
		if data, _, err := m.Get(t.Context(), "k"); string(data) != "2" || err != nil {
			t.Errorf("Get: %s, %v", data, err)
		}
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		if _, _, err := m.Get(t.Context(), "k"); !errors.Is(err, share.ErrNotFound) {
			t.Errorf("Get after the time to live: %v", err)
		}
	})
}

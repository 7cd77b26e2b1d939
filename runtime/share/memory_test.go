package share_test

import (
	goruntime "runtime"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/storetest"
)

func TestMemoryBus(t *testing.T) {
	storetest.Bus(t, func(testing.TB, int) (one, other share.Bus) {
		var m share.Memory
		return &m, &m
	})
}

// TestReceiverEnds checks that a function which ends its goroutine does no harm to the other subscribers.
func TestReceiverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m share.Memory
		var got []string
		for _, receive := range []func([]byte){
			func([]byte) { goruntime.Goexit() },
			func(data []byte) { got = append(got, string(data)) },
		} {
			stop, err := m.Subscribe(t.Context(), "s", receive, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
		}
		for _, text := range []string{"a", "b"} {
			if err := m.Publish(t.Context(), "s", []byte(text)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("got %q", got)
		}
	})
}

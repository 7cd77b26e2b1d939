package share_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/storetest"
)

func TestMemoryBus(t *testing.T) {
	storetest.Bus(t, func(testing.TB, int) (one, other share.Bus) {
		var m share.Memory
		return &m, &m
	})
}

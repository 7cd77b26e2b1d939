package tasks

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
)

// TestKeeper checks that states which are kept are told apart from sealed ones, and accepted in requests of
// their server only.
func TestKeeper(t *testing.T) {
	k := keeper{new(runtime.Server)}
	kept := k.Keep([]byte("content"))
	if content, ok := k.Open(kept); !ok || string(content) != "content" {
		t.Errorf("Open = %q, %t", content, ok)
	}
	ring, err := seal.NewRing()
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := ring.Seal(seal.Purpose{}, time.Unix(1_800_000_000, 0), []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "A", kept + "\n", sealed} {
		if content, ok := k.Open(text); ok {
			t.Errorf("Open(%q) = %q", text, content)
		}
	}
	if _, err := ring.Open(kept, seal.Purpose{}, time.Unix(1_800_000_000, 0)); err != seal.ErrForeign {
		t.Errorf("a ring opens what is not sealed: %v", err)
	}
	ctx := seal.WithKeeper(t.Context(), k)
	if seal.KeeperOf(ctx, k.server) == nil || seal.KeeperOf(ctx, new(runtime.Server)) != nil || seal.KeeperOf(t.Context(), k.server) != nil {
		t.Error("KeeperOf is not the one of the server in the context")
	}
}

package share

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// UseOnce returns a function for the field Use of runtime.Rounds that allows each state once at all replicas of a
// server. It remembers the states in a store that they share. While the store cannot be used, requests with a state
// fail with an internal error.
func UseOnce(kv KV) func(ctx context.Context, id string, expires time.Time) (bool, error) {
	return func(ctx context.Context, id string, expires time.Time) (bool, error) {
		_, err := kv.Put(ctx, "mcpgen.used."+id, nil, 0, max(time.Until(expires), 0)+waits.ClockSkew)
		if errors.Is(err, ErrConflict) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("share: the store of used states: %w", err)
		}
		return true, nil
	}
}

package runtime

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file answers the requests that a handler sends in a stateless call. The server of a stateless
// revision sends no requests ("Requests" in basic, 2026-07-28).

// ask answers a request that a handler sends in a stateless call. C is nil outside of calls.
func (c *Call) ask(ctx context.Context, method string, r row, params wire.Appender, result wire.Value) error {
	return fmt.Errorf("runtime: %s: the client of a stateless request cannot be asked", method)
}

// asked returns the result of a request whose handler has returned result and err: that of the handler
// unless questions are outstanding. Err may be a *jsonrpc.Error with CodeURLElicitationRequired of a handler
// that is written for 2025-11-25.
func (c *Call) asked(result wire.Appender, err error) (wire.Appender, error) { return result, err }

package runtime_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestDuplicate sends a request with the id of one in flight over a channel that all answers share. The refusal has
// no id, because the client would take it for the answer to the first request, which goes on.
func TestDuplicate(t *testing.T) {
	for _, tt := range []struct {
		name, id string // in the refusal
		open     []string
		request  func(id string) string
		answer   string
	}{
		{"without a session", "", nil, func(id string) string { return call(id, "wait") }, result("7", "")},
		{"in a session", "", []string{r11}, func(id string) string { return toolCall(id, "wait", "{}") }, `{"jsonrpc":"2.0","id":7,"result":{}}`},
		{"in a batch", `"id":null,`, []string{r03}, func(id string) string { return "[" + toolCall(id, "wait", "{}") + "]" }, `[{"jsonrpc":"2.0","id":7,"result":{}}]`},
		{"in a session of a revision whose errors have ids", `"id":null,`, []string{r06}, func(id string) string { return toolCall(id, "wait", "{}") }, `{"jsonrpc":"2.0","id":7,"result":{}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				s := side{"wait": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
					select {
					case <-release:
						return wire.Raw(`{}`), nil
					case <-ctx.Done():
						return nil, context.Cause(ctx)
					}
				}}
				var c *conn
				if tt.open == nil {
					c = dial(t.Context(), t, newStateless(t, s, runtime.ServerOptions{}))
				} else {
					c = open(t.Context(), t, newServer(t, s, runtime.ServerOptions{}, tt.open...), tt.open[0])
				}
				c.answers([]string{tt.request("7")})
				refusal := `{"jsonrpc":"2.0",` + tt.id + `"error":{"code":-32600,"message":"invalid request: id 7 is that of a request in flight"}}`
				if tt.answer[0] == '[' {
					refusal = "[" + refusal + "]"
				}
				c.answers([]string{tt.request("7")}, refusal)
				close(release)
				c.answers(nil, tt.answer)
				if err := c.hangUp(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

package runtime_test

import (
	"context"
	"fmt"
	goruntime "runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestReadingGoesOn checks that a handler on the reading goroutine holds up the messages after
// it for no longer than two milliseconds, and not at all when it asks the client something.
func TestReadingGoesOn(t *testing.T) {
	for _, c := range []struct {
		tool string
		most time.Duration // until a message after it is handled
	}{
		{"wait", 2 * time.Millisecond},
		{"sleep", 2 * time.Millisecond},
		{"ask", 0},
		{"goexit", 0},
		{"echo", 0},
	} {
		t.Run(c.tool, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newServer(t, tools.with(side{
					"sleep": func(context.Context, *runtime.Message) (wire.Appender, error) {
						time.Sleep(time.Hour)
						return wire.Raw(`{}`), nil
					},
					"goexit": func(context.Context, *runtime.Message) (wire.Appender, error) { goruntime.Goexit(); return nil, nil },
					"ask": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
						return wire.Raw(`{}`), runtime.CallOf(ctx).Call(ctx, "ping", nil, nil)
					},
				}), runtime.ServerOptions{Grace: -1}, r11)
				client, end := mcptest.Pair()
				ended := make(chan error, 1)
				go func() { ended <- server.Serve(t.Context(), end) }()
				peer := memory{client}
				if err := peer.roundTrip(fmt.Sprintf(initialize, r11)); err != nil {
					t.Fatal(err)
				}
				for round := range 3 {
					start := time.Now()
					client.Send(t.Context(), runtime.Outgoing{Text: []byte(toolCall(fmt.Sprint(2*round), c.tool, "{}"))})
					synctest.Wait() // it is read before there is another
					client.Send(t.Context(), runtime.Outgoing{Text: []byte(toolCall(fmt.Sprint(2*round+1), "echo", `{"after":1}`))})
					for answered := false; !answered; {
						in, err := client.Receive(t.Context())
						if err != nil {
							t.Fatal(err)
						}
						answered = in.Text == fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"after":1}}`, 2*round+1)
					}
					if waited := time.Since(start); waited > c.most {
						t.Errorf("round %d: the next message was handled after %v, want at most %v", round, waited, c.most)
					}
				}
				client.Close()
				<-ended
				time.Sleep(2 * time.Hour) // for handlers that heed nothing
			})
		})
	}
}

package bridge_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/bridge"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestOrder checks that the notifications of a request reach the client in the order in which the server has
// sent them, and before the answer. The client's token is its own, so that its handler gets the progress with
// the other notifications.
func TestOrder(t *testing.T) {
	const rounds = 50
	var want []string
	for i := range rounds {
		want = append(want, fmt.Sprint("log ", 2*i), fmt.Sprint("progress ", 2*i+1))
	}
	for _, sides := range [][2]string{{session, session}, {session, stateless}, {stateless, session}, {stateless, stateless}} {
		t.Run(sides[0]+" to "+sides[1], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := start(t, sides[1], handlers{"tools/call": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
					c := runtime.CallOf(ctx)
					for i := range rounds {
						if err := c.Log(ctx, runtime.LogError, "", wire.Raw(fmt.Sprint(2*i))); err != nil {
							return nil, err
						}
						if err := c.Progress(ctx, float64(2*i+1), nil, ""); err != nil {
							return nil, err
						}
					}
					return wire.Raw(`{"content":[]}`), nil
				}}, bridge.Options{})
				var got []string
				take := func(kind, member string) func(context.Context, *runtime.Message) (wire.Appender, error) {
					return func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
						params := wire.Raw(message.Object())
						value, _ := wire.Object(params).Get(member)
						got = append(got, kind+" "+string(value))
						return nil, nil
					}
				}
				s, served := w.client(sides[0], "{}", handlers{
					"notifications/message":  take("log", "data"),
					"notifications/progress": take("progress", "progress"),
				})
				if err := s.Call(t.Context(), "logging/setLevel", wire.Raw(`{"level":"error"}`), nil); err != nil {
					t.Fatal(err)
				}
				if _, err := call(t, s, "tools/call", `{"name":"n","_meta":{"progressToken":"own"}}`); err != nil {
					t.Fatal(err)
				}
				s.Settle(t.Context())
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				w.finish(s, served)
			})
		})
	}
}

package runtime_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestDetach has a request go on after its answer, until the session ends.
func TestDetach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []string
		var asking []bool
		var kept []any
		var ended error
		server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, runtime.Binding{
			Revision: "2025-11-25", Direction: runtime.ToServer,
			Handle: func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
				method := message.Method
				if method != "work" {
					return nil, runtime.MethodNotFound(method)
				}
				c := runtime.CallOf(ctx)
				for range 2 {
					kept = append(kept, c.SessionValue("key", func(context.Context) any { return new(int) }))
				}
				how := runtime.Detached{Around: func(next runtime.Handler) runtime.Handler {
					return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
						if m.Kind == jsonrpc.Notification {
							if m.Params != nil && m.Method == "notifications/n" {
								m = m.With(wire.Object(`{"n":1}`))
							}
							return next(ctx, m)
						}
						if len(asking) > 1 {
							return nil, errors.New("enough")
						}
						asking = append(asking, true)
						defer func() { asking = append(asking, false) }()
						return next(ctx, m)
					}
				}}
				_, ok := c.Detach(ctx, how, func(ctx context.Context) {
					c := runtime.CallOf(ctx)
					if err := c.Call(ctx, "ask", nil, nil); err != nil {
						t.Error(err)
					}
					if err := c.Call(ctx, "ask", nil, nil); err == nil || err.Error() != "enough" {
						t.Errorf("asked again: %v", err)
					}
					if err := c.Notify(ctx, "notifications/n", wire.Object(`{"a":1}`)); err != nil {
						t.Error(err)
					}
					if err := c.Progress(ctx, 1, nil, ""); err != nil {
						t.Error(err)
					}
					<-ctx.Done()
					ended = context.Cause(ctx)
				})
				if !ok {
					t.Error("not detached")
				}
				return wire.Object(`{}`), nil
			},
		})
		near, far := inproc.Pair()
		served := make(chan error, 1)
		go func() { served <- server.Serve(context.Background(), far) }()
		session, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, runtime.Binding{
			Revision: "2025-11-25", Direction: runtime.ToClient,
			Handle: func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
				method, params := message.Method, wire.Raw(message.Object())
				heard = append(heard, method+" "+string(params))
				return wire.Object(`{}`), nil
			},
		}).Connect(t.Context(), near)
		if err != nil {
			t.Fatal(err)
		}
		if err := session.Call(t.Context(), "work", wire.Object(`{"_meta":{"progressToken":"p"}}`), nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		want := []string{
			`ask `,
			`notifications/n {"n":1}`,
			`notifications/progress {"progressToken":"p","progress":1}`,
		}
		if len(heard) != len(want) {
			t.Fatalf("got %q", heard)
		}
		for i := range want {
			if heard[i] != want[i] {
				t.Errorf("got %s, want %s", heard[i], want[i])
			}
		}
		if len(asking) != 2 || !asking[0] || asking[1] {
			t.Errorf("asking: %v", asking)
		}
		if len(kept) != 2 || kept[0] != kept[1] {
			t.Errorf("kept: %v", kept)
		}
		if ended != runtime.ErrClosed {
			t.Errorf("ended with %v", ended)
		}
	})
}

package runtime_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// whenOpened returns a binding that calls f with each session when its client is initialized.
func whenOpened(b runtime.Binding, f func(*runtime.ServerSession)) runtime.Binding {
	handle := b.Handle
	b.Handle = func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
		if m.Method == "notifications/initialized" {
			f(runtime.CallOf(ctx).Session())
		}
		return handle(ctx, m)
	}
	return b
}

// withResources returns a binding of a revision with sessions whose clients can subscribe to resources.
func withResources(b runtime.Binding) runtime.Binding {
	b.Methods = append(slices.Clip(b.Methods),
		runtime.Method{Name: "resources/subscribe", Kind: jsonrpc.Request, Direction: runtime.ToServer},
		runtime.Method{Name: updated, Kind: jsonrpc.Notification, Direction: runtime.ToClient})
	b.Listen = func(context.Context, string, string) error { return nil }
	return b
}

// TestServerSession checks when a session begins, what it knows and that nothing of it is left.
func TestServerSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen *runtime.ServerSession
		binding := whenOpened(tools.bind("2025-06-18", runtime.ToServer), func(s *runtime.ServerSession) { seen = s })
		server := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "0.1"}, binding)
		publish := func() {
			if err := server.Publish(toolsChanged, nil); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
		}
		c := dial(t.Context(), t, server)
		c.send(fmt.Sprintf(initialize, "2025-06-18"))
		c.replies()
		publish()
		if got := c.replies(); len(got) > 0 {
			t.Errorf("sent before the client has shown that it knows: %s", got)
		}
		c.send(initialized)
		c.replies()
		publish()
		if diff := cmp.Diff([]string{`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`}, c.replies()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		if got := fmt.Sprint(seen.Revision(), seen.PeerInfo(), seen.PeerCapabilities()); got != `2025-06-18{"name":"test","version":"1"}{"roots":{}}` {
			t.Errorf("the session knows %s", got)
		}
		if seen.Context().Err() != nil || server.Audience() != 1 {
			t.Errorf("%v, %d sessions", seen.Context().Err(), server.Audience())
		}
		c.hangUp()
		if seen.Context().Err() == nil || server.Audience() != 0 {
			t.Errorf("after the end: %v, %d sessions", seen.Context().Err(), server.Audience())
		}
		publish()
	})
}

// TestSessionOfCall tells that calls lead to the session they belong to.
func TestSessionOfCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var early, opened, called *runtime.ServerSession
		probe := whenOpened(tools.with(side{
			"initialize": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
				early = runtime.CallOf(ctx).Session()
				return nil, runtime.MethodNotFound("initialize")
			},
			"who": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
				called = runtime.CallOf(ctx).Session()
				return wire.Raw("{}"), nil
			},
		}).bind("2025-06-18", runtime.ToServer), func(s *runtime.ServerSession) { opened = s })
		c := open(t.Context(), t, runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "0.1"}, probe), "2025-06-18")
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who"}}`)
		c.replies()
		c.hangUp()
		if early != nil || opened == nil || called != opened {
			t.Errorf("got %p while initializing, %p opened, %p in the call", early, opened, called)
		}
	})
}

// TestSessionResumed checks that a session without a handshake gets what is published from the start.
func TestSessionResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "0.1"}, withResources(tools.bind("2025-06-18", runtime.ToServer)))
		in, hold := io.Pipe()
		var out strings.Builder
		ended := make(chan error, 1)
		go func() {
			ended <- server.Resume(t.Context(), &stdio.Transport{In: in, Out: &out}, runtime.Handshake{Revision: "2025-06-18", Subscriptions: []string{"a:b"}})
		}()
		synctest.Wait()
		for _, uri := range []string{"a:b", "a:c"} {
			if err := server.Publish(updated, wire.Object(fmt.Sprintf(`{"uri":%q}`, uri))); err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		hold.Close()
		if err := <-ended; err != nil || server.Audience() != 0 {
			t.Errorf("ended with %v, %d sessions are left", err, server.Audience())
		}
		if got := strings.TrimSpace(out.String()); got != notification(updated, `{"uri":"a:b"}`) {
			t.Errorf("sent %s", got)
		}
	})
}

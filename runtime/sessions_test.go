package runtime_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// opening is a server whose binding tells of its sessions.
func opening(t *testing.T, opened func(*runtime.ServerSession) func()) *runtime.Server {
	binding := tools.bind("2025-06-18", runtime.ToServer)
	binding.Opened = opened
	return runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "0.1"}, binding)
}

// TestSessionOpened tells when the binding hears of a session, what the session can do
// and that nothing of it is left.
func TestSessionOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events []string
		var seen *runtime.ServerSession
		server := opening(t, func(s *runtime.ServerSession) func() {
			seen = s
			events = append(events, fmt.Sprintf("opened %s %s %s", s.Revision(), s.PeerInfo(), s.PeerCapabilities()))
			return func() { events = append(events, "closed") }
		})
		c := dial(t.Context(), t, server)
		c.send(fmt.Sprintf(initialize, "2025-06-18"))
		c.replies()
		if seen != nil {
			t.Error("opened before the client has shown that it knows")
		}
		c.send(initialized)
		c.replies()
		ended := make(chan error, 1)
		if !seen.Go(func(ctx context.Context) {
			if err := seen.Notify(ctx, "notifications/tools/list_changed", nil); err != nil {
				t.Error(err)
			}
			<-ctx.Done()
			ended <- ctx.Err()
		}) {
			t.Error("the session runs nothing")
		}
		if diff := cmp.Diff([]string{`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`}, c.replies()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		c.hangUp()
		select {
		case <-ended:
		default:
			t.Error("a goroutine of the session is left")
		}
		if seen.Go(func(context.Context) {}) {
			t.Error("runs after the end")
		}
		want := []string{`opened 2025-06-18 {"name":"test","version":"1"} {"roots":{}}`, "closed"}
		if diff := cmp.Diff(want, events); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// TestSessionOfCall tells that calls lead to the session they belong to.
func TestSessionOfCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var early, opened, called *runtime.ServerSession
		probe := tools.with(side{
			"initialize": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
				early = runtime.CallOf(ctx).Session()
				return nil, runtime.MethodNotFound("initialize")
			},
			"who": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
				called = runtime.CallOf(ctx).Session()
				return wire.Raw("{}"), nil
			},
		}).bind("2025-06-18", runtime.ToServer)
		probe.Opened = func(s *runtime.ServerSession) func() { opened = s; return nil }
		c := open(t.Context(), t, runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "0.1"}, probe), "2025-06-18")
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who"}}`)
		c.replies()
		c.hangUp()
		if early != nil || opened == nil || called != opened {
			t.Errorf("got %p while initializing, %p opened, %p in the call", early, opened, called)
		}
	})
}

// TestSessionResumed tells that a session without a handshake is open from the start.
func TestSessionResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened, closed := 0, 0
		server := opening(t, func(*runtime.ServerSession) func() { opened++; return func() { closed++ } })
		in, hold := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			ended <- server.Resume(t.Context(), stdio.New(in, io.Discard), runtime.Handshake{Revision: "2025-06-18"})
		}()
		synctest.Wait()
		if opened != 1 {
			t.Errorf("opened %d times", opened)
		}
		hold.Close()
		if err := <-ended; err != nil || closed != 1 {
			t.Errorf("ended with %v, closed %d times", err, closed)
		}
	})
}

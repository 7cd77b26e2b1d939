package catalog_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// told checks what a client has been told by now.
func (c *client) wasTold(want ...string) {
	c.t.Helper()
	synctest.Wait()
	if diff := cmp.Diff(want, c.heard()); diff != "" {
		c.t.Errorf("told (-want +got):\n%s", diff)
	}
}

// TestListChanged tells that changes are announced together and to everybody who is
// there.
func TestListChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := filled(t, catalog.Options{})
		server := serve(t, c, everything)
		a, b := connect(t, server), connect(t, server)
		a.wasTold()
		for i := range 100 {
			must(t, c.Add(echo(fmt.Sprint("t", i))))
		}
		c.RemoveResources("test://a")
		c.RemovePrompts("none") // no change
		a.wasTold()
		time.Sleep(9 * time.Millisecond)
		must(t, c.Add(echo("t")))
		a.wasTold()
		time.Sleep(time.Millisecond)
		a.wasTold("tools/list_changed", "resources/list_changed")
		b.wasTold("tools/list_changed", "resources/list_changed")

		c.RemovePrompts("ask")
		c.RemoveTemplates("test://l{/list*}")
		b.close()
		time.Sleep(10 * time.Millisecond)
		a.wasTold("prompts/list_changed", "resources/list_changed")
		time.Sleep(time.Hour)
		a.wasTold()
		a.close()
		c.RemoveTools("t")
	})
}

// TestListChangedUndeclared tells that only what was declared is announced.
func TestListChangedUndeclared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := filled(t, catalog.Options{})
		a := connect(t, serve(t, c, `{"tools":{},"prompts":{"listChanged":true},"resources":{"listChanged":false}}`))
		defer a.close()
		a.wasTold()
		c.RemoveTools("echo")
		c.RemovePrompts("ask")
		c.RemoveResources("test://a")
		time.Sleep(time.Second)
		a.wasTold("prompts/list_changed")
	})
}

// TestSubscriptions tells who hears of an update.
func TestSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := filled(t, catalog.Options{})
		server := runtime.NewServer(runtime.ServerOptions{Name: "test", Version: "1", Capabilities: wire.Object(everything), MaxSubscriptions: 2},
			c.Over(runtime.Binding{Revision: "2025-11-25", Direction: runtime.ToServer, Methods: methods}))
		a, b := connect(t, server), connect(t, server)
		a.ask("resources/subscribe", `{"uri":"test://a"}`)
		a.ask("resources/subscribe", `{"uri":"test://a"}`)
		b.ask("resources/subscribe", `{"uri":"test://t/1/x"}`)
		c.ResourceUpdated("test://a")
		c.ResourceUpdated("test://other")
		a.wasTold(`resources/updated {"uri":"test://a"}`)
		b.wasTold()
		c.ResourceUpdated("test://t/1/x")
		b.wasTold(`resources/updated {"uri":"test://t/1/x"}`)

		b.ask("resources/subscribe", `{"uri":"test://t/2/x"}`)
		if got := b.ask("resources/subscribe", `{"uri":"test://t/3/x"}`); got != "-32600 invalid request: the session has 2 subscriptions, which is the maximum" {
			t.Errorf("the third subscription: %s", got)
		}
		b.ask("resources/unsubscribe", `{"uri":"test://t/1/x"}`)
		c.ResourceUpdated("test://t/1/x")
		c.ResourceUpdated("test://t/2/x")
		b.wasTold(`resources/updated {"uri":"test://t/2/x"}`)
		b.close()
		c.ResourceUpdated("test://t/2/x")
		c.ResourceUpdated("test://a")
		a.wasTold(`resources/updated {"uri":"test://a"}`)
		a.close()
		if n := c.Kept(); n != 0 {
			t.Errorf("%d things are kept of sessions that are over", n)
		}
	})
}

// TestUpdatesDoNotPileUp has a client that reads nothing for a time.
func TestUpdatesDoNotPileUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := filled(t, catalog.Options{})
		slow := &slowTransport{in: make(chan string, 10), out: make(chan string)}
		ended := make(chan error, 1)
		go func() {
			ended <- serve(t, c, everything).Resume(t.Context(), slow, runtime.Handshake{Revision: "2025-11-25"})
		}()
		slow.in <- `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://a"}}`
		slow.in <- `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"test://t/1/x"}}`
		<-slow.out
		<-slow.out
		for range 1000 {
			c.ResourceUpdated("test://a")
			c.ResourceUpdated("test://t/1/x")
			c.RemoveTools("echo")
			must(t, c.Add(echo("echo")))
			time.Sleep(20 * time.Millisecond)
		}
		var got []string
		for range 10 {
			select {
			case text := <-slow.out:
				method, _ := wire.Object(text).Get("method")
				got = append(got, string(method))
			case <-time.After(time.Second):
			}
		}
		// The first one had been taken from the queue; after it, each thing comes once.
		want := []string{`"notifications/resources/updated"`, `"notifications/resources/updated"`,
			`"notifications/tools/list_changed"`, `"notifications/resources/updated"`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		close(slow.in)
		must(t, <-ended)
	})
}

// slowTransport sends only when somebody takes it.
type slowTransport struct{ in, out chan string }

func (s *slowTransport) Start(in runtime.Inbox, _ int) {
	mcptest.Read(in, func(context.Context) (runtime.Incoming, error) {
		text, ok := <-s.in
		if !ok {
			return runtime.Incoming{}, runtime.ErrClosed
		}
		return runtime.Incoming{Text: text}, nil
	})
}

func (s *slowTransport) Send(ctx context.Context, m runtime.Outgoing) error {
	if m.Kind == jsonrpc.Response || m.Kind == jsonrpc.Notification {
		s.out <- string(m.Text)
	}
	return nil
}

func (s *slowTransport) Close() error { return nil }

// TestCallRate tells how many calls of tools each session has.
func TestCallRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := filled(t, catalog.Options{CallRate: 2, CallBurst: 3})
		server := serve(t, c, everything)
		a, b := connect(t, server), connect(t, server)
		defer a.close()
		defer b.close()
		admitted := func(s *client, n int) (ok int) {
			for range n {
				if strings.HasPrefix(s.ask("tools/call", `{"name":"echo"}`), "{") {
					ok++
				}
			}
			return ok
		}
		if n := admitted(a, 10); n != 3 {
			t.Errorf("%d calls at once", n)
		}
		if got, want := a.ask("tools/call", `{"name":"echo"}`), `-32000 too many tool calls: try again in 500ms {"retryAfterMs":500}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if n := admitted(b, 10); n != 3 {
			t.Errorf("%d calls at once of another session", n)
		}
		time.Sleep(time.Second)
		if n := admitted(a, 10); n != 2 {
			t.Errorf("%d calls after a second", n)
		}
		if got := a.ask("tools/list", ``); !strings.HasPrefix(got, "{") {
			t.Errorf("list: %s", got)
		}
	})
}

// TestNoSession uses a binding without a session.
func TestNoSession(t *testing.T) {
	b := filled(t, catalog.Options{CallRate: 1}).Over(runtime.Binding{Methods: methods})
	if _, err := b.Handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "tools/call", Params: wire.Raw(`{"name":"echo"}`)}); err != nil {
		t.Error(err)
	}
	if _, err := b.Handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "tools/call", Params: wire.Raw(`{"name":"echo"}`)}); err == nil {
		t.Error("no bound for calls outside of sessions")
	}
	if _, err := b.Handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "resources/unsubscribe", Params: wire.Raw(`{"uri":"test://a"}`)}); err != nil {
		t.Error(err)
	}
}

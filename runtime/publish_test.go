package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// publish publishes a notification. It has no params if they are "".
func publish(t *testing.T, s *runtime.Server, method, params string) {
	t.Helper()
	var with wire.Appender
	if params != "" {
		with = wire.Raw(params)
	}
	if err := s.Publish(method, with); err != nil {
		t.Error(err)
	}
}

// TestPublishEach checks that a client that has not read for a while gets the update of each resource that it listens
// to, whatever their number.
func TestPublishEach(t *testing.T) {
	audition(t, "many resources", everyChange, func(t *testing.T, c *conn, a *audience) {
		var uris, want []string
		for i := range 3000 {
			uris = append(uris, fmt.Sprintf(`"u:%d"`, i))
			want = append(want, notification(updated, tagged("1", fmt.Sprintf(`"uri":"u:%d"`, i))))
		}
		c.send(listen("1", `{"resourceSubscriptions":[`+strings.Join(uris, ",")+`]}`))
		c.replies()
		c.mu.Lock()
		for _, uri := range uris {
			publish(t, a.Server, updated, `{"uri":`+uri+`}`)
		}
		c.mu.Unlock()
		if diff := cmp.Diff(want, c.replies()); diff != "" {
			t.Errorf("(-want +got):\n%.2000s", diff)
		}
	})
}

// TestPublishOrder checks that the last notification is the last one that a client gets, if it comes a second time
// before the client has read the first.
func TestPublishOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const state = "notifications/x/state"
		b := tools.bind(r06, runtime.ToServer)
		b.Methods = append(slices.Clip(b.Methods), runtime.Method{Name: state, Kind: jsonrpc.Notification, Direction: runtime.ToClient})
		server := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "1", Capabilities: everyChange}, b)
		c := open(t.Context(), t, server, r06)
		c.mu.Lock()
		for i := range 100 {
			publish(t, server, state, fmt.Sprintf(`{"i":%d}`, i))
		}
		for _, on := range []bool{true, false, true} {
			publish(t, server, state, fmt.Sprintf(`{"on":%t}`, on))
		}
		c.mu.Unlock()
		got := c.replies()
		want := []string{notification(state, `{"on":false}`), notification(state, `{"on":true}`)}
		if diff := cmp.Diff(want, got[len(got)-2:]); diff != "" || len(got) != 102 {
			t.Errorf("%d notifications, the last of them (-want +got):\n%s", len(got), diff)
		}
		c.hangUp()
	})
}

// TestPublishPart checks that a session gets the updates of parts of the resources that it has subscribed to, each
// once.
func TestPublishPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "1", Capabilities: everyChange}, withResources(tools.bind(r06, runtime.ToServer)))
		c := open(t.Context(), t, server, r06)
		update := func(uri string) string { return notification(updated, `{"uri":"`+uri+`"}`) }
		change := func(id int, method, uri string) {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"uri":%q}}`, id, method, uri))
			c.replies()
		}
		heard := func(published ...string) []string {
			for _, uri := range published {
				publish(t, server, updated, `{"uri":"`+uri+`"}`)
			}
			return c.replies()
		}
		change(1, "resources/subscribe", "a:b")
		change(2, "resources/subscribe", "a:b/c")
		change(3, "resources/subscribe", "x:/")
		want := []string{update("a:b/c"), update("a:b/d/e"), update("x:/y"), update("a:b")}
		if diff := cmp.Diff(want, heard("a:b/c", "a:b/d/e", "a:bc", "x:/y", "x:", "a:b")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		change(4, "resources/unsubscribe", "a:b")
		if diff := cmp.Diff([]string{update("a:b/c")}, heard("a:b/c", "a:b/d", "a:b")); diff != "" {
			t.Errorf("after the end of a subscription (-want +got):\n%s", diff)
		}
		c.hangUp()
	})
}

// TestPublishDrops checks that a client which does not read loses the oldest notifications, and that the server logs
// that once, and again only after the client has read.
func TestPublishDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const state = "notifications/x/state"
		const most = 1000
		b := tools.bind(r06, runtime.ToServer)
		b.Methods = append(slices.Clip(b.Methods), runtime.Method{Name: state, Kind: jsonrpc.Notification, Direction: runtime.ToClient})
		var log strings.Builder
		server := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "1", Capabilities: everyChange,
			Logger: slog.New(slog.NewTextHandler(&log, nil))}, b)
		c := open(t.Context(), t, server, r06)
		for round := 1; round <= 2; round++ {
			c.mu.Lock()
			for i := range 2 * most {
				publish(t, server, state, fmt.Sprintf(`{"i":%d}`, i))
			}
			c.mu.Unlock()
			got := c.replies()
			if want := notification(state, fmt.Sprintf(`{"i":%d}`, 2*most-1)); len(got) > most+10 || got[len(got)-1] != want {
				t.Errorf("the last of %d notifications is %s", len(got), got[len(got)-1])
			}
			if n := strings.Count(log.String(), "does not read"); n != round {
				t.Errorf("%d warnings after %d times", n, round)
			}
		}
		c.hangUp()
	})
}

// TestPublishDirection checks that a notification of clients is not published.
func TestPublishDirection(t *testing.T) {
	const rootsChanged = "notifications/roots/list_changed"
	b := tools.bind(r06, runtime.ToServer)
	b.Methods = append(slices.Clip(b.Methods), runtime.Method{Name: rootsChanged, Kind: jsonrpc.Notification, Direction: runtime.ToServer})
	err := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "1"}, b).Publish(rootsChanged, nil)
	if e, ok := errors.AsType[*runtime.MethodError](err); !ok || e.Method != rootsChanged {
		t.Errorf("got %v", err)
	}
	if faulty := runtime.NewServer(runtime.ServerOptions{}); faulty.Publish(toolsChanged, nil) == nil {
		t.Error("a server without bindings publishes")
	}
}

// TestListens checks what a client gets that has sent nothing to this server after initialize, but subscribes at
// another one, and then listens here.
func TestListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := withResources(tools.bind(r06, runtime.ToServer))
		for i := range b.Methods {
			switch b.Methods[i].Name {
			case updated:
				b.Methods[i].Capability = "resources.subscribe"
			case toolsChanged:
				b.Methods[i].Capability = "tools.listChanged"
			}
		}
		for _, subscribe := range []bool{false, true} {
			server := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "1",
				Capabilities: wire.Raw(fmt.Sprintf(`{"tools":{"listChanged":true},"resources":{"subscribe":%t}}`, subscribe))}, b)
			out := new(outbox)
			in, err := server.Open(t.Context(), out, runtime.Handshake{}, func(error) {})
			if err != nil {
				t.Fatal(err)
			}
			accept(in, fmt.Sprintf(initialize, r06))
			out.take()
			check := func(when string, update, list bool) {
				t.Helper()
				var want []string
				if list {
					want = append(want, `{"jsonrpc":"2.0","method":"`+toolsChanged+`"}`)
				}
				if update && subscribe { // otherwise the server has not declared it
					want = append(want, notification(updated, `{"uri":"a:b"}`))
				}
				time.Sleep(time.Second)
				got := out.take()
				slices.SortFunc(got, func(a, b string) int { return len(a) - len(b) })
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, subscribe %t (-want +got):\n%s", when, subscribe, diff)
				}
			}
			change := func() {
				publish(t, server, updated, `{"uri":"a:b"}`)
				publish(t, server, toolsChanged, "")
			}
			change()
			check("before the client has the answer", false, false)
			in.Restore(runtime.Handshake{Subscriptions: []string{"a:b"}})
			change()
			check("after it has subscribed", true, false)
			in.Listens(false)
			check("after it has begun to listen", false, false)
			change()
			check("while it listens", true, true)
			in.Listens(true)
			check("after it has missed something", true, true)
			in.Shutdown(t.Context())
			synctest.Wait()
		}
	})
}

// TestSubscribeLong checks that a session does not keep URIs of any length.
func TestSubscribeLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "1", Capabilities: everyChange}, withResources(tools.bind(r06, runtime.ToServer)))
		c := open(t.Context(), t, server, r06)
		for length, want := range map[int]string{8 << 10: answered("1", `\{\}`), 8<<10 + 1: refused("1", "-32602", ".*longer than 8192 bytes")} {
			c.send(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"` + strings.Repeat("u", length) + `"}}`)
			match(t, c.replies(), []string{want})
		}
		c.hangUp()
	})
}

// TestSubscribeAtOnce checks that the requests of a session that are answered at the same time do not exceed the
// maximum of its subscriptions, and that those which the server refuses do not count.
func TestSubscribeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		decide := make(chan error)
		b := side{"resources/subscribe": func(context.Context, *runtime.Message) (wire.Appender, error) {
			return wire.Raw(`{}`), <-decide
		}}.bind(r06, runtime.ToServer)
		c := open(t.Context(), t, runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "1", Capabilities: everyChange, MaxSubscriptions: 2}, b), r06)
		asked := 0
		subscribe := func(uris ...string) (refused int) {
			for _, uri := range uris {
				asked++
				c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":%q}}`, asked, uri))
			}
			for _, answer := range c.replies() {
				if !strings.Contains(answer, "the session has 2 subscriptions, which is the maximum") {
					t.Errorf("answer %s", answer)
				}
				refused++
			}
			return refused
		}
		if n := subscribe("u:1", "u:2", "u:3", "u:1", "u:4"); n != 2 {
			t.Errorf("%d of 5 requests for 4 resources are refused", n)
		}
		decide <- nil
		decide <- errors.New("no")
		decide <- errors.New("no")
		c.replies()
		if n := subscribe("u:5", "u:6"); n != 1 {
			t.Errorf("%d of 2 further requests are refused", n)
		}
		close(decide)
		c.replies()
		if n := subscribe("u:7"); n != 1 {
			t.Errorf("%d further requests are refused", n)
		}
		c.hangUp()
	})
}

package streamable

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newUserRig returns a rig behind authenticated.
func newUserRig(t *testing.T, h mcptest.Handlers, opts Options) *rig {
	r := newRig(t, h, opts)
	r.Config.Handler = testkit.Authenticated(r.handler)
	return r
}

// TestRequestValues checks that a handler sees the values in the context of its own request, also when
// it goes on after the request's connection is gone.
func TestRequestValues(t *testing.T) {
	steps := make(chan struct{})
	who := testkit.UserIn
	noted := make(chan string, 1)
	for _, stateless := range []bool{false, true} {
		t.Run(fmt.Sprintf("stateless %t", stateless), func(t *testing.T) {
			r := newUserRig(t, base.With(mcptest.Handlers{
				"who": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
					return wire.Raw(fmt.Sprintf("{%q:1}", who(ctx))), nil
				},
				"notifications/who": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
					noted <- who(ctx)
					return nil, nil
				},
				"long": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
					if err := runtime.CallOf(ctx).Notify(ctx, "notifications/n", wire.Raw("{}")); err != nil {
						return nil, err
					}
					<-steps
					return wire.Raw(fmt.Sprintf(`{%q:%q}`, who(ctx), fmt.Sprint(context.Cause(ctx)))), nil
				},
			}), Options{Stateless: stateless})
			session := []string{"Mcp-Protocol-Version", r11}
			if !stateless {
				session = append(session, "Mcp-Session-Id", r.open(r11))
			}
			for _, user := range []string{"ann", "bob"} {
				as := append(session, "X-User", user)
				if _, text := r.do("POST", mcptest.Call(1, "who", "{}"), as...); !strings.Contains(text, `{"`+user+`":1}`) {
					t.Errorf("%s: %s", user, text)
				}
				r.do("POST", `{"jsonrpc":"2.0","method":"notifications/who"}`, as...)
				if got := <-noted; got != user {
					t.Errorf("%s: a notification of %s", user, got)
				}
			}
			if stateless {
				return
			}
			ctx, cancel := context.WithCancel(t.Context())
			resp := r.request(ctx, "POST", mcptest.Call(1, "long", "{}"), append(session, "X-User", "ann")...)
			first := testkit.Events(t, resp.Body, 1)
			cancel()
			resp.Body.Close()
			resp = r.request(t.Context(), "GET", "", append(session, "X-User", "ann", "Last-Event-ID", first[0].ID)...)
			defer resp.Body.Close()
			steps <- struct{}{}
			events := testkit.Events(t, resp.Body, 0)
			if last := events[len(events)-1].Data; !strings.Contains(last, `{"ann":"<nil>"}`) {
				t.Errorf("after a lost connection: %s", last)
			}
		})
	}
}

// TestUsers checks that only the user of a session can use it.
//
// H4
func TestUsers(t *testing.T) {
	a := newUserRig(t, base, Options{User: testkit.UserOf})
	resp, text := a.do("POST", mcptest.Initialize(r11), "X-User", "ann")
	id := resp.Header.Get("Mcp-Session-Id")
	if resp.StatusCode != 200 || id == "" || strings.Contains(id, "ann") {
		t.Fatalf("%s, id %q: %s", resp.Status, id, text)
	}
	a.do("POST", mcptest.Initialized, "X-User", "ann", "Mcp-Session-Id", id)
	_, text = a.do("POST", mcptest.Call(1, "note", "{}"), "X-User", "ann", "Mcp-Session-Id", id)
	event := testkit.Events(t, strings.NewReader(text), 1)[0].ID
	for _, c := range []struct {
		user, id string
		status   int
	}{
		{"ann", id, 200},
		{"bob", id, 404},
		{"an", "n:" + id, 404},
		{"", id, 403},
		{"ann", "ann:" + id, 404},
	} {
		header := []string{"Mcp-Session-Id", c.id, "X-User", c.user}
		if resp, text := a.do("POST", mcptest.Call(1, "echo", "{}"), header...); resp.StatusCode != c.status || (codeOf(t, text) == 0) != (c.status == 200) {
			t.Errorf("POST as %q with %q: %s: %s", c.user, c.id, resp.Status, text)
		}
		if resp, text := a.do("GET", "", append(header, "Last-Event-ID", event)...); resp.StatusCode != c.status {
			t.Errorf("GET as %q with %q: %s: %s", c.user, c.id, resp.Status, text)
		}
		if c.status != 200 {
			if resp, text := a.do("DELETE", "", header...); resp.StatusCode != c.status {
				t.Errorf("DELETE as %q with %q: %s: %s", c.user, c.id, resp.Status, text)
			}
		}
	}
	// A user whose name contains another's and part of an id is a different user.
	if resp, _ := a.do("POST", mcptest.Call(1, "echo", "{}"), "Mcp-Session-Id", id, "X-User", "ann:x"); resp.StatusCode != 404 {
		t.Error(resp.Status)
	}
	if resp, text := a.do("POST", mcptest.Initialize(r11)); resp.StatusCode != 403 || resp.Header.Get("Mcp-Session-Id") != "" {
		t.Errorf("initialize by nobody: %s: %s", resp.Status, text)
	}
	if resp, text := a.do("POST", mcptest.Call(1, "echo", "{}")); resp.StatusCode != 403 {
		t.Errorf("a call without a session by nobody: %s: %s", resp.Status, text)
	}
	if resp, _ := a.do("DELETE", "", "X-User", "ann", "Mcp-Session-Id", id); resp.StatusCode != 204 {
		t.Error(resp.Status)
	}
}

// TestUserOnce checks that each POST asks for its user once, although its sessions and requests are limited.
func TestUserOnce(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		var asked atomic.Int64
		r := newRig(t, base, Options{Stateless: stateless, Load: Load{MaxInFlight: 10}, User: func(*http.Request) (string, error) {
			asked.Add(1)
			return "ann", nil
		}})
		header := []string{"Mcp-Protocol-Version", r11}
		if !stateless {
			header = append(header, "Mcp-Session-Id", r.open(r11))
		}
		asked.Store(0)
		for _, c := range []struct {
			text   string
			header []string
		}{
			{mcptest.Initialize(r11), nil},
			{mcptest.Call(1, "echo", "{}"), header},
		} {
			resp, text := r.do("POST", c.text, c.header...)
			if n := asked.Swap(0); resp.StatusCode != 200 || n != 1 {
				t.Errorf("stateless %t, %s: asked %d times; %s: %s", stateless, c.text, n, resp.Status, text)
			}
		}
	}
}

package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// audience is a server whose clients listen.
type audience struct {
	*runtime.Server
	opened *runtime.ServerSession // the last listener that has subscribed to a resource
	uris   []string               // of the subscriptions

	opening func() // called before the acknowledgement of such a subscription, if not nil
}

// newAudience returns a server of the stateless revision.
func newAudience(capabilities wire.Object, s side) *audience {
	a := new(audience)
	b := s.in(rA)
	b.Listen = func(ctx context.Context, notification, uri string) error {
		if notification != updated || strings.HasPrefix(uri, "no:") {
			return errors.New("no such resource")
		}
		a.opened = runtime.CallOf(ctx).Session()
		a.uris = append(a.uris, uri)
		if a.opening != nil {
			a.opening()
		}
		return nil
	}
	a.Server = runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "0.1", Capabilities: capabilities}, b)
	return a
}

// tell sends a notification to all listeners.
func (a *audience) tell(t *testing.T, method string, params wire.Appender) {
	t.Helper()
	if err := a.Publish(method, params); err != nil {
		t.Errorf("%s: %v", method, err)
	}
	time.Sleep(time.Second)
}

const (
	promptsChanged = "notifications/prompts/list_changed"
	updated        = "notifications/resources/updated"
	everyChange    = wire.Object(`{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"logging":{}}`)
)

func listen(id, filter string) string {
	return request(id, "subscriptions/listen", `"notifications":`+filter, metaTerms)
}

// tagged returns the params with the id of a subscription.
func tagged(id, members string) string {
	if members != "" {
		members += ","
	}
	return `{` + members + `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}`
}

func notification(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}

func acknowledged(id, filter string) string {
	return notification("notifications/subscriptions/acknowledged", tagged(id, `"notifications":`+filter))
}

// closing returns what a server sends when it ends a subscription on a transport with a single stream.
func closing(id string) []string {
	return []string{
		`{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `,"io.modelcontextprotocol/serverInfo":{"name":"probe","version":"0.1"}}}}`,
		notification("notifications/cancelled", tagged(id, `"requestId":`+id+`,"reason":"the server ends the subscription"`)),
	}
}

// audition runs a test with a connection to a server with an audience.
func audition(t *testing.T, name string, capabilities wire.Object, test func(t *testing.T, c *conn, a *audience)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			a := newAudience(capabilities, tools)
			c := dial(t.Context(), t, a.Server)
			test(t, c, a)
			if err := c.hangUp(); err != nil {
				t.Errorf("Serve returned %v", err)
			}
			if n := a.Audience(); n > 0 {
				t.Errorf("%d listeners are left", n)
			}
		})
	})
}

// TestSubscriber checks the subscriptions of stateless revisions.
func TestSubscriber(t *testing.T) {
	audition(t, "P25 P26 P29 B37 only what was asked for, acknowledged first, with the id", everyChange, func(t *testing.T, c *conn, a *audience) {
		c.answers([]string{listen("1", `{"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["a:b"],"other":{}}`)},
			acknowledged("1", `{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}`))
		a.tell(t, toolsChanged, nil)
		a.tell(t, promptsChanged, nil)
		a.tell(t, updated, wire.Raw(`{"uri":"a:b"}`))
		a.tell(t, updated, wire.Raw(`{"uri":"a:bc"}`))
		a.tell(t, updated, wire.Raw(`{"uri":"a:b/c","_meta":{"x":1}}`))
		c.answers(nil,
			notification(toolsChanged, tagged("1", "")),
			notification(updated, tagged("1", `"uri":"a:b"`)),
			notification(updated, `{"uri":"a:b/c","_meta":{"x":1,"io.modelcontextprotocol/subscriptionId":1}}`))
	})
	audition(t, "P29 P31 several subscriptions; ids keep their type", everyChange, func(t *testing.T, c *conn, a *audience) {
		c.answers([]string{listen(`"1"`, `{"toolsListChanged":true}`), listen("1.0", `{"toolsListChanged":true}`), listen(`"p"`, `{"promptsListChanged":true}`)},
			acknowledged(`"1"`, `{"toolsListChanged":true}`), acknowledged("1.0", `{"toolsListChanged":true}`), acknowledged(`"p"`, `{"promptsListChanged":true}`))
		a.tell(t, toolsChanged, nil)
		c.send()
		got := strings.Join(c.replies(), "\n")
		for _, id := range []string{`Id":"1"}`, `Id":1.0}`} {
			if strings.Count(got, id) != 1 {
				t.Errorf("%s is not once in %s", id, got)
			}
		}
		if strings.Contains(got, `"p"`) {
			t.Errorf("P25 %s", got)
		}
	})
	audition(t, "P27 P36 the subset that the server has declared", `{"tools":{},"prompts":{"listChanged":true},"resources":{"subscribe":true}}`, func(t *testing.T, c *conn, a *audience) {
		c.answers([]string{listen("1", `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["no:such","b:c","a:b","a:b"]}`)},
			acknowledged("1", `{"promptsListChanged":true,"resourceSubscriptions":["a:b","b:c"]}`))
		if fmt.Sprint(a.uris) != "[a:b b:c]" {
			t.Errorf("subscribed to %q", a.uris)
		}
	})
	audition(t, "P27 P33 nothing is honoured: the stream ends at once", `{"tools":{}}`, func(t *testing.T, c *conn, a *audience) {
		c.answers([]string{listen("1", `{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}`)}, append([]string{acknowledged("1", `{}`)}, closing("1")...)...)
	})
	audition(t, "P26 nothing comes before the acknowledgement", everyChange, func(t *testing.T, c *conn, a *audience) {
		a.opening = func() {
			go a.opened.Notify(t.Context(), toolsChanged, nil)
			time.Sleep(time.Second) // until it waits
		}
		const filter = `{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}`
		c.send(listen("1", filter))
		time.Sleep(time.Minute)
		c.answers(nil, acknowledged("1", filter), notification(toolsChanged, tagged("1", "")))
	})
	audition(t, "P32 P46 the client cancels", everyChange, func(t *testing.T, c *conn, a *audience) {
		const filter = `{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}`
		c.answers([]string{listen("1", filter)}, acknowledged("1", filter))
		c.answers([]string{notification("notifications/cancelled", `{"requestId":1}`)})
		if a.Audience() != 0 {
			t.Error("the listener is still open")
		}
		if err := a.opened.Notify(t.Context(), toolsChanged, nil); !errors.Is(err, runtime.ErrNotRequested) {
			t.Errorf("a notification after the end: %v", err)
		}
		c.answers([]string{call("2", "echo")}, result("2", ""))
	})
	audition(t, "P33 P38 K1 the input ends: result, then cancelled", everyChange, func(t *testing.T, c *conn, a *audience) {
		c.answers([]string{listen(`"x"`, `{"toolsListChanged":true}`)}, acknowledged(`"x"`, `{"toolsListChanged":true}`))
		c.in.Close()
		time.Sleep(time.Second) // until another goroutine reads
		c.answers(nil, closing(`"x"`)...)
	})
	audition(t, "H15 P1 a listener gets no log messages, no progress and no requests", everyChange, func(t *testing.T, c *conn, a *audience) {
		c.answers([]string{request("1", "subscriptions/listen", `"notifications":{"resourceSubscriptions":["a:b"]}`, metaTerms+`,"io.modelcontextprotocol/logLevel":"debug","progressToken":1`)},
			acknowledged("1", `{"resourceSubscriptions":["a:b"]}`))
		a.opened.Log(t.Context(), runtime.LogError, "", nil)
		a.opened.Notify(t.Context(), "notifications/progress", wire.Raw(`{"progressToken":1,"progress":1}`))
		if err := a.opened.Call(t.Context(), "roots/list", nil, nil); err == nil {
			t.Error("a request was sent")
		}
		c.answers(nil)
	})
	audition(t, "invalid filters", everyChange, func(t *testing.T, c *conn, a *audience) {
		for params, problem := range map[string]string{
			``:                                       "/notifications: expected an object",
			`"notifications":[]`:                     "/notifications: expected an object",
			`"notifications":{"toolsListChanged":1}`: "/notifications/toolsListChanged: expected a boolean",
			`"notifications":{"resourceSubscriptions":"a:b"}`:   "/notifications/resourceSubscriptions: expected an array",
			`"notifications":{"resourceSubscriptions":["a",5]}`: "/notifications/resourceSubscriptions/1: expected a string",
		} {
			c.answers([]string{request("1", "subscriptions/listen", params, metaTerms)},
				fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":"invalid params: %s"}}`, jsonrpc.CodeInvalidParams, problem))
		}
	})
}

// TestSubscriberShutdown checks that subscriptions do not delay a shutdown, and that a request in flight is
// still answered.
func TestSubscriberShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		a := newAudience(everyChange, side{"slow": func(context.Context, *runtime.Message) (wire.Appender, error) {
			<-release
			return wire.Raw("{}"), nil
		}})
		ctx, stop := context.WithCancel(t.Context())
		c := dial(ctx, t, a.Server)
		c.answers([]string{listen("1", `{"toolsListChanged":true}`), call("2", "slow")}, acknowledged("1", `{"toolsListChanged":true}`))
		stop()
		c.answers(nil, closing("1")...) // at once, not after the grace period
		close(release)
		c.answers(nil, result("2", ""))
		if err := <-c.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve returned %v", err)
		}
		if n := a.Audience(); n > 0 {
			t.Errorf("%d listeners are left", n)
		}
	})
}

// TestSubscriberMany opens and cancels many subscriptions while notifications are sent.
func TestSubscriberMany(t *testing.T) {
	audition(t, "opened, told and cancelled at the same time", everyChange, func(t *testing.T, c *conn, a *audience) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 200 {
				a.tell(t, toolsChanged, nil)
			}
		}()
		for i := range 200 {
			c.send(listen(fmt.Sprint(i), `{"toolsListChanged":true}`))
			if i%2 == 0 {
				c.send(notification("notifications/cancelled", fmt.Sprintf(`{"requestId":%d}`, i)))
			}
			if i >= 50 {
				c.send(notification("notifications/cancelled", fmt.Sprintf(`{"requestId":%d}`, i-50)))
			}
		}
		<-done
		told := map[string]bool{}
		for _, line := range c.replies() {
			params, _ := wire.Object(line).Get("params")
			meta, _ := wire.Object(params).Get("_meta")
			id, _ := wire.Object(meta).Get("io.modelcontextprotocol/subscriptionId")
			switch wire.Object(line).GetString("method") {
			case "notifications/subscriptions/acknowledged":
				told[string(id)] = true
			case toolsChanged:
				if !told[string(id)] {
					t.Fatalf("P26 %s was told before it was acknowledged", id)
				}
			default:
				t.Fatalf("unexpected: %s", line)
			}
		}
	})
}

// TestMaxListeners checks that a server refuses more listeners than its options allow, until one ends.
func TestMaxListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "0.1", Capabilities: everyChange, MaxListeners: 1}, tools.in(rA))
		c := dial(t.Context(), t, server)
		const filter = `{"toolsListChanged":true}`
		c.answers([]string{listen("1", filter)}, acknowledged("1", filter))
		c.answers([]string{listen("2", filter)},
			fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"error":{"code":%d,"message":"busy: 1 clients listen for notifications"}}`, jsonrpc.CodeUnavailable))
		c.answers([]string{notification("notifications/cancelled", `{"requestId":1}`)})
		c.answers([]string{listen("3", filter)}, acknowledged("3", filter))
		if err := c.hangUp(); err != nil {
			t.Errorf("Serve returned %v", err)
		}
	})
}

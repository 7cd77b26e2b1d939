package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// event returns the text of a notification of a subscription.
func event(id, method, params string) string {
	if params != "" {
		params += ","
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, method, params, id)
}

const (
	ackMethod     = "notifications/subscriptions/acknowledged"
	toolsChanged  = "notifications/tools/list_changed"
	updatedMethod = "notifications/resources/updated"
)

// methodsOf returns the methods that a sequence yields, and its error.
func methodsOf(seq func(yield func(runtime.Notification, error) bool)) (methods []string, err error) {
	for n, e := range seq {
		if e != nil {
			return methods, e
		}
		methods = append(methods, strings.TrimPrefix(n.Method, "notifications/"))
	}
	return methods, nil
}

// TestListen checks what a listener gets, and that the handlers get the rest.
func TestListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Log("S7 P28 P30 P31 P33")
		s := modern(func(m jsonrpc.Message) []string {
			id := m.ID.String()
			ack := event(id, ackMethod, `"notifications":`+string(object(m, "notifications")))
			if strings.Contains(string(m.Params), "resourceSubscriptions") {
				return []string{ack, event(id, updatedMethod, `"uri":"a:b"`)}
			}
			return append([]string{ack, event(id, toolsChanged, ""), event("99", updatedMethod, `"uri":"x"`), event(`"`+id+`"`, updatedMethod, `"uri":"x"`)},
				resultOf(m, `{"resultType":"complete"}`)...)
		})
		handled := 0
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, runtime.Handlers{
			updatedMethod: func(context.Context, *runtime.Message) (wire.Appender, error) { handled++; return nil, nil },
		}, r26), s)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		other := make(chan []string)
		go func() {
			methods, _ := methodsOf(session.Listen(ctx, wire.Object(`{"resourceSubscriptions":["a:b"]}`)))
			other <- methods
		}()
		got, err := methodsOf(session.Listen(t.Context(), wire.Object(`{"toolsListChanged":true}`)))
		if diff := cmp.Diff([]string{"subscriptions/acknowledged", "tools/list_changed"}, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if diff := cmp.Diff([]string{"subscriptions/acknowledged", "resources/updated"}, <-other); diff != "" {
			t.Errorf("the other listener (-want +got):\n%s", diff)
		}
		synctest.Wait()
		if handled != 2 {
			t.Errorf("%d notifications of no listener handled", handled)
		}
		if c := s.of("notifications/cancelled"); len(c) != 1 || object(c[0], "requestId") != wire.Raw(s.of("subscriptions/listen")[0].ID.String()) && object(c[0], "requestId") != wire.Raw(s.of("subscriptions/listen")[1].ID.String()) {
			t.Errorf("P32 P41: cancellations %v", c)
		}
	})
}

// TestListenAgain checks when a listener opens another stream, and after which pauses.
func TestListenAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(n int, m jsonrpc.Message) []string
		sent   int
		says   string
	}{
		{"the server is busy", func(n int, m jsonrpc.Message) []string {
			if n < 4 {
				return failureOf(m, -32000, "")
			}
			return append([]string{event(m.ID.String(), ackMethod, `"notifications":{}`)}, resultOf(m, `{}`)...)
		}, 4, ""},
		{"F8 the server fails always", func(_ int, m jsonrpc.Message) []string { return failureOf(m, -32603, "") }, 10, "-32603"},
		{"the server has no subscriptions", func(_ int, m jsonrpc.Message) []string { return failureOf(m, -32601, "") }, 1, "-32601"},
		{"the result has an unknown type", func(_ int, m jsonrpc.Message) []string { return resultOf(m, `{"resultType":"x"}`) }, 10, "unknown resultType"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var at []time.Time
				s := modern(func(m jsonrpc.Message) []string {
					at = append(at, time.Now())
					return c.answer(len(at), m)
				})
				session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26), s)
				_, err := methodsOf(session.Listen(t.Context(), wire.Object(`{"toolsListChanged":true}`)))
				if len(at) != c.sent || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
					t.Errorf("%d requests, %v", len(at), err)
				}
				for i := 1; i < len(at); i++ {
					if pause, most := at[i].Sub(at[i-1]), 100*time.Millisecond<<(i-1); pause < most/2 || pause > most {
						t.Errorf("F8: pause %d is %v", i, pause)
					}
				}
			})
		})
	}
}

// TestSlowListener checks that a listener that takes nothing costs bounded memory, and is told that it
// has missed something.
func TestSlowListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *actor
		s = modern(func(m jsonrpc.Message) []string {
			texts := []string{event(m.ID.String(), ackMethod, `"notifications":{}`)}
			if len(s.of("subscriptions/listen")) > 1 {
				return append(texts, resultOf(m, `{}`)...)
			}
			for i := range 3000 {
				texts = append(texts, event(m.ID.String(), updatedMethod, fmt.Sprintf(`"uri":"a:%d"`, i)))
				texts = append(texts, event(m.ID.String(), toolsChanged, ""))
			}
			return texts
		})
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26), s)
		acks, others := 0, 0
		for n, err := range session.Listen(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			if n.Method == ackMethod {
				acks++
			} else {
				others++
			}
			time.Sleep(time.Millisecond)
		}
		if acks != 2 || others > 2100 {
			t.Errorf("%d acknowledgements and %d others", acks, others)
		}
	})
}

// TestListenEnds checks that a listener ends with the session, and that breaking the loop ends the
// subscription.
func TestListenEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modern(func(m jsonrpc.Message) []string {
			return []string{event(m.ID.String(), ackMethod, `"notifications":{}`)}
		})
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26), s)
		for range session.Listen(t.Context(), nil) {
			break
		}
		synctest.Wait()
		if s.methods() != "server/discover, subscriptions/listen, notifications/cancelled" {
			t.Errorf("P32: sent %s", s.methods())
		}
		time.AfterFunc(time.Hour, func() { session.Close() }) // no timeout ends the request before
		start := time.Now()
		_, err := methodsOf(session.Listen(t.Context(), nil))
		if !errors.Is(err, runtime.ErrClosed) || time.Since(start) != time.Hour {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// TestListenInSession checks that Listen does the same in a revision with sessions.
func TestListenInSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &actor{answer: func(m jsonrpc.Message) []string {
			if m.Kind != jsonrpc.Request {
				return nil
			}
			return resultOf(m, strings.Replace(greeted, `"tools":{}`, `"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true}`, 1))
		}}
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r25), s)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var got []string
		for n, err := range session.Listen(ctx, wire.Object(`{"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["a:b"]}`)) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, n.Method+string(n.Params))
			switch len(got) {
			case 1:
				s.send(`{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)
				s.send(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:c"}}`)
				s.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				s.send(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}`)
			case 3:
				cancel()
			}
		}
		if diff := cmp.Diff([]string{ackMethod + `{"notifications":{"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["a:b"]}}`, toolsChanged, updatedMethod + `{"uri":"a:b"}`}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		synctest.Wait()
		if got := s.methods(); got != "initialize, notifications/initialized, resources/subscribe, resources/unsubscribe" {
			t.Errorf("sent %s", got)
		}
	})
}

// TestTypedListen checks what a generated session yields, also for a notification that the revision does not
// allow.
func TestTypedListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modern(func(m jsonrpc.Message) []string {
			id := m.ID.String()
			return append([]string{
				event(id, ackMethod, `"notifications":`+string(object(m, "notifications"))),
				event(id, updatedMethod, `"uri":7`), event(id, updatedMethod, `"uri":"a:b"`), event(id, toolsChanged, ""),
			}, resultOf(m, `{"resultType":"complete"}`)...)
		})
		session := mcp20260728.ClientOptions{}.NewSession(openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26), s))
		defer session.Close()
		var got []string
		for n, err := range session.Listen(t.Context(), &mcp20260728.SubscriptionFilter{ResourceSubscriptions: []string{"a:b"}}) {
			switch n := n.(type) {
			case *mcp20260728.SubscriptionsAcknowledgedNotification:
				got = append(got, "acknowledged "+strings.Join(n.Params.Notifications.ResourceSubscriptions, " "))
			case *mcp20260728.ResourceUpdatedNotification:
				got = append(got, "updated "+n.Params.URI)
			case *mcp20260728.ToolListChangedNotification:
				got = append(got, "tools")
			default:
				got = append(got, fmt.Sprintf("%T %v", n, err))
			}
		}
		want := []string{"acknowledged a:b", "<nil> runtime: notification notifications/resources/updated: ", "updated a:b", "tools"}
		if len(got) == len(want) {
			got[1] = got[1][:min(len(got[1]), len(want[1]))]
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// TestListenCancelled checks that notifications/cancelled ends the subscription that it names and is not yielded,
// and that no other request ends because of it.
func TestListenCancelled(t *testing.T) {
	cancelled := func(id, meta string) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + meta + `}}`
	}
	tagged := func(id string) string {
		return `,"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}`
	}
	for name, end := range map[string]func(m jsonrpc.Message) []string{
		"alone":  func(m jsonrpc.Message) []string { return []string{cancelled(m.ID.String(), "")} },
		"tagged": func(m jsonrpc.Message) []string { return []string{cancelled(m.ID.String(), tagged(m.ID.String()))} },
		"before the result": func(m jsonrpc.Message) []string {
			return append([]string{cancelled(m.ID.String(), "")}, resultOf(m, `{}`)...)
		},
		"after the result": func(m jsonrpc.Message) []string {
			return append(resultOf(m, `{}`), cancelled(m.ID.String(), tagged(m.ID.String())))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var call jsonrpc.Message
				s := modern(func(m jsonrpc.Message) []string {
					if m.Method != "subscriptions/listen" {
						call = m
						return nil
					}
					return append([]string{event(m.ID.String(), ackMethod, `"notifications":{}`), event(m.ID.String(), toolsChanged, ""),
						cancelled(call.ID.String(), ""), cancelled(`"`+m.ID.String()+`"`, ""), cancelled("99", "")}, end(m)...)
				})
				session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26), s)
				called := make(chan error)
				go func() { called <- session.Call(t.Context(), "tools/list", nil, nil) }()
				synctest.Wait()
				got, err := methodsOf(session.Listen(t.Context(), nil))
				if diff := cmp.Diff([]string{"subscriptions/acknowledged", "tools/list_changed"}, got); diff != "" || err != nil {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
				s.send(resultOf(call, `{"resultType":"complete","tools":[]}`)[0])
				if err := <-called; err != nil {
					t.Errorf("the other request: %v", err)
				}
				if got := len(s.of("subscriptions/listen")); got != 1 || strings.Contains(s.methods(), "cancelled") {
					t.Errorf("sent %s", s.methods())
				}
			})
		})
	}
}

// TestListenPauses checks that a listener reconnects after growing pauses if the server acknowledges and then
// ends the stream, until a stream has lasted for a while.
func TestListenPauses(t *testing.T) {
	for name, c := range map[string]struct {
		end    func(m jsonrpc.Message) []string
		listen func(ctx context.Context, s *actor, t *testing.T)
	}{
		"Listen": {
			func(m jsonrpc.Message) []string { return failureOf(m, -32603, "") },
			func(ctx context.Context, s *actor, t *testing.T) {
				session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26), s)
				if _, err := methodsOf(session.Listen(ctx, wire.Object(`{"toolsListChanged":true}`))); err != nil {
					t.Error(err)
				}
			},
		},
		"handlers": {
			func(m jsonrpc.Message) []string { return resultOf(m, `{"resultType":"complete"}`) },
			func(ctx context.Context, s *actor, t *testing.T) {
				openScript(t, eraClient(t, runtime.ClientOptions{}, runtime.Handlers{
					toolsChanged: func(context.Context, *runtime.Message) (wire.Appender, error) { return nil, nil },
				}, r26), s)
				<-ctx.Done()
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const long = 15 // the attempt whose stream lasts
				var at []time.Time
				var s *actor
				s = modern(func(m jsonrpc.Message) []string {
					at = append(at, time.Now())
					ack := event(m.ID.String(), ackMethod, `"notifications":{"toolsListChanged":true}`)
					if len(at) == long {
						time.AfterFunc(time.Minute, func() { s.send(c.end(m)[0]) })
						return []string{ack}
					}
					return append([]string{ack}, c.end(m)...)
				})
				ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
				defer cancel()
				c.listen(ctx, s, t)
				synctest.Wait()
				if len(at) <= long {
					t.Fatalf("%d attempts", len(at))
				}
				for i := 1; i <= long; i++ {
					least, most := min(100*time.Millisecond<<(i-1), 30*time.Second)/2, min(100*time.Millisecond<<(i-1), 30*time.Second)
					if i == long {
						least, most = time.Minute, time.Minute+100*time.Millisecond
					}
					if pause := at[i].Sub(at[i-1]); pause < least || pause > most {
						t.Errorf("pause %d is %v", i, pause)
					}
				}
			})
		})
	}
}

// TestFilterHonoured checks when a client warns that the server does not honour its filter.
func TestFilterHonoured(t *testing.T) {
	for _, c := range []struct {
		asked, honoured string
		warns           bool
	}{
		{`{"resourceSubscriptions":["a:1","a:2"]}`, `{"resourceSubscriptions":["a:1","a:2"]}`, false},
		{`{"resourceSubscriptions":["a:1","a:2"]}`, `{"resourceSubscriptions":["a:2","a:1"]}`, false},
		{`{"resourceSubscriptions":["a:1","a:1"]}`, `{"resourceSubscriptions":["a:\u0031"]}`, false},
		{`{"resourceSubscriptions":["a:1"]}`, `{"resourceSubscriptions":["a:2","a:1"]}`, false},
		{`{"resourceSubscriptions":["a:1","a:2"]}`, `{"resourceSubscriptions":["a:1"]}`, true},
		{`{"resourceSubscriptions":["a:1"]}`, `{}`, true},
		{`{"resourceSubscriptions":[],"toolsListChanged":false}`, `{}`, false},
		{`{"toolsListChanged":true}`, `{"toolsListChanged":true}`, false},
		{`{"toolsListChanged":true}`, `{"toolsListChanged":false}`, true},
	} {
		t.Run(c.asked+" "+c.honoured, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := modern(func(m jsonrpc.Message) []string {
					return append([]string{event(m.ID.String(), ackMethod, `"notifications":`+c.honoured)}, resultOf(m, `{"resultType":"complete"}`)...)
				})
				var log strings.Builder
				session := openScript(t, eraClient(t, runtime.ClientOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}, nil, r26), s)
				if _, err := methodsOf(session.Listen(t.Context(), wire.Object(c.asked))); err != nil {
					t.Fatal(err)
				}
				if got := strings.Contains(log.String(), "does not honour"); got != c.warns {
					t.Errorf("log: %s", log.String())
				}
			})
		})
	}
}

// sessioned is a server with sessions that keeps the subscriptions of its client. It refuses that of one resource.
func sessioned(subscribed map[string]bool, refused string) *actor {
	return &actor{answer: func(m jsonrpc.Message) []string {
		uri := wire.Object(m.Params).GetString("uri")
		switch {
		case m.Method == "initialize":
			return resultOf(m, `{"protocolVersion":"2025-11-25","capabilities":{"resources":{"subscribe":true}},"serverInfo":{"name":"old","version":"1"}}`)
		case m.Method == "resources/subscribe" && uri == refused:
			return failureOf(m, -32602, "")
		case m.Method == "resources/subscribe":
			subscribed[uri] = true
		case m.Method == "resources/unsubscribe":
			delete(subscribed, uri)
		}
		if m.Kind == jsonrpc.Request {
			return resultOf(m, `{}`)
		}
		return nil
	}}
}

// TestListenersOfOneResource checks that the end of a listener in a session leaves the subscriptions of other listeners
// and of the program.
func TestListenersOfOneResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		subscribed := map[string]bool{}
		s := sessioned(subscribed, "")
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r25), s)
		listen := func(heard *int) (end func()) {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				for n := range session.Listen(ctx, wire.Object(`{"resourceSubscriptions":["a:b"]}`)) {
					if n.Method == updatedMethod {
						*heard++
					}
				}
			}()
			synctest.Wait()
			return func() { cancel(); synctest.Wait() }
		}
		var first, second int
		endFirst, endSecond := listen(&first), listen(&second)
		endFirst()
		s.send(notification(updatedMethod, `{"uri":"a:b"}`))
		synctest.Wait()
		if !subscribed["a:b"] || first != 0 || second != 1 {
			t.Errorf("one listener is left: subscribed %v, heard %d and %d", subscribed, first, second)
		}
		call := func(method string) {
			if err := session.Call(t.Context(), method, wire.Raw(`{"uri":"a:b"}`), nil); err != nil {
				t.Error(err)
			}
		}
		call("resources/subscribe")
		call("resources/unsubscribe")
		if !subscribed["a:b"] {
			t.Error("the program has ended the subscription of a listener")
		}
		call("resources/subscribe")
		endSecond()
		if !subscribed["a:b"] {
			t.Error("a listener has ended the subscription of the program")
		}
		call("resources/unsubscribe")
		if len(subscribed) > 0 {
			t.Errorf("still subscribed: %v", subscribed)
		}
	})
}

// TestRefusedListener checks that a listener in a session listens to what the server does not refuse, as in a revision
// without sessions, that its end leaves no subscription behind, and that a failed connection is an error.
func TestRefusedListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		subscribed := map[string]bool{}
		s := sessioned(subscribed, "no:such")
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r25), s)
		filter := wire.Object(`{"toolsListChanged":true,"x":1,"resourceSubscriptions":["a:b","no:such","a:b"]}`)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var got []string
		for n, err := range session.Listen(ctx, filter) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, n.Method+string(n.Params))
			if len(got) == 1 {
				s.send(notification(updatedMethod, `{"uri":"no:such"}`))
				s.send(notification(updatedMethod, `{"uri":"a:b"}`))
			} else {
				cancel()
			}
		}
		want := []string{ackMethod + `{"notifications":{"resourceSubscriptions":["a:b","a:b"]}}`, updatedMethod + `{"uri":"a:b"}`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		synctest.Wait()
		if n := len(s.of("resources/subscribe")); len(subscribed) > 0 || n != 2 {
			t.Errorf("subscribed %d times; still subscribed: %v", n, subscribed)
		}
		session.Close()
		if _, err := methodsOf(session.Listen(t.Context(), filter)); !errors.Is(err, runtime.ErrClosed) {
			t.Errorf("after the end of the session: %v", err)
		}
	})
}

// TestListenBehindOthers checks that a listener in a session ends with its context while the server leaves the subscription
// of another one unanswered.
func TestListenBehindOthers(t *testing.T) {
	before := sessioned(map[string]bool{}, "")
	s := &actor{answer: func(m jsonrpc.Message) []string {
		if wire.Object(m.Params).GetString("uri") == "slow:" {
			return nil
		}
		return before.answer(m)
	}}
	session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r25), s)
	long, stop := context.WithTimeout(t.Context(), 2*testkit.Limit) // in place of the timeout
	defer stop()
	go methodsOf(session.Listen(long, wire.Object(`{"resourceSubscriptions":["slow:"]}`)))
	if !testkit.Eventually(func() bool { return len(s.of("resources/subscribe")) == 1 }) {
		t.Fatal("the first listener does not subscribe")
	}
	for range 10 { // the end of each subscription waits for the first
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			methodsOf(session.Listen(ctx, wire.Object(`{"resourceSubscriptions":["a:b"]}`)))
		}()
		cancel()
		select {
		case <-ended:
		case <-time.After(testkit.Limit):
			t.Fatal("a listener has not ended")
		}
	}
}

// TestListenToPart checks that a listener in a session gets the updates of parts of its resources.
func TestListenToPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sessioned(map[string]bool{}, "")
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r25), s)
		ctx, cancel := context.WithCancel(t.Context())
		heard := make(chan []string)
		go func() {
			var uris []string
			for n := range session.Listen(ctx, wire.Object(`{"resourceSubscriptions":["file:///dir","x:/"]}`)) {
				if n.Method == updatedMethod {
					uris = append(uris, wire.Object(n.Params).GetString("uri"))
				}
			}
			heard <- uris
		}()
		synctest.Wait()
		for _, uri := range []string{"file:///dir/file", "file:///directory", "file:///", "x:/a", "file:///dir"} {
			s.send(notification(updatedMethod, `{"uri":"`+uri+`"}`))
		}
		synctest.Wait()
		cancel()
		if diff := cmp.Diff([]string{"file:///dir/file", "x:/a", "file:///dir"}, <-heard); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestUnsubscribeAgain checks that an unsubscription that has failed can be repeated.
func TestUnsubscribeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refuse := false
		var filters []string
		s := modern(func(m jsonrpc.Message) []string {
			if refuse {
				return failureOf(m, -32602, "")
			}
			filters = append(filters, string(object(m, "notifications")))
			return []string{event(m.ID.String(), ackMethod, `"notifications":`+filters[len(filters)-1])}
		})
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, runtime.Handlers{updatedMethod: nothing}, r26), s)
		call := func(method, uri string) error {
			return session.Call(t.Context(), method, wire.Raw(`{"uri":"`+uri+`"}`), nil)
		}
		if err := errors.Join(call("resources/subscribe", "a:c"), call("resources/subscribe", "a:b")); err != nil {
			t.Fatal(err)
		}
		refuse = true
		if call("resources/unsubscribe", "a:b") == nil {
			t.Error("the server has refused")
		}
		refuse = false
		if err := call("resources/unsubscribe", "a:b"); err != nil {
			t.Error(err)
		}
		if last := filters[len(filters)-1]; last != `{"resourceSubscriptions":["a:c"]}` {
			t.Errorf("the last filter is %s", last)
		}
	})
}

func nothing(context.Context, *runtime.Message) (wire.Appender, error) { return nil, nil }

// TestListenerAndProgram checks that the program does not end the subscription that a listener is about to get.
func TestListenerAndProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		subscribed := map[string]bool{}
		s := sessioned(subscribed, "")
		answer := s.answer
		var late []string
		s.answer = func(m jsonrpc.Message) []string {
			texts := answer(m)
			if m.Method == "resources/subscribe" && late == nil {
				late, texts = texts, nil
			}
			return texts
		}
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r25), s)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go methodsOf(session.Listen(ctx, wire.Object(`{"resourceSubscriptions":["a:b"]}`)))
		synctest.Wait()
		for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
			if err := session.Call(t.Context(), method, wire.Raw(`{"uri":"a:b"}`), nil); err != nil {
				t.Error(err)
			}
		}
		s.send(late[0])
		synctest.Wait()
		if !subscribed["a:b"] {
			t.Error("the program has ended the subscription of the listener")
		}
		cancel()
		synctest.Wait()
		if len(subscribed) > 0 {
			t.Errorf("still subscribed: %v", subscribed)
		}
	})
}

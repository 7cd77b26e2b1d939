package runtime_test

import (
	"context"
	"errors"
	goruntime "runtime"
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

// TestHandlersListen checks that the handlers of notifications get them from a server without sessions,
// and that resources/subscribe works there.
func TestHandlersListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ids []string // of the subscriptions
		s := modern(func(m jsonrpc.Message) []string {
			ids = append(ids, m.ID.String())
			return []string{event(m.ID.String(), ackMethod, `"notifications":`+string(object(m, "notifications")))}
		})
		var got []string
		note := func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			params := wire.Raw(message.Object())
			got = append(got, runtime.CallOf(ctx).Method()+" "+wire.Object(params).GetString("uri"))
			return nil, nil
		}
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, runtime.Handlers{
			toolsChanged:                         note,
			updatedMethod:                        note,
			"notifications/prompts/list_changed": note, // which the server does not declare
		}, r26), s)
		filters := func() []string {
			synctest.Wait()
			var all []string
			for _, m := range s.of("subscriptions/listen") {
				all = append(all, string(object(m, "notifications")))
			}
			return all
		}
		s.send(event(ids[0], toolsChanged, ""))
		synctest.Wait() // until it is handled: another stream replaces this one
		for _, uri := range []string{"a:b", "a:c", "a:b"} {
			var empty wire.Raw
			if err := session.Call(t.Context(), "resources/subscribe", wire.Raw(`{"uri":"`+uri+`"}`), &empty); err != nil || empty != "{}" {
				t.Fatalf("%s, %v", empty, err)
			}
		}
		s.send(event(ids[2], updatedMethod, `"uri":"a:c"`))
		if err := session.Call(t.Context(), "resources/unsubscribe", wire.Raw(`{"uri":"a:b"}`), nil); err != nil {
			t.Fatal(err)
		}
		want := []string{`{"toolsListChanged":true}`, `{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}`,
			`{"toolsListChanged":true,"resourceSubscriptions":["a:b","a:c"]}`, `{"toolsListChanged":true,"resourceSubscriptions":["a:c"]}`}
		if diff := cmp.Diff(want, filters()); diff != "" {
			t.Errorf("filters (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{toolsChanged + " ", updatedMethod + " a:c"}, got); diff != "" {
			t.Errorf("handled (-want +got):\n%s", diff)
		}
		var ended []string
		for _, m := range s.of("notifications/cancelled") {
			ended = append(ended, string(object(m, "requestId")))
		}
		if slices.Sort(ended); !slices.Equal(ended, ids[:3]) {
			t.Errorf("ended %v of %v", ended, ids)
		}
		// The server ends the subscription: the client subscribes again.
		s.send(`{"jsonrpc":"2.0","id":` + ids[3] + `,"result":{"resultType":"complete"}}`)
		time.Sleep(time.Minute)
		if n := len(filters()); n != 5 {
			t.Errorf("%d subscriptions", n)
		}
	})
}

// TestUnsubscribed checks that no update of a resource is handled after the end of its subscription, though it was
// received before, and that those of others are.
func TestUnsubscribed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ids []string // of the subscriptions
		s := modern(func(m jsonrpc.Message) []string {
			ids = append(ids, m.ID.String())
			return []string{event(m.ID.String(), ackMethod, `"notifications":`+string(object(m, "notifications")))}
		})
		var got []string
		proceed := make(chan struct{})
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, runtime.Handlers{
			updatedMethod: func(_ context.Context, m *runtime.Message) (wire.Appender, error) {
				got = append(got, m.Object().GetString("uri"))
				<-proceed
				return nil, nil
			},
		}, r26), s)
		call := func(method, uri string) {
			t.Helper()
			if err := session.Call(t.Context(), method, wire.Raw(`{"uri":"`+uri+`"}`), nil); err != nil {
				t.Fatal(err)
			}
		}
		call("resources/subscribe", "a:b")
		call("resources/subscribe", "a:c")
		for _, uri := range []string{"a:c", "a:b", "a:c/1", "a:b/1"} {
			s.send(event(ids[1], updatedMethod, `"uri":"`+uri+`"`))
			synctest.Wait()
		}
		call("resources/unsubscribe", "a:b")
		close(proceed)
		synctest.Wait()
		call("resources/unsubscribe", "a:c")
		if diff := cmp.Diff([]string{"a:c", "a:c/1"}, got); diff != "" {
			t.Errorf("handled (-want +got):\n%s", diff)
		}
	})
}

// TestHandlerExits checks that a handler which ends its goroutine does not end the subscription.
func TestHandlerExits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var id string // of the subscription
		s := modern(func(m jsonrpc.Message) []string {
			id = m.ID.String()
			return []string{event(id, ackMethod, `"notifications":`+string(object(m, "notifications")))}
		})
		openScript(t, eraClient(t, runtime.ClientOptions{}, runtime.Handlers{
			toolsChanged: func(context.Context, *runtime.Message) (wire.Appender, error) { goruntime.Goexit(); return nil, nil },
		}, r26), s)
		s.send(event(id, toolsChanged, ""))
		synctest.Wait()
		if n := len(s.of("notifications/cancelled")); n != 0 {
			t.Errorf("%d subscriptions have ended", n)
		}
	})
}

// TestSubscribeFails checks that the error of the server is that of resources/subscribe.
func TestSubscribeFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modern(func(m jsonrpc.Message) []string { return failureOf(m, -32602, "") })
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26), s)
		if err := session.Call(t.Context(), "resources/subscribe", wire.Raw(`{"uri":"a:b"}`), nil); code(err) != -32602 {
			t.Errorf("error %v", err)
		}
		without := modern(nil)
		answer := without.answer
		without.answer = func(m jsonrpc.Message) []string {
			return []string{strings.Replace(answer(m)[0], `"subscribe":true,`, "", 1)}
		}
		session = openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26), without)
		err := session.Call(t.Context(), "resources/subscribe", wire.Raw(`{"uri":"a:b"}`), nil)
		if e, ok := errors.AsType[*runtime.CapabilityError](err); !ok || e.Capability != "resources.subscribe" {
			t.Errorf("error %v", err)
		}
	})
}

// TestSetLevelStateless checks that the log level goes into each request.
func TestSetLevelStateless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modern(func(m jsonrpc.Message) []string { return resultOf(m, `{"tools":[]}`) })
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26), s)
		if err := session.Call(t.Context(), "logging/setLevel", wire.Raw(`{"level":"warning"}`), nil); err != nil {
			t.Fatal(err)
		}
		if err := session.Call(t.Context(), "logging/setLevel", wire.Raw(`{"level":"loud"}`), nil); code(err) != -32602 {
			t.Errorf("an unknown level: %v", err)
		}
		if err := session.Call(t.Context(), "tools/list", nil, nil); err != nil {
			t.Fatal(err)
		}
		if got := object(s.of("tools/list")[0], "_meta", "io.modelcontextprotocol/logLevel"); got != `"warning"` || s.methods() != "server/discover, tools/list" {
			t.Errorf("level %s, sent %s", got, s.methods())
		}
	})
}

// TestSubscribeWaits checks that a subscription which the server does not acknowledge keeps others waiting only as long
// as their contexts allow, and no longer than its own or the timeout.
func TestSubscribeWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := true
		s := modern(func(m jsonrpc.Message) []string {
			if silent {
				return nil
			}
			return []string{event(m.ID.String(), ackMethod, `"notifications":`+string(object(m, "notifications")))}
		})
		session := openScript(t, eraClient(t, runtime.ClientOptions{}, nil, r26), s)
		start := time.Now()
		subscribe := func(uri string, limit time.Duration) (took time.Duration, err error) {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			err = session.Call(ctx, "resources/subscribe", wire.Raw(`{"uri":"`+uri+`"}`), nil)
			return time.Since(start), err
		}
		first := make(chan error, 1)
		go func() {
			_, err := subscribe("a:b", time.Hour)
			first <- err
		}()
		synctest.Wait()
		if took, err := subscribe("a:c", time.Second); !errors.Is(err, context.DeadlineExceeded) || took > time.Minute {
			t.Errorf("the second: after %v, %v", took, err)
		}
		if err := <-first; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the first: %v", err)
		}
		err := session.Call(t.Context(), "resources/subscribe", wire.Raw(`{"uri":"a:b"}`), nil)
		if _, ok := errors.AsType[*runtime.TimeoutError](err); !ok {
			t.Errorf("without a deadline: %v", err)
		}
		synctest.Wait()
		silent = false
		if _, err := subscribe("a:d", 2*time.Hour); err != nil {
			t.Errorf("the third: %v", err)
		}
	})
}

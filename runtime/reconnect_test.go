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

// fragile leads to one actor after the other.
type fragile struct {
	line
	actors []*actor // of the next connections
	made   *int
}

func (f fragile) Restart() (runtime.Transport, error) {
	if len(f.actors) == 0 {
		return nil, errors.New("no server")
	}
	*f.made++
	return newFragile(f.made, f.actors...), nil
}

func newFragile(made *int, actors ...*actor) runtime.Transport {
	return fragile{actors[0].serve(), actors[1:], made}
}

// dying returns an actor that closes the connection in place of an answer to a method.
func dying(method string) *actor {
	a := modern(func(m jsonrpc.Message) []string {
		if m.Method == "subscriptions/listen" {
			return []string{event(m.ID.String(), ackMethod, `"notifications":`+string(object(m, "notifications")))}
		}
		return resultOf(m, `{"resultType":"complete","tools":[],"content":[]}`)
	})
	answer := a.answer
	a.answer = func(m jsonrpc.Message) []string {
		if m.Method == method {
			a.conn.Close()
			return nil
		}
		return answer(m)
	}
	return a
}

// TestReconnect checks what becomes of requests when the server ends.
func TestReconnect(t *testing.T) {
	for _, c := range []struct {
		name, method string
		reconnect    bool
		actors       []*actor
		lost, closed bool
		made         int
	}{
		{"S15 S16 a list is asked for again", "tools/list", true, []*actor{dying("tools/list"), dying("")}, false, false, 1},
		{"S16 a call is lost, and the next one is answered", "tools/call", true, []*actor{dying("tools/call"), dying("")}, true, false, 1},
		{"without the option", "tools/list", false, []*actor{dying("tools/list"), dying("")}, false, true, 0},
		{"a server that does not come back", "tools/list", true, []*actor{dying("tools/list")}, false, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				made := 0
				session, err := eraClient(t, runtime.ClientOptions{Reconnect: c.reconnect}, nil, r26).Connect(t.Context(), newFragile(&made, c.actors...))
				if err != nil {
					t.Fatal(err)
				}
				defer session.Close()
				err = session.Call(t.Context(), c.method, wire.Raw(`{"name":"a"}`), nil)
				_, lost := errors.AsType[*runtime.LostError](err)
				if lost != c.lost || errors.Is(err, runtime.ErrClosed) != (c.lost || c.closed) || err != nil != (c.lost || c.closed) {
					t.Errorf("error %v", err)
				}
				if err := session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"a"}`), nil); c.closed != errors.Is(err, runtime.ErrClosed) || !c.closed && err != nil {
					t.Errorf("the next call: %v", err)
				}
				if made != c.made {
					t.Errorf("%d restarts", made)
				}
			})
		})
	}
}

// TestListenersReconnect checks that subscriptions are made again after a restart.
func TestListenersReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Log("S16 P34 P35")
		made := 0
		first, second := dying("tools/call"), dying("")
		session, err := eraClient(t, runtime.ClientOptions{Reconnect: true}, runtime.Handlers{
			toolsChanged: func(context.Context, *runtime.Message) (wire.Appender, error) { return nil, nil },
		}, r26).Connect(t.Context(), newFragile(&made, first, second))
		if err != nil {
			t.Fatal(err)
		}
		if err := session.Call(t.Context(), "resources/subscribe", wire.Raw(`{"uri":"a:b"}`), nil); err != nil {
			t.Fatal(err)
		}
		if err := session.Call(t.Context(), "logging/setLevel", wire.Raw(`{"level":"error"}`), nil); err != nil {
			t.Fatal(err)
		}
		acks := make(chan string, 10)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for n, err := range session.Listen(ctx, wire.Object(`{"promptsListChanged":true}`)) {
				acks <- fmt.Sprint(n.Method, err)
			}
		}()
		<-acks
		_ = session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"a"}`), nil)
		<-acks
		time.Sleep(time.Minute)
		var filters []string
		for _, m := range second.of("subscriptions/listen") {
			filters = append(filters, string(object(m, "notifications")))
			if object(m, "_meta", "io.modelcontextprotocol/logLevel") != `"error"` {
				t.Errorf("the log level is forgotten: %s", m.Params)
			}
		}
		all := strings.Join(filters, " ")
		if len(filters) != 2 || !strings.Contains(all, `{"promptsListChanged":true}`) || !strings.Contains(all, `{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}`) || made != 1 {
			t.Errorf("%d restarts, subscriptions %s", made, all)
		}
		cancel()
		<-ended
		session.Close()
	})
}

// TestManyReconnect checks that calls that lose their connection together share the next one, and that
// Close ends it.
func TestManyReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := 0
		session, err := eraClient(t, runtime.ClientOptions{Reconnect: true}, nil, r26).Connect(t.Context(), newFragile(&made, dying("tools/list"), dying("")))
		if err != nil {
			t.Fatal(err)
		}
		errs := make(chan error)
		for range 50 {
			go func() { errs <- session.Call(t.Context(), "tools/list", nil, nil) }()
		}
		for range 50 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if made != 1 {
			t.Errorf("%d restarts", made)
		}
		session.Close()
		if err := session.Call(t.Context(), "tools/list", nil, nil); !errors.Is(err, runtime.ErrClosed) || made != 1 {
			t.Errorf("after Close: %v, %d restarts", err, made)
		}
	})
}

// TestServerDiesOfProbe checks that a server that ends at a request before initialize is started again
// without one.
func TestServerDiesOfProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Log("S20")
		made := 0
		second := legacy(nil)
		session, err := eraClient(t, runtime.ClientOptions{}, nil, r26, r25).Connect(t.Context(), newFragile(&made, dying("server/discover"), second))
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		synctest.Wait()
		if got := second.methods(); got != "initialize, notifications/initialized" || made != 1 {
			t.Errorf("sent %s", got)
		}
		third := modern(nil)
		session, err = eraClient(t, runtime.ClientOptions{}, nil, r26, r25).Connect(t.Context(), newFragile(&made, dying("server/discover"), third))
		if err != nil || session.Revision() != r26 || third.methods() != "initialize, server/discover" {
			t.Fatalf("a server without sessions that ended once: %v, sent %s", err, third.methods())
		}
		defer session.Close()
		made = 0
		_, err = eraClient(t, runtime.ClientOptions{}, nil, r26, r25).Connect(t.Context(), newFragile(&made, dying("server/discover"), dying("initialize"), second))
		if !errors.Is(err, runtime.ErrClosed) || made != 1 {
			t.Errorf("a server that always ends: %v after %d restarts", err, made)
		}
	})
}

// hung is a server that dies, and whose next connection is never opened.
type hung struct{ line }

func (h hung) Restart() (runtime.Transport, error) { return hanging(h), nil }

type hanging struct{ line }

func (hanging) Open(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }

// TestReopeningWaits checks that a connection which cannot be opened again keeps neither the calls whose contexts
// end nor Close.
func TestReopeningWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session, err := eraClient(t, runtime.ClientOptions{Reconnect: true}, nil, r26).Connect(t.Context(), hung{dying("tools/call").serve()})
		if err != nil {
			t.Fatal(err)
		}
		_ = session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"a"}`), nil)
		patient := make(chan error, 1)
		go func() { patient <- session.Call(context.Background(), "tools/list", nil, nil) }()
		synctest.Wait()
		start := time.Now()
		hasty, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := session.Call(hasty, "tools/list", nil, nil); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("a call with a timeout of a second: %v after %v", err, time.Since(start))
		}
		start = time.Now()
		session.Close()
		if took := time.Since(start); took > 0 {
			t.Errorf("Close took %v", took)
		}
		if err := <-patient; !errors.Is(err, runtime.ErrClosed) {
			t.Errorf("the call that waits: %v", err)
		}
	})
}

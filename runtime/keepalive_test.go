package runtime_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// deafAfter is a transport that hears nothing of its peer after a while.
type deafAfter struct {
	runtime.Transport
	until time.Time
}

func (d deafAfter) Start(in runtime.Inbox, max int) {
	d.Transport.Start(mcptest.Tap{Inbox: in, Heard: func(*runtime.Incoming) bool { return time.Now().Before(d.until) }}, max)
}

// TestKeepAlive checks when a session ends because of its peer's silence, on both sides.
func TestKeepAlive(t *testing.T) {
	for _, c := range []struct {
		name           string
		server, client time.Duration // KeepAlive
		failures       int
		silent         time.Duration // when the peer falls silent
		ends           time.Duration // 0: not
	}{
		{name: "off", silent: time.Second},
		{name: "answered", client: time.Minute, server: time.Minute, silent: time.Hour * 10},
		// Silent from 90 s on: the ping at 120 s is the first that fails.
		{name: "client", client: time.Minute, silent: 90 * time.Second, ends: (2 + 3) * time.Minute},
		{name: "client, one failure", client: time.Minute, failures: 1, silent: 90 * time.Second, ends: 3 * time.Minute},
		{name: "server", server: time.Minute, silent: 90 * time.Second, ends: (2 + 3) * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				a, b := inproc.Pair()
				opts := runtime.ServerOptions{Limits: runtime.Limits{KeepAlive: c.server, KeepAliveFailures: c.failures}}
				ended := make(chan error, 2)
				go func() {
					ended <- runtime.NewServer(opts, tools.bind(r11, runtime.ToServer)).Serve(t.Context(), deafAfter{a, start.Add(c.silent)})
				}()
				session, err := runtime.NewClient(runtime.ClientOptions{Limits: runtime.Limits{KeepAlive: c.client, KeepAliveFailures: c.failures}}, side{}.bind(r11, runtime.ToClient)).
					Connect(t.Context(), deafAfter{b, start.Add(c.silent)})
				if err != nil {
					t.Fatal(err)
				}
				go func() { ended <- session.Wait() }()
				if c.ends == 0 {
					time.Sleep(time.Hour)
					if len(ended) > 0 {
						t.Errorf("ended: %v", <-ended)
					}
					session.Close()
					return
				}
				first := <-ended
				if took := time.Since(start); took != c.ends {
					t.Errorf("ended after %v, want %v", took, c.ends)
				}
				if !errors.Is(errors.Join(first, <-ended), runtime.ErrUnresponsive) {
					t.Errorf("ended with %v", first)
				}
			})
		})
	}
}

// TestKeepAliveQuiet checks that a peer that says something is not pinged, and one that
// does not know pings is alive.
func TestKeepAliveQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session, server := scripted(t, runtime.ClientOptions{Limits: runtime.Limits{KeepAlive: time.Minute}}, step{})
		for range 100 {
			time.Sleep(30 * time.Second)
			if err := session.Call(t.Context(), "tools/call", nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range server.methods {
			if m != `"tools/call"` {
				t.Errorf("sent %s", m)
			}
		}
		session.Close()

		refusing := side{"ping": func(context.Context, *runtime.Message) (wire.Appender, error) { return nil, errors.New("no") }}
		a, b := inproc.Pair()
		go newServer(t, refusing, runtime.ServerOptions{}, r11).Serve(t.Context(), a)
		session, err := runtime.NewClient(runtime.ClientOptions{Limits: runtime.Limits{KeepAlive: time.Second, KeepAliveFailures: 1}}, side{}.bind(r11, runtime.ToClient)).Connect(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestCloseDuringPing checks that the end of a session that is closed while a ping is in flight is not blamed on
// the peer. The contexts of many handlers end first, which takes long enough for the ping to fail.
func TestCloseDuringPing(t *testing.T) {
	waits := side{"wait": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			near, far := mcptest.Pair()
			peer := &script{t: t, end: near}
			go peer.serve([]step{{after: time.Minute}})
			binding := waits.bind(r11, runtime.ToClient)
			binding.Methods = nil // anything may be sent
			session, err := runtime.NewClient(runtime.ClientOptions{Limits: runtime.Limits{KeepAlive: time.Minute, KeepAliveFailures: 1, MaxConcurrent: 2000}}, binding).Connect(t.Context(), far)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(59 * time.Second)
			for id := range 2000 {
				peer.send(`{"jsonrpc":"2.0","id":%d,"method":"wait"}`, id)
			}
			time.Sleep(90 * time.Second)
			if err := session.Close(); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Hour) // for the server
		})
	}
}

// TestKeepAliveSilence checks that a ping comes when the peer has been silent for KeepAlive, not up to twice as
// long.
func TestKeepAliveSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := open(t.Context(), t, newServer(t, tools, runtime.ServerOptions{Limits: runtime.Limits{KeepAlive: time.Minute}}, r11), r11)
		time.Sleep(30 * time.Second)
		conn.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		match(t, conn.replies(), []string{`"id":1,"result":`})
		time.Sleep(time.Minute - 1)
		match(t, conn.replies(), nil)
		time.Sleep(time.Nanosecond)
		match(t, conn.replies(), []string{`"id":1,"method":"ping"`})
		if err := conn.hangUp(); err != nil {
			t.Error(err)
		}
	})
}

// stuckSend is a transport whose Send does not return until Close, once it is stuck.
type stuckSend struct {
	runtime.Transport
	stuck  chan struct{}
	closed chan struct{}
}

func (s stuckSend) Send(ctx context.Context, m runtime.Outgoing) error {
	select {
	case <-s.stuck:
		<-s.closed
		return io.ErrClosedPipe
	default:
		return s.Transport.Send(ctx, m)
	}
}

func (s stuckSend) Close() error {
	close(s.closed)
	return s.Transport.Close()
}

// TestKeepAliveStuck checks that a peer that reads nothing ends the session as well.
func TestKeepAliveStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := inproc.Pair()
		go newServer(t, tools, runtime.ServerOptions{}, r11).Serve(t.Context(), a)
		tr := stuckSend{b, make(chan struct{}), make(chan struct{})}
		session, err := runtime.NewClient(runtime.ClientOptions{Limits: runtime.Limits{KeepAlive: time.Minute}}, side{}.bind(r11, runtime.ToClient)).Connect(t.Context(), tr)
		if err != nil {
			t.Fatal(err)
		}
		close(tr.stuck)
		if err := session.Call(t.Context(), "tools/call", &toolParams{Name: "echo"}, nil); !errors.Is(err, runtime.ErrClosed) {
			t.Errorf("call: %v", err)
		}
		if err := session.Wait(); err != runtime.ErrUnresponsive {
			t.Errorf("session: %v", err)
		}
	})
}

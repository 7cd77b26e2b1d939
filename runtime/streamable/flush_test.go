package streamable

import (
	"context"
	"net"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// counted is a listener that counts the writes to its connections.
type counted struct {
	net.Listener
	writes *atomic.Int64
}

type countedConn struct {
	net.Conn
	writes *atomic.Int64
}

func (l counted) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return countedConn{c, l.writes}, err
}

func (c countedConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// TestOneWrite checks that an answer leaves in one write.
func TestOneWrite(t *testing.T) {
	h := NewHandler(newRuntimeServer(t, base, runtime.ServerOptions{Logger: discard}, r11), Options{})
	ts := httptest.NewUnstartedServer(h)
	var writes atomic.Int64
	ts.Listener = counted{ts.Listener, &writes}
	ts.Start()
	defer ts.Close()
	defer h.Close()
	r := &rig{t: t, handler: h, Server: ts}
	session := []string{headerSession, r.open(r11)}
	const calls = 20
	before := writes.Load()
	for i := range calls {
		r.do("POST", mcptest.Call(i, "echo", "{}"), session...)
	}
	if n := writes.Load() - before; n != calls {
		t.Errorf("%d writes for %d calls", n, calls)
	}
}

// TestNotificationLeaves checks that a notification leaves while the handler goes on.
func TestNotificationLeaves(t *testing.T) {
	seen := make(chan struct{})
	r := newRig(t, base.With(mcptest.Handlers{"go on": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		for range 3 {
			if err := runtime.CallOf(ctx).Notify(ctx, "notifications/n", wire.Raw(`{}`)); err != nil {
				return nil, err
			}
			<-seen
		}
		return params, nil
	}}), Options{})
	resp := r.request(t.Context(), "POST", mcptest.Call(1, "go on", "{}"), headerSession, r.open(r11))
	defer resp.Body.Close()
	for range 3 {
		if events := testkit.Events(t, resp.Body, 1); len(events) != 1 || !strings.Contains(events[0].Data, "notifications/n") {
			t.Fatalf("%v", events)
		}
		seen <- struct{}{}
	}
	if events := testkit.Events(t, resp.Body, 0); len(events) != 1 || !strings.Contains(events[0].Data, "result") {
		t.Errorf("%v", events)
	}
}

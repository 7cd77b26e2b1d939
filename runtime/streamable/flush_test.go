package streamable

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
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

// TestOneWrite checks that an answer leaves in one write, together with the notifications just before it.
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
	for _, method := range []string{"echo", "note"} {
		const calls = 20
		before := writes.Load()
		for i := range calls {
			r.do("POST", call(i, method, "{}"), session...)
		}
		if n := writes.Load() - before; n > calls+calls/4 { // on a slow machine a call may take longer than a notification waits
			t.Errorf("%s: %d writes for %d calls", method, n, calls)
		}
	}
}

// TestNotificationLeaves checks that a notification leaves while the handler goes on.
func TestNotificationLeaves(t *testing.T) {
	seen := make(chan struct{})
	r := newRig(t, base.with(handlers{"go on": func(ctx context.Context, params wire.Raw) (wire.Appender, error) {
		for range 3 {
			if err := runtime.CallOf(ctx).Notify(ctx, "notifications/n", wire.Raw(`{}`)); err != nil {
				return nil, err
			}
			<-seen
		}
		return params, nil
	}}), Options{})
	resp := r.request(t.Context(), "POST", call(1, "go on", "{}"), headerSession, r.open(r11))
	defer resp.Body.Close()
	for range 3 {
		if events := streamOf(t, resp.Body, 1); len(events) != 1 || !strings.Contains(events[0].data, "notifications/n") {
			t.Fatalf("%v", events)
		}
		seen <- struct{}{}
	}
	if events := streamOf(t, resp.Body, 0); len(events) != 1 || !strings.Contains(events[0].data, "result") {
		t.Errorf("%v", events)
	}
}

// TestAnswerDuringFlush checks that an answer arrives whole if it comes while the notification before
// it is sent.
func TestAnswerDuringFlush(t *testing.T) {
	for _, opts := range []Options{{}, {Disconnect: true}} {
		r := newRig(t, base.with(handlers{"brief": func(ctx context.Context, params wire.Raw) (wire.Appender, error) {
			err := runtime.CallOf(ctx).Notify(ctx, "notifications/n", wire.Raw(`{}`))
			time.Sleep(waits.Flush - 100*time.Microsecond + rand.N(200*time.Microsecond))
			return params, err
		}}), opts)
		session := []string{headerSession, r.open(r11)}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for i := range 25 {
					id := rand.IntN(1<<30)*25 + i
					resp, text := r.do("POST", call(id, "brief", "{}"), session...)
					if events := streamOf(t, strings.NewReader(text), 0); len(events) != 2 || resp.StatusCode != http.StatusOK {
						t.Errorf("%s: %v", resp.Status, events)
					}
				}
			})
		}
		all.Wait()
	}
}

package streamable

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestKilledConnectionsStateless does the same without sessions: clients send requests that take 60 ms
// over connections that are killed after half a second on average, and their programs send a lost one
// again (H19). A request whose handler ran is answered or reported as lost (LostError), so a request with
// another error was not begun; no request is handled or answered twice; each ends its handler with its
// connection (H20); and nothing is left. Lists need no program: the client itself sends them again.
func TestKilledConnectionsStateless(t *testing.T) { overMortal(t, killRequests) }

// attempts is how often a program sends a request before it gives up. One request in nine is lost.
const attempts = 20

func killRequests(t *testing.T, l net.Listener, dial dialer, clients, calls int) {
	tally := &tally{handled: make([]atomic.Int32, clients*calls*attempts)}
	methods := base.With(mcptest.Handlers{"work": tally.work, "list": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		return params, tally.rest(ctx)
	}})
	bind := func(d runtime.Direction) runtime.Binding {
		b := methods.Bind(r07, d)
		b.Methods = append(b.Methods, runtime.Method{Name: "server/discover", Kind: jsonrpc.Request, Direction: runtime.ToServer})
		for i := range b.Methods {
			b.Methods[i].Cacheable = b.Methods[i].Name == "list"
		}
		return b
	}
	server := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "1", Logger: discard}, bind(runtime.ToServer))
	handler := NewHandler(server, Options{Hosts: []string{"*"}})
	dying := &mortal{Listener: l}
	ts := NewServer(handler)
	go ts.Serve(dying)
	pool := &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 2 * clients}
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1", Logger: discard}, bind(runtime.ToClient))

	goroutines := goruntime.NumGoroutine()
	var all sync.WaitGroup
	for n := range clients {
		all.Go(func() {
			s, transport := connectKilled(t, client, pool)
			for i := range calls {
				tally.call(t, s, n*calls+i)
			}
			s.Close()
			tally.twice.Add(int64(transport.again()))
		})
	}
	all.Wait()
	pool.CloseIdleConnections()
	tally.check(t, clients*calls)
	t.Logf("%d connections killed", dying.killed.Load())
	if n := dying.killed.Load(); n < int64(clients) {
		t.Errorf("only %d connections were killed", n)
	}
	left := func() string {
		n, _, _ := handler.gate.counted()
		running := tally.running.Load()
		if more := goruntime.NumGoroutine() - goroutines; n != 0 || running != 0 || more > clients/10 { // a leak has one for each client; tests before this one may leave a few
			return fmt.Sprintf("%d requests, %d handlers, %d goroutines more", n, running, more)
		}
		return ""
	}
	for range 120 {
		if left() == "" {
			break
		}
		time.Sleep(time.Second)
	}
	if more := left(); more != "" {
		t.Errorf("left: %s", more)
	}
	handler.Close()
	ts.Close()
}

// tally counts what becomes of requests.
type tally struct {
	handled                      []atomic.Int32 // by attempt
	running                      atomic.Int64   // handlers
	cancelled                    atomic.Int64   // handlers whose connection ended first
	answered, lost, never, twice atomic.Int64   // attempts
	listed                       atomic.Int64
}

// work is the method of requests that only their program may send again.
func (c *tally) work(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
	params := wire.Raw(message.Object())
	n, _ := wire.NewStringReader(string(params)).PeekInt64("n")
	c.handled[n].Add(1)
	return params, c.rest(ctx)
}

// rest waits for 60 ms.
func (c *tally) rest(ctx context.Context) error {
	c.running.Add(1)
	defer c.running.Add(-1)
	select {
	case <-time.After(60 * time.Millisecond):
		return nil
	case <-ctx.Done():
		c.cancelled.Add(1)
		return context.Cause(ctx)
	}
}

// call sends a request until it is answered. Every tenth is a list, which the client itself sends again.
func (c *tally) call(t *testing.T, s *runtime.Session, n int) {
	for i := range attempts {
		method, attempt := "work", n*attempts+i
		if n%10 == 0 {
			method = "list"
		}
		var got wire.Raw
		err := s.Call(t.Context(), method, wire.Raw(fmt.Sprintf(`{"n":%d}`, attempt)), &got)
		_, lost := errors.AsType[*runtime.LostError](err)
		switch {
		case err == nil:
			if answer, _ := wire.NewStringReader(string(got)).PeekInt64("n"); answer != int64(attempt) {
				t.Errorf("request %d was answered with %s", attempt, got)
			}
			if method == "list" {
				c.listed.Add(1)
			}
			c.answered.Add(1)
			return
		case lost:
			c.lost.Add(1)
		default:
			c.never.Add(1)
			if times := c.handled[attempt].Load(); times != 0 {
				t.Errorf("request %d was handled %d times, and its error is %v", attempt, times, err)
			}
		}
	}
	t.Errorf("request %d was sent %d times without an answer", n, attempts)
}

func (c *tally) check(t *testing.T, calls int) {
	t.Helper()
	for n := range c.handled {
		if times := c.handled[n].Load(); times > 1 {
			t.Errorf("request %d was handled %d times", n, times)
		}
	}
	t.Logf("%d calls: %d answered (%d lists), %d lost and sent again, %d not begun and sent again, %d answered twice; %d handlers ended with their connection",
		calls, c.answered.Load(), c.listed.Load(), c.lost.Load(), c.never.Load(), c.twice.Load(), c.cancelled.Load())
	if c.answered.Load() != int64(calls) || c.twice.Load() != 0 {
		t.Errorf("%d calls of %d were answered, %d twice", c.answered.Load(), calls, c.twice.Load())
	}
	if c.lost.Load() == 0 || c.cancelled.Load() == 0 {
		t.Error("no request was lost, so the test shows nothing")
	}
}

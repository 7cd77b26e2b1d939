package runtime_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// slow are tools that take a while.
var slow = tools.with(side{
	"second": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		select {
		case <-time.After(time.Second):
			return wire.Raw(`{"done":true}`), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	},
	"ask": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		time.Sleep(time.Second)
		return wire.Raw(`{"asked":true}`), runtime.CallOf(ctx).Call(ctx, "ping", nil, nil)
	},
	"deaf": func(context.Context, *runtime.Message) (wire.Appender, error) {
		time.Sleep(time.Hour)
		return wire.Raw("{}"), nil
	},
	"own error": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		<-ctx.Done()
		return nil, jsonrpc.Errorf(7, "%v", context.Cause(ctx))
	},
})

const notBegun = `"error":\{"code":-32000,"message":"unavailable: shutting down`

// TestShutdownAnswers checks that the calls in flight are answered when the context of Serve
// ends, that further requests are refused, and that then the session is over.
func TestShutdownAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		conn := open(ctx, t, newServer(t, slow, runtime.ServerOptions{}, r06), r06)
		const calls = 100
		for i := range calls {
			conn.send(toolCall(fmt.Sprint(i), "second", "{}"))
		}
		if got := conn.replies(); len(got) > 0 {
			t.Fatalf("answered early: %s", got)
		}
		cancel()
		synctest.Wait()
		conn.send(toolCall("200", "echo", "{}"), `{"jsonrpc":"2.0","id":201,"method":"ping"}`)
		match(t, conn.replies(), []string{`"id":200,` + notBegun, `"id":201,` + notBegun})
		start := time.Now()
		if err := <-conn.ended; err != context.Canceled {
			t.Errorf("Serve: %v", err)
		}
		if lasted := time.Since(start); lasted > time.Second {
			t.Errorf("lasted %v", lasted)
		}
		seen := map[string]bool{}
		for _, line := range conn.replies() {
			id, _ := wire.Object(line).Get("id")
			if !strings.Contains(line, `"result":{"done":true}`) || seen[string(id)] {
				t.Errorf("got %s", line)
			}
			seen[string(id)] = true
		}
		if len(seen) != calls {
			t.Errorf("%d calls answered, want %d", len(seen), calls)
		}
	})
}

// TestShutdownReadsOn checks that a handler gets an answer of the client, and a cancellation,
// while the session drains.
func TestShutdownReadsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		conn := open(ctx, t, newServer(t, slow, runtime.ServerOptions{}, r06), r06)
		conn.send(toolCall("1", "ask", "{}"), toolCall("2", "wait", "{}"))
		conn.replies()
		cancel()
		time.Sleep(2 * time.Second)
		match(t, conn.replies(), []string{`"method":"ping"`})
		conn.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		match(t, conn.replies(), []string{answered("1", `\{"asked":true\}`)})
		conn.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		synctest.Wait()
		if err := <-conn.ended; err != context.Canceled {
			t.Errorf("Serve: %v", err)
		}
		match(t, conn.replies(), nil)
	})
}

// TestShutdownCutsShort checks that a call which does not end gets an error after the grace
// period, whatever its handler does, and that Serve returns nevertheless.
func TestShutdownCutsShort(t *testing.T) {
	const grace, expel, abandon = 3 * time.Second, time.Second, time.Second
	for _, c := range []struct {
		tool     string
		answered time.Duration
		lasts    time.Duration
		want     string
	}{
		{"wait", grace, grace, cutShort},
		{"own error", grace, grace, `"error":\{"code":7,"message":"runtime: the session is shutting down"`},
		{"deaf", grace + expel, grace + expel + abandon, cutShort},
	} {
		for _, end := range []string{"context", "input"} {
			for _, batch := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s ends, batch %t", c.tool, end, batch), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						ctx, cancel := context.WithCancel(t.Context())
						defer cancel()
						conn := open(ctx, t, newServer(t, slow, runtime.ServerOptions{Grace: grace}, r03), r03)
						want := c.want
						if call := toolCall("1", c.tool, "{}"); batch {
							conn.send("[" + call + "," + toolCall("2", "second", "{}") + "]")
							want = `^\[.*"done":true.*` + want + `.*\]$`
						} else {
							conn.send(call)
						}
						conn.replies()
						start := time.Now()
						if end == "context" {
							cancel()
						} else {
							conn.in.Close()
						}
						time.Sleep(c.answered + 50*time.Millisecond)
						match(t, conn.replies(), []string{want})
						<-conn.ended
						if lasted := time.Since(start); lasted < c.lasts || lasted > c.lasts+time.Second/2 {
							t.Errorf("lasted %v, want %v", lasted, c.lasts)
						}
						time.Sleep(2 * time.Hour)
						match(t, conn.replies(), nil)
					})
				})
			}
		}
	}
}

// TestShutdownTwice checks that requests have one grace period when both the context of Serve and the input of the
// client end, and that Serve returns the cause of the context.
func TestShutdownTwice(t *testing.T) {
	const grace, expel, abandon = 10 * time.Second, time.Second, time.Second
	for _, first := range []string{"context", "input"} {
		t.Run(first, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				conn := open(ctx, t, newServer(t, slow, runtime.ServerOptions{Grace: grace}, r11), r11)
				conn.send(toolCall("1", "deaf", "{}"))
				conn.replies()
				start := time.Now()
				ends := []func(){cancel, func() { conn.in.Close() }}
				if first == "input" {
					slices.Reverse(ends)
				}
				ends[0]()
				time.Sleep(grace - time.Second)
				ends[1]()
				if err := <-conn.ended; err != context.Canceled {
					t.Errorf("Serve: %v", err)
				}
				if lasted, most := time.Since(start), grace+expel+abandon+time.Second/2; lasted > most {
					t.Errorf("lasted %v, want at most %v", lasted, most)
				}
				match(t, conn.replies(), []string{cutShort})
				time.Sleep(time.Hour) // for the handler
			})
		})
	}
}

// TestShutdownUnread checks that a server whose output nobody reads comes to its end.
func TestShutdownUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in, client := io.Pipe()
		stuck := make(chan struct{})
		ended := make(chan error, 1)
		server := newServer(t, slow, runtime.ServerOptions{}, r06)
		go func() { ended <- server.Serve(ctx, &stdio.Transport{In: in, Out: blockedWriter(stuck)}) }()
		fmt.Fprintf(client, initialize+"\n", r06)
		synctest.Wait()
		cancel()
		if err := <-ended; err != context.Canceled {
			t.Errorf("Serve: %v", err)
		}
		close(stuck)
	})
}

// blockedWriter takes nothing until it is closed.
type blockedWriter chan struct{}

func (w blockedWriter) Write([]byte) (int, error) {
	<-w
	return 0, io.ErrClosedPipe
}

// TestShutdownInProcess checks the same of a session in memory.
func TestShutdownInProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		near, far := inproc.Pair()
		ended := make(chan error, 1)
		go func() { ended <- newServer(t, slow, runtime.ServerOptions{}, r06).Serve(ctx, far) }()
		session, err := newClient(nil, r06).Connect(t.Context(), near)
		if err != nil {
			t.Fatal(err)
		}
		failed := make(chan error, 2)
		for _, tool := range []string{"second", "wait"} {
			go func() {
				failed <- session.Call(t.Context(), "tools/call", &toolParams{Name: tool}, nil)
			}()
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		if err := session.Ping(t.Context()); code(err) != jsonrpc.CodeServerBusy {
			t.Errorf("a request after the shutdown began: %v", err)
		}
		if err := <-failed; err != nil {
			t.Errorf("the call in flight: %v", err)
		}
		if err := <-failed; code(err) != jsonrpc.CodeInternalError {
			t.Errorf("the call that does not end: %v", err)
		}
		if err := <-ended; err != context.Canceled {
			t.Errorf("Serve: %v", err)
		}
		session.Close()
	})
}

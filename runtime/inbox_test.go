package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// outbox keeps what a session sends.
type outbox struct {
	mu     sync.Mutex
	said   []string
	closed bool
}

func (o *outbox) add(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.said = append(o.said, what)
}

func (o *outbox) take() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	said := o.said
	o.said = nil
	return said
}

func (o *outbox) Send(_ context.Context, m runtime.Outgoing) error {
	o.add(string(m.Text))
	return nil
}

// accept passes a message to a session and calls the function that handles it.
func accept(in runtime.Inbox, text string) {
	if run := in.Accept(runtime.Incoming{Text: text}); run != nil {
		run()
	}
}

func (o *outbox) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	return nil
}

// opened is a session whose handshake is over.
func opened(t *testing.T, s side, opts runtime.ServerOptions) (*outbox, runtime.Inbox, <-chan error) {
	t.Helper()
	out, ended := new(outbox), make(chan error, 1)
	in, err := newServer(t, s, opts, r11).Open(t.Context(), out, runtime.Handshake{}, func(err error) { ended <- err })
	if err != nil {
		t.Fatal(err)
	}
	accept(in, fmt.Sprintf(initialize, r11))
	accept(in, initialized)
	synctest.Wait()
	if got := out.take(); len(got) != 1 || !strings.Contains(got[0], `"protocolVersion":"2025-11-25"`) {
		t.Fatalf("handshake: %q", got)
	}
	return out, in, ended
}

// TestInbox checks what becomes of messages that are pushed into a session.
func TestInbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := goroutines()
		out, in, ended := opened(t, tools, runtime.ServerOptions{Limits: runtime.Limits{MaxMessage: 200}})
		if n := goroutines(); n > before {
			t.Errorf("an idle session has %d goroutines", n-before)
		}
		const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`
		handle := func(text string, want ...string) {
			t.Helper()
			accept(in, text)
			if got := out.take(); !slices.Equal(got, want) {
				t.Errorf("%.80s: %q, want %q", text, got, want)
			}
		}
		handle(fmt.Sprintf(call, 1, "echo"), `{"jsonrpc":"2.0","id":1,"result":{}}`)
		handle(initialized)
		handle(`{`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error: byte 1: expected a member name, found the end of the text"}}`)
		handle(`"`+strings.Repeat("x", 200)+`"`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: a message longer than 200 bytes"}}`)

		go accept(in, fmt.Sprintf(call, 2, "wait"))
		synctest.Wait()
		handle(fmt.Sprintf(call, 2, "echo"), `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: id 2 is that of a request in flight"}}`)
		in.End(errors.New("the network is gone"))
		in.End(nil) // too late
		if err := <-ended; err == nil || err.Error() != "the network is gone" {
			t.Errorf("ended with %v", err)
		}
		if got := out.take(); len(got) > 0 || !out.closed {
			t.Errorf("at the end: %q, closed %t", got, out.closed)
		}
		handle(fmt.Sprintf(call, 3, "echo"))
		synctest.Wait()
		if n := goroutines(); n > before {
			t.Errorf("%d goroutines are left", n-before)
		}
	})
}

// goroutines is how many there are. That of package runtime counts some of its own now and then.
func goroutines() int {
	stacks := make([]byte, 1<<20)
	return bytes.Count(stacks[:goruntime.Stack(stacks, true)], []byte("\ngoroutine "))
}

// TestInboxAsks checks that a handler is given what it asks the client for.
func TestInboxAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asking := tools.with(side{"ask": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			var result wire.Raw
			err := runtime.CallOf(ctx).Call(ctx, "roots/list", nil, &result)
			return result, err
		}})
		out, in, ended := opened(t, asking, runtime.ServerOptions{})
		go accept(in, toolCall("1", "ask", "{}"))
		synctest.Wait()
		match(t, out.take(), []string{`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`})
		accept(in, `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
		synctest.Wait()
		match(t, out.take(), []string{answered("1", `\{"roots":\[\]\}`)})

		go accept(in, toolCall("2", "ask", "{}"))
		synctest.Wait()
		out.take()
		in.Lose(wire.ScalarOf(2), &jsonrpc.Error{Code: 7, Message: "lost"})
		synctest.Wait()
		match(t, out.take(), []string{refused("2", "7", "lost")})
		in.End(nil)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestInboxKeepAlive checks that a session ends whose client does not answer pings.
func TestInboxKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		out, _, ended := opened(t, tools, runtime.ServerOptions{Limits: runtime.Limits{KeepAlive: time.Minute, KeepAliveFailures: 2}})
		if err := <-ended; !errors.Is(err, runtime.ErrUnresponsive) || !out.closed {
			t.Errorf("ended with %v, closed %t", err, out.closed)
		}
		if lasted := time.Since(start); lasted != 3*time.Minute {
			t.Errorf("lasted %v", lasted)
		}
	})
}

// TestOpenFails checks that what cannot be opened is closed.
func TestOpenFails(t *testing.T) {
	for _, c := range []struct {
		name   string
		server *runtime.Server
		given  runtime.Handshake
	}{
		{"no binding", runtime.NewServer(runtime.ServerOptions{}), runtime.Handshake{}},
		{"another revision", newServer(t, tools, runtime.ServerOptions{}, r11), runtime.Handshake{Revision: "2020-01-01"}},
		{"no sessions", newStateless(t, tools, runtime.ServerOptions{}), runtime.Handshake{SessionOnly: true}},
	} {
		out := new(outbox)
		if _, err := c.server.Open(t.Context(), out, c.given, func(error) { t.Error("ended") }); err == nil || !out.closed {
			t.Errorf("%s: %v, closed %t", c.name, err, out.closed)
		}
	}
}

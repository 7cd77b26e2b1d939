package runtime_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// breakable is a client's transport that can be interrupted, to a server that is a function.
type breakable struct {
	in          chan string
	interrupted chan struct{}
	closed      chan struct{}
	answer      func(m jsonrpc.Message) string // "" for later
	byCaller    atomic.Int32                   // how often the goroutine of a call has received
}

func newBreakable(answer func(jsonrpc.Message) string) *breakable {
	return &breakable{in: make(chan string, 10), interrupted: make(chan struct{}, 1), closed: make(chan struct{}), answer: answer}
}

// Start lets the session read by itself.
func (b *breakable) Start(in runtime.Inbox, _ int) {
	in.(interface {
		Read(engine.Source[runtime.Incoming])
	}).Read(engine.Source[runtime.Incoming]{Receive: b.Receive, Buffered: b.Buffered, Interrupt: b.Interrupt})
}

func (b *breakable) Receive(ctx context.Context, _ int) (runtime.Incoming, error) {
	stack := make([]byte, 1<<14)
	if strings.Contains(string(stack[:goruntime.Stack(stack, false)]), "(*Session).Call") {
		b.byCaller.Add(1)
	}
	select {
	case text := <-b.in:
		return runtime.Incoming{Text: text}, nil
	default:
	}
	select {
	case text := <-b.in:
		return runtime.Incoming{Text: text}, nil
	case <-b.interrupted:
		return runtime.Incoming{}, engine.ErrInterrupted
	case <-b.closed:
		return runtime.Incoming{}, runtime.ErrClosed
	case <-ctx.Done():
		return runtime.Incoming{}, context.Cause(ctx)
	}
}

func (b *breakable) Send(_ context.Context, m runtime.Outgoing) error {
	parsed, err := jsonrpc.Parse(string(m.Text))
	if err != nil {
		return err
	}
	if text := b.answer(parsed); text != "" {
		b.in <- text
	}
	return nil
}

func (b *breakable) Close() error  { close(b.closed); return nil }
func (b *breakable) Buffered() int { return len(b.in) }
func (b *breakable) Interrupt() {
	select {
	case b.interrupted <- struct{}{}:
	default:
	}
}

// TestCallerReads checks that a call reads its own answer, and that nothing has to wait for that:
// neither the end of its context, nor what the server says meanwhile or between calls.
func TestCallerReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := func(m jsonrpc.Message, value string) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID.String(), value)
		}
		var pongs, asked []time.Duration
		var start time.Time
		tr := newBreakable(nil)
		tr.answer = func(m jsonrpc.Message) string {
			switch {
			case m.Method == "initialize":
				return result(m, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"serverInfo":{"name":"s","version":"1"}}`, r11))
			case m.Method == "tools/call" && strings.Contains(string(m.Params), "never"):
				return ""
			case m.Method == "tools/call" && strings.Contains(string(m.Params), "asks"):
				tr.in <- `{"jsonrpc":"2.0","id":"q","method":"roots/list"}`
				return result(m, `{"asked":true}`)
			case m.Method == "tools/call":
				return result(m, `{}`)
			case m.Kind == jsonrpc.Response:
				pongs = append(pongs, time.Since(start))
			}
			return ""
		}
		client := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1", Limits: runtime.Limits{Timeout: time.Minute}, Capabilities: wire.Object(`{"roots":{}}`)},
			side{"roots/list": func(context.Context, *runtime.Message) (wire.Appender, error) {
				asked = append(asked, time.Since(start))
				return wire.Raw(`{"roots":[]}`), nil
			}}.bind(r11, runtime.ToClient))
		s, err := client.Connect(t.Context(), tr)
		if err != nil {
			t.Fatal(err)
		}
		call := func(ctx context.Context, tool string) (wire.Raw, error) {
			var result wire.Raw
			synctest.Wait() // whoever has read the answer before has stepped down
			err := s.Call(ctx, "tools/call", &toolParams{Name: tool}, &result)
			return result, err
		}
		start = time.Now()
		for range 10 {
			if _, err := call(t.Context(), "echo"); err != nil {
				t.Fatal(err)
			}
		}
		if n := tr.byCaller.Load(); n < 9 {
			t.Errorf("%d of 10 calls have read their answer", n)
		}
		if took := time.Since(start); took > 0 {
			t.Errorf("10 calls took %v", took)
		}

		// Between calls, and while nobody reads.
		start = time.Now()
		tr.in <- `{"jsonrpc":"2.0","id":"p","method":"ping"}`
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		if len(pongs) != 1 || pongs[0] > time.Millisecond {
			t.Errorf("a ping was answered after %v", pongs)
		}

		// While a call reads.
		if result, err := call(t.Context(), "echo"); err != nil {
			t.Error(result, err)
		}
		start = time.Now()
		if result, err := call(t.Context(), "asks"); err != nil || result != `{"asked":true}` {
			t.Error(result, err)
		}
		synctest.Wait()
		if len(asked) != 1 || asked[0] > 0 {
			t.Errorf("a request of the server was handled after %v", asked)
		}

		// The end of a context, and of the patience.
		start = time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		if _, err := call(ctx, "never"); !errors.Is(err, context.DeadlineExceeded) || !about(time.Since(start), 30*time.Millisecond) {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		start = time.Now()
		for range 40 { // until calls read again
			if _, err := call(t.Context(), "echo"); err != nil {
				t.Fatal(err)
			}
		}
		before := tr.byCaller.Load()
		if _, err := call(t.Context(), "never"); !errors.Is(err, context.DeadlineExceeded) || !about(time.Since(start), time.Minute) {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if tr.byCaller.Load() == before {
			t.Error("after a slow call none reads")
		}

		// The end of the session.
		for range 40 {
			if _, err := call(t.Context(), "echo"); err != nil {
				t.Fatal(err)
			}
		}
		ended := make(chan error, 1)
		go func() { ended <- s.Call(t.Context(), "tools/call", &toolParams{Name: "never"}, nil) }()
		synctest.Wait()
		start = time.Now()
		if err := s.Close(); err != nil || time.Since(start) > 10*time.Millisecond {
			t.Errorf("closed after %v: %v", time.Since(start), err)
		}
		if err := <-ended; !errors.Is(err, runtime.ErrClosed) {
			t.Errorf("a call at the end: %v", err)
		}
	})
}

// TestCallersAtOnce checks that calls at the same time get their answers, whoever reads them.
func TestCallersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newBreakable(nil)
		tr.answer = func(m jsonrpc.Message) string {
			if m.Method == "initialize" {
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`, m.ID.String(), r11)
			}
			if m.Method != "tools/call" {
				return ""
			}
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"of":%s}}`, m.ID.String(), m.Params)
		}
		s, err := newClient(nil, r11).Connect(t.Context(), tr)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		for i := range 10 {
			go func() {
				for j := range 200 {
					var result wire.Raw
					name := fmt.Sprintf("%d/%d", i, j)
					if err := s.Call(t.Context(), "tools/call", &toolParams{Name: name}, &result); err != nil || string(result) != fmt.Sprintf(`{"of":{"name":%q}}`, name) {
						done <- fmt.Errorf("%s: %s, %w", name, result, err)
						return
					}
				}
				done <- nil
			}()
		}
		for range 10 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

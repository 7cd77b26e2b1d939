package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// routed is a transport that can give each message a Reply, and records what the session tells it.
type routed struct {
	in     chan runtime.Incoming
	inbox  runtime.Inbox
	once   sync.Once
	closed chan struct{}
	mu     sync.Mutex
	events []string
}

func newRouted() *routed {
	return &routed{in: make(chan runtime.Incoming), closed: make(chan struct{})}
}

func (r *routed) record(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf(format, args...))
}

// take waits until the session has nothing more to do and returns what it has told.
func (r *routed) take() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.events
	r.events = nil
	return events
}

func (r *routed) Start(in runtime.Inbox, _ int) {
	r.inbox = in
	mcptest.Read(in, r.receive)
}

func (r *routed) receive(context.Context) (runtime.Incoming, error) {
	select {
	case in, ok := <-r.in:
		if !ok {
			return in, runtime.ErrClosed
		}
		return in, nil
	case <-r.closed:
		return runtime.Incoming{}, runtime.ErrClosed
	}
}

func (r *routed) Send(_ context.Context, m runtime.Outgoing) error {
	r.record(": %s %s", m.Kind, m.Method)
	return nil
}

// reply is the Reply of a message.
type reply struct {
	*routed
	name     string
	answered atomic.Bool
}

func (r *routed) to(name string) *reply { return &reply{routed: r, name: name} }

func (r *reply) Send(_ context.Context, m runtime.Outgoing) error {
	if m.Kind == jsonrpc.Response {
		r.answered.Store(true)
	}
	r.record("%s: %s %s", r.name, m.Kind, m.Method)
	return nil
}

// accept passes a message to a session, and records when it is handled.
func (r *routed) accept(in runtime.Inbox, name, text string) {
	to := r.to(name)
	run := in.Accept(runtime.Incoming{Text: text, Reply: to})
	done := func(unanswered bool) { r.record("%s done, unanswered %t", name, unanswered) }
	if run == nil {
		done(false)
		return
	}
	go func() {
		run()
		done(!to.answered.Load())
	}()
}

func (r *routed) Negotiated(h runtime.Handshake) error {
	r.record("negotiated %s with %s", h.Revision, h.PeerInfo)
	return nil
}

func (r *routed) SessionID() string { return "" }

func (r *routed) Close() error {
	r.once.Do(func() { close(r.closed) })
	return nil
}

// TestReplies checks that the answers to a message go to its Reply, before the function that handles it
// returns, and what was negotiated before the answer.
func TestReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const r03 = "2025-03-26"
		tr := newRouted()
		ended := make(chan error)
		in, err := newServer(t, tools, runtime.ServerOptions{}, r03).Open(t.Context(), tr, runtime.Handshake{}, func(err error) { ended <- err })
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name, text string
			want       []string
		}{
			{"initialize", fmt.Sprintf(initialize, r03), []string{`negotiated 2025-03-26 with {"name":"test","version":"1"}`, "R: response ", "R done, unanswered false"}},
			{"notification", initialized, []string{"R done, unanswered false"}},
			{"unknown notification", `{"jsonrpc":"2.0","method":"x"}`, []string{"R done, unanswered false"}},
			{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, []string{"R done, unanswered false"}},
			{"no JSON", `{`, []string{"R: response ", "R done, unanswered false"}},
			{"request", toolCall("1", "echo", "{}"), []string{"R: response ", "R done, unanswered false"}},
			{"panic", toolCall("1", "boom", "{}"), []string{"R: response ", "R done, unanswered false"}},
			{"initialize again", fmt.Sprintf(initialize, r03), []string{"R: response ", "R done, unanswered false"}},
			{"batch", "[" + toolCall("1", "echo", "{}") + "," + toolCall("2", "boom", "{}") + ",{}]", []string{"R: response ", "R done, unanswered false"}},
			{"batch of notifications", "[" + initialized + "]", []string{"R done, unanswered false"}},
			{"empty batch", "[]", []string{"R: response ", "R done, unanswered false"}},
			{"request that waits", toolCall("7", "wait", "{}"), nil},
			{"batch that waits", "[" + toolCall("8", "wait", "{}") + "," + toolCall("9", "echo", "{}") + "]", nil},
		} {
			tr.accept(in, "R", c.text)
			if got := tr.take(); !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
		}
		// The request and its cancellation are handled at the same time, so only what goes to the request has an order.
		cancel := func(id string) []string {
			run := in.Accept(runtime.Incoming{Text: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`, Reply: tr.to("C")})
			if run != nil {
				run()
			}
			return tr.take()
		}
		if got, want := cancel("7"), []string{"R done, unanswered true"}; !slices.Equal(got, want) {
			t.Errorf("cancelled: %q, want %q", got, want)
		}
		if got, want := cancel("8"), []string{"R: response ", "R done, unanswered false"}; !slices.Equal(got, want) {
			t.Errorf("cancelled in a batch: %q, want %q", got, want)
		}
		in.End(nil)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestIncomingContext checks that handlers see the values that a transport gives with a
// message, and nothing else of where they are from.
func TestIncomingContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		type sessionKey struct{}
		var seen []string
		look := func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			seen = append(seen, fmt.Sprint(child.Value(key{}), " ", ctx.Value(sessionKey{}), " ", context.Cause(child)))
			if runtime.CallOf(child) == nil {
				t.Error("no call")
			}
			return wire.Raw("{}"), nil
		}
		detach := func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			runtime.CallOf(ctx).Detach(ctx, runtime.Detached{}, func(ctx context.Context) { look(ctx, nil) })
			return wire.Raw("{}"), nil
		}
		tr := newRouted()
		ended := make(chan error)
		session := context.WithValue(t.Context(), sessionKey{}, "s")
		server := newServer(t, tools.with(side{"look": look, "detach": detach, "notifications/look": look}), runtime.ServerOptions{}, r06)
		go func() { ended <- server.Resume(session, tr, runtime.Handshake{Revision: r06}) }()
		for i, text := range []string{toolCall("1", "look", "{}"), `{"jsonrpc":"2.0","method":"notifications/look"}`, toolCall("2", "detach", "{}")} {
			ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, i))
			cancel()
			tr.in <- runtime.Incoming{Text: text, Context: ctx}
			synctest.Wait()
		}
		tr.in <- runtime.Incoming{Text: toolCall("3", "look", "{}")}
		synctest.Wait()
		if want := []string{"0 s <nil>", "1 s <nil>", "2 s <nil>", "<nil> s <nil>"}; !slices.Equal(seen, want) {
			t.Errorf("%q, want %q", seen, want)
		}
		close(tr.in)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestResume checks that a session goes on without a handshake.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newRouted()
		ended := make(chan error)
		var revision, peer string
		server := newServer(t, tools.with(side{"who": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			revision, peer = runtime.CallOf(ctx).Revision(), string(runtime.CallOf(ctx).PeerInfo())
			return wire.Raw("{}"), nil
		}}), runtime.ServerOptions{}, r06, r2024)
		if got := strings.Join(server.Revisions(), " "); got != r06+" "+r2024 {
			t.Errorf("Revisions: %s", got)
		}
		go func() {
			ended <- server.Resume(t.Context(), tr, runtime.Handshake{Revision: r2024, PeerInfo: `{"name":"x"}`})
		}()
		tr.in <- runtime.Incoming{Text: toolCall("1", "who", "{}"), Reply: tr.to("1")}
		if got, want := tr.take(), []string{"1: response "}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if revision != r2024 || peer != `{"name":"x"}` {
			t.Errorf("handled under %s for %s", revision, peer)
		}
		close(tr.in)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := server.Resume(t.Context(), newRouted(), runtime.Handshake{Revision: "1999-01-01"}); err == nil {
			t.Error("a session of an unknown revision")
		}
	})
}

// TestLose checks that one call alone ends with the error the transport has for it.
func TestLose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newRouted()
		go func() {
			synctest.Wait() // until the request is waiting
			tr.in <- runtime.Incoming{Text: `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"` + r06 + `","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`}
		}()
		s, err := newClient(nil, r06).Connect(t.Context(), tr)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{": request initialize", `negotiated 2025-06-18 with {"name":"s","version":"1"}`, ": notification notifications/initialized"}
		got := tr.take()
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		gone := errors.New("gone")
		go func() {
			synctest.Wait()
			tr.inbox.Lose(wire.ScalarOf(2), gone)
		}()
		if err := s.Ping(t.Context()); err != gone {
			t.Errorf("Ping: %v", err)
		}
		go func() {
			synctest.Wait()
			tr.in <- runtime.Incoming{Text: `{"jsonrpc":"2.0","id":3,"result":{}}`}
		}()
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("Ping: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

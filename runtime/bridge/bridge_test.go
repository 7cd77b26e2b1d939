package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/bridge"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	session   = "2025-11-25"
	stateless = "2026-07-28"
)

// asking are the capabilities of a client that answers everything.
const asking = wire.Raw(`{"elicitation":{},"sampling":{},"roots":{}}`)

// handlers answer requests by method.
type handlers map[string]func(ctx context.Context, m *runtime.Message) (wire.Appender, error)

func (h handlers) bind(t *testing.T, revision string, d runtime.Direction) runtime.Binding {
	r, ok := generated.Lookup(revision)
	if !ok {
		t.Fatalf("no revision %s", revision)
	}
	return runtime.Binding{Revision: revision, Direction: d, Methods: r.Methods, Forwards: true,
		Handle: func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			if f, ok := h[message.Method]; ok {
				return f(ctx, message)
			}
			return nil, runtime.MethodNotFound(message.Method)
		}}
}

// world is a bridge with a server behind it.
type world struct {
	t      *testing.T
	bridge *bridge.Bridge

	opened, ended atomic.Int64  // sessions with the server
	closing       chan struct{} // if not nil, closed when the sessions with the server can be closed

	mu    sync.Mutex
	lines []runtime.Transport // the ends of the server
	lost  []string
}

// start starts a bridge to a server of a revision.
func start(t *testing.T, revision string, h handlers, o bridge.Options) *world {
	w := &world{t: t}
	server := runtime.NewServer(runtime.ServerOptions{
		Name: "server", Version: "2", Instructions: "Be kind.", Logger: slog.New(slog.DiscardHandler),
		Capabilities: wire.Raw(`{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true},"logging":{},"experimental":{"x":{"y":[1e2]}}}`),
	}, h.bind(t, revision, runtime.ToServer))
	dial := func() runtime.Transport {
		near, far := inproc.Pair()
		w.opened.Add(1)
		w.mu.Lock()
		w.lines = append(w.lines, far)
		w.mu.Unlock()
		go func() {
			_ = server.Serve(context.Background(), far)
			w.ended.Add(1)
		}()
		if w.closing != nil {
			return mcptest.Slow{Transport: near, Closing: w.closing}
		}
		return near
	}
	o.Name, o.Version, o.Logger = "bridge", "1", slog.New(slog.DiscardHandler)
	o.Lost = func(_ context.Context, r compat.Report) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.lost = append(w.lost, r.String())
	}
	w.bridge = bridge.New(dial, compat.Table(), o)
	return w
}

// client opens a connection of a client. Served gets the result of Serve.
func (w *world) client(revision string, capabilities wire.Raw, h handlers) (s *runtime.Session, served <-chan error) {
	w.t.Helper()
	near, far := inproc.Pair()
	ended := make(chan error, 1)
	go func() { ended <- w.bridge.Serve(context.Background(), far) }()
	s, err := runtime.NewClient(runtime.ClientOptions{Name: "client", Version: "3", Capabilities: capabilities, Logger: slog.New(slog.DiscardHandler)},
		h.bind(w.t, revision, runtime.ToClient)).Connect(w.t.Context(), near)
	if err != nil {
		w.t.Fatal(err)
	}
	return s, ended
}

// overHTTP connects a client to the bridge over HTTP, where all clients without a session share a connection.
func (w *world) overHTTP(revision string, capabilities wire.Raw, h handlers) *runtime.Session {
	w.t.Helper()
	handler := streamable.NewHandler(w.bridge, streamable.Options{})
	server := testkit.NewServer(handler)
	w.t.Cleanup(func() {
		handler.Close()
		server.Close()
	})
	near, err := streamable.NewTransport(server.URL, streamable.ClientOptions{HTTPClient: server.Client()})
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := runtime.NewClient(runtime.ClientOptions{Name: "client", Version: "3", Capabilities: capabilities},
		h.bind(w.t, revision, runtime.ToClient)).Connect(w.t.Context(), near)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func call(t *testing.T, s *runtime.Session, method string, params wire.Raw) (wire.Raw, error) {
	t.Helper()
	var result wire.Raw
	err := s.Call(t.Context(), method, params, &result)
	return result, err
}

// echo is a server that returns what it gets.
var echo = handlers{
	"vendor/echo": func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		return params, nil
	},
	"tools/call": func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		return wire.Raw(`{"content":[],"x-vendor":` + string(params) + `}`), nil
	},
}

// TestVendor checks that what no revision defines passes as it is.
func TestVendor(t *testing.T) {
	for _, sides := range [][2]string{{session, session}, {session, stateless}, {stateless, session}, {stateless, stateless}} {
		t.Run(sides[0]+" to "+sides[1], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := start(t, sides[1], echo, bridge.Options{})
				s, served := w.client(sides[0], asking, nil)
				result, err := call(t, s, "vendor/echo", `{"z":1.50,"a":[1e2,{}],"b":""}`)
				if err != nil || !strings.Contains(string(result), `"z":1.50,"a":[1e2,{}],"b":""`) {
					t.Errorf("vendor/echo: %s, %v", result, err)
				}
				result, err = call(t, s, "tools/call", `{"name":"n","arguments":{"a":1.50},"x-own":[1e2],"_meta":{"example.com/m":{"k":1}}}`)
				got, _ := wire.Object(result).Get("x-vendor")
				own, _ := wire.Object(got).Get("x-own")
				meta, _ := wire.Object(got).Get("_meta")
				member, _ := wire.Object(meta).Get("example.com/m")
				if err != nil || own != "[1e2]" || member != `{"k":1}` {
					t.Errorf("tools/call: %s, %v", result, err)
				}
				if s.Instructions() != "Be kind." || s.ServerInfo().GetString("name") != "server" {
					t.Errorf("the server is %s, %q", s.ServerInfo(), s.Instructions())
				}
				if x, _ := s.ServerCapabilities().Get("experimental"); x != `{"x":{"y":[1e2]}}` {
					t.Errorf("capabilities %s", s.ServerCapabilities())
				}
				w.finish(s, served)
			})
		})
	}
}

// finish closes a client and checks that nothing is left of it.
func (w *world) finish(s *runtime.Session, served <-chan error) {
	w.t.Helper()
	if err := s.Close(); err != nil {
		w.t.Error(err)
	}
	if err := <-served; err != nil {
		w.t.Error(err)
	}
	if err := w.bridge.Close(); err != nil {
		w.t.Error(err)
	}
	synctest.Wait()
	if opened, ended := w.opened.Load(), w.ended.Load(); opened != ended {
		w.t.Errorf("%d of %d sessions with the server are left", opened-ended, opened)
	}
}

// TestServerDies ends the server during a call. A client with a session gets an error and loses its session;
// a client without gets an error, and a new session with its next request.
func TestServerDies(t *testing.T) {
	for _, front := range []string{session, stateless} {
		for _, back := range []string{session, stateless} {
			t.Run(front+" to "+back, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var w *world
					w = start(t, back, handlers{
						"vendor/echo": echo["vendor/echo"],
						"tools/call": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
							w.mu.Lock()
							line := w.lines[len(w.lines)-1]
							w.mu.Unlock()
							line.Close()
							<-ctx.Done()
							return nil, ctx.Err()
						},
					}, bridge.Options{})
					s, served := w.client(front, asking, nil)
					_, err := call(t, s, "tools/call", `{"name":"n"}`)
					if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || !strings.Contains(e.Message, "bridge: the server has ended the session before its answer to tools/call") {
						t.Errorf("got %v", err)
					}
					if front == stateless {
						if result, err := call(t, s, "vendor/echo", `{"a":1}`); err != nil {
							t.Errorf("after the end of the server: %s, %v", result, err)
						}
						w.finish(s, served)
						return
					}
					if _, ok := errors.AsType[*bridge.ServerError](<-served); !ok {
						t.Error("Serve returned another error")
					}
					s.Close()
				})
			})
		}
	}
}

// TestClientLeaves ends a client during a call, and expects that the server's handler ends.
func TestClientLeaves(t *testing.T) {
	for _, front := range []string{session, stateless} {
		for _, back := range []string{session, stateless} {
			t.Run(front+" to "+back, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ended := make(chan struct{})
					w := start(t, back, handlers{"tools/call": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
						<-ctx.Done()
						close(ended)
						return nil, ctx.Err()
					}}, bridge.Options{})
					s, served := w.client(front, asking, nil)
					go s.Call(t.Context(), "tools/call", wire.Raw(`{"name":"n"}`), nil)
					synctest.Wait()
					w.finish(s, served)
					<-ended
				})
			})
		}
	}
}

// TestCancelOne cancels one of two calls. The other one goes on, although the ids of the two sides differ.
func TestCancelOne(t *testing.T) {
	for _, front := range []string{session, stateless} {
		for _, back := range []string{session, stateless} {
			t.Run(front+" to "+back, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var waiting atomic.Int64
					release := make(chan struct{})
					w := start(t, back, handlers{"tools/call": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
						waiting.Add(1)
						defer waiting.Add(-1)
						select {
						case <-release:
							return wire.Raw(`{"content":[]}`), nil
						case <-ctx.Done():
							return nil, ctx.Err()
						}
					}}, bridge.Options{})
					s, served := w.client(front, "{}", nil)
					errs := make([]error, 4)
					cancels := make([]context.CancelFunc, len(errs))
					var all sync.WaitGroup
					for i := range errs {
						var ctx context.Context
						ctx, cancels[i] = context.WithCancel(t.Context())
						all.Go(func() { errs[i] = s.Call(ctx, "tools/call", wire.Raw(`{"name":"n"}`), nil) })
						synctest.Wait()
					}
					cancels[2]()
					synctest.Wait()
					if n := waiting.Load(); n != 3 {
						t.Errorf("%d calls are left", n)
					}
					close(release)
					all.Wait()
					for i, err := range errs {
						if cancelled := errors.Is(err, context.Canceled); cancelled != (i == 2) || err != nil && !cancelled {
							t.Errorf("call %d: %v", i, err)
						}
						cancels[i]()
					}
					w.finish(s, served)
				})
			})
		}
	}
}

// elicit is a tool that asks the client, and returns the answer.
func elicit(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
	var answer wire.Raw
	params := wire.Raw(`{"message":"Who?","requestedSchema":{"type":"object","properties":{}},"mode":"form"}`)
	if err := runtime.CallOf(ctx).Call(ctx, "elicitation/create", params, &answer); err != nil {
		return nil, err
	}
	return wire.Raw(`{"content":[{"type":"text","text":"answered"}],"structuredContent":` + string(answer) + `}`), nil
}

// accept answers a question with a name.
func accept(name string) handlers {
	return handlers{"elicitation/create": func(context.Context, *runtime.Message) (wire.Appender, error) {
		return wire.Raw(`{"action":"accept","content":{"name":"` + name + `"}}`), nil
	}}
}

// TestManyClients has clients without a session call a tool of a server with sessions at the same time. Each
// is asked, and gets the answer that it has given.
func TestManyClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, session, handlers{"tools/call": elicit}, bridge.Options{IdleTimeout: time.Minute})
		const clients = 20
		var all sync.WaitGroup
		for i := range clients {
			all.Go(func() {
				name := fmt.Sprint("client", i)
				s := w.overHTTP(stateless, asking, accept(name))
				defer s.Close()
				for range 5 {
					result, err := call(t, s, "tools/call", `{"name":"n"}`)
					got, _ := wire.Object(result).Get("structuredContent")
					if err != nil || got != wire.Raw(`{"action":"accept","content":{"name":"`+name+`"}}`) {
						t.Errorf("%s: got %s, %v", name, result, err)
					}
				}
			})
		}
		all.Wait()
		if n := w.opened.Load(); n > clients {
			t.Errorf("%d sessions for %d clients", n, clients)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := w.opened.Load() - w.ended.Load(); n != 0 {
			t.Errorf("%d unused sessions are open", n)
		}
		w.bridge.Close()
	})
}

// TestHeld checks the life of a call that is held while its client is asked: it ends when its state expires,
// there is a limit, and an answer that comes twice or too late is refused.
func TestHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int64
		w := start(t, session, handlers{"tools/call": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			running.Add(1)
			defer running.Add(-1)
			return elicit(ctx, message)
		}}, bridge.Options{MaxHeld: 2, MaxSessions: 3, Rounds: runtime.Rounds{Lifetime: time.Minute}})
		near, far := inproc.Pair()
		go w.bridge.Serve(context.Background(), far)
		s, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1", Capabilities: asking, MaxRounds: -1},
			handlers(nil).bind(t, stateless, runtime.ToClient)).Connect(t.Context(), near)
		if err != nil {
			t.Fatal(err)
		}
		ask := func() wire.Object {
			result, err := call(t, s, "tools/call", `{"name":"n"}`)
			if err != nil {
				t.Fatal(err)
			}
			return wire.Object(result)
		}
		answer := func(asked wire.Object) (wire.Raw, error) {
			state, _ := asked.Get("requestState")
			return call(t, s, "tools/call", wire.Raw(`{"name":"n","inputResponses":{"1":{"action":"decline"}},"requestState":`+string(state)+`}`))
		}
		refused := func(what string, code int64, err error) {
			t.Helper()
			if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != code {
				t.Errorf("%s: got %v, want the code %d", what, err, code)
			}
		}
		first, second := ask(), ask()
		_, err = call(t, s, "tools/call", `{"name":"n"}`)
		refused("too many", jsonrpc.CodeUnavailable, err)
		synctest.Wait()
		if n := running.Load(); n != 2 {
			t.Errorf("%d calls are held", n)
		}
		if result, err := answer(first); err != nil || !strings.Contains(string(result), `"action":"decline"`) {
			t.Errorf("got %s, %v", result, err)
		}
		_, err = answer(first)
		refused("twice", jsonrpc.CodeInvalidParams, err)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := running.Load(); n != 0 {
			t.Errorf("%d calls are held after their time", n)
		}
		_, err = answer(second)
		refused("too late", jsonrpc.CodeInvalidParams, err)
		s.Close()
		w.bridge.Close()
	})
}

// TestLimit checks that a bridge has no more sessions with the server than it may.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		w := start(t, session, handlers{"tools/call": func(context.Context, *runtime.Message) (wire.Appender, error) {
			<-release
			return wire.Raw(`{"content":[]}`), nil
		}}, bridge.Options{MaxSessions: 2})
		s := w.overHTTP(stateless, asking, nil)
		results := make(chan error, 3)
		for range 3 {
			go func() {
				_, err := call(t, s, "tools/call", `{"name":"n"}`)
				results <- err
			}()
		}
		synctest.Wait()
		if e, ok := errors.AsType[*jsonrpc.Error](<-results); !ok || e.Code != jsonrpc.CodeUnavailable {
			t.Errorf("got %v", e)
		}
		close(release)
		for range 2 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		if n := w.opened.Load(); n != 2 {
			t.Errorf("%d sessions", n)
		}
		s.Close()
		w.bridge.Close()
	})
}

// TestLimitOfPrincipal checks that a principal has no more than a quarter of the sessions with the server, and that it
// then loses an unused one of its own.
func TestLimitOfPrincipal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		principal := "a"
		w := start(t, session, handlers{"tools/call": func(context.Context, *runtime.Message) (wire.Appender, error) {
			<-release
			return wire.Raw(`{"content":[]}`), nil
		}}, bridge.Options{MaxSessions: 8, Rounds: runtime.Rounds{Principal: func(context.Context) string { return principal }}})
		s := w.overHTTP(stateless, asking, nil)
		open := func() int64 { return w.opened.Load() - w.ended.Load() }
		for range 3 {
			for range 3 {
				go s.Call(t.Context(), "tools/call", wire.Raw(`{"name":"n"}`), nil)
				synctest.Wait()
			}
			principal += "a"
		}
		if open() != 6 {
			t.Errorf("3 principals with 3 calls each have %d sessions", open())
		}
		close(release)
		synctest.Wait()
		principal = "a"
		other := w.overHTTP(stateless, `{"sampling":{}}`, nil)
		if _, err := call(t, other, "tools/call", `{"name":"n"}`); err != nil {
			t.Errorf("another client of a principal whose sessions are unused: %v", err)
		}
		if synctest.Wait(); open() != 6 {
			t.Errorf("%d sessions", open())
		}
		s.Close()
		other.Close()
		w.bridge.Close()
	})
}

// TestLimitOfClosing checks that a session with the server counts until it is closed.
func TestLimitOfClosing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, session, handlers{}, bridge.Options{MaxSessions: 1})
		w.closing = make(chan struct{})
		first := w.overHTTP(stateless, asking, nil)
		others := make(chan *runtime.Session)
		for range 2 {
			go func() { others <- w.overHTTP(stateless, `{"sampling":{}}`, nil) }()
		}
		synctest.Wait()
		if n := w.opened.Load(); n != 1 {
			t.Errorf("%d sessions while the first one is being closed", n)
		}
		close(w.closing)
		(<-others).Close()
		(<-others).Close()
		if n := w.opened.Load(); n != 2 {
			t.Errorf("%d sessions for two clients", n)
		}
		first.Close()
		w.bridge.Close()
	})
}

// TestClose checks that Close ends the sessions with the server, also those of connections that are still served.
func TestClose(t *testing.T) {
	for _, revision := range []string{session, stateless} {
		synctest.Test(t, func(t *testing.T) {
			w := start(t, session, handlers{"tools/call": func(context.Context, *runtime.Message) (wire.Appender, error) {
				return wire.Raw(`{"content":[]}`), nil
			}}, bridge.Options{})
			s, served := w.client(revision, "{}", nil)
			if _, err := call(t, s, "tools/call", `{"name":"n"}`); err != nil {
				t.Error(err)
			}
			w.bridge.Close()
			synctest.Wait()
			if opened, ended := w.opened.Load(), w.ended.Load(); opened != 1 || ended != opened {
				t.Errorf("client of revision %s: %d of %d sessions with the server are over", revision, ended, opened)
			}
			s.Close()
			<-served
		})
	}
}

// TestLosses checks what is reported as lost when a session is opened, and of messages that cannot be sent.
func TestLosses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, stateless, echo, bridge.Options{})
		s, served := w.client(session, `{"roots":{"listChanged":true},"tasks":{}}`, nil)
		if err := s.Notify(t.Context(), "notifications/roots/list_changed", nil); err != nil {
			t.Error(err)
		}
		if _, err := call(t, s, "tools/call", `{"name":"n","task":{"ttl":1}}`); err == nil {
			t.Error("a task was accepted")
		}
		synctest.Wait()
		w.mu.Lock()
		got := strings.Join(w.lost, "\n")
		w.mu.Unlock()
		for _, want := range []string{"/capabilities/roots/listChanged: ", "/capabilities/tasks: ", "notifications/roots/list_changed: not sent"} {
			if !strings.Contains(got, want) {
				t.Errorf("no loss %q in\n%s", want, got)
			}
		}
		w.finish(s, served)
	})
}

// TestListeners checks that clients without a session share a subscription at a server with sessions, which
// ends with the last of them.
func TestListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var seen []string
		var of *runtime.ServerSession
		note := func(name string) func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			return func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
				params := wire.Raw(message.Object())
				mu.Lock()
				defer mu.Unlock()
				if of = runtime.CallOf(ctx).Session(); wire.Object(params).GetString("uri") == "x:none" {
					return nil, jsonrpc.Errorf(jsonrpc.CodeResourceNotFound, "no such resource")
				}
				seen = append(seen, name+" "+wire.Object(params).GetString("uri"))
				return wire.Raw("{}"), nil
			}
		}
		w := start(t, session, handlers{"resources/subscribe": note("subscribe"), "resources/unsubscribe": note("unsubscribe")}, bridge.Options{})
		ends := make([]context.CancelFunc, 2)
		heard := make([][]string, 2)
		var all sync.WaitGroup
		s := w.overHTTP(stateless, asking, nil)
		for i := range ends {
			ctx, cancel := context.WithCancel(t.Context())
			ends[i] = cancel
			all.Go(func() {
				for n, err := range s.Listen(ctx, wire.Raw(`{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["x:a","x:none"]}`)) {
					if err != nil {
						t.Error(err)
						return
					}
					honoured, _ := wire.Object(n.Params).Get("notifications")
					heard[i] = append(heard[i], n.Method+string(honoured))
				}
			})
			synctest.Wait()
		}
		for _, n := range []string{"notifications/tools/list_changed", "notifications/resources/updated"} {
			if err := of.Notify(t.Context(), n, wire.Raw(`{"uri":"x:a"}`)); err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		ends[0]()
		synctest.Wait()
		ends[1]()
		synctest.Wait()
		all.Wait()
		want := []string{
			`notifications/subscriptions/acknowledged{"toolsListChanged":true,"resourceSubscriptions":["x:a"]}`,
			"notifications/tools/list_changed", "notifications/resources/updated",
		}
		for i := range heard {
			if diff := cmp.Diff(want, heard[i]); diff != "" {
				t.Errorf("client %d: %s", i, diff)
			}
		}
		if diff := cmp.Diff([]string{"subscribe x:a", "unsubscribe x:a"}, seen); diff != "" {
			t.Error(diff)
		}
		s.Close()
		w.bridge.Close()
	})
}

// TestBadFilter checks that a client without a session gets an error for a filter that is not one, whatever the server
// has declared, and in whichever revision.
func TestBadFilter(t *testing.T) {
	for _, revision := range []string{session, stateless} {
		w := start(t, revision, handlers{
			"resources/subscribe":   func(context.Context, *runtime.Message) (wire.Appender, error) { return wire.Raw("{}"), nil },
			"resources/unsubscribe": func(context.Context, *runtime.Message) (wire.Appender, error) { return wire.Raw("{}"), nil },
		}, bridge.Options{})
		s, _ := w.client(stateless, asking, nil)
		for filter, member := range map[string]string{
			`{"toolsListChanged":5}`: "toolsListChanged: expected a boolean", `{"promptsListChanged":"yes"}`: "promptsListChanged: expected a boolean",
			`{"resourceSubscriptions":"x:a"}`: "resourceSubscriptions: expected an array", `{"resourceSubscriptions":["x:a",1]}`: "resourceSubscriptions/1: expected a string",
		} {
			for n, err := range s.Listen(t.Context(), wire.Raw(filter)) {
				e, ok := errors.AsType[*jsonrpc.Error](err)
				if !ok || e.Code != jsonrpc.CodeInvalidParams || !strings.Contains(e.Message, member) {
					t.Errorf("%s: %s: %v, %v", revision, filter, n, err)
				}
				break
			}
		}
		s.Close()
		w.bridge.Close()
	}
}

// TestListenBehindOthers checks that a client without a session stops listening while the server leaves the subscription of
// another one unanswered.
func TestListenBehindOthers(t *testing.T) {
	var asked, ended atomic.Int64
	w := start(t, session, handlers{"resources/subscribe": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		asked.Add(1)
		defer ended.Add(1)
		<-ctx.Done()
		return nil, ctx.Err()
	}}, bridge.Options{})
	s := w.overHTTP(stateless, asking, nil)
	listen := func(n int64) (end context.CancelFunc) {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for range s.Listen(ctx, wire.Raw(`{"resourceSubscriptions":["x:a"]}`)) {
			}
		}()
		if !testkit.Eventually(func() bool { return asked.Load() == n }) {
			t.Errorf("%d clients listen, want %d", asked.Load(), n)
		}
		return cancel
	}
	defer w.bridge.Close()
	defer s.Close()
	defer listen(1)()
	listen(2)()
	if !testkit.Eventually(func() bool { return ended.Load() == 1 }) {
		t.Errorf("%d clients have stopped", ended.Load())
	}
}

// TestListenAgain checks that a client that listens is told of everything that it listens to when the bridge has to listen
// at the server again, because notifications may have been lost.
func TestListenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		streams := 0
		w := start(t, stateless, handlers{"subscriptions/listen": func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
			streams++
			if streams > 1 {
				return runtime.CallOf(ctx).Listen(ctx, m.Object(), nil)
			}
			_, err := runtime.CallOf(ctx).Listen(ctx, m.Object(), func(context.Context, *runtime.ServerSession) {})
			return nil, errors.Join(err, errors.New("the stream is lost"))
		}}, bridge.Options{})
		s, served := w.client(stateless, asking, nil)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var got []string
		for n, err := range s.Listen(ctx, wire.Raw(`{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["x:a","x:b"]}`)) {
			if err != nil {
				t.Error(err)
			}
			got = append(got, strings.TrimSpace(n.Method+" "+wire.Object(n.Params).GetString("uri")))
			if len(got) == 4 {
				cancel()
			}
		}
		synctest.Wait()
		slices.Sort(got)
		want := []string{"notifications/resources/updated x:a", "notifications/resources/updated x:b", "notifications/subscriptions/acknowledged", "notifications/tools/list_changed"}
		if diff := cmp.Diff(want, got); diff != "" || streams != 2 {
			t.Errorf("%d streams (-want +got):\n%s", streams, diff)
		}
		w.finish(s, served)
	})
}

// TestShutdownOfListener checks that a client that listens does not delay the shutdown of its connection.
func TestShutdownOfListener(t *testing.T) {
	for _, back := range []string{session, stateless} {
		t.Run(back, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := start(t, back, nil, bridge.Options{})
				_, far := inproc.Pair()
				ended := make(chan error, 1)
				in, err := w.bridge.Open(t.Context(), far, runtime.Handshake{}, func(err error) { ended <- err })
				if err != nil {
					t.Fatal(err)
				}
				listened := make(chan struct{})
				run := in.Accept(runtime.Incoming{Text: `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
					`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`})
				go func() {
					defer close(listened)
					run()
				}()
				synctest.Wait()
				select {
				case <-listened:
					t.Error("the client does not listen")
				default:
				}
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				in.Shutdown(ctx)
				if took := time.Since(began); took > 0 {
					t.Errorf("the shutdown took %v", took)
				}
				<-ended
				w.bridge.Close()
			})
		})
	}
}

// TestNoTable has no table. The panic says so.
func TestNoTable(t *testing.T) {
	defer func() {
		if got := recover(); got != "bridge: New: the function dial or the table is nil" {
			t.Errorf("got %v", got)
		}
	}()
	bridge.New(func() runtime.Transport { return nil }, nil, bridge.Options{})
}

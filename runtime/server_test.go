package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func toolCall(id, name, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, args)
}

func cancelled(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"enough"}}`, id)
}

func TestNegotiation(t *testing.T) {
	for _, c := range []struct{ asked, want string }{
		{r2024, r2024}, {r03, r03}, {r06, r06}, {"1.0", r06}, {"2099-01-01", r06}, {"", r06}, {r11, r06},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, tools, runtime.ServerOptions{
				Name: "n", Version: "v", Title: "T", Instructions: "read\nme", Capabilities: wire.Raw(`{"tools":{}}`),
			}, r03, r2024, r06)
			conn := dial(t.Context(), t, server)
			conn.send(fmt.Sprintf(initialize, c.asked))
			title := ""
			if c.want >= r06 {
				title = `"title":"T",`
			}
			want := []string{`{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"` + c.want +
				`","capabilities":{"tools":{}},"serverInfo":{"name":"n",` + title + `"version":"v"},"instructions":"read\nme"}}`}
			if diff := cmp.Diff(want, conn.replies()); diff != "" {
				t.Errorf("asked %q (-want +got):\n%s", c.asked, diff)
			}
			conn.hangUp()
		})
	}
}

// TestDetails checks in which revisions a server introduces itself with more than its name, and that a member
// twice is an error.
func TestDetails(t *testing.T) {
	details := wire.Members{{Name: "websiteUrl", Value: `"https://a.b"`}, {Name: "icons", Value: "[]"}}
	for _, c := range []struct {
		revision, want string
		more           wire.Members
	}{
		{r06, `"serverInfo":{"name":"n","title":"T","version":"v"}}`, nil},
		{r11, `"serverInfo":{"name":"n","title":"T","version":"v","websiteUrl":"https://a.b","icons":[]}}`, nil},
		{r11, `"error":{"code":-32603,`, wire.Members{{Name: "icons", Value: "[]"}}},
		{r11, `"error":{"code":-32603,`, wire.Members{{Name: "version", Value: `"2"`}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, tools, runtime.ServerOptions{Name: "n", Version: "v", Title: "T", Details: slices.Concat(details, c.more)}, r06, r11)
			conn := dial(t.Context(), t, server)
			conn.send(fmt.Sprintf(initialize, c.revision))
			if got := conn.replies(); len(got) != 1 || !strings.Contains(got[0], c.want) {
				t.Errorf("%s: got %s, want %s", c.revision, got, c.want)
			}
			conn.hangUp()
		})
	}
}

// TestInitializeHandler checks that a binding may answer initialize itself, that what it
// says of the revision is put right, and that a failure leaves the session as it was.
func TestInitializeHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failure error
		server := newServer(t, tools.with(side{
			"initialize": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
				c := runtime.CallOf(ctx)
				if c.Revision() != r06 || c.Method() != "initialize" || c.PeerInfo() != `{"name":"test","version":"1"}` || c.PeerCapabilities() != `{"roots":{}}` {
					t.Errorf("call: %s %s %s %s", c.Revision(), c.Method(), c.PeerInfo(), c.PeerCapabilities())
				}
				if err := c.Call(ctx, "ping", nil, nil); err == nil {
					t.Error("initialize may wait for the peer")
				}
				return wire.Raw(`{"protocolVersion":"2099-01-01","capabilities":{},"serverInfo":{"name":"own","version":"2"}}`), failure
			},
		}), runtime.ServerOptions{}, r06)
		conn := dial(t.Context(), t, server)
		failure = errors.New("not now")
		conn.send(fmt.Sprintf(initialize, "2099-01-01"), toolCall("1", "echo", "{}"))
		match(t, conn.replies(), []string{refused(`"i"`, "-32603", "internal error"), refused("1", "-32600", ".*")})
		failure = nil
		conn.send(fmt.Sprintf(initialize, "2099-01-01"), toolCall("2", "echo", "{}"))
		match(t, conn.replies(), []string{
			answered(`"i"`, `\{"protocolVersion":"2025-06-18","capabilities":\{\},"serverInfo":\{"name":"own","version":"2"\}\}`),
			answered("2", `\{\}`),
		})
		conn.hangUp()
	})
}

func TestMisconfigured(t *testing.T) {
	good := tools.bind(r06, runtime.ToServer)
	for name, bindings := range map[string][]runtime.Binding{
		"none":         nil,
		"twice":        {good, good},
		"wrong side":   {tools.bind(r06, runtime.ToClient)},
		"no revision":  {tools.bind("", runtime.ToServer)},
		"one is wrong": {good, tools.bind(r03, runtime.ToClient)},
	} {
		err := runtime.NewServer(runtime.ServerOptions{}, bindings...).Serve(t.Context(), &stdio.Transport{In: strings.NewReader(""), Out: io.Discard})
		if err == nil {
			t.Errorf("%s: served", name)
		}
	}
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		causes := make(chan error, 2)
		server := newServer(t, tools.with(side{
			"block": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
				<-ctx.Done()
				causes <- context.Cause(ctx)
				return wire.Raw(`{"late":true}`), nil
			},
		}), runtime.ServerOptions{}, r06)
		conn := open(t.Context(), t, server, r06)
		other := open(t.Context(), t, server, r06)
		other.send(toolCall("1", "block", "{}"))

		// The cancellation follows its request at once; the string id is another one.
		conn.send(toolCall("1", "block", "{}"), cancelled(`"1"`), cancelled("1"), cancelled("1"))
		match(t, conn.replies(), nil)
		err := <-causes
		if reason, ok := errors.AsType[*runtime.CancelledError](err); !ok || reason.Reason != "enough" || !errors.Is(err, context.Canceled) {
			t.Errorf("cause: %v", err)
		}
		// The id is free again; 1.0 is the same id as 1.
		conn.send(toolCall("1.0", "block", "{}"), cancelled("1"))
		match(t, conn.replies(), nil)
		<-causes

		match(t, other.replies(), nil)
		other.send(cancelled("1"), toolCall("2", "echo", "{}"))
		match(t, other.replies(), []string{answered("2", `\{\}`)})
		if err := errors.Join(conn.hangUp(), other.hangUp()); err != nil {
			t.Error(err)
		}
	})
}

func TestCancelInBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := open(t.Context(), t, newServer(t, tools, runtime.ServerOptions{}, r03), r03)
		conn.send("[" + toolCall("1", "wait", "{}") + "," + toolCall("2", "echo", "{}") + "]")
		match(t, conn.replies(), nil)
		conn.send(cancelled("1"))
		match(t, conn.replies(), []string{`^\[\{"jsonrpc":"2.0","id":2,"result":\{\}\}\]$`})
		conn.send("["+toolCall("3", "wait", "{}")+"]", cancelled("3"))
		match(t, conn.replies(), nil)
		conn.hangUp()
	})
}

func TestIDInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := open(t.Context(), t, newServer(t, tools, runtime.ServerOptions{}, r06), r06)
		conn.send(toolCall("1", "wait", "{}"), toolCall("1", "echo", "{}"), toolCall(`"1"`, "echo", "{}"))
		match(t, conn.replies(), []string{refused("null", "-32600", ".*in flight"), answered(`"1"`, `\{\}`)})
		conn.send(cancelled("1"), toolCall("1", "echo", "{}"))
		match(t, conn.replies(), []string{answered("1", `\{\}`)})
		conn.hangUp()
	})
}

// TestOrder checks that what a call sends leaves in order, progress grows, and none
// follows the answer.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var late *runtime.Call
		server := newServer(t, tools.with(side{
			"work": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
				late = runtime.CallOf(ctx)
				total := 4.0
				for i, p := range []float64{1, 2, 2, 1.5, 3} {
					token, wanted := late.ProgressToken()
					if err := late.Progress(ctx, p, &total, "step"); (err != nil) != (wanted && (i == 2 || i == 3)) {
						return nil, fmt.Errorf("progress %v under the token %v: %v", p, token, err)
					}
					if i == 1 {
						if err := late.Notify(ctx, "notifications/message", wire.Raw(`{"level":"info","data":1}`)); err != nil {
							return nil, err
						}
					}
				}
				return wire.Raw(`{}`), nil
			},
		}), runtime.ServerOptions{}, r2024, r06)
		for _, revision := range []string{r2024, r06} {
			conn := open(t.Context(), t, server, revision)
			conn.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"work","_meta":{"progressToken":"tok"}}}`)
			message := `,"message":"step"`
			if revision == r2024 {
				message = ""
			}
			step := func(n string) string {
				return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok","progress":` + n + `,"total":4` + message + `}}`
			}
			want := []string{step("1"), step("2"), `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`,
				step("3"), `{"jsonrpc":"2.0","id":1,"result":{}}`}
			if diff := cmp.Diff(want, conn.replies()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", revision, diff)
			}
			if err := late.Progress(t.Context(), 9, nil, ""); !errors.Is(err, runtime.ErrNotRequested) {
				t.Errorf("progress after the answer: %v", err)
			}
			match(t, conn.replies(), nil)

			conn.send(toolCall("2", "work", "{}"))
			match(t, conn.replies(), []string{"notifications/message", answered("2", `\{\}`)})
			conn.hangUp()
		}
	})
}

// TestAsk has the server ask the client while it handles a request.
func TestAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, tools.with(side{
			"ask": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
				var roots wire.Raw
				ctx, cancel := context.WithTimeout(ctx, time.Minute)
				defer cancel()
				err := runtime.CallOf(ctx).Call(ctx, "roots/list", nil, &roots)
				if err != nil {
					t.Log(err)
				}
				return roots, err
			},
		}), runtime.ServerOptions{}, r06)
		conn := open(t.Context(), t, server, r06)
		conn.send(toolCall("1", "ask", "{}"))
		match(t, conn.replies(), []string{`^{"jsonrpc":"2.0","id":1,"method":"roots/list"}$`})
		conn.send(`{"jsonrpc":"2.0","id":"1","result":{"wrong":1}}`, `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		match(t, conn.replies(), []string{answered("1", `\{"roots":\[\]\}`)})

		conn.send(toolCall("2", "ask", "{}"))
		match(t, conn.replies(), []string{`"id":2,"method":"roots/list"`})
		conn.send(`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no roots"}}`)
		match(t, conn.replies(), []string{refused("2", "-32601", "no roots")})

		// A bad response: the waiting caller learns of it.
		conn.send(toolCall("3", "ask", "{}"))
		match(t, conn.replies(), []string{`"id":3,"method":"roots/list"`})
		conn.send(`{"jsonrpc":"2.0","id":3,"result":{},"error":{"code":1,"message":""}}`)
		if got := conn.replies(); len(got) != 2 {
			t.Errorf("got %q", got)
		}

		// The caller's time runs out: the peer is told.
		conn.send(toolCall("4", "ask", "{}"))
		match(t, conn.replies(), []string{`"id":4,"method":"roots/list"`})
		time.Sleep(time.Minute)
		match(t, conn.replies(), []string{`"params":\{"requestId":4,"reason":"no answer in time"\}`, refused("4", "-32603", "internal error")})

		// A cancelled request takes what it asked along.
		conn.send(toolCall("5", "ask", "{}"))
		match(t, conn.replies(), []string{`"id":5,"method":"roots/list"`})
		conn.send(cancelled("5"))
		match(t, conn.replies(), []string{`"params":\{"requestId":5,"reason":"enough"\}`})

		// So does an answer with neither a result nor an error.
		conn.send(toolCall("6", "ask", "{}"))
		match(t, conn.replies(), []string{`"id":6,"method":"roots/list"`})
		conn.send(`{"jsonrpc":"2.0","id":6}`)
		if got := conn.replies(); len(got) != 2 {
			t.Errorf("got %q", got)
		}

		// Nobody can answer after the end of the input.
		conn.send(toolCall("7", "ask", "{}"))
		match(t, conn.replies(), []string{`"id":7,"method":"roots/list"`})
		if err := conn.hangUp(); err != nil {
			t.Error(err)
		}
		match(t, conn.replies(), []string{refused("7", "-32603", "internal error")})
	})
}

// TestCancelledSession checks that the handler of a cancelled request sends nothing, whatever its context.
func TestCancelledSession(t *testing.T) {
	var after []error
	handlers := side{"wait": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		<-ctx.Done()
		c, own := runtime.CallOf(ctx), context.Background()
		after = []error{
			c.Log(own, runtime.LogError, "", nil), c.Log(ctx, runtime.LogError, "", nil),
			c.Progress(own, 5, nil, ""), c.Call(own, "roots/list", nil, nil),
		}
		return wire.Raw(`{}`), nil
	}}
	synctest.Test(t, func(t *testing.T) {
		conn := open(t.Context(), t, newServer(t, handlers, runtime.ServerOptions{}, r11), r11)
		conn.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","_meta":{"progressToken":1}}}`, cancelled("1"))
		match(t, conn.replies(), nil)
		for i, err := range after {
			if !errors.Is(err, runtime.ErrNotRequested) && !errors.Is(err, context.Canceled) {
				t.Errorf("message %d: %v", i, err)
			}
		}
		if err := conn.hangUp(); err != nil {
			t.Error(err)
		}
	})
}

func TestPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged strings.Builder
		server := newServer(t, tools.with(side{
			"initialize": func(context.Context, *runtime.Message) (wire.Appender, error) {
				if strings.Count(logged.String(), "panicked") == 0 {
					goruntime.Goexit()
				}
				return nil, runtime.MethodNotFound("initialize")
			},
			"goexit":  func(context.Context, *runtime.Message) (wire.Appender, error) { goruntime.Goexit(); return nil, nil },
			"nil":     func(context.Context, *runtime.Message) (wire.Appender, error) { return nil, nil },
			"late":    func(context.Context, *runtime.Message) (wire.Appender, error) { return bomb{}, nil },
			"bad":     func(context.Context, *runtime.Message) (wire.Appender, error) { return wire.Raw(`{"a":`), nil },
			"invalid": func(context.Context, *runtime.Message) (wire.Appender, error) { return &toolParams{}, nil },
			"secret": func(context.Context, *runtime.Message) (wire.Appender, error) {
				return nil, errors.New("the password is x")
			},
			"told": func(context.Context, *runtime.Message) (wire.Appender, error) {
				return nil, fmt.Errorf("wrapped: %w", &jsonrpc.Error{Code: -32002, Message: "gone", Data: `{"uri":"a:b"}`})
			},
			"bad data": func(context.Context, *runtime.Message) (wire.Appender, error) {
				return nil, &jsonrpc.Error{Code: -32002, Message: "gone", Data: `{`}
			},
			"notifications/roots/list_changed": func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
				params := wire.Raw(message.Object())
				if params != "" {
					goruntime.Goexit()
				}
				panic("list")
			},
		}), runtime.ServerOptions{Logger: slog.New(slog.NewTextHandler(&logged, nil))}, r06)
		conn := dial(t.Context(), t, server)
		conn.send(fmt.Sprintf(initialize, r06))
		match(t, conn.replies(), []string{refused(`"i"`, "-32603", "internal error")})
		conn.send(fmt.Sprintf(initialize, r06), initialized)
		match(t, conn.replies(), []string{`"protocolVersion":"2025-06-18"`})
		for _, name := range []string{"boom", "goexit", "nil", "late", "bad", "secret", "bad data"} {
			conn.send(toolCall("1", name, "{}"))
			match(t, conn.replies(), []string{refused("1", "-32603", "internal error")})
		}
		conn.send(toolCall("1", "told", "{}"))
		match(t, conn.replies(), []string{`^{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"gone","data":{"uri":"a:b"}}}$`})
		conn.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, `{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{}}`,
			`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
		match(t, conn.replies(), nil)
		if n := strings.Count(logged.String(), "panic=list"); n != 2 {
			t.Errorf("%d panics of notifications in the log", n)
		}
		if !strings.Contains(logged.String(), "panic=boom") || !strings.Contains(logged.String(), "harness_test.go") || !strings.Contains(logged.String(), "the password is x") {
			t.Errorf("the log lacks what happened:\n%s", &logged)
		}
		if err := conn.hangUp(); err != nil {
			t.Error(err)
		}
	})
}

// bomb is a result that cannot be encoded.
type bomb struct{}

func (bomb) AppendJSON(dst []byte) ([]byte, error) { panic("late") }

// TestBulk checks that more requests than may run at a time are slowed down, not lost.
func TestBulk(t *testing.T) {
	var in, out strings.Builder
	in.WriteString(fmt.Sprintf(initialize, r06) + "\n")
	const n = 20_000
	for i := range n {
		in.WriteString(toolCall(fmt.Sprint(i), "echo", `{}`) + "\n")
	}
	server := newServer(t, tools, runtime.ServerOptions{Limits: runtime.Limits{MaxConcurrent: 2}}, r06)
	if err := server.Serve(t.Context(), &stdio.Transport{In: strings.NewReader(in.String()), Out: &out}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), `"result":{}`); got != n {
		t.Errorf("%d answers, want %d", got, n)
	}
}

// TestBusy checks that handlers that do not end keep neither cancellations nor
// responses from being read.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, tools.with(side{"ask": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			return wire.Raw(`{}`), runtime.CallOf(ctx).Call(ctx, "ping", nil, nil)
		}}), runtime.ServerOptions{Limits: runtime.Limits{MaxConcurrent: 2}}, r06)
		conn := open(t.Context(), t, server, r06)
		start := time.Now()
		conn.send(toolCall("1", "wait", "{}"), toolCall("2", "ask", "{}"), toolCall("3", "echo", "{}"), toolCall("4", "echo", "{}"))
		// The third waits a second for a place, the fourth does not wait any more.
		match(t, conn.replies(), []string{`"method":"ping"`, refused("3", "-32000", "busy.*"), refused("4", "-32000", "busy.*")})
		if waited := time.Since(start); !about(waited, time.Second) {
			t.Errorf("waited %v", waited)
		}
		conn.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		match(t, conn.replies(), []string{answered("2", `\{\}`)})
		conn.send(toolCall("5", "echo", "{}"))
		match(t, conn.replies(), []string{answered("5", `\{\}`)})
		conn.send(cancelled("1"))
		conn.hangUp()
	})
}

// TestBulkBatch checks that a batch with more requests than may run at a time is slowed down: its first requests begin
// before the last are read.
func TestBulkBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := open(t.Context(), t, newServer(t, tools, runtime.ServerOptions{Limits: runtime.Limits{MaxConcurrent: 2}}, r03), r03)
		conn.send("[" + toolCall("1", "echo", "{}") + "," + toolCall("2", "echo", "{}") + "," + toolCall("3", "echo", "{}") + "]")
		if got := conn.replies(); len(got) != 1 || strings.Count(got[0], `"result":{}`) != 3 {
			t.Errorf("got %s", got)
		}
		conn.hangUp()
	})
}

// TestNotifications checks that the notifications of a session are handled in order and
// one at a time, and may wait for the peer.
func TestNotifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		server := newServer(t, tools.with(side{
			"notifications/initialized": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
				err := runtime.CallOf(ctx).Call(ctx, "roots/list", nil, nil)
				got = append(got, fmt.Sprint("initialized ", err))
				return nil, nil
			},
			"notifications/roots/list_changed": func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
				params := wire.Raw(message.Object())
				got = append(got, string(params))
				return nil, nil
			},
			"notifications/cancelled": func(_ context.Context, _ *runtime.Message) (wire.Appender, error) {
				got = append(got, "cancelled")
				return nil, nil
			},
		}), runtime.ServerOptions{}, r06)
		conn := dial(t.Context(), t, server)
		conn.send(fmt.Sprintf(initialize, r06), `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, initialized)
		want := []string{"initialized <nil>"}
		for i := range 100 {
			params := fmt.Sprintf(`{"n":%d}`, i)
			want = append(want, params)
			conn.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":` + params + `}`)
		}
		conn.send(cancelled("9"), toolCall("1", "echo", "{}"))
		replies := conn.replies()
		slices.Sort(replies[1:]) // a request does not wait for the handlers of notifications
		match(t, replies, []string{`"id":"i"`, `"id":1,"method":"roots/list"`, answered("1", `\{\}`)})
		conn.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		conn.replies()
		if diff := cmp.Diff(append(want, "cancelled"), got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		conn.hangUp()
	})
}

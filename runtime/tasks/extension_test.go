package tasks_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	generated "github.com/mcpgen/mcpgen/generated/ext/tasks"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const declaring = `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// extended is a server with the extension, and a client that sends what a test says.
type extended struct {
	t      *testing.T
	items  *catalog.Catalog
	keeper *tasks.Tasks
	server *runtime.Server
	near   *mcptest.Raw
	end    context.CancelFunc
	ids    int
	heard  []string // notifications
}

// ran counts the runs of the tool "count", and held keeps it from ending.
type counter struct {
	ran  atomic.Int64
	held chan struct{}
}

func newExtended(t *testing.T, store tasks.Store, principal string, c *counter, options ...func(*tasks.Options, *runtime.ServerOptions)) *extended {
	t.Helper()
	items := catalog.New(catalog.Options{})
	add := func(name, support string, call func(ctx context.Context) (string, error)) {
		err := items.Add(catalog.Tool{
			Definition: wire.Object(`{"name":"` + name + `","inputSchema":{"type":"object"}}`),
			Call: func(ctx context.Context, _ wire.Object) (wire.Appender, error) {
				said, err := call(ctx)
				if err != nil {
					return nil, err
				}
				return wire.Object(`{"content":[{"type":"text","text":"` + said + `"}],"isError":` + fmt.Sprint(said == "broken") + `}`), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	add("sleep", "", func(ctx context.Context) (string, error) {
		_ = runtime.CallOf(ctx).Progress(ctx, 1, nil, "sleeping")
		select {
		case <-time.After(3 * time.Second):
			return "slept", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	})
	add("fail", "", func(context.Context) (string, error) {
		return "", jsonrpc.Errorf(jsonrpc.CodeInternalError, "out of order")
	})
	add("broken", "", func(context.Context) (string, error) { return "broken", nil })
	ask := func(ctx context.Context) (string, error) {
		r, err := mcp20260728.NewClientCaller(runtime.CallOf(ctx)).Elicit(ctx, &mcp20260728.ElicitRequestFormParams{Message: "Sure?"})
		if err != nil {
			return "", err
		}
		return "answer: " + string(r.Action), nil
	}
	add("ask", "", ask)
	add("late", "", func(ctx context.Context) (string, error) {
		said, err := ask(ctx)
		if err == nil {
			err = tasks.Begin(ctx)
		}
		return said, err
	})
	add("count", "", func(ctx context.Context) (string, error) {
		n := c.ran.Add(1)
		if c.held != nil && n == 1 {
			<-c.held // a process that hangs
		}
		return fmt.Sprintf("attempt %d", tasks.Attempt(ctx)), nil
	})
	err := items.Add(catalog.Prompt{
		Definition: wire.Object(`{"name":"greet"}`),
		Get: func(context.Context, map[string]string) (wire.Appender, error) {
			return wire.Object(`{"messages":[{"role":"user","content":{"type":"text","text":"Good morning"}}]}`), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	support := func(tool string) string {
		switch tool {
		case "broken":
			return "required"
		case "plain":
			return "forbidden"
		}
		return "optional"
	}
	e := &extended{t: t}
	opts := tasks.Options{Store: store, Support: support, PollInterval: time.Second, Lease: time.Minute, Late: func(tool string) bool { return tool == "late" }}
	serverOpts := runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(`{"tools":{},"prompts":{}}`)}
	for _, set := range options {
		set(&opts, &serverOpts)
	}
	e.keeper = tasks.New(opts)
	e.server = runtime.NewServer(serverOpts, e.keeper.Extend(items.Over(mcp20260728.BindBase())))
	if err := e.server.Err(); err != nil {
		t.Fatal(err)
	}
	near, far := mcptest.Pair()
	ctx, end := context.WithCancel(runtime.WithPrincipal(context.Background(), principal))
	e.near, e.end = near, end
	go e.server.Serve(ctx, far)
	t.Cleanup(func() { e.keeper.Close(); near.Close(); end() })
	return e
}

// ask sends a request and returns the result, or the code of the error.
func (e *extended) ask(method, params, capabilities string) wire.Object {
	e.t.Helper()
	e.send(method, params, capabilities)
	for {
		in, err := e.near.Receive(e.t.Context())
		if err != nil {
			e.t.Fatal(err)
		}
		m, err := jsonrpc.Parse(in.Text)
		switch {
		case err != nil:
			e.t.Fatal(err)
		case m.Kind == jsonrpc.Notification:
			e.heard = append(e.heard, m.Method+" "+wire.Object(m.Params).GetString("status"))
		case m.Error != nil:
			text, _ := wire.Marshal(m.Error)
			return wire.Object(text)
		default:
			return wire.Object(m.Result)
		}
	}
}

func (e *extended) send(method, params, capabilities string) {
	e.t.Helper()
	e.ids++
	meta := `"_meta":{"progressToken":"p","io.modelcontextprotocol/logLevel":"debug","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
	params = strings.TrimSuffix(params, "}")
	if params != "{" {
		params += ","
	}
	text := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s%s}}`, e.ids, method, params, meta)
	if err := e.near.Send(e.t.Context(), runtime.Outgoing{Text: text, Kind: jsonrpc.Request}); err != nil {
		e.t.Fatal(err)
	}
}

func (e *extended) start(tool string) (id string) {
	e.t.Helper()
	r := e.ask("tools/call", `{"name":"`+tool+`"}`, declaring)
	if r.GetString("resultType") != "task" {
		e.t.Fatalf("%s is no task: %s", tool, r)
	}
	created := new(generated.CreateTaskResult)
	if err := wire.UnmarshalString(string(r), created); err != nil || wire.Validate(created) != nil {
		e.t.Errorf("%s: %v", r, err)
	}
	return created.TaskID
}

// get returns the state of a task, which must be valid.
func (e *extended) get(id string) wire.Object {
	e.t.Helper()
	r := e.ask("tasks/get", `{"taskId":"`+id+`"}`, declaring)
	box := new(generated.GetTaskResultBox)
	if err := wire.UnmarshalString(string(r), box); err == nil {
		if err := wire.Validate(box); err != nil {
			e.t.Errorf("%s: %v", r, err)
		}
	}
	return r
}

func code(o wire.Object) string { c, _ := o.Get("code"); return string(c) }

// TestExtensionDescription checks that the package describes the extension as the generated one does.
func TestExtensionDescription(t *testing.T) {
	if diff := cmp.Diff(generated.Extension, tasks.Description); diff != "" {
		t.Error(diff)
	}
}

// TestExtension follows tasks of each kind to their ends.
// V11, X5, X6, X7, X10, X11, X18
func TestExtension(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newExtended(t, nil, "", &counter{})
		id := e.start("sleep")
		if r := e.get(id); r.GetString("status") != "working" || r.GetString("resultType") != "complete" {
			t.Errorf("X7, X11: at first: %s", r)
		}
		for _, test := range []struct{ id, tool, status, member, contains string }{
			{"X10", "sleep", "completed", "result", `slept`},
			{"X6", "fail", "failed", "error", `out of order`},
			{"X6", "broken", "completed", "result", `"isError":true`},
		} {
			id := e.start(test.tool)
			time.Sleep(4 * time.Second)
			r := e.get(id)
			if member, _ := r.Get(test.member); r.GetString("status") != test.status || !strings.Contains(string(member), test.contains) {
				t.Errorf("%s: %s: %s", test.id, test.tool, r)
			}
		}
		if len(e.heard) != 0 {
			t.Errorf("X18: a task has sent %q", e.heard)
		}
	})
}

// TestUndeclaredExtension checks what a client without the extension gets.
// V10, X1, X3, X17, X21, X24
func TestUndeclaredExtension(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newExtended(t, nil, "", &counter{})
		id := e.start("sleep")
		if r := e.ask("tools/call", `{"name":"sleep","task":{"ttl":1}}`, `{}`); r.GetString("resultType") != "complete" || !strings.Contains(string(r), "slept") {
			t.Errorf("X1, X24: %s", r)
		}
		if r := e.ask("tools/call", `{"name":"broken"}`, `{}`); code(r) != "-32021" || !strings.Contains(string(r), "io.modelcontextprotocol/tasks") {
			t.Errorf("X3: %s", r)
		}
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
			if r := e.ask(method, `{"taskId":"`+id+`","inputResponses":{}}`, `{}`); code(r) != "-32021" {
				t.Errorf("X21: %s: %s", method, r)
			}
		}
		if r := e.ask("subscriptions/listen", `{"notifications":{"taskIds":["`+id+`"]}}`, `{}`); code(r) != "-32021" {
			t.Errorf("X17: %s", r)
		}
		for _, method := range []string{"tasks/result", "tasks/list"} {
			if r := e.ask(method, `{"taskId":"`+id+`"}`, declaring); code(r) != "-32601" {
				t.Errorf("X24: %s: %s", method, r)
			}
		}
	})
}

// TestUnknownTask checks that tasks of others and unknown ones do not exist.
// X20, X22
func TestUnknownTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := tasks.NewMemory(0)
		ann, bob := newExtended(t, store, "ann", &counter{}), newExtended(t, store, "bob", &counter{})
		id, other := ann.start("sleep"), ann.start("sleep")
		if len(id) < 26 || id == other {
			t.Errorf("X22: ids %q and %q", id, other)
		}
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
			for _, name := range []string{id, "unknown"} {
				if r := bob.ask(method, `{"taskId":"`+name+`","inputResponses":{}}`, declaring); code(r) != "-32602" {
					t.Errorf("X20, X22: %s: %s", method, r)
				}
			}
		}
		if r := bob.ask("subscriptions/listen", `{"notifications":{"taskIds":["`+id+`"]}}`, declaring); r.GetString("resultType") != "complete" {
			t.Errorf("X22: listening to the task of another: %s", r)
		}
		if r := ann.get(id); r.GetString("status") != "working" {
			t.Errorf("X22: %s", r)
		}
	})
}

// TestUpdate answers the question of a task.
// X12, X13, X14
func TestUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newExtended(t, nil, "", &counter{})
		id := e.start("ask")
		synctest.Wait()
		r := e.get(id)
		questions, _ := r.Get("inputRequests")
		if r.GetString("status") != "input_required" || wire.Object(questions).Len() != 1 {
			t.Fatalf("X10: %s", r)
		}
		for key := range wire.Object(questions).All() {
			update := func(key string) wire.Object {
				return e.ask("tasks/update", `{"taskId":"`+id+`","inputResponses":{"`+key+`":{"action":"decline"}}}`, declaring)
			}
			if r := update("unknown"); r.GetString("resultType") != "complete" {
				t.Errorf("X14: an unknown key: %s", r)
			}
			if r := e.get(id); r.GetString("status") != "input_required" {
				t.Errorf("X14: after an unknown key: %s", r)
			}
			for range 2 { // the second time it is answered already
				if r := update(key); r.GetString("resultType") != "complete" || r.GetString("taskId") != "" {
					t.Errorf("X11, X14: %s", r)
				}
				synctest.Wait()
			}
		}
		if r := e.get(id); r.GetString("status") != "completed" || !strings.Contains(string(r), "answer: decline") {
			t.Errorf("X12: %s", r)
		}
	})
}

// TestCancelTask cancels tasks.
// X15, X16
func TestCancelTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newExtended(t, nil, "", &counter{})
		for _, tool := range []string{"sleep", "ask"} {
			id := e.start(tool)
			synctest.Wait()
			for range 2 { // the second time it has ended
				if r := e.ask("tasks/cancel", `{"taskId":"`+id+`"}`, declaring); r.GetString("resultType") != "complete" || r.GetString("status") != "" {
					t.Errorf("X16: %s", r)
				}
				synctest.Wait()
			}
			if r := e.get(id); r.GetString("status") != "cancelled" {
				t.Errorf("X16: %s: %s", tool, r)
			}
		}
	})
}

// TestLate checks that a tool asks before its call becomes a task.
// X8
func TestLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newExtended(t, nil, "", &counter{})
		r := e.ask("tools/call", `{"name":"late"}`, declaring)
		questions, _ := r.Get("inputRequests")
		for key := range wire.Object(questions).All() {
			r = e.ask("tools/call", `{"name":"late","requestState":"`+r.GetString("requestState")+`","inputResponses":{"`+key+`":{"action":"cancel"}}}`, declaring)
		}
		if r.GetString("resultType") != "task" {
			t.Fatalf("X8: %s", r)
		}
		synctest.Wait()
		if r := e.get(r.GetString("taskId")); !strings.Contains(string(r), "answer: cancel") {
			t.Errorf("X8: %s", r)
		}
	})
}

// TestListenToTask listens to a task until it has ended, at the replica that works on it and at another one.
func TestListenToTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := tasks.NewMemory(0)
		worker, other := newExtended(t, store, "", &counter{}), newExtended(t, store, "", &counter{})
		id := worker.start("sleep")
		all := []*extended{worker, other}
		for _, e := range all {
			e.send("subscriptions/listen", `{"notifications":{"taskIds":["`+id+`","unknown"]}}`, declaring)
		}
		time.Sleep(5 * time.Second)
		for i, e := range all {
			r := e.get(id)
			want := []string{"notifications/subscriptions/acknowledged ", "notifications/tasks working", "notifications/tasks completed"}
			if diff := cmp.Diff(want, e.heard); diff != "" || r.GetString("status") != "completed" {
				t.Error(i, diff, r)
			}
		}
	})
}

// TestListenBelow checks that the binding below decides about notifications that are not of the extension, and that one
// without Listen accepts all of them.
func TestListenBelow(t *testing.T) {
	refuses := func(_ context.Context, notification, uri string) error {
		if notification != "notifications/resources/updated" || uri != "a:known" {
			return errors.New("unknown")
		}
		return nil
	}
	for _, test := range []struct {
		name string
		set  func(*runtime.Binding)
		want string
	}{
		{"without Listen", func(*runtime.Binding) {}, `["a:known","a:other"]`},
		{"with Listen", func(b *runtime.Binding) { b.Listen = refuses }, `["a:known"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				binding := mcp20260728.BindServer(mcp20260728.UnimplementedServer{})
				test.set(&binding)
				server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(`{"resources":{"subscribe":true}}`)},
					tasks.New(tasks.Options{}).Extend(binding))
				near, far := mcptest.Pair()
				ctx, end := context.WithCancel(t.Context())
				defer end()
				go server.Serve(ctx, far)
				defer near.Close()
				e := &extended{t: t, near: near}
				e.send("subscriptions/listen", `{"notifications":{"resourceSubscriptions":["a:known","a:other"]}}`, `{}`)
				in, err := near.Receive(t.Context())
				if err != nil || !strings.Contains(in.Text, `{"resourceSubscriptions":`+test.want+`}`) {
					t.Errorf("%s, %v", in.Text, err)
				}
			})
		})
	}
}

// TestQuestionsOfTasks checks that a client answers the questions of a task as those in results: through its middleware,
// and none for which it has not declared the capability. A handler that panics fails the call.
func TestQuestionsOfTasks(t *testing.T) {
	for method, want := range map[string]string{"elicitation/create": "elicitation/create", "roots/list": "", "vendor/secret": ""} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, near := mcptest.Pair()
				go func() {
					for {
						in, err := server.Receive(t.Context())
						if err != nil {
							return
						}
						m, _ := jsonrpc.Parse(in.Text)
						result := `{"resultType":"complete"}`
						switch m.Method {
						case "server/discover":
							result = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},"ttlMs":0,"cacheScope":"private"}`
						case "tools/call":
							result = `{"resultType":"task","taskId":"A","status":"working","pollIntervalMs":1}`
						case "tasks/get":
							result = `{"resultType":"complete","taskId":"A","status":"input_required","inputRequests":{"q":{"method":"` + method + `","params":{}}}}`
						}
						_ = server.Send(t.Context(), runtime.Outgoing{Text: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID.String(), result)})
					}
				}()
				got := ""
				middleware := func(next runtime.Handler) runtime.Handler {
					return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
						got = m.Method
						return next(ctx, m)
					}
				}
				handler := func(context.Context, *runtime.Message) (wire.Appender, error) { panic(method) }
				below := runtime.Handlers{method: handler}.Bind(mcp20260728.Revision, mcp20260728.Methods)
				client := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1", Capabilities: wire.Raw(`{"elicitation":{}}`),
					Receiving: []runtime.Middleware{middleware}, Logger: slog.New(slog.DiscardHandler)}, tasks.ExtendClient(below, tasks.ClientOptions{}))
				session, err := client.Connect(t.Context(), near)
				if err != nil {
					t.Fatal(err)
				}
				defer session.Close()
				if err := session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"a"}`), nil); err == nil || got != want {
					t.Errorf("error %v, asked %q", err, got)
				}
			})
		})
	}
}

// TestExtendedClient calls tools that become tasks, with a client that does not care.
// X2, X9, X12, X23
func TestExtendedClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newExtended(t, nil, "", &counter{})
		near, far := inproc.Pair()
		ctx, end := context.WithCancel(t.Context())
		go e.server.Serve(ctx, far)
		defer end()
		asked, polled := 0, 0
		handlers := runtime.Handlers{"elicitation/create": func(context.Context, *runtime.Message) (wire.Appender, error) {
			asked++
			return wire.Object(`{"action":"decline"}`), nil
		}}
		below := handlers.Bind(mcp20260728.Revision, mcp20260728.Methods)
		client := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1", Capabilities: wire.Raw(`{"elicitation":{}}`)},
			tasks.ExtendClient(below, tasks.ClientOptions{Changed: func(context.Context, wire.Object) { polled++ }}))
		session, err := client.Connect(t.Context(), near)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		caller := mcp20260728.NewServerCaller(session)
		for _, test := range []struct{ tool, want string }{{"ask", "answer: decline"}, {"sleep", "slept"}} {
			r, err := caller.CallTool(t.Context(), &mcp20260728.CallToolRequestParams{Name: test.tool})
			if err != nil {
				t.Fatal(err)
			}
			if text := r.Content[0].(*mcp20260728.TextContent).Text; text != test.want {
				t.Errorf("X2: %s: %s", test.tool, text)
			}
		}
		if asked != 1 || polled > 8 {
			t.Errorf("X9, X12: asked %d times, polled %d times", asked, polled)
		}
		var failed *jsonrpc.Error
		if _, err := caller.CallTool(t.Context(), &mcp20260728.CallToolRequestParams{Name: "fail"}); !errors.As(err, &failed) || failed.Message != "out of order" {
			t.Errorf("X6: %v", err)
		}
	})
}

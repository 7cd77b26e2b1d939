package tasks_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	serverTasks = `{"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}`
	clientTasks = `{"elicitation":{},"tasks":{"list":{},"cancel":{},"requests":{"elicitation":{"create":{}}}}}`
	metaKey     = "io.modelcontextprotocol/related-task"
)

// server implements the tools of the tests.
type server struct {
	mcp20251125.UnimplementedServer
	t *testing.T
}

func text(s string) *mcp20251125.CallToolResult {
	return &mcp20251125.CallToolResult{Content: []mcp20251125.ContentBlock{&mcp20251125.TextContent{Text: s}}}
}

func (s server) CallTool(ctx context.Context, p *mcp20251125.CallToolRequestParams) (mcp20251125.CallToolResponse, error) {
	if p.Task != nil {
		s.t.Error("the params of the tool contain the task")
	}
	c := runtime.CallOf(ctx)
	switch p.Name {
	case "sleep":
		select {
		case <-time.After(3 * time.Second):
			return text("slept"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	case "attempt":
		select {
		case <-time.After(3 * time.Second):
			return text(fmt.Sprint("attempt ", tasks.Attempt(ctx))), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	case "fail":
		r := text("failed")
		r.IsError = new(true)
		return r, nil
	case "error":
		return nil, &jsonrpc.Error{Code: -32050, Message: "no"}
	case "broken":
		return nil, errors.New("secret")
	case "panic":
		panic("secret")
	case "progress":
		time.Sleep(time.Second)
		return text("told"), c.Progress(ctx, 1, nil, "one")
	case "ask and progress":
		asked := make(chan error)
		go func() {
			asked <- c.Call(ctx, "elicitation/create", wire.Object(`{"message":"m","requestedSchema":{"type":"object","properties":{}}}`), nil)
		}()
		time.Sleep(time.Second)
		err := c.Progress(ctx, 1, nil, "one")
		return text("told"), cmp.Or(<-asked, err)
	case "ask", "delegate":
		params := wire.Object(`{"message":"m","requestedSchema":{"type":"object","properties":{}}}`)
		var answer wire.Object
		var err error
		if p.Name == "ask" {
			err = c.Call(ctx, "elicitation/create", params, &answer)
		} else {
			err = tasks.Await(ctx, c, "elicitation/create", params, &answer)
		}
		action, _ := answer.Get("action")
		return text(string(action)), err
	}
	return text("done"), nil
}

// pair is a client's session with a server, and the notifications that the client received.
type pair struct {
	*runtime.Session
	t      *testing.T
	mu     sync.Mutex
	told   []string
	served chan error
}

// Elicit answers after two seconds.
type client struct {
	mcp20251125.UnimplementedClient
}

func (client) Elicit(ctx context.Context, _ mcp20251125.ElicitRequestParams) (mcp20251125.ElicitResponse, error) {
	select {
	case <-time.After(2 * time.Second):
		return &mcp20251125.ElicitResult{Action: "accept"}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func newServer(t *testing.T, opts tasks.Options, capabilities wire.Raw) *runtime.Server {
	opts.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	return runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: capabilities},
		tasks.New(opts).Over(mcp20251125.BindServer(server{t: t})))
}

func open(t *testing.T, opts tasks.Options, serverCaps, clientCaps wire.Raw) *pair {
	t.Helper()
	p := &pair{t: t, served: make(chan error, 1)}
	srv := newServer(t, opts, serverCaps)
	near, far := inproc.Pair()
	go func() { p.served <- srv.Serve(context.Background(), far) }()
	p.connect(near, clientCaps)
	return p
}

// connect opens the session.
func (p *pair) connect(transport runtime.Transport, capabilities wire.Raw) {
	p.t.Helper()
	below := tasks.New(tasks.Options{}).Over(mcp20251125.BindClient(client{}))
	binding := below
	binding.Handle = func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		method, params := message.Method, wire.Raw(message.Object())
		p.mu.Lock()
		p.told = append(p.told, method+" "+string(params))
		p.mu.Unlock()
		if method == "notifications/tasks/status" {
			p.valid("TaskStatusNotificationParams", params)
		}
		if strings.HasPrefix(method, "tasks/") && strings.Contains(string(params), metaKey) {
			p.t.Errorf("%s refers to a task twice: %s", method, params)
		}
		result, err := below.Handle(ctx, message)
		if meta, _ := wire.Object(params).Get("_meta"); strings.Contains(string(meta), metaKey) && err == nil && method == "elicitation/create" {
			if text, err := wire.Marshal(result); err != nil || !strings.Contains(string(text), metaKey) {
				p.t.Errorf("the result of %s does not refer to its task: %s, %v", method, text, err)
			}
		}
		return result, err
	}
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1", Capabilities: capabilities}, binding).Connect(p.t.Context(), transport)
	if err != nil {
		p.t.Fatal(err)
	}
	p.Session = session
}

func (p *pair) close() {
	p.t.Helper()
	if err := p.Close(); err != nil {
		p.t.Error(err)
	}
	if err := <-p.served; err != nil {
		p.t.Error(err)
	}
}

// valid checks a text against a definition.
func (p *pair) valid(definition string, text wire.Raw) {
	p.t.Helper()
	v, ok := mcp20251125.New(definition)
	if !ok {
		p.t.Fatalf("no %s", definition)
	}
	err := wire.UnmarshalString(string(text), v)
	if err == nil {
		err = wire.Validate(v)
	}
	if err != nil {
		p.t.Errorf("%s: %v: %s", definition, err, text)
	}
}

// ask sends a request and returns the result, after checking it against the definition, or
// the error's text.
func (p *pair) ask(method, params, definition string) wire.Object {
	p.t.Helper()
	var result wire.Object
	err := p.Call(p.t.Context(), method, wire.Object(params), &result)
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return wire.Object(fmt.Sprintf("%d %s", e.Code, e.Message))
	}
	if err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
	p.valid(definition, wire.Raw(result))
	return result
}

// start starts a task and returns its ID.
func (p *pair) start(tool string) string {
	p.t.Helper()
	result := p.ask("tools/call", `{"name":"`+tool+`","task":{"ttl":10000}}`, "CreateTaskResult")
	task, ok := result.Get("task")
	if !ok {
		p.t.Fatalf("%s: %s", tool, result)
	}
	if member(wire.Object(task), "status") != "working" {
		p.t.Errorf("begins with %s", task)
	}
	return member(wire.Object(task), "taskId")
}

func (p *pair) status(id string) string {
	p.t.Helper()
	return member(p.ask("tasks/get", `{"taskId":"`+id+`"}`, "GetTaskResult"), "status")
}

func member(o wire.Object, name string) string {
	raw, _ := o.Get(name)
	return strings.Trim(string(raw), `"`)
}

// heard returns the statuses that the client was notified of.
func (p *pair) heard() (statuses []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.told {
		if params, ok := strings.CutPrefix(line, "notifications/tasks/status "); ok {
			statuses = append(statuses, member(wire.Object(params), "status"))
		}
	}
	return statuses
}

// TestUnlogged checks that tasks without a logger report a panic on slog.Default, which may be set later.
func TestUnlogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(serverTasks)},
			tasks.New(tasks.Options{}).Over(mcp20251125.BindServer(server{t: t})))
		p := &pair{t: t, served: make(chan error, 1)}
		near, far := inproc.Pair()
		go func() { p.served <- srv.Serve(context.Background(), far) }()
		p.connect(near, `{}`)
		defer p.close()
		var logged bytes.Buffer
		defer slog.SetDefault(slog.Default())
		slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
		p.start("panic")
		synctest.Wait()
		if !strings.Contains(logged.String(), `level=ERROR msg="handler panicked"`) {
			t.Errorf("logged %q", logged.String())
		}
	})
}

func TestOutcomes(t *testing.T) {
	for _, row := range []struct {
		tool, status string
		result       string // begins with
	}{
		{"quick", "completed", `{"content":[{"type":"text","text":"done"}],"_meta":{"` + metaKey + `":{"taskId":"`},
		{"sleep", "completed", `{"content":[{"type":"text","text":"slept"}],"_meta":`},
		{"fail", "failed", `{"content":[{"type":"text","text":"failed"}],"isError":true,"_meta":`},
		{"error", "failed", "-32050 no"},
		{"broken", "failed", "-32603 internal error"},
		{"panic", "failed", "-32603 internal error"},
	} {
		t.Run(row.tool, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := open(t, tasks.Options{}, serverTasks, `{}`)
				defer p.close()
				id := p.start(row.tool)
				for range 2 {
					if got := p.ask("tasks/result", `{"taskId":"`+id+`"}`, "CallToolResult"); !strings.HasPrefix(string(got), row.result) {
						t.Errorf("got %s", got)
					}
				}
				synctest.Wait()
				if got := p.status(id); got != row.status {
					t.Errorf("status is %s", got)
				}
				if got := fmt.Sprint(p.heard()); got != "["+row.status+"]" {
					t.Errorf("notified of %s", got)
				}
				if got := p.ask("tasks/cancel", `{"taskId":"`+id+`"}`, "CancelTaskResult"); !strings.HasPrefix(string(got), "-32602") {
					t.Errorf("cancel: %s", got)
				}
			})
		})
	}
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, tasks.Options{}, serverTasks, `{}`)
		defer p.close()
		id := p.start("sleep")
		synctest.Wait()
		if got := member(p.ask("tasks/cancel", `{"taskId":"`+id+`"}`, "CancelTaskResult"), "status"); got != "cancelled" {
			t.Errorf("got %s", got)
		}
		time.Sleep(5 * time.Second)
		if got := p.status(id); got != "cancelled" {
			t.Errorf("later: %s", got)
		}
		if got := p.ask("tasks/result", `{"taskId":"`+id+`"}`, "CallToolResult"); !strings.HasPrefix(string(got), "-32602") {
			t.Errorf("result: %s", got)
		}
		if got := fmt.Sprint(p.heard()); got != "[cancelled]" {
			t.Errorf("notified of %s", got)
		}
	})
}

// TestForm checks that neither side passes on the answer to a form in a task that does not match the form.
func TestForm(t *testing.T) {
	const params, wrong = `{"message":"m","requestedSchema":{"type":"object","properties":{"age":{"type":"integer"}}}}`, wire.Object(`{"action":"accept","content":{"age":"old"}}`)
	f := &flaky{script: []func(string) (string, error){answers(`{"task":{"taskId":"A","status":"completed"}}`), answers(string(wrong))}}
	if err := tasks.Await(t.Context(), f, "elicitation/create", wire.Object(params), nil); err == nil || len(f.calls) != 2 {
		t.Errorf("the server: %v, calls %q", err, f.calls)
	}
	synctest.Test(t, func(t *testing.T) {
		below := runtime.Handlers{"elicitation/create": func(context.Context, *runtime.Message) (wire.Appender, error) { return wrong, nil }}.Bind("2025-11-25", mcp20251125.Methods)
		client := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1", Capabilities: wire.Raw(clientTasks), Logger: slog.New(slog.DiscardHandler)},
			tasks.New(tasks.Options{Logger: slog.New(slog.DiscardHandler)}).Over(below))
		server, near := mcptest.Pair()
		send := func(text string) { _ = server.Send(t.Context(), runtime.Outgoing{Text: []byte(text)}) }
		receive := func() wire.Object {
			in, err := server.Receive(t.Context())
			if err != nil {
				t.Error(err)
			}
			return wire.Object(in.Text)
		}
		go func() {
			receive()
			send(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
		}()
		session, err := client.Connect(t.Context(), near)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		receive() // notifications/initialized
		send(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":` + strings.Replace(params, "{", `{"task":{},`, 1) + `}`)
		created, _ := receive().Get("result")
		task, _ := wire.Object(created).Get("task")
		send(`{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"` + member(wire.Object(task), "taskId") + `"}}`)
		for answer := receive(); ; answer = receive() {
			if id, _ := answer.Get("id"); id != "2" {
				continue // a notification
			}
			if _, failed := answer.Get("error"); !failed {
				t.Errorf("the client: %s", answer)
			}
			break
		}
	})
}

// TestListWhileTasksExpire checks that the next page has all tasks that are left.
func TestListWhileTasksExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, tasks.Options{}, serverTasks, `{}`)
		defer p.close()
		start := func(ttl int) {
			p.ask("tools/call", fmt.Sprintf(`{"name":"quick","task":{"ttl":%d}}`, ttl), "CreateTaskResult")
		}
		for range 50 {
			start(1000)
		}
		for range 5 {
			start(60_000)
		}
		first := p.ask("tasks/list", `{}`, "ListTasksResult")
		time.Sleep(2 * time.Second)
		second := p.ask("tasks/list", `{"cursor":"`+member(first, "nextCursor")+`"}`, "ListTasksResult")
		if n := strings.Count(string(second), `"taskId"`); n != 5 {
			t.Errorf("%d tasks: %.1000s", n, second)
		}
	})
}

func TestTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, tasks.Options{MaxTTL: 2 * time.Second, MaxTasks: 51}, serverTasks, `{}`)
		defer p.close()
		id := p.start("sleep")
		for range 50 {
			p.start("quick")
		}
		if got := p.ask("tools/call", `{"name":"quick","task":{}}`, "CreateTaskResult"); !strings.HasPrefix(string(got), "-32000") {
			t.Errorf("one too many: %s", got)
		}
		first := p.ask("tasks/list", `{}`, "ListTasksResult")
		second := p.ask("tasks/list", `{"cursor":"`+member(first, "nextCursor")+`"}`, "ListTasksResult")
		if n := strings.Count(string(first+second), `"taskId"`); n != 51 || strings.Count(string(first), `"taskId"`) != 50 || member(second, "nextCursor") != "" {
			t.Errorf("%d tasks: %.1000s %.1000s", n, first, second)
		}
		if got := p.ask("tasks/list", `{"cursor":"x"}`, "ListTasksResult"); !strings.HasPrefix(string(got), "-32602") {
			t.Errorf("bad cursor: %s", got)
		}
		// A request waits for the result when the task expires.
		if got := p.ask("tasks/result", `{"taskId":"`+id+`"}`, "CallToolResult"); !strings.HasPrefix(string(got), "-32602") {
			t.Errorf("expired: %s", got)
		}
		if got := p.ask("tasks/get", `{"taskId":"`+id+`"}`, "GetTaskResult"); !strings.HasPrefix(string(got), "-32602") {
			t.Errorf("expired: %s", got)
		}
		// The others expire at the same instant, each by its own timer.
		synctest.Wait()
		if got := p.ask("tasks/list", `{}`, "ListTasksResult"); string(got) != `{"tasks":[]}` {
			t.Errorf("left: %s", got)
		}
	})
}

// TestInput has a task that asks its requester for input.
func TestInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, tasks.Options{}, serverTasks, clientTasks)
		defer p.close()
		id := p.start("ask")
		synctest.Wait()
		if got := p.status(id); got != "input_required" {
			t.Errorf("got %s", got)
		}
		if got := p.ask("tasks/result", `{"taskId":"`+id+`"}`, "CallToolResult"); !strings.Contains(string(got), "accept") {
			t.Errorf("got %s", got)
		}
		synctest.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		if !strings.Contains(strings.Join(p.told, "\n"), `"_meta":{"`+metaKey+`":{"taskId":"`+id+`"}}`) {
			t.Errorf("told %q", p.told)
		}
	})
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, tasks.Options{}, serverTasks, `{}`)
		defer p.close()
		p.ask("tools/call", `{"name":"progress","_meta":{"progressToken":"t"},"task":{}}`, "CreateTaskResult")
		time.Sleep(2 * time.Second)
		p.mu.Lock()
		defer p.mu.Unlock()
		if !strings.Contains(strings.Join(p.told, "\n"), `notifications/progress {"progressToken":"t","progress":1,`) {
			t.Errorf("told %q", p.told)
		}
	})
}

func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, tasks.Options{}, serverTasks, clientTasks)
		defer p.close()
		for tool, want := range map[string]string{"sleep": "slept", "ask": "accept", "delegate": "accept"} {
			var result mcp20251125.CallToolResult
			if err := tasks.Await(t.Context(), p, "tools/call", wire.Object(`{"name":"`+tool+`"}`), &result); err != nil {
				t.Errorf("%s: %v", tool, err)
			}
			if got, _ := wire.Marshal(&result); !strings.Contains(string(got), want) {
				t.Errorf("%s: %s", tool, got)
			}
		}
		var got []runtime.Progress
		ctx := runtime.WithProgress(t.Context(), func(p runtime.Progress) { got = append(got, p) })
		if err := tasks.Await(ctx, p, "tools/call", wire.Object(`{"name":"progress"}`), nil); err != nil {
			t.Error(err)
		}
		if len(got) != 1 || got[0].Message != "one" {
			t.Errorf("progress %+v", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		err := tasks.Await(ctx, p, "tools/call", wire.Object(`{"name":"sleep"}`), nil)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if got := p.ask("tasks/list", `{}`, "ListTasksResult"); !strings.Contains(string(got), `"cancelled"`) {
			t.Errorf("not cancelled: %s", got)
		}
	})
}

func TestRefused(t *testing.T) {
	support := func(tool string) string {
		return map[string]string{"o": "optional", "r": "required"}[tool]
	}
	for _, row := range []struct{ capabilities, method, params, want string }{
		{serverTasks, "tools/call", `{"name":"o","task":1}`, "-32602 invalid params: /task: expected an object, found a number\n"},
		{serverTasks, "tools/call", `{"name":"o","task":{"ttl":-1}}`, "-32602"},
		{serverTasks, "tools/call", `{"name":"o","task":{"ttl":0.5}}`, "-32602"},
		{serverTasks, "tools/call", `{"name":"o","task":{"ttl":9223372036854775807}}`, `{"task"`},
		{serverTasks, "tools/call", `{"name":"o"}`, `{"content"`},
		{serverTasks, "tools/call", `{"name":"r"}`, "-32601"},
		{serverTasks, "tools/call", `{"name":"none"}`, `{"content"`},
		{serverTasks, "tools/call", `{"name":"none","task":{}}`, "-32601"},
		{serverTasks, "tasks/get", `{"taskId":"x"}`, "-32602"},
		{serverTasks, "tasks/get", `{}`, "-32602"},
		{serverTasks, "tasks/result", `{"taskId":"x"}`, "-32602"},
		{serverTasks, "tasks/cancel", `{"taskId":"x"}`, "-32602"},
		{serverTasks, "tools/call", `{"name":"o","task":[]}`, "-32602 invalid params: /task: expected an object, found an array\n"},
	} {
		t.Run(row.method+" "+row.params, func(t *testing.T) {
			p := open(t, tasks.Options{Support: support}, wire.Raw(row.capabilities), `{}`)
			defer p.close()
			var result wire.Object
			err := p.Call(t.Context(), row.method, wire.Object(row.params), &result)
			got := string(result)
			if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
				got = fmt.Sprintln(e.Code, e.Message)
			}
			if !strings.HasPrefix(got, row.want) {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

// TestUndeclared checks that an undeclared request for a task is handled as a plain
// request.
func TestUndeclared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(`{"tools":{},"tasks":{}}`)},
			tasks.New(tasks.Options{}).Over(mcp20251125.BindServer(server{t: t})))
		near, far := mcptest.Pair()
		go srv.Serve(context.Background(), far)
		ctx := t.Context()
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","task":{},"arguments":{}}}`,
		} {
			if err := near.Send(ctx, runtime.Outgoing{Text: []byte(line)}); err != nil {
				t.Fatal(err)
			}
		}
		var last string
		for range 2 {
			in, err := near.Receive(ctx)
			if err != nil {
				t.Fatal(err)
			}
			last = in.Text
		}
		if !strings.Contains(last, `"result":{"content"`) {
			t.Errorf("got %s", last)
		}
		near.Close()
	})
}

// TestDeclared checks which tasks a binding declares when the program says nothing about them.
func TestDeclared(t *testing.T) {
	over := tasks.New(tasks.Options{}).Over
	server := over(mcp20251125.BindServer(server{t: t}))
	client := over(mcp20251125.BindClient(client{}))
	stateless := mcp20251125.BindServer(mcp20251125.UnimplementedServer{})
	stateless.Methods = slices.DeleteFunc(slices.Clone(stateless.Methods), func(m runtime.Method) bool { return m.Name == "initialize" })
	catalogue := mcp20251125.BindServer(mcp20251125.UnimplementedServer{})
	catalogue.Capabilities = func(wire.Appender) (wire.Appender, error) { return wire.Object(`{"tools":{}}`), nil }
	const call = `{"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}`
	for name, row := range map[string]struct {
		binding    runtime.Binding
		have, want string
	}{
		"tools":                    {server, `{"tools":{}}`, call},
		"tools of what is below":   {over(catalogue), `{}`, call},
		"no tools":                 {server, `{"prompts":{}}`, `{"prompts":{}}`},
		"sampling":                 {client, `{"sampling":{}}`, `{"sampling":{},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}}}}}`},
		"sampling and elicitation": {client, `{"sampling":{},"elicitation":{}}`, `{"sampling":{},"elicitation":{},"tasks":{"list":{},"cancel":{},"requests":{"elicitation":{"create":{}},"sampling":{"createMessage":{}}}}}`},
		"by hand":                  {server, `{"tools":{},"tasks":{"list":{}}}`, `{"tools":{},"tasks":{"list":{}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := row.binding.Capabilities(wire.Object(row.have))
			if err != nil {
				t.Fatal(err)
			}
			if text, err := wire.MarshalString(got); err != nil || text != row.want {
				t.Errorf("got %s, %v, want %s", text, err, row.want)
			}
		})
	}
	if over(stateless).Capabilities != nil {
		t.Error("a revision without sessions declares tasks")
	}
}

// TestStateless checks that revisions without sessions have no tasks of this kind.
func TestStateless(t *testing.T) {
	b := tasks.New(tasks.Options{Support: func(tool string) string {
		if tool == "required" {
			return "required"
		}
		return "optional"
	}}).Over(mcp20251125.BindServer(server{t: t}))
	b.Methods = slices.DeleteFunc(slices.Clone(b.Methods), func(m runtime.Method) bool { return m.Name == "initialize" })
	s := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "1", Capabilities: wire.Raw(serverTasks)}, b)
	for name, row := range map[string]struct{ method, params, want string }{
		"X24 a task that is asked for": {"tools/call", `"name":"a","task":{}`, `"text":"done"`},
		"X24 no task":                  {"tools/call", `"name":"a"`, `"text":"done"`},
		"X24 a tool that needs a task": {"tools/call", `"name":"required","task":{}`, `"code":-32602`},
		"X24 tasks/get":                {"tasks/get", `"taskId":"a"`, `"code":-32601`},
		"X24 tasks/list":               {"tasks/list", `"x":1`, `"code":-32601`},
	} {
		t.Run(name, func(t *testing.T) {
			line := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}}}}`,
				row.method, row.params, b.Revision)
			var out strings.Builder
			if err := s.Serve(t.Context(), &stdio.Transport{In: strings.NewReader(line + "\n"), Out: &out}); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); !strings.Contains(got, row.want) || strings.Contains(got, "taskId") {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

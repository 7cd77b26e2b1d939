package replicas

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/natsmcp/embedded"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestMain(m *testing.M) {
	if os.Getenv(variableStore) != "" {
		if err := replica(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fleet is the replicas of a test.
type fleet struct {
	t     *testing.T
	store string
	runs  string
	keys  []string // of the replicas, in hexadecimal digits; replicas that share sessions need one
	log   *os.File // of the replicas
}

// logTo collects the logs of the replicas in a file, whose end is shown if the test fails.
func (f *fleet) logTo(path string) {
	var err error
	if f.log, err = os.Create(path); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		_ = f.log.Close()
		if text, _ := os.ReadFile(path); f.t.Failed() {
			f.t.Logf("the replicas have logged:\n%s", text[max(0, len(text)-10_000):])
		}
	})
}

// start starts a replica and returns it with its URL.
func (f fleet) start(env ...string) (process *exec.Cmd, url string) {
	f.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), variableStore+"="+f.store, variableRuns+"="+f.runs, variableKeys+"="+strings.Join(f.keys, ",")), env...)
	cmd.Stderr = cmp.Or(f.log, os.Stderr)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { f.kill(cmd) })
	url, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		f.t.Fatal("a replica does not start: ", err)
	}
	return cmd, strings.TrimSpace(url)
}

// kill kills a replica, as kill -9 does.
func (f fleet) kill(process *exec.Cmd) {
	if err := process.Process.Kill(); err == nil {
		_ = process.Wait() // the error says that it was killed
	}
}

// attempts returns the attempts of each run of a tool so far, by the name that the run was given.
func (f fleet) attempts() map[string][]string {
	f.t.Helper()
	text, err := os.ReadFile(f.runs)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		f.t.Fatal(err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		name, attempt, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = append(all[name], attempt)
	}
	return all
}

// client is a client of one replica.
type client struct {
	*runtime.Session
	binding runtime.Binding
	opts    tasks.ClientOptions
}

// connect connects a client, whose user gives this answer to questions, or none. It sends the ids of the
// tasks that are created for it to created.
func (f fleet) connect(url, answer string, created chan<- string) client {
	f.t.Helper()
	c, err := f.dial(url, answer, created)
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

// dial is connect for a replica that may end meanwhile.
func (f fleet) dial(url, answer string, created chan<- string) (client, error) {
	transport, err := streamable.NewTransport(url, streamable.ClientOptions{})
	if err != nil {
		return client{}, err
	}
	answers := runtime.Handlers{"elicitation/create": func(context.Context, *runtime.Message) (wire.Appender, error) {
		if answer == "" {
			return nil, errors.New("nobody is there")
		}
		return wire.Object(`{"action":"` + answer + `"}`), nil
	}}
	c := client{binding: answers.Bind(mcp20260728.Revision, mcp20260728.Methods)}
	c.opts.Created = func(_ context.Context, id string) { created <- id }
	o := runtime.ClientOptions{Name: "c", Version: "1", Capabilities: wire.Raw(`{"elicitation":{}}`)}
	c.Session, err = runtime.NewClient(o, tasks.ExtendClient(c.binding, c.opts)).Connect(f.t.Context(), transport)
	if err != nil {
		return client{}, err
	}
	f.t.Cleanup(func() { _ = c.Close() }) // its replica may be dead
	return c, nil
}

// call calls a tool, which gets a name for the run.
func (c client) call(ctx context.Context, tool, as string) (string, error) {
	var result mcp20260728.CallToolResult
	err := c.Call(ctx, "tools/call", wire.Object(`{"name":"`+tool+`","arguments":{"as":"`+as+`"}}`), &result)
	return text(result), err
}

// resume waits for a task.
func (c client) resume(ctx context.Context, id string) (string, error) {
	var result mcp20260728.CallToolResult
	err := tasks.Resume(ctx, c, c.binding, c.opts, id, &result)
	return text(result), err
}

func text(r mcp20260728.CallToolResult) string {
	for _, block := range r.Content {
		if t, ok := block.(*mcp20260728.TextContent); ok {
			return t.Text
		}
	}
	return ""
}

// TestNATS kills one of two replicas that share a NATS server.
func TestNATS(t *testing.T) {
	s, err := embedded.Start(t.Context(), embedded.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Unsynced: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f := fleet{t: t, store: s.URL(), runs: filepath.Join(t.TempDir(), "runs"), keys: []string{newKey()}}
	_, url := f.start()
	takeOver(f, func() string { return url })
}

// TestSessionTasks kills the replica that works on the task of a session. The other one knows the task, and takes it
// over when the client asks for it.
func TestSessionTasks(t *testing.T) {
	s, err := embedded.Start(t.Context(), embedded.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Unsynced: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f := fleet{t: t, store: s.URL(), runs: filepath.Join(t.TempDir(), "runs"), keys: []string{newKey()}}
	doomed, one := f.start(variableHangs + "=yes")
	_, two := f.start()
	way := &detour{from: strings.TrimPrefix(one, "http://"), to: strings.TrimPrefix(two, "http://")}
	transport, err := streamable.NewTransport(one, streamable.ClientOptions{HTTPClient: &http.Client{Transport: way}})
	if err != nil {
		t.Fatal(err)
	}
	client := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, mcp20251125.BindClient(mcp20251125.UnimplementedClient{}))
	session, err := client.Connect(t.Context(), transport)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	ask := func(method, params string) wire.Object {
		t.Helper()
		var result wire.Object
		if err := session.Call(t.Context(), method, wire.Object(params), &result); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		return result
	}
	task, _ := ask("tools/call", `{"name":"dig","arguments":{"as":"dig"},"task":{}}`).Get("task")
	id := wire.Object(task).GetString("taskId")
	for len(f.attempts()["dig"]) == 0 {
		time.Sleep(time.Millisecond)
	}
	way.taken.Store(true)
	if r := ask("tasks/get", `{"taskId":"`+id+`"}`); r.GetString("status") != "working" {
		t.Errorf("at the other replica: %s", r)
	}
	for !strings.Contains(string(ask("tasks/list", `{}`)), id) { // the other replica hears of it
		time.Sleep(time.Millisecond)
	}
	f.kill(doomed)
	if r := ask("tasks/result", `{"taskId":"`+id+`"}`); !strings.Contains(string(r), "attempt 2") {
		t.Errorf("the result: %s", r)
	}
}

// detour sends requests for one host to another one, once it is taken.
type detour struct {
	from, to string
	taken    atomic.Bool
}

// RoundTrip implements http.RoundTripper.
func (d *detour) RoundTrip(r *http.Request) (*http.Response, error) {
	if d.taken.Load() && r.URL.Host == d.from {
		r = r.Clone(r.Context())
		r.URL.Host, r.Host = d.to, d.to
	}
	return http.DefaultTransport.RoundTrip(r)
}

// TestFile kills a server that keeps its tasks in a file, and starts it anew.
func TestFile(t *testing.T) {
	f := fleet{t: t, store: filepath.Join(t.TempDir(), "tasks.db"), runs: filepath.Join(t.TempDir(), "runs")}
	takeOver(f, func() string {
		_, url := f.start()
		return url
	})
}

// TestPoison calls a tool that ends the process, as a task, and starts the replica again whenever it has ended: the
// task fails after its third run, and then the replica lives.
func TestPoison(t *testing.T) {
	for name, store := range map[string]func(t *testing.T) string{
		"file": func(t *testing.T) string { return filepath.Join(t.TempDir(), "tasks.db") },
		"NATS": func(t *testing.T) string {
			s, err := embedded.Start(t.Context(), embedded.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Unsynced: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s.URL()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fleet{t: t, store: store(t), runs: filepath.Join(t.TempDir(), "runs")}
			if name == "NATS" { // where replicas share sessions, too
				f.keys = []string{newKey()}
			}
			f.logTo(filepath.Join(t.TempDir(), "log"))
			process, url := f.start()
			created := make(chan string, 1)
			c := f.connect(url, "", created)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			go c.call(ctx, "poison", "poison")
			id := <-created
			if err := os.WriteFile(f.runs+poisonous, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			var state wire.Object
			for state.GetString("status") != "failed" {
				err := c.Call(t.Context(), "tasks/get", wire.Object(`{"taskId":"`+id+`"}`), &state)
				for err != nil {
					_ = process.Wait() // the error says that it has panicked
					process, url = f.start()
					c, err = f.dial(url, "", created)
				}
				time.Sleep(10 * time.Millisecond)
			}
			if problem, _ := state.Get("error"); !strings.Contains(string(problem), "too often") {
				t.Errorf("the task: %s", state)
			}
			if runs := f.attempts()["poison"]; !slices.Equal(runs, []string{"1", "2", "3"}) {
				t.Errorf("the attempts are %q", runs)
			}
		})
	}
}

// takeOver kills a replica that works on tasks and has asked for input. Another one, whose URL survivor
// returns after that, finishes the work, and does not repeat what was finished.
func takeOver(f fleet, survivor func() string) {
	t := f.t
	const tasksHeld = 5
	doomed, url := f.start(variableHangs + "=yes")
	created := make(chan string, tasksHeld+1)
	c := f.connect(url, "decline", created)

	if said, err := c.call(t.Context(), "ask", "finished"); err != nil || said != "answer: decline" {
		t.Fatalf("before the end: %q, %v", said, err)
	}
	finished := <-created
	before := len(f.attempts()["finished"])

	var calls sync.WaitGroup
	for i := range tasksHeld {
		calls.Go(func() {
			if said, err := c.call(t.Context(), "dig", fmt.Sprint("held", i)); err == nil {
				t.Errorf("a replica that was killed has answered %q", said)
			}
		})
	}
	var held []string
	for range tasksHeld {
		held = append(held, <-created)
	}
	asking := f.asks(url)
	for begun := 0; begun < tasksHeld; time.Sleep(time.Millisecond) { // until all of them are at work
		begun = 0
		for i := range tasksHeld {
			begun += min(1, len(f.attempts()[fmt.Sprint("held", i)]))
		}
	}
	f.kill(doomed)
	calls.Wait()

	alive := f.connect(survivor(), "decline", created)
	for _, id := range held {
		said, err := alive.resume(t.Context(), id)
		var attempt int
		if n, _ := fmt.Sscanf(said, "attempt %d", &attempt); err != nil || n != 1 || attempt < 2 {
			t.Errorf("task %s: %q, %v", id, said, err)
		}
	}
	if said, err := alive.resume(t.Context(), asking); err != nil || said != "answer: decline" {
		t.Errorf("a task that had asked: %q, %v", said, err)
	}
	if said, err := alive.resume(t.Context(), finished); err != nil || said != "answer: decline" {
		t.Errorf("a task that was finished: %q, %v", said, err)
	}
	if runs := f.attempts(); len(runs["finished"]) != before {
		t.Errorf("finished work has run again: %v", runs)
	}
}

// asks returns a task that has asked the client, which has not answered.
func (f fleet) asks(url string) (id string) {
	f.t.Helper()
	created := make(chan string, 1)
	said, err := f.connect(url, "", created).call(f.t.Context(), "ask", "asking")
	if err == nil || !strings.Contains(err.Error(), "nobody is there") {
		f.t.Fatalf("a question without an answer: %q, %v", said, err)
	}
	return <-created
}

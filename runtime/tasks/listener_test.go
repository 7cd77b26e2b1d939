package tasks_test

import (
	"context"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// watched is a store that counts the functions which watch its tasks.
type watched struct {
	tasks.Store
	watching atomic.Int64
}

func (w *watched) Watch(id string, changed func()) func() {
	stop := w.Store.Watch(id, changed)
	w.watching.Add(1)
	return func() {
		w.watching.Add(-1)
		stop()
	}
}

// startMany starts tasks that wait for their client.
func (e *extended) startMany(n int) (ids []string) {
	for range n {
		ids = append(ids, e.start("ask"))
	}
	synctest.Wait()
	return ids
}

// hear reads a notification of the state of a task.
func (e *extended) hear() (status, id string) {
	e.t.Helper()
	for {
		in, err := e.near.Receive(e.t.Context())
		if err != nil {
			e.t.Fatal(err)
		}
		if m, err := jsonrpc.Parse(in.Text); err == nil && m.Method == "notifications/tasks" {
			return wire.Object(m.Params).GetString("status"), wire.Object(m.Params).GetString("taskId")
		}
	}
}

// listen sends a request that listens to tasks, reads the acknowledgement and a notification for each task that is
// in it, and returns their number.
func (e *extended) listen(ids []string) (accepted int) {
	e.t.Helper()
	e.send("subscriptions/listen", `{"notifications":{"taskIds":["`+strings.Join(ids, `","`)+`"]}}`, declaring)
	in, err := e.near.Receive(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	for _, id := range ids {
		accepted += strings.Count(in.Text, id)
	}
	for range accepted {
		e.hear()
	}
	return accepted
}

// TestListenIsCheap checks that subscribers take no goroutine for each of their tasks, and leave nothing behind.
func TestListenIsCheap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &watched{Store: tasks.NewMemory(0)}
		e := newExtended(t, store, "eve", &counter{})
		ids := e.startMany(100)
		before := goruntime.NumGoroutine()
		const requests = 20
		for range requests {
			if n := e.listen(ids); n != len(ids) {
				t.Fatalf("a request listens to %d tasks of %d", n, len(ids))
			}
		}
		synctest.Wait()
		if n := goruntime.NumGoroutine() - before; n > 5*requests {
			t.Errorf("%d requests that listen to %d tasks each take %d goroutines", requests, len(ids), n)
		}
		if n := store.watching.Load(); n != requests*int64(len(ids)) {
			t.Errorf("%d functions watch the tasks", n)
		}
		e.ask("tasks/cancel", `{"taskId":"`+ids[0]+`"}`, declaring)
		for heard := len(e.heard); heard < requests; heard++ { // the others were heard before the answer
			e.hear()
		}
		synctest.Wait()
		if n := store.watching.Load(); n != requests*int64(len(ids)-1) {
			t.Errorf("%d functions watch the tasks after one has ended", n)
		}
		e.near.Close()
		synctest.Wait()
		if n := store.watching.Load(); n != 0 {
			t.Errorf("%d functions still watch the tasks after the requests have ended", n)
		}
	})
}

// TestListenToMany checks that a request listens to a limited number of tasks, and that another request takes the
// others.
func TestListenToMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newExtended(t, nil, "", &counter{})
		ids := e.startMany(150)
		if n := e.listen(ids); n != 100 {
			t.Errorf("a request for %d tasks listens to %d", len(ids), n)
		}
		if n := e.listen(ids[100:]); n != 50 {
			t.Errorf("a request for 50 tasks listens to %d", n)
		}
	})
}

// TestListenToChanges checks that a subscriber that does not read for a while gets the last state of each task.
func TestListenToChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newExtended(t, nil, "", &counter{})
		left := map[string]bool{}
		var ids []string
		for range 50 {
			id := e.start("sleep")
			left[id] = true
			ids = append(ids, id)
		}
		e.send("subscriptions/listen", `{"notifications":{"taskIds":["`+strings.Join(ids, `","`)+`"]}}`, declaring)
		time.Sleep(10 * time.Second) // until all have ended
		for len(left) > 0 {
			status, id := e.hear()
			if status == "completed" {
				delete(left, id)
			}
		}
	})
}

// TestListenWhileUnreadable checks that a subscriber gets the end of a task that the store could not read at once.
func TestListenWhileUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &unreadable{Store: tasks.NewMemory(0)}
		e := newExtended(t, store, "", &counter{})
		id := e.start("ask")
		synctest.Wait()
		e.listen([]string{id})
		store.id.Store(id)
		r, err := store.Store.Get(t.Context(), id)
		if err == nil {
			r.Status, r.Questions = "cancelled", nil
			err = store.Swap(t.Context(), r)
		}
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		store.id.Store("")
		if status, _ := e.hear(); status != "cancelled" {
			t.Errorf("the subscriber got %s", status)
		}
	})
}

// punctual is a store that does nothing after the end of a context.
type punctual struct{ *watched }

func (p punctual) Get(ctx context.Context, id string) (*tasks.Record, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return p.watched.Get(ctx, id)
}

// TestExpiredTaskIsForgotten checks that a session does not watch a task whose lifetime has ended before its work.
func TestExpiredTaskIsForgotten(t *testing.T) {
	store := &watched{Store: tasks.NewMemory(0)}
	overHTTP(t, tasks.Options{Store: punctual{store}}, true, func(p *pair) {
		p.start("ask")
		time.Sleep(time.Minute)
		if n := store.watching.Load(); n != 0 {
			t.Errorf("%d functions watch the task after its lifetime", n)
		}
	})
}

// slow is a store that takes five seconds to store that a task requires input.
type slow struct{ tasks.Store }

func (s slow) Swap(ctx context.Context, r *tasks.Record) error {
	if r.Status == "input_required" {
		time.Sleep(5 * time.Second)
	}
	return s.Store.Swap(ctx, r)
}

// TestProgressWhileStoring checks that a task can report its progress while its status is being stored.
func TestProgressWhileStoring(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, tasks.Options{Store: slow{tasks.NewMemory(0)}}, serverTasks, clientTasks)
		defer p.close()
		p.ask("tools/call", `{"name":"ask and progress","_meta":{"progressToken":"t"},"task":{}}`, "CreateTaskResult")
		time.Sleep(2 * time.Second)
		p.mu.Lock()
		told := strings.Join(p.told, "\n")
		p.mu.Unlock()
		if !strings.Contains(told, "notifications/progress") {
			t.Errorf("told %s", told)
		}
		time.Sleep(10 * time.Second)
	})
}

// TestNotifyPanic checks that middleware that panics when a client is told about a task does not end the program.
func TestNotifyPanic(t *testing.T) {
	panics := func(next runtime.Handler) runtime.Handler {
		return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
			if strings.HasPrefix(m.Method, "notifications/tasks") {
				panic("middleware")
			}
			return next(ctx, m)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		e := newExtended(t, nil, "", &counter{}, func(_ *tasks.Options, s *runtime.ServerOptions) {
			s.Sending = append(s.Sending, panics)
		})
		id := e.start("sleep")
		e.send("subscriptions/listen", `{"notifications":{"taskIds":["`+id+`"]}}`, declaring)
		time.Sleep(4 * time.Second)
		if r := e.get(id); r.GetString("status") != "completed" {
			t.Errorf("the task of a client that listens: %s", r)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		srv := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(serverTasks), Sending: []runtime.Middleware{panics}},
			tasks.New(tasks.Options{}).Over(mcp20251125.BindServer(server{t: t})))
		p := &pair{t: t, served: make(chan error, 1)}
		near, far := inproc.Pair()
		go func() { p.served <- srv.Serve(context.Background(), far) }()
		p.connect(near, `{}`)
		id := p.start("sleep")
		time.Sleep(4 * time.Second)
		if status := p.status(id); status != "completed" {
			t.Errorf("the task of a session: %s", status)
		}
		p.close()
	})
}

// TestNotifySlowly checks that the work of a task does not wait for a client that does not read what it is told about the
// task, and that the client then gets the newest state.
func TestNotifySlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read := make(chan struct{})
		slowly := func(next runtime.Handler) runtime.Handler {
			return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
				if m.Method == "notifications/tasks/status" {
					<-read
				}
				return next(ctx, m)
			}
		}
		keeper := tasks.New(tasks.Options{})
		srv := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(serverTasks), Sending: []runtime.Middleware{slowly}},
			keeper.Over(mcp20251125.BindServer(server{t: t})))
		p := &pair{t: t, served: make(chan error, 1)}
		near, far := inproc.Pair()
		go func() { p.served <- srv.Serve(context.Background(), far) }()
		p.connect(near, clientTasks)
		id := p.start("ask")
		time.Sleep(4 * time.Second)
		if status := p.status(id); status != "completed" {
			t.Errorf("the task is %s", status)
		}
		keeper.Close()
		close(read)
		synctest.Wait()
		if got := p.heard(); len(got) == 0 || got[len(got)-1] != "completed" || len(got) > 2 {
			t.Errorf("the client was told %q", got)
		}
		p.close()
	})
}

// hesitant is a store that takes five seconds to say that it has stored that a task is working.
type hesitant struct{ tasks.Store }

func (h hesitant) Swap(ctx context.Context, r *tasks.Record) error {
	err := h.Store.Swap(ctx, r)
	if r.Status == "working" {
		time.Sleep(5 * time.Second)
	}
	return err
}

// TestEndIsToldLast checks that the client is told no earlier state of a task after the last one.
func TestEndIsToldLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, tasks.Options{Store: hesitant{tasks.NewMemory(0)}}, serverTasks, clientTasks)
		defer p.close()
		id := p.start("ask")
		time.Sleep(3 * time.Second) // the client has answered
		p.ask("tasks/cancel", `{"taskId":"`+id+`"}`, "CancelTaskResult")
		time.Sleep(10 * time.Second)
		if got := p.heard(); len(got) == 0 || got[len(got)-1] != "cancelled" {
			t.Errorf("the client was told %q", got)
		}
	})
}

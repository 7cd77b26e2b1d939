package tasks_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestTakeOver checks that another process takes over work whose lease has ended, that the handler sees
// it, and that the work that ends later than its lease changes nothing.
func TestTakeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counter{held: make(chan struct{})}
		store := &stalled{Store: tasks.NewMemory(0)}
		dead, alive := newExtended(t, store, "", c), newExtended(t, store.Store, "", c)
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- alive.keeper.Serve(ctx, alive.server) }()
		id := dead.start("count")
		synctest.Wait()
		store.stall.Store(true) // the first process no longer renews its lease
		time.Sleep(150 * time.Second)
		r := alive.get(id)
		if r.GetString("status") != "completed" || !strings.Contains(string(r), "attempt 2") {
			t.Errorf("after the takeover: %s", r)
		}
		close(c.held)
		time.Sleep(2 * time.Minute)
		if after := alive.get(id); string(after) != string(r) || c.ran.Load() != 2 {
			t.Errorf("after the end of the first run: %s, %d runs", after, c.ran.Load())
		}
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// stalled is a store in which nothing can be changed for some time, and which tells nobody about changes meanwhile.
type stalled struct {
	tasks.Store
	stall atomic.Bool
	blind atomic.Bool // nothing can be read
}

func (s *stalled) Get(ctx context.Context, id string) (*tasks.Record, error) {
	if s.blind.Load() {
		return nil, errors.New("the store is blind")
	}
	return s.Store.Get(ctx, id)
}

func (s *stalled) Swap(ctx context.Context, r *tasks.Record) error {
	if s.stall.Load() {
		return errors.New("the store is stalled")
	}
	return s.Store.Swap(ctx, r)
}

func (s *stalled) Watch(id string, changed func()) func() {
	return s.Store.Watch(id, func() {
		if !s.stall.Load() {
			changed()
		}
	})
}

// TestOutcomeIsStoredLater checks that the outcome of a task is stored when the store works again.
func TestOutcomeIsStoredLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &stalled{Store: tasks.NewMemory(0)}
		e := newExtended(t, store, "", &counter{})
		id := e.start("sleep")
		store.stall.Store(true)
		time.Sleep(20 * time.Second)
		if r := e.get(id); r.GetString("status") != "working" {
			t.Errorf("while the store fails: %s", r)
		}
		store.stall.Store(false)
		time.Sleep(2 * time.Second)
		if r := e.get(id); r.GetString("status") != "completed" {
			t.Errorf("then: %s", r)
		}
	})
}

// small is a store of tasks without large results.
type small struct{ tasks.Store }

func (s small) Swap(ctx context.Context, r *tasks.Record) error {
	if len(r.Result) > 50 {
		return tasks.ErrTooLarge
	}
	return s.Store.Swap(ctx, r)
}

// TestLargeOutcome checks that a task fails if its result cannot be stored.
func TestLargeOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newExtended(t, small{tasks.NewMemory(0)}, "", &counter{})
		id := e.start("count")
		synctest.Wait()
		if r := e.get(id); r.GetString("status") != "failed" || !strings.Contains(string(r), "too large") {
			t.Errorf("a task with a large result: %s", r)
		}
	})
}

// TestLongQuestion checks that people may answer a question as long as the task lives, that another
// process with other keys goes on with the task, and that Rounds.Use has no say in it.
func TestLongQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := tasks.NewMemory(0)
		replica := func() *extended {
			return newExtended(t, store, "ann", &counter{}, func(o *tasks.Options, s *runtime.ServerOptions) {
				o.TTL = time.Hour
				s.Rounds = runtime.Rounds{Lifetime: time.Minute, Use: runtime.UseOnce(10)}
			})
		}
		first := replica()
		id := first.start("ask")
		synctest.Wait()
		first.keeper.Close()
		second := replica()
		time.Sleep(50 * time.Minute)
		questions, _ := second.get(id).Get("inputRequests")
		for key := range wire.Object(questions).All() {
			second.ask("tasks/update", `{"taskId":"`+id+`","inputResponses":{"`+key+`":{"action":"decline"}}}`, declaring)
		}
		synctest.Wait()
		if r := second.get(id); r.GetString("status") != "completed" || !strings.Contains(string(r), "answer: decline") {
			t.Errorf("after 50 minutes: %s", r)
		}
		r := second.ask("tools/call", `{"name":"late"}`, declaring)
		if r = second.answerLate(r); r.GetString("resultType") != "task" {
			t.Fatalf("late: %s", r)
		}
		synctest.Wait()
		if r := second.get(r.GetString("taskId")); r.GetString("status") != "completed" {
			t.Errorf("a state that may be used once, in the call and in its task: %s", r)
		}
	})
}

// answerLate repeats the call of the tool "late" with an answer to the question in its result.
func (e *extended) answerLate(r wire.Object) wire.Object {
	questions, _ := r.Get("inputRequests")
	for key := range wire.Object(questions).All() {
		return e.ask("tools/call", `{"name":"late","requestState":"`+r.GetString("requestState")+`","inputResponses":{"`+key+`":{"action":"cancel"}}}`, declaring)
	}
	return r
}

// TestReplicaKeys checks that replicas with the same keys take over tasks that began with the answers of the
// client, and that others say what is wrong.
func TestReplicaKeys(t *testing.T) {
	for _, shared := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			store := tasks.NewMemory(0)
			replica := func() *extended {
				return newExtended(t, store, "", &counter{}, func(_ *tasks.Options, s *runtime.ServerOptions) {
					if shared {
						s.Rounds.Keys = [][]byte{[]byte("0123456789abcdef0123456789abcdef")}
					}
				})
			}
			first, second := replica(), replica()
			asked := first.ask("tools/call", `{"name":"late"}`, declaring)
			first.keeper.Close() // it creates the task, and ends before it does the work
			id := first.answerLate(asked).GetString("taskId")
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			go second.keeper.Serve(ctx, second.server)
			time.Sleep(3 * time.Minute)
			want := "replicas need the same Rounds.Keys"
			if shared {
				want = "answer: cancel"
			}
			if r := second.get(id); !strings.Contains(string(r), want) {
				t.Errorf("the keys are shared: %t: %s", shared, r)
			}
		})
	}
}

// TestKeptStates checks that clients cannot make the states that a server keeps itself.
func TestKeptStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := tasks.NewMemory(0)
		e := newExtended(t, store, "", &counter{})
		id := e.start("ask")
		synctest.Wait()
		r, err := store.Get(t.Context(), id)
		if err != nil || r.State == "" {
			t.Fatal(r, err)
		}
		for _, capabilities := range []string{declaring, `{"elicitation":{}}`} {
			if got := e.ask("tools/call", `{"name":"ask","requestState":`+string(r.State)+`}`, capabilities); code(got) != "-32602" {
				t.Errorf("a state that the server keeps itself, sent by a client with %s: %s", capabilities, got)
			}
		}
	})
}

// TestOtherRequests checks that any request can be a task: the server takes over one that was stored by
// another process, and the client of the binding gets what the request returns.
// X4
func TestOtherRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := tasks.NewMemory(0)
		e := newExtended(t, store, "ann", &counter{})
		now := time.Now()
		err := store.Create(t.Context(), &tasks.Record{
			ID: "greet-ann", Owner: "ann", Method: "prompts/get", Status: "working", Created: now, Updated: now, Expires: now.Add(time.Hour), Attempt: 1,
			Params: `{"name":"greet","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + declaring + `}}`,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go e.keeper.Serve(ctx, e.server)
		synctest.Wait()
		if r := e.get("greet-ann"); r.GetString("status") != "completed" || !strings.Contains(string(r), "Good morning") {
			t.Errorf("X4: %s", r)
		}
	})
}

// TestOtherRecords checks that a client can neither see nor change a record of its store that is no task.
func TestOtherRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := tasks.NewMemory(0)
		e := newExtended(t, store, "", &counter{})
		r := &tasks.Record{ID: "session-A", State: `{}`, Expires: time.Now().Add(time.Hour)}
		if err := store.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		for _, method := range []string{"tasks/get", "tasks/cancel"} {
			if got := e.ask(method, `{"taskId":"session-A"}`, declaring); code(got) != "-32602" {
				t.Errorf("%s: %s", method, got)
			}
		}
		if now, err := store.Get(t.Context(), r.ID); err != nil || now.Version != r.Version {
			t.Errorf("then: %+v, %v", now, err)
		}
	})
}

// TestPoison checks that a task whose processes die again and again is taken over later each time, and then
// fails.
func TestPoison(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		defer close(held)
		long := func(o *tasks.Options, _ *runtime.ServerOptions) { o.TTL, o.MaxTTL = 24*time.Hour, 24*time.Hour }
		memory := tasks.NewMemory(0)
		first := &stalled{Store: memory}
		id := newExtended(t, first, "", &counter{held: held}, long).start("count")
		synctest.Wait()
		first.stall.Store(true) // the process dies
		began := time.Now()
		var waits []time.Duration
		for range 10 {
			before, err := memory.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			store := &stalled{Store: memory}
			replica := newExtended(t, store, "", &counter{held: held}, long)
			ctx, stop := context.WithCancel(t.Context())
			go replica.keeper.Serve(ctx, replica.server)
			r := before
			for r.Attempt == before.Attempt && r.Status == "working" {
				time.Sleep(time.Second)
				if r, err = memory.Get(t.Context(), id); err != nil {
					t.Fatal(err)
				}
			}
			store.stall.Store(true)
			stop()
			waits = append(waits, time.Since(began).Round(time.Minute))
			began = time.Now()
			if r.Status == "failed" {
				if r.Attempt != 3 || len(waits) != 3 {
					t.Errorf("it fails after %d attempts and %v", r.Attempt, waits)
				}
				if waits[1] <= waits[0] {
					t.Errorf("the pauses are %v", waits)
				}
				if got := replica.get(id); !strings.Contains(string(got), "too often") {
					t.Errorf("the task: %s", got)
				}
				return
			}
		}
		t.Errorf("after %v, the task still takes processes with it", waits)
	})
}

// TestTakeOverOutlivesServe checks that work which a process has taken over goes on after Serve has returned, and is
// handed over when the process closes.
func TestTakeOverOutlivesServe(t *testing.T) {
	for _, closes := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			store := tasks.NewMemory(0)
			first, second, third := newExtended(t, store, "", &counter{}), newExtended(t, store, "", &counter{}), newExtended(t, store, "", &counter{})
			id := first.start("sleep")
			synctest.Wait()
			first.keeper.Close()
			ctx, stop := context.WithCancel(t.Context())
			served := make(chan error, 1)
			go func() { served <- second.keeper.Serve(ctx, second.server) }()
			synctest.Wait() // until it has taken the task over
			stop()
			if err := <-served; err != nil {
				t.Error(err)
			}
			attempt := 2
			if closes {
				second.keeper.Close()
				attempt = 3
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				go third.keeper.Serve(ctx, third.server)
			}
			time.Sleep(4 * time.Second)
			r, err := store.Get(t.Context(), id)
			if err != nil || r.Status != "completed" || r.Attempt != attempt {
				t.Errorf("closes %t: %+v, %v", closes, r, err)
			}
		})
	}
}

// TestTakeOversAreBounded checks that a process takes over a few tasks at once, and all in the end.
func TestTakeOversAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const all = 100
		store := tasks.NewMemory(0)
		e := newExtended(t, store, "", &counter{})
		now := time.Now()
		ids := make([]string, all)
		for i := range ids {
			ids[i] = fmt.Sprintf("task%d", i)
			err := store.Create(t.Context(), &tasks.Record{
				ID: ids[i], Method: "tools/call", Status: "working", Created: now, Updated: now, Expires: now.Add(time.Hour), Poll: time.Second,
				Params: `{"name":"sleep","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + declaring + `}}`,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		count := func(has func(*tasks.Record) bool) (n int) {
			for _, id := range ids {
				r, err := store.Get(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				if has(r) {
					n++
				}
			}
			return n
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go e.keeper.Serve(ctx, e.server)
		synctest.Wait()
		if n := count(func(r *tasks.Record) bool { return r.Holder != "" }); n != 16 {
			t.Errorf("%d tasks are taken over at once", n)
		}
		time.Sleep(50 * time.Second) // less than a lease
		if n := count(func(r *tasks.Record) bool { return r.Status == "completed" }); n != all {
			t.Errorf("%d tasks are completed", n)
		}
	})
}

// unreadable is a store in which a task cannot be read for some time.
type unreadable struct {
	tasks.Store
	id atomic.Value // string
}

func (u *unreadable) Get(ctx context.Context, id string) (*tasks.Record, error) {
	if id == u.id.Load() {
		return nil, errors.New("the task cannot be read")
	}
	return u.Store.Get(ctx, id)
}

// TestTakeOverAfterUnreadable checks that a task that cannot be read does not keep others from being taken over.
func TestTakeOverAfterUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &unreadable{Store: tasks.NewMemory(0)}
		first, second := newExtended(t, store, "", &counter{}), newExtended(t, store, "", &counter{})
		ids := []string{first.start("sleep"), first.start("sleep")}
		synctest.Wait()
		first.keeper.Close()
		store.id.Store(min(ids[0], ids[1]))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go second.keeper.Serve(ctx, second.server)
		time.Sleep(4 * time.Second)
		if r := second.get(max(ids[0], ids[1])); r.GetString("status") != "completed" {
			t.Errorf("the other task: %s", r)
		}
	})
}

// TestTakeOverWhenFree checks that a process that works on as many tasks as it may takes over others soon afterwards.
func TestTakeOverWhenFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := tasks.NewMemory(0)
		dead, busy := newExtended(t, store, "", &counter{}), newExtended(t, store, "", &counter{}, func(o *tasks.Options, _ *runtime.ServerOptions) {
			o.MaxRunning = 1
		})
		id := dead.start("sleep")
		synctest.Wait()
		busy.start("sleep")
		dead.keeper.Close()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go busy.keeper.Serve(ctx, busy.server)
		time.Sleep(10 * time.Second) // each of both takes three seconds
		if r := busy.get(id); r.GetString("status") != "completed" {
			t.Errorf("the task: %s", r)
		}
	})
}

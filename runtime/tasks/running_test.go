package tasks_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func running(all, perOwner int) func(*tasks.Options, *runtime.ServerOptions) {
	return func(o *tasks.Options, _ *runtime.ServerOptions) { o.MaxRunning, o.MaxRunningPerOwner = all, perOwner }
}

// TestMaxRunning checks that calls are refused as busy while too many tasks run, of one owner and of all.
func TestMaxRunning(t *testing.T) {
	for _, test := range []struct {
		name, principal string
		all, perOwner   int
		want            int
	}{
		{"all", "", 3, 2, 3}, // the tasks have no owner
		{"an owner", "ann", 3, 2, 2},
		{"the defaults, of an owner", "ann", 0, 0, 100},
		{"the defaults, of all", "", 0, 0, 1000},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newExtended(t, nil, test.principal, &counter{}, running(test.all, test.perOwner))
				for range 2 { // the second time, the first ones have ended
					for range test.want {
						e.start("sleep")
					}
					if r := e.ask("tools/call", `{"name":"sleep"}`, declaring); code(r) != "503" {
						t.Errorf("one task more than %d: %s", test.want, r)
					}
					if r := e.ask("tools/call", `{"name":"count"}`, `{}`); r.GetString("resultType") != "complete" {
						t.Errorf("a call that is no task: %s", r)
					}
					time.Sleep(4 * time.Second)
				}
			})
		})
	}
}

// TestMaxRunningOfSession checks the limit for tasks of sessions.
func TestMaxRunningOfSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, tasks.Options{MaxRunning: 1}, serverTasks, clientTasks)
		p.start("sleep")
		call := func() wire.Object {
			return wire.Object(p.ask("tools/call", `{"name":"sleep","task":{}}`, "CreateTaskResult"))
		}
		if r := call(); len(r) < 6 || r[:6] != "-32000" {
			t.Errorf("one task more than 1: %s", r)
		}
		time.Sleep(4 * time.Second)
		p.start("sleep")
		time.Sleep(4 * time.Second)
		p.Close()
	})
}

// TestCancelledWorkRuns checks that a task whose handler does not return counts after it was cancelled.
func TestCancelledWorkRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counter{held: make(chan struct{})}
		e := newExtended(t, nil, "ann", c, running(1, 1))
		id := e.start("count")
		synctest.Wait()
		e.ask("tasks/cancel", `{"taskId":"`+id+`"}`, declaring)
		time.Sleep(time.Second)
		if r := e.get(id); r.GetString("status") == "working" {
			t.Errorf("the cancelled task: %s", r)
		}
		if r := e.ask("tools/call", `{"name":"count"}`, declaring); code(r) != "503" {
			t.Errorf("while the handler runs: %s", r)
		}
		close(c.held)
		synctest.Wait()
		e.start("count")
	})
}

// TestUpdateWaitsForRoom checks that a task which waits for its client does not count, and that its client cannot
// let it go on while too many others run.
func TestUpdateWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newExtended(t, nil, "ann", &counter{}, running(1, 1))
		id := e.start("ask")
		synctest.Wait()
		e.start("sleep")
		questions, _ := e.get(id).Get("inputRequests")
		for key := range wire.Object(questions).All() {
			answer := `{"taskId":"` + id + `","inputResponses":{"` + key + `":{"action":"decline"}}}`
			if r := e.ask("tasks/update", answer, declaring); code(r) != "503" {
				t.Errorf("while another task runs: %s", r)
			}
			if r := e.get(id); r.GetString("status") != "input_required" {
				t.Errorf("after an update that was refused: %s", r)
			}
			time.Sleep(4 * time.Second)
			e.ask("tasks/update", `{"taskId":"`+id+`","inputResponses":{"unknown":{}}}`, declaring)
			e.ask("tasks/update", answer, declaring)
		}
		synctest.Wait()
		if r := e.get(id); r.GetString("status") != "completed" {
			t.Errorf("then: %s", r)
		}
	})
}

// TestTakeOverWaitsForRoom checks that a process takes over no more than it may work on, and the rest later.
func TestTakeOverWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := tasks.NewMemory(0)
		first := newExtended(t, store, "ann", &counter{})
		var ids []string
		for range 4 {
			ids = append(ids, first.start("sleep"))
		}
		synctest.Wait()
		first.keeper.Close()
		second := newExtended(t, store, "ann", &counter{}, running(2, 1))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go second.keeper.Serve(ctx, second.server)
		for _, want := range []int{0, 2, 4} {
			synctest.Wait()
			n := 0
			for _, id := range ids {
				if second.get(id).GetString("status") == "completed" {
					n++
				}
			}
			if n != want {
				t.Errorf("%d tasks have completed, want %d", n, want)
			}
			time.Sleep(3 * time.Second)
		}
	})
}

// slowSwap is a store whose changes wait until proceed is closed.
type slowSwap struct {
	tasks.Store
	swapping, proceed chan struct{}
}

func (s *slowSwap) Swap(ctx context.Context, r *tasks.Record) error {
	s.swapping <- struct{}{}
	<-s.proceed
	return s.Store.Swap(ctx, r)
}

// TestTakeOverKeepsRoom checks that a task that is being taken over counts, although the store is slow.
func TestTakeOverKeepsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := tasks.NewMemory(0)
		first := newExtended(t, store, "ann", &counter{})
		first.start("sleep")
		synctest.Wait()
		first.keeper.Close()
		slow := &slowSwap{store, make(chan struct{}, 100), make(chan struct{})}
		second := newExtended(t, slow, "ann", &counter{}, running(1, 1))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go second.keeper.Serve(ctx, second.server)
		<-slow.swapping
		if r := second.ask("tools/call", `{"name":"sleep"}`, declaring); code(r) != "503" {
			t.Errorf("a task while another one is taken over: %s", r)
		}
		close(slow.proceed)
		time.Sleep(4 * time.Second)
		second.start("sleep") // there is room again
	})
}

// used is a store that counts its calls that have not returned. The next read takes five seconds if slow is set.
type used struct {
	watched
	calls atomic.Int64
	slow  atomic.Bool
}

func (u *used) Get(ctx context.Context, id string) (*tasks.Record, error) {
	u.calls.Add(1)
	defer u.calls.Add(-1)
	if u.slow.Swap(false) {
		time.Sleep(5 * time.Second)
	}
	return u.Store.Get(ctx, id)
}

// TestCloseLeavesStore checks that Close waits for the renewal of a lease and ends the watch of the task: the program
// may close the store then.
func TestCloseLeavesStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &used{watched: watched{Store: tasks.NewMemory(0)}}
		e := newExtended(t, store, "", &counter{}, func(o *tasks.Options, _ *runtime.ServerOptions) { o.Lease = 3 * time.Second })
		e.start("sleep")
		synctest.Wait()
		store.slow.Store(true)
		time.Sleep(time.Second)
		synctest.Wait() // the lease is being renewed
		e.keeper.Close()
		if calls, watching := store.calls.Load(), store.watching.Load(); calls != 0 || watching != 0 {
			t.Errorf("after Close, %d calls use the store, and %d functions watch tasks", calls, watching)
		}
	})
}

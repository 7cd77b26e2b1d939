package tasks_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// spread is replicas of a server with the same sessions and tasks. Its client sends each request to one of them.
type spread struct {
	*pair
	at      atomic.Int32 // the replica with the next requests
	memory  tasks.Store
	stores  []*stalled
	keepers []*tasks.Tasks
	wires   []*http.Transport
	webs    []*streamable.Handler
}

// RoundTrip implements http.RoundTripper.
func (s *spread) RoundTrip(r *http.Request) (*http.Response, error) {
	return s.wires[s.at.Load()].RoundTrip(r)
}

// spreadOver runs f with a session that n replicas share.
func spreadOver(t *testing.T, n int, f func(*spread)) {
	synctest.Test(t, func(t *testing.T) {
		s := &spread{pair: &pair{t: t}, memory: tasks.NewMemory(0)}
		var bus share.Memory
		for range n {
			store := &stalled{Store: s.memory}
			keeper := tasks.New(tasks.Options{Store: store, Lease: 30 * time.Second, TTL: time.Hour, MaxTTL: time.Hour})
			srv := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(serverTasks), Replicas: share.Announce(&bus)},
				keeper.Over(mcp20251125.BindServer(server{t: t})))
			handler, err := share.NewHandler(srv, streamable.Options{Hosts: []string{"*"}}, share.Sessions{
				Keys: [][]byte{[]byte("0123456789abcdef0123456789abcdef")}, Bus: &bus, Store: s.memory,
			})
			if err != nil {
				t.Fatal(err)
			}
			network := testkit.NewNetwork()
			web := http.Server{Handler: handler}
			served := make(chan error, 1)
			go func() { served <- web.Serve(network) }()
			working, stop := context.WithCancel(t.Context())
			defer stop()
			go keeper.Serve(working, srv) // which leaves the tasks of sessions alone
			wires := &http.Transport{DialContext: network.DialContext}
			s.stores, s.keepers = append(s.stores, store), append(s.keepers, keeper)
			s.wires, s.webs = append(s.wires, wires), append(s.webs, handler)
			defer func() {
				handler.Close()
				wires.CloseIdleConnections()
				web.Close()
				<-served
			}()
		}
		transport, err := streamable.NewTransport("http://server/mcp", streamable.ClientOptions{HTTPClient: &http.Client{Transport: s}})
		if err != nil {
			t.Fatal(err)
		}
		s.connect(transport, clientTasks)
		synctest.Wait()
		f(s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// long starts a task that lives for an hour, at a replica.
func (s *spread) long(at int, tool string) (named, id string) {
	s.t.Helper()
	s.at.Store(int32(at))
	task, _ := s.ask("tools/call", `{"name":"`+tool+`","task":{"ttl":3600000}}`, "CreateTaskResult").Get("task")
	id = member(wire.Object(task), "taskId")
	if id == "" {
		s.t.Fatalf("no task: %s", task)
	}
	synctest.Wait()
	return `{"taskId":"` + id + `"}`, id
}

// TestSessionElsewhere checks that every replica with a session knows its tasks, and no other session does.
func TestSessionElsewhere(t *testing.T) {
	spreadOver(t, 2, func(s *spread) {
		named, id := s.long(0, "sleep")
		s.at.Store(1)
		if got := s.status(id); got != "working" {
			s.t.Errorf("elsewhere, the task is %s", got)
		}
		if got := s.ask("tasks/list", `{}`, "ListTasksResult"); !strings.Contains(string(got), id) {
			s.t.Errorf("the list elsewhere: %s", got)
		}
		if got := s.ask("tasks/result", named, "CallToolResult"); !strings.Contains(string(got), "slept") {
			s.t.Errorf("the result elsewhere: %s", got)
		}
		other := &pair{t: s.t}
		transport, err := streamable.NewTransport("http://server/mcp", streamable.ClientOptions{HTTPClient: &http.Client{Transport: s}})
		if err != nil {
			s.t.Fatal(err)
		}
		other.connect(transport, clientTasks)
		defer other.Close()
		for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
			if got := other.ask(method, named, ""); !strings.HasPrefix(string(got), "-32602") {
				s.t.Errorf("%s of another session: %s", method, got)
			}
		}
		if got := other.ask("tasks/list", `{}`, "ListTasksResult"); string(got) != `{"tasks":[]}` {
			s.t.Errorf("the list of another session: %s", got)
		}
	})
}

// TestCancelElsewhere checks that a task is cancelled at another replica than the one that works on it.
func TestCancelElsewhere(t *testing.T) {
	spreadOver(t, 2, func(s *spread) {
		named, id := s.long(0, "attempt")
		s.at.Store(1)
		if got := member(s.ask("tasks/cancel", named, "CancelTaskResult"), "status"); got != "cancelled" {
			s.t.Errorf("it is %s", got)
		}
		time.Sleep(5 * time.Second)
		if r, err := s.memory.Get(s.t.Context(), id); err != nil || r.Status != "cancelled" || r.Result != "" {
			s.t.Errorf("then: %+v, %v", r, err)
		}
	})
}

// TestQuestionElsewhere checks that a task can ask its client while the request for the result waits at another
// replica.
func TestQuestionElsewhere(t *testing.T) {
	spreadOver(t, 2, func(s *spread) {
		named, id := s.long(0, "ask")
		s.at.Store(1)
		if got := s.status(id); got != "input_required" {
			s.t.Errorf("it is %s", got)
		}
		if got := s.ask("tasks/result", named, "CallToolResult"); !strings.Contains(string(got), "accept") {
			s.t.Errorf("the result: %s", got)
		}
		if n := s.asked(); n != 1 {
			s.t.Errorf("the client was asked %d times", n)
		}
	})
}

// TestSessionTakeOver checks that another replica takes over a task when the client asks for it: at once if the
// first one hands it over, and after its lease if it has died.
func TestSessionTakeOver(t *testing.T) {
	for how, end := range map[string]func(*spread){
		"it closes the tasks":    func(s *spread) { s.keepers[0].Close() },
		"it closes the sessions": func(s *spread) { s.webs[0].Close() },
		"it dies":                func(s *spread) { s.stores[0].stall.Store(true) },
	} {
		for _, method := range []string{"tasks/get", "tasks/result"} {
			t.Run(how+" "+method, func(t *testing.T) {
				spreadOver(t, 2, func(s *spread) {
					named, id := s.long(0, "attempt")
					s.at.Store(1)
					end(s)
					synctest.Wait()
					began := time.Now()
					if method == "tasks/get" {
						for s.status(id) == "working" {
							time.Sleep(time.Second)
						}
					}
					if got := s.ask("tasks/result", named, "CallToolResult"); !strings.Contains(string(got), "attempt 2") {
						s.t.Errorf("the result: %s", got)
					}
					dead := how == "it dies"
					if r, err := s.memory.Get(s.t.Context(), id); err != nil || (r.Lost == 1) != dead {
						s.t.Errorf("the task: %+v, %v", r, err)
					}
					if took := time.Since(began); (took > 10*time.Second) != dead || took > time.Minute {
						s.t.Errorf("it took %v", took)
					}
				})
			})
		}
	}
}

// TestSessionPoison checks that a task fails when three replicas that worked on it have died.
func TestSessionPoison(t *testing.T) {
	spreadOver(t, 4, func(s *spread) {
		named, id := s.long(0, "attempt")
		for n := range 3 {
			s.stores[n].stall.Store(true)
			s.at.Store(int32(n + 1))
			for {
				time.Sleep(time.Second)
				state := s.ask("tasks/get", named, "GetTaskResult")
				r, err := s.memory.Get(s.t.Context(), id)
				if err != nil {
					s.t.Fatal(err)
				}
				if r.Attempt == n+2 || r.Status == "failed" {
					break
				}
				if member(state, "status") != "working" {
					s.t.Fatalf("after %d deaths: %s", n+1, state)
				}
			}
		}
		if got := s.ask("tasks/result", named, "CallToolResult"); !strings.Contains(string(got), "-32603") || !strings.Contains(string(got), "too often") {
			s.t.Errorf("the result: %s", got)
		}
		synctest.Wait()
		if got := s.heard(); !slices.Contains(got, "failed") {
			s.t.Errorf("the client was told %q", got)
		}
	})
}

// TestCancelOfDead checks that a client is told that it has cancelled a task whose process has died or has handed it
// over.
func TestCancelOfDead(t *testing.T) {
	for how, end := range map[string]func(*spread){
		"it closes the tasks": func(s *spread) { s.keepers[0].Close() },
		"it dies": func(s *spread) {
			s.stores[0].stall.Store(true)
			time.Sleep(31 * time.Second)
		},
	} {
		t.Run(how, func(t *testing.T) {
			spreadOver(t, 2, func(s *spread) {
				named, _ := s.long(0, "ask")
				end(s)
				s.at.Store(1)
				if got := member(s.ask("tasks/cancel", named, "CancelTaskResult"), "status"); got != "cancelled" {
					s.t.Errorf("it is %s", got)
				}
				synctest.Wait()
				if got := s.heard(); !slices.Contains(got, "cancelled") {
					s.t.Errorf("the client was told %q", got)
				}
			})
		})
	}
}

// TestTakeOverFromItself checks that a client is told about the end of a task that its process has lost and taken over
// again, before the first work knows that it has lost the task.
func TestTakeOverFromItself(t *testing.T) {
	spreadOver(t, 1, func(s *spread) {
		_, id := s.long(0, "attempt")
		s.stores[0].stall.Store(true)
		time.Sleep(31500 * time.Millisecond) // the first work has ended, and tries to store that each second
		s.stores[0].stall.Store(false)
		s.status(id)
		time.Sleep(10 * time.Second)
		if got := s.status(id); got != "completed" {
			s.t.Errorf("the task is %s", got)
		}
		if got := s.heard(); !slices.Equal(got, []string{"completed"}) {
			s.t.Errorf("the client was told %q", got)
		}
	})
}

// TestSessionEndsTasks checks that the tasks of a session end with it, at each replica.
func TestSessionEndsTasks(t *testing.T) {
	var memory tasks.Store
	var ids []string
	spreadOver(t, 2, func(s *spread) {
		memory = s.memory
		for _, tool := range []string{"attempt", "quick", "ask"} {
			_, id := s.long(0, tool)
			ids = append(ids, id)
		}
		s.at.Store(1)
		if err := s.Close(); err != nil {
			s.t.Error(err)
		}
		synctest.Wait()
		for _, id := range ids {
			if r, err := memory.Get(context.Background(), id); !errors.Is(err, tasks.ErrNotFound) {
				s.t.Errorf("after the end of the session: %+v, %v", r, err)
			}
		}
	})
}

// TestTakeOverIsToldOnce checks that a process that was paused while another one took its task over does not tell the
// client what the other one tells.
func TestTakeOverIsToldOnce(t *testing.T) {
	spreadOver(t, 2, func(s *spread) {
		_, id := s.long(0, "attempt")
		s.stores[0].stall.Store(true)
		s.stores[0].blind.Store(true)
		time.Sleep(31500 * time.Millisecond) // the first work has ended, and tries to store that each second
		s.at.Store(1)
		s.status(id) // which takes it over
		time.Sleep(2700 * time.Millisecond)
		s.stores[0].stall.Store(false) // between its last try and the end of the second work
		s.stores[0].blind.Store(false)
		time.Sleep(time.Minute)
		if got := s.status(id); got != "completed" {
			s.t.Errorf("the task is %s", got)
		}
		if got := s.heard(); !slices.Equal(got, []string{"completed"}) {
			s.t.Errorf("the client was told %q", got)
		}
	})
}

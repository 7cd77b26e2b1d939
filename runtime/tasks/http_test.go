package tasks_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// overHTTP runs f with a session over Streamable HTTP. If listens is false, there is no
// stream for messages that belong to no request of the client.
func overHTTP(t *testing.T, opts tasks.Options, listens bool, f func(*pair)) {
	synctest.Test(t, func(t *testing.T) {
		handler := streamable.NewHandler(newServer(t, opts, serverTasks), streamable.Options{Hosts: []string{"*"}})
		network := testkit.NewNetwork()
		web := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && !listens {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			handler.ServeHTTP(w, r)
		})}
		served := make(chan error, 1)
		go func() { served <- web.Serve(network) }()
		wires := &http.Transport{DialContext: network.DialContext}

		transport, err := streamable.NewTransport("http://server/mcp", streamable.ClientOptions{HTTPClient: &http.Client{Transport: wires}})
		if err != nil {
			t.Fatal(err)
		}
		p := &pair{t: t}
		p.connect(transport, clientTasks)
		f(p)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		handler.Close()
		wires.CloseIdleConnections()
		web.Close()
		if err := <-served; err != http.ErrServerClosed {
			t.Error(err)
		}
	})
}

// TestHTTP runs tasks over Streamable HTTP, with and without a stream for the server's own
// messages.
func TestHTTP(t *testing.T) {
	for _, listens := range []bool{true, false} {
		t.Run(fmt.Sprintf("listens=%t", listens), func(t *testing.T) {
			overHTTP(t, tasks.Options{}, listens, func(p *pair) {
				named := func(id string) string { return `{"taskId":"` + id + `"}` }

				done := p.start("sleep")
				if got := p.status(done); got != "working" {
					p.t.Errorf("at first: %s", got)
				}
				time.Sleep(4 * time.Second)
				if got := p.status(done); got != "completed" {
					p.t.Errorf("then: %s", got)
				}
				if got := p.ask("tasks/result", named(done), "CallToolResult"); !strings.Contains(string(got), "slept") {
					p.t.Errorf("result: %s", got)
				}

				cancelled := p.start("sleep")
				if got := member(p.ask("tasks/cancel", named(cancelled), "CancelTaskResult"), "status"); got != "cancelled" {
					p.t.Errorf("cancel: %s", got)
				}
				if got := p.ask("tasks/result", named(cancelled), "CallToolResult"); !strings.HasPrefix(string(got), "-32602") {
					p.t.Errorf("result of a cancelled one: %s", got)
				}

				// The question arrives with the request for the result, and not before.
				asking := p.start("ask")
				time.Sleep(3 * time.Second)
				if got := p.status(asking); got != "input_required" || p.asked() != 0 {
					p.t.Errorf("asking: %s, asked %d times", got, p.asked())
				}
				if got := p.ask("tasks/result", named(asking), "CallToolResult"); !strings.Contains(string(got), "accept") || p.asked() != 1 {
					p.t.Errorf("answered: %s, asked %d times", got, p.asked())
				}

				// A task whose question is not answered can be cancelled.
				stuck := p.start("ask")
				synctest.Wait()
				if got := member(p.ask("tasks/cancel", named(stuck), "CancelTaskResult"), "status"); got != "cancelled" {
					p.t.Errorf("cancelling a task that asks: %s", got)
				}

				list := p.ask("tasks/list", `{}`, "ListTasksResult")
				for _, id := range []string{done, cancelled, asking, stuck} {
					if !strings.Contains(string(list), id) {
						p.t.Errorf("%s is not in the list: %s", id, list)
					}
				}
				synctest.Wait()
				for _, status := range []string{"completed", "cancelled", "input_required"} {
					if got := p.heard(); slices.Contains(got, status) != listens {
						p.t.Errorf("notified of %s", got)
					}
				}

				time.Sleep(10 * time.Second) // the lifetime of the tasks
				synctest.Wait()
				if got := p.ask("tasks/get", named(done), "GetTaskResult"); !strings.HasPrefix(string(got), "-32602") {
					p.t.Errorf("expired: %s", got)
				}
				if got := p.ask("tasks/list", `{}`, "ListTasksResult"); string(got) != `{"tasks":[]}` {
					p.t.Errorf("left: %s", got)
				}
			})
		})
	}
}

// TestHTTPAwait waits for tasks that ask the client, with a plain request and with a task.
func TestHTTPAwait(t *testing.T) {
	for _, tool := range []string{"ask", "delegate"} {
		t.Run(tool, func(t *testing.T) {
			overHTTP(t, tasks.Options{}, false, func(p *pair) {
				var result mcp20251125.CallToolResult
				if err := tasks.Await(p.t.Context(), p, "tools/call", wire.Object(`{"name":"`+tool+`"}`), &result); err != nil {
					p.t.Error(err)
				}
				if got, _ := wire.Marshal(&result); !strings.Contains(string(got), "accept") {
					p.t.Errorf("got %s", got)
				}
			})
		})
	}
}

// asked returns how often the client was asked for input.
func (p *pair) asked() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.told {
		if strings.HasPrefix(line, "elicitation/create ") {
			n++
		}
	}
	return n
}

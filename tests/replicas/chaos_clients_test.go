package replicas

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// pool has the connections of all clients.
var pool = &http.Transport{MaxIdleConnsPerHost: 10_000}

// verdict says what a client may do after an error.
type verdict int

const (
	fault   verdict = iota // nothing: the call is lost for good
	lost                   // repeat it, although it may have been handled
	refused                // repeat it: it was not begun
)

func judge(err error) verdict {
	if _, ok := errors.AsType[*runtime.LostError](err); ok {
		return lost
	}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		switch {
		case e.Code == jsonrpc.CodeServerBusy, e.Code == jsonrpc.CodeUnavailable:
			return refused
		case e.Code == jsonrpc.CodeInternalError && strings.HasPrefix(e.Message, "unavailable: "), // its replica was killed
			e.Code == jsonrpc.CodeInternalError && strings.HasPrefix(e.Message, "cancelled: shutting down"):
			return lost
		}
	}
	if e, ok := errors.AsType[*streamable.StatusError](err); ok && e.Status == http.StatusServiceUnavailable {
		return refused
	}
	return fault
}

// stateless is a client of revision 2026-07-28. It calls tools, some of which become tasks, answers questions,
// and listens for updates of a resource.
func (c *chaos) stateless(n int) {
	p := &statelessClient{chaos: c}
	p.open()
	if p.session == nil {
		return
	}
	defer p.session.Close()
	if !c.subscribe(p.session) {
		return
	}
	for i := 0; !c.isOver() && !c.t.Failed(); i++ {
		name := fmt.Sprintf("s%d.%d", n, i)
		switch i % 4 {
		case 0, 1:
			c.repeat("call", name, "count", p.call, "counted")
		case 2:
			c.repeat("question", name, "confirm", p.call, "answer: accept")
		case 3:
			p.task(name)
		}
		c.done.Add(1)
	}
	c.hear(&p.updates)
}

// statelessClient is a client without a session at the server.
type statelessClient struct {
	*chaos
	session *runtime.Session
	binding runtime.Binding
	opts    tasks.ClientOptions
	created atomic.Pointer[string] // the id of the last task
	updates updates
}

// open connects, which may take several attempts.
func (p *statelessClient) open() {
	answers := p.updates.handlers()
	p.binding = answers.Bind(mcp20260728.Revision, mcp20260728.Methods)
	p.opts.Created = func(_ context.Context, id string) { p.created.Store(&id) }
	p.session = p.connect(p.t.Context(), tasks.ExtendClient(p.binding, p.opts))
}

// connect connects a client, which may take several attempts. It returns nil after a fault.
func (c *chaos) connect(ctx context.Context, binding runtime.Binding) *runtime.Session {
	o := runtime.ClientOptions{Name: "c", Version: "1", Capabilities: wire.Raw(`{"elicitation":{}}`)}
	client := runtime.NewClient(o, binding)
	for {
		transport, err := streamable.NewTransport(c.proxy.URL, streamable.ClientOptions{HTTPClient: &http.Client{Transport: pool}, MaxRetries: 50})
		if err == nil {
			var session *runtime.Session
			if session, err = client.Connect(ctx, transport); err == nil {
				return session
			}
		}
		if judge(err) == fault {
			c.t.Errorf("a client cannot connect: %v", err)
			return nil
		}
		time.Sleep(again)
	}
}

// updates are those of the clock that a client has heard of.
type updates struct{ heard atomic.Int64 }

// handlers answer questions, and count updates.
func (u *updates) handlers() runtime.Handlers {
	return runtime.Handlers{
		"elicitation/create": func(context.Context, *runtime.Message) (wire.Appender, error) {
			return wire.Object(`{"action":"accept"}`), nil
		},
		"notifications/resources/updated": func(context.Context, *runtime.Message) (wire.Appender, error) {
			u.heard.Add(1)
			return nil, nil
		},
	}
}

// subscribe subscribes to updates of the clock, once.
func (c *chaos) subscribe(s *runtime.Session) bool {
	for {
		err := s.Call(c.t.Context(), "resources/subscribe", wire.Object(`{"uri":"`+clock+`"}`), nil)
		if err == nil {
			return true
		}
		if judge(err) == fault {
			c.t.Errorf("a client cannot subscribe: %v", err)
			return false
		}
		time.Sleep(again)
	}
}

// hear waits until a client has heard of an update that happens from now on. The clock ticks until all have.
func (c *chaos) hear(u *updates) {
	for before := u.heard.Load(); u.heard.Load() == before && !c.t.Failed(); {
		time.Sleep(time.Millisecond)
	}
	c.tally.add("subscribed", func(r *row) { r.done++ })
}

func (p *statelessClient) call(ctx context.Context, tool, as string) (string, error) {
	return callTool(ctx, p.session, tool, as)
}

// callTool calls a tool, which gets a name for the run.
func callTool(ctx context.Context, s runtime.Caller, tool, as string) (string, error) {
	var result mcp20260728.CallToolResult
	err := s.Call(ctx, "tools/call", wire.Object(`{"name":"`+tool+`","arguments":{"as":"`+as+`"}}`), &result)
	return text(result), err
}

// again is how long a client waits before it repeats a call.
const again = 10 * time.Millisecond

// repeat calls a tool until it answers, each time under another name.
func (c *chaos) repeat(kind, name, tool string, call func(ctx context.Context, tool, as string) (string, error), want string) {
	for i := 0; ; i++ {
		as := fmt.Sprint(name, ".", i)
		said, err := call(c.t.Context(), tool, as)
		v := judge(err)
		c.tally.add(kind, func(r *row) {
			r.attempts = append(r.attempts, attempt{as, err != nil && v == refused})
			switch {
			case err == nil:
				r.answered++
				r.done++
			case v == lost:
				r.lost++
			case v == refused:
				r.refused++
			}
		})
		switch {
		case err == nil && said != want:
			c.t.Errorf("%s: the answer to %s is %q, want %q", kind, as, said, want)
			return
		case err == nil:
			return
		case v == fault:
			c.t.Errorf("%s: %s: %v", kind, as, err)
			return
		}
		time.Sleep(again)
	}
}

// task calls a tool whose call becomes a task. When the call fails afterwards, the client goes on with the task.
func (p *statelessClient) task(name string) {
	const kind = "task"
	for i := 0; ; i++ {
		as := fmt.Sprint(name, ".", i)
		p.created.Store(nil)
		said, err := p.call(p.t.Context(), "toil", as)
		id := p.created.Load()
		for err != nil && judge(err) != fault && id != nil {
			p.tally.add(kind, func(r *row) { r.resumed++ })
			time.Sleep(again)
			said, err = p.resume(*id)
		}
		v := judge(err)
		p.tally.add(kind, func(r *row) {
			r.mayRunAgain = true
			r.attempts = append(r.attempts, attempt{as, err != nil && v == refused})
			switch {
			case err == nil:
				r.done++
				r.answered++
			case v == lost:
				r.lost++
			case v == refused:
				r.refused++
			}
		})
		if err == nil {
			p.finished(as, *id, said)
			return
		}
		if v == fault {
			p.t.Errorf("task %s: %v", as, err)
			return
		}
		time.Sleep(again)
	}
}

func (p *statelessClient) resume(id string) (string, error) {
	var result mcp20260728.CallToolResult
	err := tasks.Resume(p.t.Context(), p.session, p.binding, p.opts, id, &result)
	return text(result), err
}

// finished notes that a task is finished, and reads its result again.
func (p *statelessClient) finished(as, id, said string) {
	if err := noteIn(p.runs, as, noteFinished); err != nil {
		p.t.Error(err)
	}
	again, err := p.resume(id)
	for err != nil && judge(err) != fault {
		again, err = p.resume(id)
	}
	if err != nil || again != said {
		p.t.Errorf("task %s has the result %q, and later %q, %v", as, said, again, err)
	}
}

package tasks

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// maxListened limits the tasks that a request listens to, because the server keeps something for each of them.
const maxListened = 100

// listener sends a subscriber the states of the tasks that it listens to ("Task Status Notifications"). It has a
// goroutine only while it sends.
type listener struct {
	t       *Tasks
	ctx     context.Context // ends with the subscription
	session *runtime.ServerSession
	asked   atomic.Int64 // how many tasks the subscriber has asked for

	mu      sync.Mutex
	tasks   map[string]*listened // by id, until they have ended
	changed []string             // the ids of tasks whose state must be sent
	sending bool                 // a goroutine sends them
	over    bool
}

// listened is a task to which a subscriber listens.
type listened struct {
	sent uint64 // the version that was sent
	stop func() // watching
}

// listener returns the listener for the subscriber in a context, creating it on first use.
func (t *Tasks) listener(ctx context.Context) *listener {
	session := runtime.CallOf(ctx).Session()
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.listeners[session]
	if l == nil {
		l = &listener{t: t, ctx: ctx, session: session, tasks: map[string]*listened{}}
		t.listeners[session] = l
		context.AfterFunc(ctx, l.end) // a goroutine that waits would take 3 KB
	}
	return l
}

// end forgets a listener whose subscription has ended.
func (l *listener) end() {
	l.t.mu.Lock()
	delete(l.t.listeners, l.session)
	l.t.mu.Unlock()
	l.mu.Lock()
	tasks := l.tasks
	l.tasks, l.changed, l.over = nil, nil, true
	l.mu.Unlock()
	for _, task := range tasks {
		task.stop()
	}
}

// listenTo lets a subscriber listen to a task, and sends it the states from now on.
func (t *Tasks) listenTo(ctx context.Context, id string) error {
	l := t.listener(ctx)
	if l.asked.Add(1) > maxListened {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "a request can listen to %d tasks", maxListened)
	}
	if _, err := t.lookup(ctx, id, ""); err != nil {
		return err
	}
	stop, err := t.store.Watch(ctx, id, func() { l.send(id) })
	if err != nil {
		return err
	}
	l.mu.Lock()
	over := l.over
	if !over {
		l.tasks[id] = &listened{stop: stop}
	}
	l.mu.Unlock()
	if over {
		stop()
		return context.Cause(ctx)
	}
	l.send(id)
	return nil
}

// send has the state of a task sent soon. It does not use the store, which may be calling it.
func (l *listener) send(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tasks[id] == nil || slices.Contains(l.changed, id) {
		return
	}
	l.changed = append(l.changed, id)
	if !l.sending {
		l.sending = true
		go l.sendAll()
	}
}

// sendAll sends the states of tasks that have changed, until there are none.
func (l *listener) sendAll() {
	for id, task := l.next(); task != nil; id, task = l.next() {
		r, err := l.t.store.Get(l.ctx, id)
		switch {
		case errors.Is(err, ErrNotFound):
			l.remove(id)
		case err != nil && l.ctx.Err() == nil:
			l.t.log.Error("a task cannot be read for a subscriber", "task", id, "error", err)
		case err == nil && r.Version != task.sent:
			task.sent = r.Version
			if l.session.Notify(l.ctx, methodTaskChanged, extensionTask{record: r}) != nil || r.ended() {
				l.remove(id)
			}
		}
	}
}

// next returns the next task whose state must be sent, or nil.
func (l *listener) next() (id string, task *listened) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for task == nil && len(l.changed) > 0 {
		id = l.changed[0]
		l.changed = slices.Delete(l.changed, 0, 1)
		task = l.tasks[id]
	}
	l.sending = task != nil
	return id, task
}

// remove forgets a task of which nothing more is sent.
func (l *listener) remove(id string) {
	l.mu.Lock()
	task := l.tasks[id]
	delete(l.tasks, id)
	l.mu.Unlock()
	if task != nil {
		task.stop()
	}
}

package tasks

import (
	"context"
	"crypto/rand"
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// extensionName identifies the extension.
const extensionName = "io.modelcontextprotocol/tasks"

const (
	methodUpdate      = "tasks/update"
	methodTaskChanged = "notifications/tasks"
	filterTasks       = "taskIds"
)

// extension describes the extension to the runtime. A test holds it equal to the generated one, which
// this package does not import.
var extension = runtime.Extension{
	Name:     extensionName,
	Revision: "2026-07-28",
	Methods: []runtime.Method{
		{Name: methodTaskChanged, Kind: jsonrpc.Notification, Direction: runtime.ToClient, Definition: "TaskStatusNotification", Params: "TaskStatusNotificationParams", ParamsRequired: true, Filter: filterTasks, FilterParam: "taskId", Extension: extensionName},
		{Name: methodCancel, Kind: jsonrpc.Request, Direction: runtime.ToServer, Definition: "CancelTaskRequest", Params: "CancelTaskRequestParams", ParamsRequired: true, Result: "CancelTaskResult", NameParam: "taskId", Extension: extensionName},
		{Name: methodGet, Kind: jsonrpc.Request, Direction: runtime.ToServer, Definition: "GetTaskRequest", Params: "GetTaskRequestParams", ParamsRequired: true, Result: "GetTaskResult", NameParam: "taskId", Extension: extensionName},
		{Name: methodUpdate, Kind: jsonrpc.Request, Direction: runtime.ToServer, Definition: "UpdateTaskRequest", Params: "UpdateTaskRequestParams", ParamsRequired: true, Result: "UpdateTaskResult", NameParam: "taskId", Extension: extensionName},
	},
	Results:  []runtime.ExtensionResult{{Method: methodCallTool, Type: "task", Definition: "CreateTaskResult"}},
	Settings: "TasksExtensionCapability",
}

// required are the capabilities of a client with the extension.
const required = wire.Object(`{"extensions":{"` + extensionName + `":{}}}`)

// Extend wraps a server's binding of a revision without sessions. The server then declares the tasks
// extension, and answers calls of the tools that Options.Support allows it for with tasks, if the client
// declares the extension too. Clients that do not declare it get the results of the same calls, except
// for tools that can only be called as tasks ("Capability Negotiation"). Bindings of other revisions are
// returned unchanged, so that all bindings of a server can be passed; see also [Tasks.Over].
//
// A task is stored before the client learns of it. The work of a task is a request that the server sends
// itself, so the handler is the same as without tasks: when it asks the client, the task waits for
// tasks/update and the handler runs again, as in every request of such a revision. Middleware sees that
// request, whose context has the values of the client's request, or only its principal when another
// process has taken the work over. Progress and log messages of a task are dropped.
//
// A caller who lacks a scope of the tool is refused, and no task is created. Work that another process has
// taken over may use the scopes that the tool needed then, those of the caller if its [runtime.Access] can tell
// them, and what these include by [Options].Implies. If the tool or the handler needs others, the task fails.
//
// A client can listen to 100 tasks by a request of subscriptions/listen. The acknowledgement leaves out further ones.
func (t *Tasks) Extend(below runtime.Binding) runtime.Binding {
	if below.Handle == nil || !extension.Extends(below.Revision, below.Methods) || below.Direction != runtime.ToServer {
		return below
	}
	b := extension.Over(below, runtime.Binding{Handle: t.handleExtension})
	handle := b.Handle
	b.Handle = func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
		if m.Method != methodCallTool {
			return handle(ctx, m)
		}
		return t.callTool(ctx, handle, below.Permit, m)
	}
	b.Listen = func(ctx context.Context, notification, value string) error {
		switch {
		case notification == methodTaskChanged:
			return t.listenTo(ctx, value)
		case below.Listen != nil:
			return below.Listen(ctx, notification, value)
		}
		return nil
	}
	return b
}

// Wrap adds both kinds of tasks to a server's binding: see [Tasks.Over] and [Tasks.Extend]. Support holds if
// Options.Support is nil; t then serves one server. A server made of items gets them by catalog.Tasks(t).
func (t *Tasks) Wrap(below runtime.Binding, support func(tool string) string) runtime.Binding {
	if t.opts.Support == nil {
		t.opts.Support = support
	}
	return t.Extend(t.Over(below))
}

// callTool handles a call of a tool: the work of a task, a call that becomes a task, or one that does not.
func (t *Tasks) callTool(ctx context.Context, handle runtime.Handler, permit permit, m *runtime.Message) (wire.Appender, error) {
	if _, ok := ctx.Value(runKey{}).(*run); ok {
		return handle(ctx, m)
	}
	c := runtime.CallOf(ctx)
	tool := m.Object().GetString("name")
	may, must := t.support(tool)
	able := c != nil && c.Extension(extensionName)
	switch {
	case must && !able:
		return nil, jsonrpc.MissingCapability(required)
	case tool == "" || !able || !may:
		return handle(ctx, m)
	case t.opts.Late == nil || !t.opts.Late(tool):
		return t.startExtensionTask(ctx, c, permit)
	}
	begun := false
	result, err := handle(context.WithValue(ctx, laterKey{}, &begun), m)
	if !begun {
		return result, err
	}
	return t.startExtensionTask(ctx, c, permit)
}

// laterKey is the key of a *bool that records whether a handler has called Begin.
type laterKey struct{}

// errBegun is the error of [Begin] for a call that continues as a task.
var errBegun = errors.New("tasks: the call continues as a task")

// Begin makes the call of a tool that [Options].Late names a task, if the client has the extension: it
// returns an error, the handler returns that or any other one, and runs again as a task, where Begin
// returns nil. Questions that the handler asked before are answered there, too. Before Begin, it
// should do nothing but ask ("Task Creation"). Without the extension, Begin returns nil.
func Begin(ctx context.Context) error {
	begun, ok := ctx.Value(laterKey{}).(*bool)
	if !ok {
		return nil
	}
	*begun = true
	return errBegun
}

// startExtensionTask stores a task, begins its work and returns the CreateTaskResult. The task continues with the
// answers that the client has given before.
func (t *Tasks) startExtensionTask(ctx context.Context, c *runtime.Call, permit permit) (wire.Appender, error) {
	request := wire.Object(c.Params())
	r := &Record{ID: rand.Text(), Method: methodCallTool, Params: wire.Raw(request.Without("task", "inputResponses", "requestState")).Clone()}
	if answers, ok := request.Get("inputResponses"); ok {
		r.Answers = wire.Object(answers.Clone()).Members()
	}
	if state, ok := request.Get("requestState"); ok {
		r.State = state.Clone()
	}
	if err := permit.limit(ctx, r); err != nil {
		return nil, err
	}
	w, err := t.create(ctx, r, min(t.opts.TTL, t.opts.MaxTTL))
	if err != nil {
		return nil, err
	}
	t.beginWork(context.WithoutCancel(ctx), c.Server(), r, w)
	return state{r, "task"}, nil
}

// handleExtension handles the methods of the extension.
func (t *Tasks) handleExtension(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
	switch m.Method {
	case methodGet:
		return runtime.Answer(ctx, m, new(taskParams), t.getTask)
	case methodUpdate:
		return runtime.Answer(ctx, m, new(updateParams), t.updateTask)
	case methodCancel:
		return runtime.Answer(ctx, m, new(taskParams), t.cancelTask)
	}
	return nil, runtime.MethodNotFound(m.Method)
}

// getTask handles tasks/get ("Task Polling").
func (t *Tasks) getTask(ctx context.Context, p *taskParams) (state, error) {
	r, err := t.lookup(ctx, p.id, "")
	return state{record: r}, err
}

// updateTask handles tasks/update ("Task Update Requests"). Answers to questions that are not open are
// ignored.
func (t *Tasks) updateTask(ctx context.Context, p *updateParams) (wire.Object, error) {
	payer := runtime.PrincipalOf(ctx)
	if err := t.admit(payer); err != nil { // before the answers are stored, because they may begin work
		return "", err
	}
	var work *run
	r, err := t.edit(ctx, p.id, "", func(r *Record) bool {
		work = nil
		answered := false
		for name, value := range p.responses.All() {
			i := slices.IndexFunc(r.Questions, func(q wire.Member) bool { return q.Name == name })
			if i < 0 || r.ended() {
				continue
			}
			r.Questions = slices.Delete(r.Questions, i, i+1)
			r.Answers = append(r.Answers, wire.Member{Name: strings.Clone(name), Value: value.Clone()})
			answered = true
		}
		if answered && len(r.Questions) == 0 {
			r.Status, r.Message = working, ""
			work = t.claim(r, time.Now())
		}
		return answered
	})
	if err != nil || work == nil {
		t.leave(payer)
	} else {
		t.beginWork(context.WithoutCancel(ctx), runtime.CallOf(ctx).Server(), r, work)
	}
	return "{}", err
}

// cancelTask handles tasks/cancel ("Task Cancellation"). Work that runs in another process is cancelled
// there.
func (t *Tasks) cancelTask(ctx context.Context, p *taskParams) (wire.Object, error) {
	_, err := t.edit(ctx, p.id, "", func(r *Record) bool {
		if r.ended() || r.Cancelled {
			return false
		}
		r.Cancelled = true
		if r.Status == inputRequired { // no process works on it
			r.end(cancelled, byRequest)
		}
		return true
	})
	return "{}", err
}

// maxListened limits the tasks that a request listens to, because the server keeps something for each of them.
const maxListened = 100

// subscriber is a request that listens to tasks.
type subscriber struct {
	asked   int                       // how many tasks it has asked for, one after the other
	changed engine.Backlog[*listener] // the tasks whose state must be sent; it has a goroutine only while they are
}

// listener is a task to which a subscriber listens. The subscriber gets its current state when that has changed
// ("Task Status Notifications").
type listener struct {
	t       *Tasks
	ctx     context.Context // ends with the subscription or the task
	end     func()
	session *runtime.ServerSession
	id      string
	known   string // what the subscriber knows of the task, see Record.shown
	changed func() // lets send be called; it does not use the store, because the store may be calling it
}

// listenTo lets a subscriber listen to a task, and sends it the states from now on.
func (t *Tasks) listenTo(ctx context.Context, id string) error {
	session := runtime.CallOf(ctx).Session()
	t.mu.Lock()
	s := t.subscribers[session]
	if s == nil {
		s = &subscriber{changed: engine.Backlog[*listener]{Do: (*listener).send}}
		t.subscribers[session] = s
		context.AfterFunc(ctx, func() { // a goroutine that waits would take 3 KB
			t.mu.Lock()
			defer t.mu.Unlock()
			delete(t.subscribers, session)
		})
	}
	t.mu.Unlock()
	if s.asked++; s.asked > maxListened {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "a request can listen to %d tasks", maxListened)
	}
	if _, err := t.lookup(ctx, id, ""); err != nil {
		return err
	}
	l := &listener{t: t, session: session, id: id}
	l.ctx, l.end = context.WithCancel(ctx)
	l.changed = func() {
		s.changed.Change(func(waiting []*listener) []*listener {
			if slices.Contains(waiting, l) {
				return waiting
			}
			return append(waiting, l)
		})
	}
	context.AfterFunc(l.ctx, t.store.Watch(id, l.changed)) // a goroutine that waits would take 3 KB for each task
	l.changed()
	return nil
}

// send sends the state of a task that has changed.
func (l *listener) send() {
	r, err := l.t.store.Get(l.ctx, l.id)
	switch {
	case l.ctx.Err() != nil:
	case errors.Is(err, ErrNotFound):
		l.end()
	case err != nil:
		l.t.log.Error("a task cannot be read for a client that listens to it", "task", l.id, "error", err)
		time.AfterFunc(l.t.opts.PollInterval, l.changed) // a goroutine that waits would take 3 KB
	case r.shown() != l.known:
		l.known = r.shown()
		l.t.tell(l.ctx, l.session, methodTaskChanged, r)
		if r.ended() {
			l.end()
		}
	}
}

// tell sends the state of a task. If that fails, the client gets the next one. No caller recovers a panic of middleware.
func (t *Tasks) tell(ctx context.Context, client runtime.Caller, method string, r *Record) {
	defer func() {
		if p := recover(); p != nil {
			t.log.Error("middleware panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	_ = client.Notify(ctx, method, state{record: r})
}

// shown returns the part of a task whose changes are told to clients.
func (r *Record) shown() string {
	text := r.Status
	for _, q := range r.Questions {
		text += " " + q.Name
	}
	return text
}

package tasks

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The defaults of the options.
const (
	defaultTTL          = 5 * time.Minute
	defaultMaxTTL       = time.Hour
	defaultPollInterval = time.Second
	defaultMaxTasks     = 100
	defaultMaxRunning   = 1000
	defaultMaxPerOwner  = 100
	defaultLease        = 30 * time.Second
)

// The values of execution.taskSupport in the definition of a tool. Any other value counts as forbidden ("Tool-Level
// Negotiation").
const (
	supportOptional = "optional"
	supportRequired = "required"
)

// Options configure how tasks are kept. The zero value is ready to use.
type Options struct {
	// TTL is the lifetime of a task, from its creation, if the requester does not choose
	// one. It defaults to 5 minutes.
	TTL time.Duration
	// MaxTTL is the maximum lifetime of a task; it also limits TTL. A task that is still
	// working when its lifetime ends is cancelled. It defaults to an hour.
	MaxTTL time.Duration
	// PollInterval is the interval at which requesters should poll the state of a task, and
	// the minimum lifetime of a task. It defaults to a second.
	PollInterval time.Duration
	// MaxTasks limits the tasks that are kept for a session, including finished ones.
	// Requests for more are refused. It defaults to 100.
	MaxTasks int
	// MaxRunning limits the tasks that this process works on at a time. A task counts until its handler has
	// returned, but not while a task of the extension waits for its client. Further requests, and answers for
	// which a task has waited, are refused as busy: by the code jsonrpc.CodeServerBusy, or
	// jsonrpc.CodeUnavailable in revisions without sessions. Limits of a transport do not count tasks,
	// because their requests are answered at once. It defaults to 1,000.
	MaxRunning int
	// MaxRunningPerOwner limits those of each owner, as MaxRunning limits all. An owner is a principal, or a
	// session without one. Tasks that have neither are only limited together, and those that this process
	// has taken over are never refused. It defaults to 100.
	MaxRunningPerOwner int

	// Store keeps the tasks. It defaults to one in memory.
	Store Store
	// Lease is how long a process may be silent before another one takes over the work of its tasks.
	// It defaults to 30 seconds.
	Lease time.Duration
	// Late reports whether the handler of the named tool decides itself when a call becomes a task of
	// the extension, by calling [Begin]. If it is nil, each call is a task from the beginning.
	Late func(tool string) bool

	// Support returns the execution.taskSupport of the named tool, which says whether it can be called as a task:
	// forbidden, optional or required; a catalog has a method that does. If it is nil, each tool can be called with
	// or without a task.
	Support func(tool string) string

	// Implies reports whether a scope includes another one; it is that of auth.Options. Work that another process has
	// taken over may use the scopes that those of its caller include.
	Implies func(has, needed string) bool

	// Logger receives the panics of handlers and the errors whose details are not for the
	// peer. Nil means slog.Default().
	Logger *slog.Logger
}

// Tasks lets requests run as tasks. It is safe for concurrent use and can wrap any number
// of bindings.
type Tasks struct {
	opts  Options
	log   *slog.Logger
	store Store

	seats  chan struct{} // holds a value for each task that is being taken over
	closed atomic.Bool   // Close was called

	mu          sync.Mutex
	runs        map[string]*run                        // the work in this process, by the id of its task
	lastID      int64                                  // the time in the id of a session's newest task, see newID
	running     map[string]int                         // the handlers that have not returned, by Record.payer
	handlers    int                                    // all of them
	working     sync.WaitGroup                         // the runs
	subscribers map[*runtime.ServerSession]*subscriber // until the subscription ends
}

// New returns a Tasks with the given options.
func New(opts Options) *Tasks {
	opts.MaxTTL = cmp.Or(max(opts.MaxTTL, 0), defaultMaxTTL)
	opts.TTL = cmp.Or(max(opts.TTL, 0), defaultTTL)
	opts.PollInterval = cmp.Or(max(opts.PollInterval, 0), defaultPollInterval)
	opts.MaxTasks = cmp.Or(max(opts.MaxTasks, 0), defaultMaxTasks)
	opts.MaxRunning = cmp.Or(max(opts.MaxRunning, 0), defaultMaxRunning)
	opts.MaxRunningPerOwner = cmp.Or(max(opts.MaxRunningPerOwner, 0), defaultMaxPerOwner)
	opts.Lease = cmp.Or(max(opts.Lease, 0), defaultLease)
	t := &Tasks{opts: opts, log: logs.Or(opts.Logger, slog.LevelWarn), store: opts.Store, runs: map[string]*run{}, running: map[string]int{}, seats: make(chan struct{}, min(maxTakeOvers, opts.MaxRunning)), subscribers: map[*runtime.ServerSession]*subscriber{}}
	if t.store == nil {
		t.store = NewMemory(0)
	}
	return t
}

const (
	methodCallTool = "tools/call"
	methodElicit   = "elicitation/create"
	methodGet      = "tasks/get"
	methodResult   = "tasks/result"
	methodList     = "tasks/list"
	methodCancel   = "tasks/cancel"
	methodStatus   = "notifications/tasks/status"
)

// augmentable lists the requests that can run as tasks, by the side that answers them, with
// the capability that each requires ("Capabilities").
var augmentable = map[runtime.Direction]map[string]string{
	runtime.ToServer: {
		methodCallTool: "tasks.requests.tools.call",
	},
	runtime.ToClient: {
		"sampling/createMessage": "tasks.requests.sampling.createMessage",
		methodElicit:             "tasks.requests.elicitation.create",
	},
}

// Over wraps a binding. In the returned binding, which has the same revision, requests that
// ask for a task become tasks, and the task methods are answered. All other messages go to
// the binding below, and so do the requests of tasks, without the member task. If the
// binding's method table is not empty and has no task methods, Over returns the binding
// unchanged.
//
// The returned binding declares tasks for the requests whose capability its side declares, such as tools.
// A member tasks in the Capabilities of the options replaces that.
func (t *Tasks) Over(below runtime.Binding) runtime.Binding {
	if below.Handle == nil || len(below.Methods) > 0 && !hasMethod(below.Methods, methodGet) {
		return below
	}
	needs := augmentable[below.Direction]
	handle := relating(below.Handle)
	b := below
	b.Handle = func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
		c := runtime.CallOf(ctx)
		if c == nil {
			return handle(ctx, m)
		}
		if c.Stateless() {
			return t.withoutTasks(ctx, below.Handle, m)
		}
		if capability, ok := needs[m.Method]; ok {
			return t.request(ctx, c, handle, below.Permit, m, c.Declared(capability))
		}
		switch m.Method {
		case methodGet:
			return runtime.Answer(ctx, m, new(taskParams), t.session(c, handle).get)
		case methodResult:
			return runtime.Answer(ctx, m, new(taskParams), t.session(c, handle).awaitResult)
		case methodList:
			return runtime.Answer(ctx, m, new(params.List), t.session(c, handle).list)
		case methodCancel:
			return runtime.Answer(ctx, m, new(taskParams), t.session(c, handle).cancel)
		}
		return handle(ctx, m)
	}
	if hasMethod(below.Methods, "initialize") { // a revision with sessions
		b.Capabilities = func(declared wire.Appender) (wire.Appender, error) {
			if below.Capabilities != nil {
				var err error
				if declared, err = below.Capabilities(declared); err != nil {
					return nil, err
				}
			}
			return declare(declared, needs)
		}
	}
	return b
}

// declare adds the capability of tasks to those of a side, unless the side declares it itself. Each request
// that can run as a task is in it if the side declares the capability to which the request belongs
// ("Capabilities").
func declare(declared wire.Appender, needs map[string]string) (wire.Appender, error) {
	if declared == nil {
		return nil, nil
	}
	text, err := wire.MarshalString(declared)
	if err != nil {
		return nil, err
	}
	own := wire.Object(text)
	if _, ok := own.Get("tasks"); ok {
		return own, nil
	}
	var requests wire.Object
	for _, method := range slices.Sorted(maps.Keys(needs)) {
		subject, name, _ := strings.Cut(method, "/")
		if _, ok := own.Get(subject); ok {
			requests, _ = requests.With(subject, wire.Raw(`{"`+name+`":{}}`)) // both are well-formed
		}
	}
	if requests == "" {
		return own, nil
	}
	return own.With("tasks", `{"list":{},"cancel":{},"requests":`+wire.Raw(requests)+`}`)
}

// relating makes the result of a request that belongs to a task of the peer refer to that
// task ("Associating Task-Related Messages").
func relating(handle runtime.Handler) runtime.Handler {
	return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
		result, err := handle(ctx, m)
		params := m.Object()
		if err != nil || result == nil || !strings.Contains(string(params), metaName) {
			return result, err
		}
		meta, _ := params.Get("_meta")
		task, ok := wire.Object(meta).Get(metaName)
		if !ok {
			return result, nil
		}
		return resultOf(result, task)
	}
}

func hasMethod(methods []runtime.Method, name string) bool {
	return slices.ContainsFunc(methods, func(m runtime.Method) bool { return m.Name == name })
}

// request handles a request that may ask for a task, if that is declared.
func (t *Tasks) request(ctx context.Context, c *runtime.Call, handle runtime.Handler, permit permit, m *runtime.Message, declared bool) (wire.Appender, error) {
	method, params := m.Method, m.Object()
	asked, augmented := params.Get("task")
	if asked == "null" { // some clients write null for absent
		augmented = false
	}
	if asked != "" {
		params = params.Without("task")
		m = m.With(params)
	}
	if !declared {
		return handle(ctx, m)
	}
	if err := t.supports(method, params, augmented); err != nil {
		return nil, err
	}
	if !augmented {
		return handle(ctx, m)
	}
	ttl, err := t.ttl(asked)
	if err != nil {
		return nil, err
	}
	if err := permit.check(ctx, method, wire.Raw(params)); err != nil {
		return nil, err
	}
	return t.session(c, handle).startTask(ctx, c, method, wire.Raw(params), ttl)
}

// withoutTasks handles a request of a revision without sessions, which has no tasks of this kind. The
// member task has no meaning there.
func (t *Tasks) withoutTasks(ctx context.Context, handle runtime.Handler, m *runtime.Message) (wire.Appender, error) {
	switch params := m.Object(); m.Method {
	case methodGet, methodResult, methodList, methodCancel:
		return nil, runtime.MethodNotFound(m.Method)
	case methodCallTool:
		name := params.GetString("name")
		if _, must := t.support(name); must && Attempt(ctx) == 0 && ctx.Value(laterKey{}) == nil {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: tool %.100q must be called as a task, which this revision does not have", name)
		}
		if _, ok := params.Get("task"); ok {
			m = m.With(params.Without("task"))
		}
	}
	return handle(ctx, m)
}

// support reports whether a tool may be called as a task, and whether it must. The handler reports that a call names
// none.
func (t *Tasks) support(tool string) (may, must bool) {
	if t.opts.Support == nil || tool == "" {
		return true, false
	}
	support := t.opts.Support(tool)
	must = support == supportRequired
	return must || support == supportOptional, must
}

// supports returns an error if a tool cannot be called this way.
func (t *Tasks) supports(method string, params wire.Object, augmented bool) error {
	if method != methodCallTool {
		return nil
	}
	name := params.GetString("name")
	switch may, must := t.support(name); {
	case must && !augmented:
		return jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "tool %.100q must be called as a task", name)
	case !may && augmented:
		return jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "tool %.100q cannot be called as a task", name)
	}
	return nil
}

// ttl returns the lifetime of the task that a request asks for ("TTL and Resource
// Management").
func (t *Tasks) ttl(asked wire.Raw) (time.Duration, error) {
	if asked.Kind() != wire.KindObject {
		return 0, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /task: expected an object, found %v", asked.Kind())
	}
	ttl := t.opts.TTL
	if text, ok := wire.Object(asked).Get("ttl"); ok && text != "null" {
		number, _ := wire.Object(asked).GetScalar("ttl")
		ms, ok := number.Int64()
		if !ok || ms < 0 {
			return 0, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /task/ttl: expected an integer that is not negative, found %.50s", text)
		}
		ttl = time.Duration(min(ms, t.opts.MaxTTL.Milliseconds())) * time.Millisecond
	}
	return min(max(ttl, t.opts.PollInterval), t.opts.MaxTTL), nil
}

// permit is the Permit of a binding, which may be nil. It is called before a task is created, because a task has no
// response in which it could be refused.
type permit func(ctx context.Context, method string, params wire.Raw) error

// check returns an error if the sender of a request may not use what is in its params.
func (p permit) check(ctx context.Context, method string, params wire.Raw) error {
	if p == nil {
		return nil
	}
	return p(ctx, method, params)
}

// limit checks the request of a new task, and notes in the record what its work may use.
func (p permit) limit(ctx context.Context, r *Record) error {
	access := runtime.AccessOf(ctx)
	if access == nil {
		return p.check(ctx, r.Method, r.Params)
	}
	noted := &noting{Access: access}
	err := p.check(runtime.WithAccess(ctx, noted), r.Method, r.Params)
	r.Limited, r.Scopes = true, noted.scopes
	// The handler may ask for scopes that depend on its arguments, which are not known yet.
	if of, ok := access.(interface{ Scopes() []string }); ok {
		r.Scopes = append(r.Scopes, of.Scopes()...)
	}
	slices.Sort(r.Scopes)
	r.Scopes = slices.Compact(r.Scopes) // the store keeps them
	return err
}

// noting is an Access that notes which scopes it has allowed.
type noting struct {
	runtime.Access
	scopes []string
}

// Allow implements runtime.Access.
func (n *noting) Allow(scopes []string) *runtime.DeniedError {
	denied := n.Access.Allow(scopes)
	if denied == nil {
		n.scopes = append(n.scopes, scopes...)
	}
	return denied
}

// withAccess returns a context for work that goes on without a request of its caller. It may use what the caller was
// allowed to use when the task was created: what the item needs and, if the Access can tell them, all scopes that the
// caller had, with those that they include.
func (t *Tasks) withAccess(ctx context.Context, r *Record) context.Context {
	if !r.Limited {
		return ctx
	}
	return runtime.WithAccess(ctx, allowed{r.Scopes, t.opts.Implies})
}

// allowed is an Access that allows the scopes in it, and those which they include.
type allowed struct {
	scopes  []string
	implies func(has, needed string) bool // nil if none includes another one
}

// Allow implements runtime.Access.
func (a allowed) Allow(scopes []string) *runtime.DeniedError {
	for _, needed := range scopes {
		if !slices.ContainsFunc(a.scopes, func(has string) bool { return has == needed || a.implies != nil && a.implies(has, needed) }) {
			return &runtime.DeniedError{Status: http.StatusForbidden, Message: "forbidden: the work of the task needs a scope that its caller was not known to have when the task was created"}
		}
	}
	return nil
}

package tasks

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/execution"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What the options mean where they are left zero.
const (
	DefaultTTL          = 5 * time.Minute
	DefaultMaxTTL       = time.Hour
	DefaultPollInterval = time.Second
	DefaultMaxTasks     = 100 // of a session
	DefaultPageSize     = 50  // tasks
)

// Support says whether a tool can be called as a task; it has the values of
// execution.taskSupport in a tool's definition.
type Support = execution.Support

// The values of Support. Any other counts as SupportForbidden ("Tool-Level Negotiation").
const (
	SupportForbidden = execution.Forbidden
	SupportOptional  = execution.Optional
	SupportRequired  = execution.Required
)

// Options say how tasks are kept. The zero value will do.
type Options struct {
	// TTL is how long after its creation a task is kept whose requester does not say. 0
	// is DefaultTTL.
	TTL time.Duration
	// MaxTTL is how long a task is kept at most, TTL included. A task that is still
	// working then is cancelled. 0 is DefaultMaxTTL.
	MaxTTL time.Duration
	// PollInterval is how often requesters are to ask for the state of a task, and the
	// least time for which a task is kept. 0 is DefaultPollInterval.
	PollInterval time.Duration
	// MaxTasks bounds the tasks that are kept for a session, finished ones included; a
	// request for more is refused. 0 is DefaultMaxTasks.
	MaxTasks int
	// PageSize is how many tasks a page of tasks/list has at most. 0 is DefaultPageSize.
	PageSize int

	// Support, if there is one, says of a tool by its name whether it can be called as a
	// task; a catalog has a method that does. Nil: each tool can be called either way.
	Support func(tool string) Support

	// Logger gets the handlers' panics, and errors that are not for the peer. Nil:
	// nothing is logged.
	Logger *slog.Logger
}

// Tasks keeps the tasks of sessions. It is safe for concurrent use and may be put over
// any number of bindings.
type Tasks struct {
	opts Options
	log  *slog.Logger
}

// New makes a keeper of tasks.
func New(opts Options) *Tasks {
	opts.MaxTTL = cmp.Or(max(opts.MaxTTL, 0), DefaultMaxTTL)
	opts.TTL = cmp.Or(max(opts.TTL, 0), DefaultTTL)
	opts.PollInterval = cmp.Or(max(opts.PollInterval, 0), DefaultPollInterval)
	opts.MaxTasks = cmp.Or(max(opts.MaxTasks, 0), DefaultMaxTasks)
	opts.PageSize = cmp.Or(max(opts.PageSize, 0), DefaultPageSize)
	t := &Tasks{opts: opts, log: opts.Logger}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	return t
}

const (
	methodCallTool = "tools/call"
	methodGet      = "tasks/get"
	methodResult   = "tasks/result"
	methodList     = "tasks/list"
	methodCancel   = "tasks/cancel"
	methodStatus   = "notifications/tasks/status"
)

// augmentable are the requests that can be made tasks, by the side that answers them,
// with the capability that each needs ("Capabilities").
var augmentable = map[runtime.Direction]map[string]string{
	runtime.ToServer: {
		methodCallTool: "tasks.requests.tools.call",
	},
	runtime.ToClient: {
		"sampling/createMessage": "tasks.requests.sampling.createMessage",
		"elicitation/create":     "tasks.requests.elicitation.create",
	},
}

// handler is the type of Binding.Handle.
type handler = func(ctx context.Context, method string, params wire.Raw) (wire.Appender, error)

// Over returns a binding of the same revision in which requests that ask for it become
// tasks, and in which the methods about tasks are answered. All other messages go to the
// binding below, and so do the requests of tasks, without the member that made them
// such. A binding whose methods include none about tasks is returned as it is.
func (t *Tasks) Over(below runtime.Binding) runtime.Binding {
	if below.Handle == nil || !offers(below.Methods) {
		return below
	}
	needs := augmentable[below.Direction]
	handle := relating(below.Handle)
	b := below
	b.Handle = func(ctx context.Context, method string, params wire.Raw) (wire.Appender, error) {
		c := runtime.CallOf(ctx)
		if c == nil {
			return handle(ctx, method, params)
		}
		if capability, ok := needs[method]; ok {
			return t.request(ctx, c, handle, method, params, c.Declared(capability))
		}
		switch method {
		case methodGet:
			return runtime.Answer(ctx, params, t.session(c).get)
		case methodResult:
			return runtime.Answer(ctx, params, t.session(c).await)
		case methodList:
			return runtime.Answer(ctx, params, t.session(c).list)
		case methodCancel:
			return runtime.Answer(ctx, params, t.session(c).stop)
		}
		return handle(ctx, method, params)
	}
	return b
}

// relating has the result of a request that belongs to a task of the peer say so, too
// ("Associating Task-Related Messages").
func relating(handle handler) handler {
	return func(ctx context.Context, method string, params wire.Raw) (wire.Appender, error) {
		result, err := handle(ctx, method, params)
		if err != nil || result == nil || !strings.Contains(string(params), metaName) {
			return result, err
		}
		meta, _ := wire.Object(params).Get("_meta")
		task, ok := wire.Object(meta).Get(metaName)
		if !ok {
			return result, nil
		}
		text, err := wire.Marshal(result)
		if err != nil {
			return nil, err
		}
		return withRelated(wire.Object(text), task)
	}
}

// offers reports whether a table has the methods about tasks; an empty one has all.
func offers(methods []runtime.Method) bool {
	for i := range methods {
		if methods[i].Name == methodGet {
			return true
		}
	}
	return len(methods) == 0
}

// request answers a request that may ask for a task, where that is declared.
func (t *Tasks) request(ctx context.Context, c *runtime.Call, handle handler, method string, params wire.Raw, declared bool) (wire.Appender, error) {
	asked, augmented := wire.Object(params).Get("task")
	if asked == "null" { // as some clients write that they do not ask
		augmented = false
	}
	if asked != "" {
		var err error
		if params, err = without(params, "task"); err != nil {
			return nil, err
		}
	}
	if !declared {
		return handle(ctx, method, params)
	}
	if err := t.supports(method, params, augmented); err != nil {
		return nil, err
	}
	if !augmented {
		return handle(ctx, method, params)
	}
	ttl, err := t.ttl(asked)
	if err != nil {
		return nil, err
	}
	return t.session(c).create(ctx, c, work{handle, method, params}, ttl)
}

// supports tells why a tool is not called this way.
func (t *Tasks) supports(method string, params wire.Raw, augmented bool) error {
	if method != methodCallTool || t.opts.Support == nil {
		return nil
	}
	raw, _ := wire.Object(params).Get("name")
	if raw.Kind() != wire.KindString {
		return nil // the handler's matter
	}
	name := wire.NewStringReader(string(raw)).ReadString()
	switch support := t.opts.Support(name); {
	case support == SupportRequired && !augmented:
		return jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "tool %.100q must be called as a task", name)
	case support != SupportRequired && support != SupportOptional && augmented:
		return jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "tool %.100q cannot be called as a task", name)
	}
	return nil
}

// ttl is how long the task that a request asks for is kept ("TTL and Resource
// Management").
func (t *Tasks) ttl(asked wire.Raw) (time.Duration, error) {
	var p taskMetadata
	if _, _, err := wire.UnmarshalLenient(asked, &p, wire.AbsentNulls|wire.WellFormed); err != nil {
		return 0, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /task: %.200s", err)
	}
	ttl := t.opts.TTL
	if p.ttl != nil {
		if *p.ttl < 0 {
			return 0, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /task/ttl: must not be negative")
		}
		ttl = time.Duration(min(*p.ttl, t.opts.MaxTTL.Milliseconds())) * time.Millisecond
	}
	return min(max(ttl, t.opts.PollInterval), t.opts.MaxTTL), nil
}

package catalog

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What the options mean where they are left zero.
const (
	DefaultPageSize         = 1000 // items; many clients ask for the first page only
	DefaultMaxSubscriptions = 1000 // of a session
)

// changeDelay is how long a change of a list waits for more of its kind before sessions
// are told.
const changeDelay = 10 * time.Millisecond

// Options say how a catalog answers. The zero value will do.
type Options struct {
	// PageSize is how many items a page of a list has at most. 0 is DefaultPageSize.
	PageSize int

	// CallRate bounds the calls of tools that a session may make, per second in the long
	// run, as servers must ("Security Considerations" in server/tools of every revision).
	// More are refused with an error that says when to try again. 0 is DefaultCallRate,
	// less is no bound. Calls outside of sessions share one bound; they have none where
	// CallRate is 0, because they may be those of many clients.
	CallRate float64
	// CallBurst is how many calls may come at once. 0 is as many as CallRate lets come in
	// a second, at least one, or DefaultCallBurst where CallRate is 0.
	CallBurst int

	// MaxSubscriptions bounds the resources that a session may subscribe to. 0 is
	// DefaultMaxSubscriptions.
	MaxSubscriptions int

	// Checker, if there is one, makes of a tool's definition, once, when the tool is
	// added, what checks the arguments of its calls; nil checks nothing. An error in
	// arguments is answered as one of the tool's handler is.
	Checker func(definition wire.Object) (func(arguments wire.Object) error, error)

	// Convert, if there is one, makes what is written for one revision fit the others that
	// are served: lists, once for each revision and change, and results. An item whose
	// definition it refuses is not listed. Package generated/compat has one.
	Convert Converter

	// Logger gets the handlers' panics, and what cannot be listed. Nil: nothing is logged.
	Logger *slog.Logger
}

// Catalog keeps tools, prompts, resources and resource templates. It is safe for
// concurrent use; all methods may be called while sessions are open.
type Catalog struct {
	opts Options
	log  *slog.Logger

	tools     *list[*tool]
	prompts   *list[*prompt]
	resources *list[*resource]
	templates *list[*template]

	sessions    sync.Map // *runtime.ServerSession to *session
	open        atomic.Int64
	sessionless *session // stands for the session of calls that have none
	unbound     bool     // these have no bound
	watched     watched

	changes *runtime.Debounced // calls tell
	mu      sync.Mutex
	changed change // what open sessions are still to be told
}

// New makes an empty catalog.
func New(opts Options) *Catalog {
	opts.PageSize = cmp.Or(max(opts.PageSize, 0), DefaultPageSize)
	opts.MaxSubscriptions = cmp.Or(max(opts.MaxSubscriptions, 0), DefaultMaxSubscriptions)
	unbound := opts.CallRate == 0
	if unbound {
		opts.CallRate = DefaultCallRate
		opts.CallBurst = cmp.Or(max(opts.CallBurst, 0), DefaultCallBurst)
	}
	if opts.CallBurst <= 0 {
		opts.CallBurst = max(int(opts.CallRate), 1)
	}
	c := &Catalog{
		opts:      opts,
		log:       opts.Logger,
		tools:     newList[*tool]("tools", 't', opts.PageSize),
		prompts:   newList[*prompt]("prompts", 'p', opts.PageSize),
		resources: newList[*resource]("resources", 'r', opts.PageSize),
		templates: newList[*template]("resourceTemplates", 'u', opts.PageSize),
		watched:   newWatched(),
		unbound:   unbound,
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if opts.Convert != nil {
		c.tools.convert, c.prompts.convert = c.convert(kindTool), c.convert(kindPrompt)
		c.resources.convert, c.templates.convert = c.convert(kindResource), c.convert(kindTemplate)
	}
	c.tools.read = c.readTool
	c.sessionless = c.newSession(nil)
	c.changes = runtime.Debounce(changeDelay, c.tell)
	return c
}

// answer is how one method is answered.
type answer = func(ctx context.Context, params wire.Raw) (wire.Appender, error)

// answers are those of the catalog, by method.
func (c *Catalog) answers() map[string]answer {
	return map[string]answer{
		"tools/list":               answering(c.tools.answer),
		"tools/call":               answering(fitting(c, "CallToolResult", c.callTool)),
		"prompts/list":             answering(c.prompts.answer),
		"prompts/get":              answering(fitting(c, "GetPromptResult", c.getPrompt)),
		"resources/list":           answering(c.resources.answer),
		"resources/templates/list": answering(c.templates.answer),
		"resources/read":           answering(fitting(c, "ReadResourceResult", c.readResource)),
		"resources/subscribe":      answering(c.subscribe),
		"resources/unsubscribe":    answering(c.unsubscribe),
		"completion/complete":      answering(fitting(c, "CompleteResult", c.complete)),
	}
}

// answering makes an answer of a function with typed params.
func answering[P any, R wire.Appender, PP interface {
	*P
	wire.Value
}](h func(context.Context, *P) (R, error)) answer {
	return func(ctx context.Context, params wire.Raw) (wire.Appender, error) {
		return runtime.Answer[P, R, PP](ctx, params, h)
	}
}

// Over returns a binding of the same revision in which the catalog answers those of its
// methods that the revision has. All other messages go to the binding below, which a
// generated BindServer makes or, for servers without methods of their own, BindBase. A
// catalog may be put over several bindings, and is then the same in all revisions but for
// what Options.Convert makes of it.
func (c *Catalog) Over(below runtime.Binding) runtime.Binding {
	answers := c.answers()
	if len(below.Methods) > 0 {
		known := make(map[string]answer, len(answers))
		for i := range below.Methods {
			if name := below.Methods[i].Name; answers[name] != nil {
				known[name] = answers[name]
			}
		}
		answers = known
	}
	b := below
	b.Handle = func(ctx context.Context, method string, params wire.Raw) (wire.Appender, error) {
		if a := answers[method]; a != nil {
			return a(ctx, params)
		}
		if below.Handle == nil {
			return nil, runtime.MethodNotFound(method)
		}
		return below.Handle(ctx, method, params)
	}
	b.Opened = func(s *runtime.ServerSession) func() {
		c.opened(s)
		if below.Opened == nil {
			return func() { c.closed(s) }
		}
		closed := below.Opened(s)
		return func() {
			c.closed(s)
			if closed != nil {
				closed()
			}
		}
	}
	return b
}

// add makes items of what is to be added and puts all of them into the list, or none.
func add[A, T any](l *list[T], all []A, prepare func(A) (definition, T, error)) error {
	items := make([]*item[T], len(all))
	for i, a := range all {
		d, value, err := prepare(a)
		if err != nil {
			return err
		}
		items[i] = &item[T]{key: d.key, text: d.text, unread: d.unread, value: value}
	}
	l.put(items)
	return nil
}

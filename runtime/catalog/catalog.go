package catalog

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The values of options that are left zero.
const (
	DefaultPageSize         = 1000 // items; many clients request only the first page
	DefaultMaxSubscriptions = 1000 // per session
	// A client that waits for results does not reach these limits.
	DefaultCallRate  = 10_000     // tool calls of a session, per second
	DefaultCallBurst = 10_000_000 // tool calls of a session, at once
)

// Options configure a catalog. The zero value is ready to use.
type Options struct {
	// PageSize is the maximum number of items on a page of a list. 0 means
	// DefaultPageSize.
	PageSize int

	// CallRate limits how many tools a session calls per second, on average over a long
	// time. Servers must have such a limit ("Security Considerations" in server/tools of
	// every revision). A call above the limit fails with an error that says when to try
	// again. 0 means DefaultCallRate, and a negative value means no limit. Calls outside
	// of sessions share one limit, which does not exist if CallRate is 0, because such
	// calls may come from many clients.
	CallRate float64
	// CallBurst is the number of calls that may arrive at once. 0 means the calls of one
	// second at CallRate, but at least one, or DefaultCallBurst if CallRate is 0.
	CallBurst int

	// MaxSubscriptions limits the resources that a session can subscribe to. 0 means
	// DefaultMaxSubscriptions.
	MaxSubscriptions int

	// HideForbidden makes lists leave out items for which the caller's access token lacks scopes,
	// so that a model does not try them. A client must then know from elsewhere which scopes it
	// could request. Calls are checked in any case.
	HideForbidden bool

	// Checker, if not nil, is called with the definition of each tool that is added and
	// returns the function that checks the arguments of its calls; nil checks nothing. An
	// error that the function returns is treated as an error of the tool's handler.
	Checker func(definition wire.Object) (func(arguments wire.Object) error, error)

	// Convert, if not nil, converts definitions and results to the revision of the
	// session. Lists are converted once for each revision after a change. An item whose
	// definition cannot be converted is not listed. See compat.Converter in
	// generated/compat.
	Convert *convert.Converter

	// Logger receives panics and other defects of handlers, and the items that cannot be
	// listed. Nil means slog.Default().
	Logger *slog.Logger
}

// Catalog keeps tools, prompts, resources and resource templates. It is safe for
// concurrent use. All methods may be called while sessions are open.
type Catalog struct {
	opts Options

	tools     *list[tool]
	prompts   *list[prompt]
	resources *list[resource]
	templates *list[template]

	sessions    sync.Map // *runtime.ServerSession to *session
	open        atomic.Int64
	sessionless *session // stands for the session of calls outside of sessions
	unlimited   bool     // calls outside of sessions have no limit
	watched     watched

	joining  sync.Once
	replicas atomic.Pointer[runtime.Replicas] // nil without a bus

	mu      sync.Mutex
	changed change // not yet sent to open sessions; a timer calls tell unless it and heard are 0
	heard   change // the same, of changes at other replicas
}

// New returns an empty catalog.
func New(opts Options) *Catalog {
	opts.PageSize = cmp.Or(max(opts.PageSize, 0), DefaultPageSize)
	opts.MaxSubscriptions = cmp.Or(max(opts.MaxSubscriptions, 0), DefaultMaxSubscriptions)
	unlimited := opts.CallRate == 0
	if unlimited {
		opts.CallRate = DefaultCallRate
		opts.CallBurst = cmp.Or(max(opts.CallBurst, 0), DefaultCallBurst)
	}
	if opts.CallBurst <= 0 {
		opts.CallBurst = max(int(opts.CallRate), 1)
	}
	opts.Logger = logs.Or(opts.Logger, slog.LevelWarn)
	c := &Catalog{opts: opts, watched: newWatched(), unlimited: unlimited}
	c.tools = newList[tool](c, kindTool)
	c.prompts = newList[prompt](c, kindPrompt)
	c.resources = newList[resource](c, kindResource)
	c.templates = newList[template](c, kindTemplate)
	c.tools.read = readTool
	c.sessionless = &session{}
	return c
}

// answer handles a request.
type answer = func(ctx context.Context, params wire.Raw) (wire.Appender, error)

// answers returns the handlers of the catalog's methods.
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

// answering returns an answer that calls a function with typed params.
func answering[P any, R wire.Appender, PP interface {
	*P
	wire.Value
}](h func(context.Context, *P) (R, error)) answer {
	return func(ctx context.Context, params wire.Raw) (wire.Appender, error) {
		return runtime.Answer[P, R, PP](ctx, params, h)
	}
}

// Over returns a binding of the same revision in which the catalog handles its methods, as
// far as the revision of the session has them. All other messages go to the binding below, which is the
// result of a generated BindServer or, for servers without other methods, BindBase.
//
// If the server's options declare no capabilities, a session has those of the binding below
// and those that the catalog's items have when the session opens.
//
// A catalog can be put over the bindings of several revisions. If it is behind several servers with a
// Bus, it uses the bus and the name of the first.
func (c *Catalog) Over(below runtime.Binding) runtime.Binding {
	answers, known := c.answers(), make(map[string]answer)
	for i := range below.Methods {
		known[below.Methods[i].Name] = answers[below.Methods[i].Name]
	}
	if len(known) == 0 {
		known = answers
	}
	b := below
	b.Handle = func(ctx context.Context, method string, params wire.Raw) (wire.Appender, error) {
		if a := known[method]; a != nil {
			return a(ctx, params)
		}
		// A conversion passes on the methods of the session's revision that the one below lacks.
		if a, call := answers[method], runtime.CallOf(ctx); a != nil && call != nil && call.Known() {
			return a(ctx, params)
		}
		if below.Handle == nil {
			return nil, runtime.MethodNotFound(method)
		}
		return below.Handle(ctx, method, params)
	}
	b.Capabilities = func(declared wire.Appender) (wire.Appender, error) {
		if declared == nil {
			declared = c.capabilities(below.Methods)
		}
		if below.Capabilities == nil {
			return declared, nil
		}
		return below.Capabilities(declared)
	}
	b.ToolHeaders = func(tool string) *headers.Table {
		if table := c.headersOf(tool); table != nil || below.ToolHeaders == nil {
			return table
		}
		return below.ToolHeaders(tool)
	}
	b.Permit = func(ctx context.Context, method string, params wire.Raw) error {
		err := c.permit(ctx, method, params)
		if err == nil && below.Permit != nil {
			err = below.Permit(ctx, method, params)
		}
		return err
	}
	b.Scopes = func() []string {
		if below.Scopes == nil {
			return c.Scopes()
		}
		return slices.Concat(c.Scopes(), below.Scopes())
	}
	b.Subscribe = func(ctx context.Context, uri string) error {
		_, err := c.subscribe(ctx, &uriParams{uri: uri})
		if _, denied := errors.AsType[*runtime.DeniedError](err); denied {
			return err
		}
		if err != nil && below.Subscribe != nil {
			return below.Subscribe(ctx, uri)
		}
		return err
	}
	b.Joined = func(r *runtime.Replicas) {
		c.join(r)
		if below.Joined != nil {
			below.Joined(r)
		}
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

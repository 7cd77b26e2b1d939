package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/pace"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The values of options that are left zero.
const (
	defaultPageSize = 1000 // items; many clients request only the first page
	// A client that waits for results does not reach these limits.
	defaultCallRate  = 10_000     // tool calls of a session, per second
	defaultCallBurst = 10_000_000 // tool calls of a session, at once
)

// Options configure a catalog. The zero value is ready to use.
type Options struct {
	// PageSize is the maximum number of items on a page of a list. 0 means
	// 1,000.
	PageSize int

	// CallRate limits how many tools a session calls per second, on average over a long
	// time. Servers must have such a limit ("Security Considerations" in server/tools of
	// every revision). A call above the limit fails with an error that says when to try
	// again. 0 means 10,000, and a negative value means no limit. Calls outside
	// of sessions share one limit, which does not exist if CallRate is 0, because such
	// calls may come from many clients.
	CallRate float64
	// CallBurst is the number of calls that may arrive at once. 0 means the calls of one
	// second at CallRate, but at least one, or 10,000,000 if CallRate is 0.
	CallBurst int

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

// callLimit returns the limit of the calls of a session.
func (o *Options) callLimit() pace.Limit {
	return pace.Limit{PerSecond: o.CallRate, Burst: o.CallBurst}
}

// admit counts a tool call and returns 0. If there have been too many, it returns how long to wait before
// the next one.
func (c *Catalog) admit(call *runtime.Call) time.Duration {
	if call == nil || call.Session() == nil {
		return c.sessionless.Admit(1)
	}
	s := call.Session()
	calls, ok := c.limiters.Load(s)
	if !ok {
		if calls, ok = c.limiters.LoadOrStore(s, pace.New(c.opts.callLimit())); !ok {
			context.AfterFunc(s.Context(), func() { c.limiters.Delete(s) }) // a goroutine that waits would take 3 KB
		}
	}
	return calls.(pace.Limiter).Admit(1)
}

// Catalog keeps tools, prompts, resources and resource templates. It is safe for
// concurrent use. All methods may be called while sessions are open.
type Catalog struct {
	opts Options

	tools, prompts, resources, templates *list

	// The limits of the calls outside of sessions and of each session that has called a tool.
	sessionless pace.Limiter
	limiters    sync.Map // *runtime.ServerSession to pace.Limiter

	mu      sync.Mutex
	servers []weak.Pointer[runtime.Server]
}

// New returns an empty catalog.
func New(opts Options) *Catalog {
	opts.PageSize = cmp.Or(max(opts.PageSize, 0), defaultPageSize)
	c := new(Catalog)
	if opts.CallRate == 0 {
		opts.CallRate = defaultCallRate
		opts.CallBurst = cmp.Or(max(opts.CallBurst, 0), defaultCallBurst)
	} else {
		if opts.CallBurst <= 0 {
			opts.CallBurst = max(int(opts.CallRate), 1)
		}
		c.sessionless = pace.New(opts.callLimit())
	}
	c.opts = opts
	c.tools, c.prompts = &list{kind: kindTool, catalog: c}, &list{kind: kindPrompt, catalog: c}
	c.resources, c.templates = &list{kind: kindResource, catalog: c}, &list{kind: kindTemplate, catalog: c}
	return c
}

// lists returns the lists of all kinds.
func (c *Catalog) lists() [4]*list {
	return [...]*list{c.tools, c.prompts, c.resources, c.templates}
}

// logger returns the logger of the options, which may be those of a server that was made after the catalog.
func (c *Catalog) logger() *slog.Logger { return logs.Or(c.opts.Logger, slog.LevelWarn) }

// Add adds items. An item with the name or URI of an item in the catalog replaces it and
// takes its place in the list. If a definition is invalid, a handler is missing, or two of
// the items have the same name or URI, Add adds nothing and returns an error that describes
// every such item.
func (c *Catalog) Add(items ...Item) error {
	added := make(map[*kind]map[string]*entry, 1)
	var errs []error
	for i, it := range items {
		if it == nil {
			errs = append(errs, fmt.Errorf("catalog: item %d is nil", i))
			continue
		}
		e, err := it.entry(&c.opts)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if added[e.kind] == nil {
			added[e.kind] = make(map[string]*entry, len(items)-i)
		}
		if added[e.kind][e.key] != nil {
			errs = append(errs, e.error(e.key, fmt.Errorf("two items have this %s", e.members[0])))
		} else if e.scopes, err = checkScopes(e.scopes); err != nil {
			errs = append(errs, e.error(e.key, err))
		}
		added[e.kind][e.key] = e
		e.number = uint64(len(added[e.kind]))
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	var changed []string
	for _, l := range c.lists() {
		if items := added[l.kind]; items != nil {
			l.put(items)
			changed = append(changed, l.changed)
		}
	}
	for _, notification := range slices.Compact(changed) { // resources and templates have the same one
		c.publish(notification, nil)
	}
	return nil
}

// RemoveTools removes the tools with these names and returns how many there were. Calls in
// progress continue.
func (c *Catalog) RemoveTools(names ...string) int { return c.tools.remove(names) }

// RemovePrompts removes the prompts with these names and returns how many there were.
func (c *Catalog) RemovePrompts(names ...string) int { return c.prompts.remove(names) }

// RemoveResources removes the resources with these URIs and returns how many there were.
// Sessions remain subscribed to them.
func (c *Catalog) RemoveResources(uris ...string) int { return c.resources.remove(uris) }

// RemoveTemplates removes the templates with these values of uriTemplate and returns how
// many there were.
func (c *Catalog) RemoveTemplates(uriTemplates ...string) int {
	return c.templates.remove(uriTemplates)
}

// TaskSupport returns the execution.taskSupport of a tool's definition, which says whether the tool
// can be called as a task. It fits Support in tasks.Options. If the definition does not say it, the
// tool cannot ("Tool-Level Negotiation" in basic/utilities/tasks of 2025-11-25). For an unknown
// tool it returns optional, so that a call reports that there is no such tool.
func (c *Catalog) TaskSupport(tool string) string {
	t := c.tools.get(tool)
	if t == nil {
		return "optional"
	}
	return cmp.Or(t.definition().tasks, "forbidden")
}

// headersOf returns the headers of a tool's calls, nil for an unknown tool.
func (c *Catalog) headersOf(tool string) *headers.Table {
	if t := c.tools.get(tool); t != nil {
		return t.definition().headers
	}
	return nil
}

// Scopes returns all scopes that the items of the catalog require, sorted. Package runtime/auth
// publishes those of the server that it protects.
func (c *Catalog) Scopes() []string {
	var all []string
	for _, l := range c.lists() {
		for _, e := range l.view().ordered {
			all = append(all, e.scopes...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

const methodUpdated = "notifications/resources/updated"

// served adds a server that the catalog is behind. A catalog does not keep its servers alive.
func (c *Catalog) served(s *runtime.Server) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if own := weak.Make(s); !slices.Contains(c.servers, own) {
		c.servers = append(c.servers, own)
	}
}

// publish sends a notification to the clients of all servers.
func (c *Catalog) publish(method string, params wire.Appender) {
	c.mu.Lock()
	c.servers = slices.DeleteFunc(c.servers, func(s weak.Pointer[runtime.Server]) bool { return s.Value() == nil })
	servers := slices.Clone(c.servers)
	c.mu.Unlock()
	for _, s := range servers {
		if s := s.Value(); s != nil {
			// An error means that no revision of the server has the notification, or that a URI is not valid UTF-8 and so has
			// no subscribers.
			_ = s.Publish(method, params)
		}
	}
}

// ResourceUpdated notifies the clients that have subscribed to a resource of an update, here and at the other
// replicas of the server (runtime.ServerOptions.Replicas). It does not wait for them. Updates that follow each other
// before a client has received the first notification are sent as one.
func (c *Catalog) ResourceUpdated(uri string) { c.publish(methodUpdated, updatedParams(uri)) }

// updatedParams is the URI in the params of notifications/resources/updated.
type updatedParams string

// AppendJSON implements wire.Appender.
func (p updatedParams) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := wire.AppendString(append(dst, `{"uri":`...), string(p))
	return append(dst, '}'), err
}

// listen returns an error if a client cannot listen to a value: one of a resource that the catalog does not have, or
// that the client may not read.
func (c *Catalog) listen(ctx context.Context, notification, value string) error {
	if notification != methodUpdated {
		return fmt.Errorf("catalog: there is no %.100q for %s", value, notification)
	}
	_, _, err := c.findResource(ctx, value)
	return err
}

// subscribe handles resources/subscribe. The server records the subscription.
func (c *Catalog) subscribe(ctx context.Context, q *request) (wire.Appender, error) {
	_, _, err := c.findResource(ctx, q.key)
	return empty, err
}

// unsubscribe handles resources/unsubscribe. It succeeds if there is no subscription.
func (c *Catalog) unsubscribe(context.Context, *request) (wire.Appender, error) { return empty, nil }

// empty is an EmptyResult.
const empty = wire.Object("{}")

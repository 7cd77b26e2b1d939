package catalog

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// NewServer returns a server that offers the items and speaks all revisions of a table. Base
// is the binding of the revision that the items are written for. If the table is nil, the
// server speaks only that revision. NewServer of generated/mcp and generated/compat call it
// with the table of all revisions that have generated code.
//
// It returns an error for an item that cannot be added, for options that cannot be served,
// and for a revision that is not in the table. If one of the items is a *Catalog, the server
// uses it, so that the program can change the items later; the conversion by the table and the
// logger of the server apply where the options of the catalog leave them nil.
func NewServer(o runtime.ServerOptions, base runtime.Binding, table *convert.Table, items ...Item) (*runtime.Server, error) {
	var c *Catalog
	var keeper TaskKeeper
	var others []Item
	for _, it := range items {
		switch it := it.(type) {
		case *Catalog:
			switch {
			case it == nil:
				return nil, errors.New("catalog: the catalog is nil")
			case c != nil:
				return nil, errors.New("catalog: there are two catalogs among the items")
			}
			c = it
		case tasksItem:
			if keeper = it.TaskKeeper; keeper == nil {
				return nil, errors.New("catalog: Tasks: the TaskKeeper is nil")
			}
		default:
			others = append(others, it)
		}
	}
	if c == nil {
		c = New(Options{})
	}
	bindings := []runtime.Binding{base}
	if table != nil {
		if err := table.Check(base.Revision); err != nil {
			return nil, err
		}
		bindings = table.Bind(base, convert.Options{})
		if c.opts.Convert == nil { // otherwise another server may use the catalog already, and read its options
			c.opts.Convert = table.Converter(base.Revision, convert.Options{})
		}
	}
	if c.opts.Logger == nil {
		c.opts.Logger = o.Logger
	}
	if err := c.Add(others...); err != nil {
		return nil, err
	}
	// The catalog reads the params of its methods in every revision and has the methods of each, so it is in
	// front of the conversion.
	for i := range bindings {
		bindings[i] = c.Over(bindings[i])
		if keeper != nil {
			bindings[i] = keeper.Wrap(bindings[i], c.TaskSupport)
		}
	}
	s := runtime.NewServer(o, bindings...)
	return s, s.Err()
}

// Over returns a binding of the same revision in which the catalog handles its methods, as
// far as the revision of the session has them. All other messages go to the binding below, which is the
// result of a generated BindServer or, for servers without other methods, BindBase.
//
// If the server's options declare no capabilities, a session has those of the binding below
// and those that the catalog's items have when the session opens.
//
// A catalog can be put over the bindings of several revisions, and be behind several servers.
func (c *Catalog) Over(below runtime.Binding) runtime.Binding {
	known := maps.Clone(methods) // of the binding's revision
	if len(below.Methods) > 0 {
		maps.DeleteFunc(known, func(name string, _ *method) bool { return methodOf(below.Methods, name) == nil })
	}
	b := below
	b.Handle = func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
		own := known[m.Method]
		if own == nil {
			// A conversion passes on the methods of the session's revision that the one below lacks.
			if call := runtime.CallOf(ctx); call != nil && call.Known() {
				own = methods[m.Method]
			}
		}
		switch {
		case own != nil:
			return runtime.Answer(ctx, m, &request{method: own, arguments: "{}"}, c.handle)
		case below.Handle == nil:
			return nil, runtime.MethodNotFound(m.Method)
		}
		return below.Handle(ctx, m)
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
	b.Listen = func(ctx context.Context, notification, value string) error {
		err := c.listen(ctx, notification, value)
		if _, denied := errors.AsType[*runtime.DeniedError](err); err != nil && !denied && below.Listen != nil {
			return below.Listen(ctx, notification, value)
		}
		return err
	}
	b.Served = func(s *runtime.Server) {
		c.served(s)
		if below.Served != nil {
			below.Served(s)
		}
	}
	return b
}

// features lists the methods whose capabilities a catalog declares.
var features = []struct{ method, capability string }{
	{"completion/complete", "completions"},
	{"notifications/message", "logging"},
	{"prompts/list", "prompts"},
	{"notifications/prompts/list_changed", "prompts.listChanged"},
	{"resources/list", "resources"},
	{"notifications/resources/list_changed", "resources.listChanged"},
	{"notifications/resources/updated", "resources.subscribe"},
	{"tools/list", "tools"},
	{"notifications/tools/list_changed", "tools.listChanged"},
}

// has reports whether the catalog has an item for a capability. The runtime handles logging.
func (c *Catalog) has(capability string) bool {
	prompts, templates := c.prompts.view().ordered, c.templates.view().ordered
	switch capability {
	case "completions":
		return slices.ContainsFunc(prompts, (*entry).completes) || slices.ContainsFunc(templates, (*entry).completes)
	case "prompts":
		return len(prompts) > 0
	case "resources":
		return len(c.resources.view().ordered)+len(templates) > 0
	case "tools":
		return len(c.tools.view().ordered) > 0
	}
	return true
}

// methodOf returns the method with a name, or nil.
func methodOf(methods []runtime.Method, name string) *runtime.Method {
	if i := slices.IndexFunc(methods, func(m runtime.Method) bool { return m.Name == name }); i >= 0 {
		return &methods[i]
	}
	return nil
}

// capabilities returns the ServerCapabilities of the items in the catalog, in a revision with these
// methods: every capability of a method that the catalog has an item for. Without methods, they are
// the capabilities of features.
func (c *Catalog) capabilities(methods []runtime.Method) wire.Object {
	var all wire.Map[wire.Map[wire.Raw]]
	for _, f := range features {
		capability := f.capability
		if len(methods) > 0 {
			m := methodOf(methods, f.method)
			if m == nil || m.Capability == "" {
				continue
			}
			capability = m.Capability
		}
		outer, inner, nested := strings.Cut(capability, ".")
		if !c.has(outer) {
			continue
		}
		of, _ := all.Get(outer)
		if nested {
			of.Set(inner, "true")
		}
		all.Set(outer, of)
	}
	return wire.MustObject(all)
}

package catalog

import (
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
)

// NewServer returns a server that offers the items and speaks all revisions of a table. Base
// is the binding of the revision that the items are written for. If the table is nil, the
// server speaks only that revision. NewServer of generated/mcp and generated/compat call it
// with the table of all revisions that have generated code.
//
// It returns an error for an item that cannot be added, for options that cannot be served,
// and for a revision that is not in the table. If one of the items is a *Catalog, the server
// uses it, so that the program can change the items later.
func NewServer(o runtime.ServerOptions, base runtime.Binding, table *convert.Table, items ...Item) (*runtime.Server, error) {
	own := Options{Logger: o.Logger}
	if table != nil {
		if err := table.Check(base.Revision); err != nil {
			return nil, err
		}
		own.Convert = table.Converter(base.Revision, convert.Options{})
	}
	var keeper TaskKeeper
	offered := make([]Item, 0, len(items))
	for _, it := range items {
		if tasks, ok := it.(keptTasks); ok {
			keeper = tasks.TaskKeeper
		} else {
			offered = append(offered, it)
		}
	}
	c, err := Collect(own, offered...)
	if err != nil {
		return nil, err
	}
	bindings := []runtime.Binding{base}
	if table != nil {
		bindings = table.Bind(base, convert.Options{})
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

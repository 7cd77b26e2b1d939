// Package everything is a server with every feature of the newest revision, for tests: the
// fixtures that the conformance suite calls (test_*), and tools, prompts and resources for
// the tests of conversion. Its tools are generated from tools.json; the rest is written as a
// user would write it. Nothing in it asks which revision a session speaks.
package everything

import (
	"context"
	"log/slog"
	"slices"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tools"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen server --tools tools.json --out . --package everything

// Options configure the server. The zero value is ready to use.
type Options struct {
	// Revision, if not "", is the only revision that the server speaks.
	Revision string
	// PageSize is the page size of lists.
	PageSize int
	// Lost is called for each loss of a conversion.
	Lost func(context.Context, compat.Report)
	// Tasks adds the tasks extension and its tools.
	Tasks bool
	// Logger receives what the server logs.
	Logger *slog.Logger
}

// New returns the server, and its catalog for changes while it serves.
func New(o Options) (*runtime.Server, *catalog.Catalog, error) {
	convert := compat.Options{Lost: o.Lost}
	c := catalog.New(catalog.Options{
		CallRate: 1000, PageSize: o.PageSize, Logger: o.Logger,
		Convert: compat.Converter(mcp.Revision, convert),
	})
	if err := c.Add(Items(c)...); err != nil {
		return nil, nil, err
	}
	background := tasks.New(tasks.Options{Support: c.TaskSupport, Late: late, Logger: o.Logger})
	bindings := compat.Serve(background.Over(c.Over(mcp.BindBase())), convert)
	if o.Tasks {
		if err := c.Add(jobs()...); err != nil {
			return nil, nil, err
		}
		for i := range bindings {
			bindings[i] = background.Extend(bindings[i])
		}
	}
	if o.Revision != "" {
		bindings = slices.DeleteFunc(bindings, func(b runtime.Binding) bool { return b.Revision != o.Revision })
	}
	server := runtime.NewServer(runtime.ServerOptions{
		Name: "everything", Version: "1.0.0", Title: "Everything", Instructions: "Try everything.",
		Logger: o.Logger,
		Capabilities: &mcp.ServerCapabilities{
			Completions: "{}",
			Logging:     "{}",
			Prompts:     &mcp.ServerCapabilitiesPrompts{ListChanged: new(true)},
			Resources:   &mcp.ServerCapabilitiesResources{ListChanged: new(true), Subscribe: new(true)},
			Tools:       &mcp.ServerCapabilitiesTools{ListChanged: new(true)},
			Tasks: &mcp.ServerCapabilitiesTasks{
				List: "{}", Cancel: "{}",
				Requests: &mcp.ServerCapabilitiesTasksRequests{Tools: &mcp.ServerCapabilitiesTasksRequestsTools{Call: "{}"}},
			},
		},
	}, bindings...)
	return server, c, server.Err()
}

// Items returns what the server offers. Its tools change the catalog.
func Items(c *catalog.Catalog) []catalog.Item {
	items := append(ServerTools(&Handlers{Catalog: c}, tools.Options{}), prompts()...)
	items = append(items, inputs(c)...)
	return append(items, resources()...)
}

package skeleton

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// server renders the interfaces of the handlers and their registration.
func (g *generator) server() ([]files.File, error) {
	parts := []func(*jen.File){guard, g.definitions, g.toolsInterface}
	if len(g.pkg.Items) > 0 {
		parts = append(parts, g.itemInterfaces)
	}
	parts = append(parts, g.newServer, g.serverTools)
	if len(g.pkg.Items) > 0 {
		parts = append(parts, g.serverItems)
	}
	parts = append(parts, g.assertions)
	if slices.ContainsFunc(g.pkg.Tools, func(t typing.ToolTypes) bool { return t.Tool.Operation != nil && t.Tool.Output == nil }) {
		parts = append(parts, contentOf)
	}
	return g.render(g.whole("server.gen.go", parts...))
}

// whole returns a source of one file, however long it is: where it would be divided depends on
// the number of tools.
func (g *generator) whole(name string, parts ...func(*jen.File)) code.Source {
	return code.Source{Name: name, Package: g.Package, From: g.Source, Fill: func(f *jen.File, _, _ int) {
		for _, part := range parts {
			part(f)
			f.Line()
		}
	}}
}

func (g *generator) toolsInterface(f *jen.File) {
	defaults := ""
	if g.callsAPI() {
		defaults = "; those of a tool that calls an API have none, because the API sets them"
	}
	code.Declare(f, fmt.Sprintf("Tools has a method for each tool of %s. Arguments are valid under the input schema and have its defaults%s. An error becomes a result with isError, whose text the client's model reads. A panic becomes one too, without its text. runtime.CallOf(ctx) returns the call, for progress and for requests to the client. tools.ResultOf(ctx) returns the rest of the result: its content blocks, _meta and isError.", g.Source, defaults),
		"type Tools interface {\n$1}", methodsOf(toolHandlers(g.pkg.Tools)))
}

func (g *generator) newServer(f *jen.File) {
	param, kind, offers := "t", "Tools", "the tools"
	if len(g.pkg.Items) > 0 {
		param, kind, offers = "s", "Service", "the tools, prompts, resources and resource templates"
	}
	body, defaults := fmt.Sprintf("if %s == nil {\nreturn nil, errors.New(\"NewServer: the implementation of %s is nil\")\n}\nall := $1\n", param, kind), ""
	if g.offersTasks() {
		body += "all = append([]catalog.Item{catalog.Tasks(tasks.New(tasks.Options{Logger: options.Logger}))}, all...)\n"
	}
	comment := "NewServer returns a server that offers " + offers + ", and other items if there are any, and speaks every revision of the protocol."
	if g.offersTasks() {
		comment += " Tools can be called as tasks where execution.taskSupport of their definitions says so. The tasks are kept in memory, unless catalog.Tasks is among the items."
	}
	if g.List.Instructions != "" {
		comment += " Options without instructions get those of " + g.Source + "."
		defaults = "if options.Instructions == \"\" {\noptions.Instructions = $2\n}\n"
	}
	code.Declare(f, comment+" It returns an error for options that cannot be served, and for an item that cannot be added.",
		"func NewServer("+param+" "+kind+", options runtime.ServerOptions, items ...catalog.Item) (*runtime.Server, error) {\n"+body+defaults+"return mcp.NewServer(options, all...)\n}",
		g.allItems(param, "items"), text(g.List.Instructions))
}

// allItems renders the items of an implementation, and more.
func (g *generator) allItems(implementation, more string) string {
	own := fmt.Sprintf("ServerTools(%s, tools.Options{})", implementation)
	switch {
	case len(g.pkg.Items) > 0:
		if more != "" {
			more = ", " + more
		}
		return fmt.Sprintf("slices.Concat(%s, ServerPrompts(%[2]s), ServerResources(%[2]s)%[3]s)", own, implementation, more)
	case more != "":
		return fmt.Sprintf("append(%s, %s...)", own, more)
	}
	return own
}

// offersTasks reports whether a tool of the list can be called as a task.
func (g *generator) offersTasks() bool {
	return slices.ContainsFunc(g.pkg.Tools, func(t typing.ToolTypes) bool {
		execution, _ := t.Tool.Definition.Get("execution")
		support := wire.Object(execution).GetString("taskSupport")
		return support == "optional" || support == "required"
	})
}

func (g *generator) serverTools(f *jen.File) {
	all := ""
	for _, t := range g.pkg.Tools {
		maker, rest := "Structured", ""
		switch {
		case t.Tool.Output == nil:
			maker = "Content"
		case t.Value != nil:
			maker, rest = "Value", ", "+boxing(t)
		}
		all += fmt.Sprintf("tools.%s(%s, options, func() *%[3]s { return new(%[3]s) }, t.%[4]s%[5]s),\n", maker, toolName(t), t.Input.Name, t.Go, rest)
	}
	code.Declare(f, "ServerTools returns the tools as items for a server or a catalog, for programs that set options of the tools or add and remove tools.",
		"func ServerTools(t Tools, options tools.Options) []catalog.Item {\nreturn []catalog.Item{\n$1}\n}", all)
}

// assertions renders code that makes the compiler report each method that an implementation
// lacks. A failed interface assertion reports only the first.
func (g *generator) assertions(f *jen.File) {
	for _, name := range g.Implementations {
		all := ""
		for _, h := range handlers(g.pkg) {
			params := ""
			for _, p := range h.params {
				params += ", " + p.of
			}
			all += fmt.Sprintf("_ func(*%[1]s, context.Context%[2]s) (%[3]s, error) = (*%[1]s).%[4]s\n", name, params, h.result, h.name)
		}
		f.Add(code.Go("// The compiler reports each method that $1 lacks; \"mcpgen server --missing\" prints it.\nvar (\n$2)\n", name, all))
	}
}

// client renders the typed client without the methods of its tools.
func (g *generator) client() ([]files.File, error) {
	offered := func(f *jen.File) {
		f.Comment("offered holds all tools, prompts, resources and templates, in the order of their lists.")
		f.Add(code.Go("var offered = $1", g.itemList()))
	}
	return g.render(g.whole("client.gen.go", guard, g.definitions, g.clientType, offered))
}

// clientType renders the client without the methods of its tools.
func (g *generator) clientType(f *jen.File) {
	uses := "calls the tools"
	if len(g.pkg.Items) > 0 {
		uses = "calls the tools, gets the prompts and reads the resources"
	}
	code.Declare(f, fmt.Sprintf("Client %s of %s. It returns a *tools.Error if a tool fails, and a *tools.ResultError if a result is not valid under the definition. It is safe for concurrent use.", uses, g.Source),
		"type Client struct {\ncaller runtime.Caller\nclose func() error\n}")
	f.Line().Add(code.Go(`
		// Connect opens a session with a server, in the newest revision that both sides speak.
		// The caller must close the client.
		func Connect(ctx context.Context, transport runtime.Transport, options runtime.ClientOptions) (*Client, error) {
			session, err := runtime.NewClient(options, generated.ClientBindings()...).Connect(ctx, transport)
			if err != nil {
				return nil, err
			}
			return &Client{session, session.Close}, nil
		}

		// NewClient returns a client that uses a session. The caller remains responsible for closing the session.
		func NewClient(session runtime.Caller) *Client {
			return &Client{session, func() error {
				return nil
			}}
		}

		// Close ends the session if Connect opened it.
		func (c *Client) Close() error {
			return c.close()
		}`))
	g.clientCheck(f)
	if slices.ContainsFunc(g.pkg.Tools, func(t typing.ToolTypes) bool { return t.Tool.Output == nil }) {
		f.Line()
		contentOf(f)
	}
}

// contentOf renders the function that decodes content blocks.
func contentOf(f *jen.File) {
	f.Line().Add(code.Go(`
		// contentOf decodes the content blocks of a result.
		func contentOf(text wire.Object) ([]mcp.ContentBlock, error) {
			var result mcp.CallToolResult
			err := wire.UnmarshalString(string(text), &result)
			return result.Content, err
		}`))
}

// clientCheck renders the method of the client that compares the server with the list.
func (g *generator) clientCheck(f *jen.File) {
	text := "Check compares what the server offers with %s. It returns nil if it is the same, and otherwise joins a *tools.Drift for each kind of items, which lists what was added, removed and changed."
	if len(g.pkg.Items) == 0 {
		text = "Check compares the tools that the server has with those of %s. It returns nil if they are the same, and otherwise a *tools.Drift that lists what was added, removed and changed."
	}
	code.Declare(f, fmt.Sprintf(text, g.Source), "func (c *Client) Check(ctx context.Context) error {\nreturn tools.Check(ctx, c.caller, offered)\n}")
}

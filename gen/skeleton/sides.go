package skeleton

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// server renders the interfaces of the handlers and their registration.
func (g *generator) server() ([]files.File, error) {
	parts := []part{g.guards, g.definitions, g.toolsInterface}
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
	return g.renderWithDefinitions("server.gen.go", parts...)
}

// renderWithDefinitions renders a file that embeds the definitions.
func (g *generator) renderWithDefinitions(name string, parts ...part) ([]files.File, error) {
	source := g.whole(name, parts...)
	source.Anonymous = []string{"embed"}
	return g.render(source)
}

// part writes a part of a file.
type part func(*code.Writer)

// whole returns a source of one file, however long it is: where it would be divided depends on
// the number of tools.
func (g *generator) whole(name string, parts ...part) emit.Source {
	source := g.source(name, parts)
	source.Items = 0
	source.Fill = func(w *code.Writer, _, _ int) { write(w, parts) }
	return source
}

func write(w *code.Writer, parts []part) {
	for _, part := range parts {
		part(w)
		w.P("")
	}
}

func (g *generator) toolsInterface(w *code.Writer) {
	w.Doc("Tools has a method for each tool of %s. Arguments are valid under the input schema and have its defaults. An error becomes a result with isError, whose text the client's model reads. A panic becomes one too, without its text. runtime.CallOf(ctx) returns the call, for progress and for requests to the client. tools.ResultOf(ctx) returns the rest of the result: its content blocks, _meta and isError.", g.Source)
	w.P("type Tools interface {\n%s}", methods(toolHandlers(g.pkg.Tools)))
}

func (g *generator) newServer(w *code.Writer) {
	param, kind, offers := "t", "Tools", "the tools"
	if len(g.pkg.Items) > 0 {
		param, kind, offers = "s", "Service", "the tools, prompts, resources and resource templates"
	}
	comment := "NewServer returns a server that offers " + offers + ", and other items if there are any, and speaks every revision of the protocol."
	body := "all := " + g.allItems(param, "items") + "\n"
	if g.offersTasks() {
		comment += " Tools can be called as tasks where execution.taskSupport of their definitions says so. The tasks are kept in memory, unless catalog.Tasks is among the items."
		body += "all = append([]catalog.Item{catalog.Tasks(tasks.New(tasks.Options{Logger: options.Logger}))}, all...)\n"
	}
	if g.List.Instructions != "" {
		comment += " Options without instructions get those of " + g.Source + "."
		body += "if options.Instructions == \"\" {\noptions.Instructions = " + text(g.List.Instructions) + "\n}\n"
	}
	w.Doc("%s It returns an error for options that cannot be served, and for an item that cannot be added.", comment)
	w.P("func NewServer(%s %s, options runtime.ServerOptions, items ...catalog.Item) (*runtime.Server, error) {\n%sreturn mcp.NewServer(options, all...)\n}", param, kind, body)
}

// allItems renders the items of an implementation, and those of a variable if it is not "".
func (g *generator) allItems(implementation, more string) string {
	all := "ServerTools(" + implementation + ", tools.Options{})"
	switch {
	case len(g.pkg.Items) > 0:
		return fmt.Sprintf("slices.Concat(%s)", strings.TrimSuffix(fmt.Sprintf("%s, ServerPrompts(%[2]s), ServerResources(%[2]s), %s", all, implementation, more), ", "))
	case more != "":
		return "append(" + all + ", " + more + "...)"
	}
	return all
}

// offersTasks reports whether a tool of the list can be called as a task.
func (g *generator) offersTasks() bool {
	return slices.ContainsFunc(g.pkg.Tools, func(t typing.ToolTypes) bool {
		execution, _ := t.Tool.Definition.Get("execution")
		support := wire.Object(execution).GetString("taskSupport")
		return support == "optional" || support == "required"
	})
}

func (g *generator) serverTools(w *code.Writer) {
	var items []string
	for _, t := range g.pkg.Tools {
		maker, more := "Structured", ""
		switch {
		case t.Tool.Output == nil:
			maker = "Content"
		case t.Value != nil:
			maker, more = "Value", ", "+boxing(t)
		}
		items = append(items, fmt.Sprintf("tools.%s(%s, options, %s, nil, t.%s%s)", maker, toolName(t), newOf(t.Input), t.Go, more))
	}
	w.Doc("ServerTools returns the tools as items for a server or a catalog, for programs that set options of the tools or add and remove tools.")
	w.P("func ServerTools(t Tools, options tools.Options) []catalog.Item {\nreturn []catalog.Item%s\n}", code.Lines(items))
}

// assertions renders code that makes the compiler report each method that an implementation
// lacks. A failed interface assertion reports only the first.
func (g *generator) assertions(w *code.Writer) {
	for _, name := range g.Implementations {
		w.P("// The compiler reports each method that %s lacks; %s prints it.\nvar (", name, `"mcpgen server --missing"`)
		for _, h := range handlers(g.pkg) {
			params := []string{"*" + name, "context.Context"}
			for _, p := range h.params {
				params = append(params, p.String())
			}
			w.P("_ func(%s) (%s, error) = (*%s).%s", code.List(params...), h.result, name, h.name)
		}
		w.P(")\n")
	}
}

// client renders the typed client without the methods of its tools.
func (g *generator) client() ([]files.File, error) {
	parts := []part{g.guards, g.definitions, g.clientType, g.toolDefinitions}
	if len(g.pkg.Items) > 0 {
		parts = append(parts, g.itemList)
	}
	return g.renderWithDefinitions("client.gen.go", parts...)
}

// toolDefinitions renders the list of the definitions of all tools.
func (g *generator) toolDefinitions(w *code.Writer) {
	w.P("// toolDefinitions holds the definitions of all tools, in the order of the list.\nvar toolDefinitions = tools.Definitions([]*tools.Tool%s)", g.toolNames())
}

// clientType renders the client without the methods of its tools.
func (g *generator) clientType(w *code.Writer) {
	uses := "calls the tools"
	if len(g.pkg.Items) > 0 {
		uses = "calls the tools, gets the prompts and reads the resources"
	}
	w.Doc("Client %s of %s. It returns a *tools.Error if a tool fails, and a *tools.ResultError if a result is not valid under the definition. It is safe for concurrent use.", uses, g.Source)
	w.P(`type Client struct {
		caller runtime.Caller
		close  func() error
	}

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
	}`)
	g.clientCheck(w)
	if slices.ContainsFunc(g.pkg.Tools, func(t typing.ToolTypes) bool { return t.Tool.Output == nil }) {
		w.P("")
		contentOf(w)
	}
}

// contentOf renders the function that decodes content blocks.
func contentOf(w *code.Writer) {
	w.P(`// contentOf decodes the content blocks of a result.
	func contentOf(text wire.Object) ([]mcp.ContentBlock, error) {
		var result mcp.CallToolResult
		err := wire.UnmarshalString(string(text), &result)
		return result.Content, err
	}`)
}

// clientCheck renders the method of the client that compares the server with the list.
func (g *generator) clientCheck(w *code.Writer) {
	text := "Check compares the tools that the server has with those of %s. It returns nil if they are the same, and otherwise a *tools.Drift that lists what was added, removed and changed."
	same := "tools.Check(ctx, c.caller, toolDefinitions)"
	if len(g.pkg.Items) > 0 {
		text = "Check compares what the server offers with %s. It returns nil if it is the same, and otherwise joins a *tools.Drift for each kind of items, which lists what was added, removed and changed."
		others := "tools.CheckItems(ctx, c.caller, otherItems)"
		if len(g.pkg.Tools) > 0 {
			same = "errors.Join(" + same + ", " + others + ")"
		} else {
			same = others
		}
	}
	w.Doc(text, g.Source)
	w.P("func (c *Client) Check(ctx context.Context) error {\nreturn %s\n}", same)
}

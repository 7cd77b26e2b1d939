package skeleton

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// server renders the interfaces of the handlers and their registration.
func (g *generator) server() ([]files.File, error) {
	parts := []func(*jen.File){g.guards, g.definitions, g.toolsInterface}
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
func (g *generator) whole(name string, parts ...func(*jen.File)) emit.Source {
	return emit.Source{Name: name, New: g.file, Fill: func(f *jen.File, _, _ int) {
		for _, part := range parts {
			part(f)
			f.Line()
		}
	}}
}

func (g *generator) toolsInterface(f *jen.File) {
	f.Add(emit.Comment(fmt.Sprintf("Tools has a method for each tool of %s. Arguments are valid under the input schema and have its defaults. An error becomes a result with isError, whose text the client's model reads. A panic becomes one too, without its text. runtime.CallOf(ctx) returns the call, for progress and for requests to the client. tools.ResultOf(ctx) returns the rest of the result: its content blocks, _meta and isError.", g.Source)))
	f.Type().Id("Tools").InterfaceFunc(func(methods *jen.Group) { addMethods(methods, toolHandlers(g.pkg.Tools)) })
}

func (g *generator) newServer(f *jen.File) {
	param, kind, offers := "t", "Tools", "the tools"
	if len(g.pkg.Items) > 0 {
		param, kind, offers = "s", "Service", "the tools, prompts, resources and resource templates"
	}
	body := []jen.Code{jen.Id("all").Op(":=").Add(g.allItems(param, jen.Id("items")))}
	if g.offersTasks() {
		keeper := jen.Qual(catalogPath, "Tasks").Call(jen.Qual(tasksPath, "New").Call(
			jen.Qual(tasksPath, "Options").Values(jen.Dict{jen.Id("Logger"): jen.Id("options").Dot("Logger")})))
		body = append(body, jen.Id("all").Op("=").Append(jen.Index().Qual(catalogPath, "Item").Values(keeper), jen.Id("all").Op("...")))
	}
	comment := "NewServer returns a server that offers " + offers + ", and other items if there are any, and speaks every revision of the protocol."
	if g.offersTasks() {
		comment += " Tools can be called as tasks where execution.taskSupport of their definitions says so. The tasks are kept in memory, unless catalog.Tasks is among the items."
	}
	if g.List.Instructions != "" {
		comment += " Options without instructions get those of " + g.Source + "."
		body = append(body, jen.If(jen.Id("options").Dot("Instructions").Op("==").Lit("")).Block(
			jen.Id("options").Dot("Instructions").Op("=").Add(text(g.List.Instructions)),
		))
	}
	f.Add(emit.Comment(comment + " It returns an error for options that cannot be served, and for an item that cannot be added."))
	f.Func().Id("NewServer").Params(
		jen.Id(param).Id(kind), jen.Id("options").Qual(runtimePath, "ServerOptions"), jen.Id("items").Op("...").Qual(catalogPath, "Item"),
	).Params(jen.Op("*").Qual(runtimePath, "Server"), jen.Error()).Block(
		append(body, jen.Return(jen.Qual(mcpPath, "NewServer").Call(jen.Id("options"), jen.Id("all").Op("..."))))...,
	)
}

// allItems renders the items of an implementation, and more.
func (g *generator) allItems(implementation string, more ...jen.Code) *jen.Statement {
	call := func(f string, args ...jen.Code) *jen.Statement {
		return jen.Id(f).Call(append([]jen.Code{jen.Id(implementation)}, args...)...)
	}
	tools := call("ServerTools", jen.Qual(toolsPath, "Options").Values())
	switch {
	case len(g.pkg.Items) > 0:
		return jen.Qual("slices", "Concat").Call(append([]jen.Code{tools, call("ServerPrompts"), call("ServerResources")}, more...)...)
	case len(more) > 0:
		return jen.Append(tools, jen.Add(more...).Op("..."))
	}
	return tools
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
	f.Add(emit.Comment("ServerTools returns the tools as items for a server or a catalog, for programs that set options of the tools or add and remove tools."))
	f.Func().Id("ServerTools").Params(jen.Id("t").Id("Tools"), jen.Id("options").Qual(toolsPath, "Options")).
		Index().Qual(catalogPath, "Item").Block(
		jen.Return(jen.Index().Qual(catalogPath, "Item").ValuesFunc(func(all *jen.Group) {
			for _, t := range g.pkg.Tools {
				maker, args := "Structured", []jen.Code{jen.Nil(), jen.Id("t").Dot(t.Go)}
				switch {
				case t.Tool.Output == nil:
					maker = "Content"
				case t.Value != nil:
					maker, args = "Value", append(args, boxing(t))
				}
				fresh := jen.Op(fmt.Sprintf("func() *%[1]s { return new(%[1]s) }", t.Input.Name)) // in one line
				all.Line().Qual(toolsPath, maker).Call(append([]jen.Code{jen.Id(toolName(t)), jen.Id("options"), fresh}, args...)...)
			}
			all.Line()
		})),
	)
}

// assertions renders code that makes the compiler report each method that an implementation
// lacks. A failed interface assertion reports only the first.
func (g *generator) assertions(f *jen.File) {
	for _, name := range g.Implementations {
		f.Comment(fmt.Sprintf("The compiler reports each method that %s lacks; %s prints it.", name, `"mcpgen server --missing"`))
		f.Var().DefsFunc(func(defs *jen.Group) {
			for _, h := range handlers(g.pkg) {
				params := []jen.Code{jen.Op("*").Id(name), contextType.code()}
				for _, p := range h.params {
					params = append(params, p.code())
				}
				defs.Id("_").Func().Params(params...).Params(h.result.code(), jen.Error()).Op("=").Parens(jen.Op("*").Id(name)).Dot(h.name)
			}
		})
		f.Line()
	}
}

// client renders the typed client without the methods of its tools.
func (g *generator) client() ([]files.File, error) {
	parts := []func(*jen.File){g.guards, g.definitions, g.clientType, g.toolDefinitions}
	if len(g.pkg.Items) > 0 {
		parts = append(parts, g.itemList)
	}
	return g.render(g.whole("client.gen.go", parts...))
}

// toolDefinitions renders the list of the definitions of all tools.
func (g *generator) toolDefinitions(f *jen.File) {
	f.Comment("toolDefinitions holds the definitions of all tools, in the order of the list.")
	f.Var().Id("toolDefinitions").Op("=").Qual(toolsPath, "Definitions").Call(jen.Index().Op("*").Qual(toolsPath, "Tool").ValuesFunc(func(all *jen.Group) {
		for _, t := range g.pkg.Tools {
			all.Line().Id(toolName(t))
		}
		all.Line()
	}))
}

// clientType renders the client without the methods of its tools.
func (g *generator) clientType(f *jen.File) {
	uses := "calls the tools"
	if len(g.pkg.Items) > 0 {
		uses = "calls the tools, gets the prompts and reads the resources"
	}
	f.Add(emit.Comment(fmt.Sprintf("Client %s of %s. It returns a *tools.Error if a tool fails, and a *tools.ResultError if a result is not valid under the definition. It is safe for concurrent use.", uses, g.Source)))
	f.Type().Id("Client").Struct(
		jen.Id("caller").Qual(runtimePath, "Caller"),
		jen.Id("close").Func().Params().Error(),
	)
	f.Line()
	f.Comment("Connect opens a session with a server, in the newest revision that both sides speak.")
	f.Comment("The caller must close the client.")
	f.Func().Id("Connect").Params(
		jen.Id("ctx").Qual("context", "Context"), jen.Id("transport").Qual(runtimePath, "Transport"), jen.Id("options").Qual(runtimePath, "ClientOptions"),
	).Params(jen.Op("*").Id("Client"), jen.Error()).Block(
		jen.List(jen.Id("session"), jen.Err()).Op(":=").Qual(runtimePath, "NewClient").Call(
			jen.Id("options"), jen.Qual(generatedPath, "ClientBindings").Call().Op("..."),
		).Dot("Connect").Call(jen.Id("ctx"), jen.Id("transport")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Op("&").Id("Client").Values(jen.Id("session"), jen.Id("session").Dot("Close")), jen.Nil()),
	)
	f.Line()
	f.Comment("NewClient returns a client that uses a session. The caller remains responsible for closing the session.")
	f.Func().Id("NewClient").Params(jen.Id("session").Qual(runtimePath, "Caller")).Op("*").Id("Client").Block(
		jen.Return(jen.Op("&").Id("Client").Values(jen.Id("session"), jen.Func().Params().Error().Block(jen.Return(jen.Nil())))),
	)
	f.Line()
	f.Comment("Close ends the session if Connect opened it.")
	f.Func().Params(jen.Id("c").Op("*").Id("Client")).Id("Close").Params().Error().Block(jen.Return(jen.Id("c").Dot("close").Call()))
	f.Line()
	g.clientCheck(f)
	if slices.ContainsFunc(g.pkg.Tools, func(t typing.ToolTypes) bool { return t.Tool.Output == nil }) {
		f.Line()
		contentOf(f)
	}
}

// contentOf renders the function that decodes content blocks.
func contentOf(f *jen.File) {
	f.Comment("contentOf decodes the content blocks of a result.")
	f.Func().Id("contentOf").Params(jen.Id("text").Qual(wirePath, "Object")).Params(jen.Index().Qual(mcpPath, "ContentBlock"), jen.Error()).Block(
		jen.Var().Id("result").Qual(mcpPath, "CallToolResult"),
		jen.Err().Op(":=").Qual(wirePath, "UnmarshalString").Call(jen.String().Call(jen.Id("text")), jen.Op("&").Id("result")),
		jen.Return(jen.Id("result").Dot("Content"), jen.Err()),
	)
}

// clientCheck renders the method of the client that compares the server with the list.
func (g *generator) clientCheck(f *jen.File) {
	compare := func(with, what string) jen.Code {
		return jen.Qual(toolsPath, with).Call(jen.Id("ctx"), jen.Id("c").Dot("caller"), jen.Id(what))
	}
	text := "Check compares the tools that the server has with those of %s. It returns nil if they are the same, and otherwise a *tools.Drift that lists what was added, removed and changed."
	same := compare("Check", "toolDefinitions")
	if len(g.pkg.Items) > 0 {
		text = "Check compares what the server offers with %s. It returns nil if it is the same, and otherwise joins a *tools.Drift for each kind of items, which lists what was added, removed and changed."
		others := compare("CheckItems", "otherItems")
		if len(g.pkg.Tools) > 0 {
			same = jen.Qual("errors", "Join").Call(same, others)
		} else {
			same = others
		}
	}
	f.Add(emit.Comment(fmt.Sprintf(text, g.Source)))
	f.Func().Params(jen.Id("c").Op("*").Id("Client")).Id("Check").Params(jen.Id("ctx").Qual("context", "Context")).Error().Block(jen.Return(same))
}

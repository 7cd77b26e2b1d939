package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// runtimeHandled lists the messages to clients that the runtime handles, so that
// ClientOptions has no functions for them.
var runtimeHandled = []string{"ping", "notifications/cancelled"}

// connect renders the options of a client, with a function for each message of its server,
// and the typed session.
func (e *emitter) connect(f *jen.File) {
	methods := slices.DeleteFunc(e.received(client), func(m *ir.Method) bool {
		return slices.Contains(runtimeHandled, m.Wire)
	})
	e.clientOptions(f, methods)
	f.Line()
	f.Add(doc("NewClient returns a client with these options. It speaks all revisions of the table, converting messages from and to this revision. If the table is nil, it speaks this revision only."))
	f.Func().Params(jen.Id("o").Id("ClientOptions")).Id("NewClient").
		Params(jen.Id("table").Op("*").Qual(convertPath, "Table")).Op("*").Qual(runtimePath, "Client").
		BlockFunc(func(g *jen.Group) { newClient(g, methods) })
	f.Line()
	f.Add(doc("NewSession returns the typed session on top of a runtime session of a client that NewClient returned."))
	f.Func().Params(jen.Id("ClientOptions")).Id("NewSession").
		Params(jen.Id("s").Op("*").Qual(runtimePath, "Session")).Op("*").Id("Session").Block(
		jen.Return(jen.Op("&").Id("Session").Values(jen.Id("NewServerCaller").Call(jen.Id("s")), jen.Id("s"))),
	)
	e.session(f)
}

func (e *emitter) clientOptions(f *jen.File, methods []*ir.Method) {
	f.Add(doc("ClientOptions configure a client. The functions handle the requests and notifications of its server; a request without a function is answered with \"method not found\" (-32601), and a notification without one is ignored. Functions are called concurrently, and their params are never nil."))
	f.Type().Id("ClientOptions").StructFunc(func(g *jen.Group) {
		g.Add(doc("Name identifies the program."))
		g.Id("Name").String()
		g.Add(doc("Version is the version of the program."))
		g.Id("Version").String()
		g.Add(doc("Title is a name for display, which clients send from 2025-06-18 on."))
		g.Id("Title").String()
		g.Line()
		for _, m := range methods {
			g.Add(doc(handlerDoc(m)))
			g.Id(m.Go).Func().Add(signature(m, handlerResult(m)))
		}
		g.Line()
		g.Add(doc("Capabilities take precedence over the capabilities that follow from the functions that are set."))
		g.Id("Capabilities").Add(e.capabilitiesType())
		g.Add(doc("Runtime holds the other options, such as timeouts, limits, middleware and the logger. The fields above take precedence over its fields of the same name."))
		g.Id("Runtime").Qual(runtimePath, "ClientOptions")
		g.Add(doc("Bind, if not nil, wraps the binding of the functions, for example to answer requests as tasks."))
		g.Id("Bind").Func().Params(jen.Qual(runtimePath, "Binding")).Qual(runtimePath, "Binding")
		g.Add(doc("Lost, if not nil, is called for everything that is lost when messages are converted between this revision and that of a session. It is called concurrently."))
		g.Id("Lost").Func().Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("r").Qual(convertPath, "Report"))
	})
}

// handlerDoc renders the doc comment of a function of ClientOptions.
func handlerDoc(m *ir.Method) string {
	text := fmt.Sprintf("%s handles %s, which %s", m.Go, m.Wire, m.Doc)
	if m.Capability != "" && !m.Notification {
		text += fmt.Sprintf(" Setting it declares the capability %s.", m.Capability)
	}
	return text + deprecation(m.Deprecated)
}

// handlerResult returns the type of a handler's result.
func handlerResult(m *ir.Method) *ir.Decl {
	if m.Plain != nil {
		return m.Plain
	}
	return m.Result
}

func newClient(g *jen.Group, methods []*ir.Method) {
	g.Id("handlers").Op(":=").Qual(runtimePath, "Handlers").ValuesFunc(func(g *jen.Group) {
		for _, m := range methods {
			g.Line().Lit(m.Wire).Op(":").Add(handler(m))
		}
		g.Line()
	})
	g.Id("options").Op(":=").Id("o").Dot("Runtime")
	for _, name := range []string{"Name", "Version", "Title"} {
		g.If(jen.Id("o").Dot(name).Op("!=").Lit("")).Block(jen.Id("options").Dot(name).Op("=").Id("o").Dot(name))
	}
	g.If(jen.Id("o").Dot("Capabilities").Op("!=").Nil()).Block(
		jen.Id("options").Dot("Capabilities").Op("=").Id("o").Dot("Capabilities"),
	).Else().If(jen.Id("options").Dot("Capabilities").Op("==").Nil()).Block(
		jen.Id("options").Dot("Capabilities").Op("=").Id("handlers").Dot("Capabilities").Call(jen.Id("Methods")),
	)
	g.Id("binding").Op(":=").Id("handlers").Dot("Bind").Call(jen.Id("Revision"), jen.Id("Methods"))
	g.If(jen.Id("o").Dot("Bind").Op("!=").Nil()).Block(
		jen.Id("binding").Op("=").Id("o").Dot("Bind").Call(jen.Id("binding")),
	)
	g.If(jen.Id("table").Op("==").Nil()).Block(
		jen.Return(jen.Qual(runtimePath, "NewClient").Call(jen.Id("options"), jen.Id("binding"))),
	)
	g.Return(jen.Qual(runtimePath, "NewClient").Call(
		jen.Id("options"),
		jen.Id("table").Dot("Bind").Call(
			jen.Id("binding"),
			jen.Qual(convertPath, "Options").Values(jen.Dict{jen.Id("Lost"): jen.Id("o").Dot("Lost")}),
		).Op("..."),
	))
}

// handler renders the handler of a message by a function of ClientOptions.
func handler(m *ir.Method) jen.Code {
	name := "HandleRequest"
	if m.Notification {
		name = "HandleNotification"
	}
	if isUnion(m.Params) {
		return jen.Qual(runtimePath, name+"Value").Call(newBox(m.Params, jen.Null()), jen.Id("o").Dot(m.Go))
	}
	return jen.Qual(runtimePath, name).Call(jen.Id("o").Dot(m.Go))
}

// session renders the typed session of a client.
func (e *emitter) session(f *jen.File) {
	f.Line()
	f.Add(doc("Session is a client's session with a server: the typed requests and notifications of ServerCaller on top of a runtime session, which has Close, Wait, Revision, Instructions and the untyped Call and Notify. It is safe for concurrent use."))
	f.Type().Id("Session").Struct(
		jen.Id("ServerCaller"),
		jen.Op("*").Qual(runtimePath, "Session"),
	)
	f.Line()
	f.Add(doc("Ping returns nil if the server responds."))
	f.Func().Params(jen.Id("s").Op("*").Id("Session")).Id("Ping").
		Params(jen.Id("ctx").Qual("context", "Context")).Error().
		Block(jen.Return(jen.Id("s").Dot("Session").Dot("Ping").Call(jen.Id("ctx"))))
	e.listen(f)
	for _, info := range []struct{ name, definition, text string }{
		{"ServerInfo", "Implementation", "ServerInfo returns the name and version of the server."},
		{"ServerCapabilities", "ServerCapabilities", "ServerCapabilities returns the capabilities that the server declared."},
	} {
		if !e.isStruct(info.definition) {
			continue
		}
		f.Line()
		f.Add(doc(info.text + fmt.Sprintf(" It is incomplete if the server's text does not match the definition; s.Session.%s returns the text.", info.name)))
		f.Func().Params(jen.Id("s").Op("*").Id("Session")).Id(info.name).Params().Op("*").Id(info.definition).Block(
			jen.Id("v").Op(":=").New(jen.Id(info.definition)),
			jen.Id("_").Op("=").Qual(wirePath, "UnmarshalString").Call(jen.String().Call(jen.Id("s").Dot("Session").Dot(info.name).Call()), jen.Id("v")),
			jen.Return(jen.Id("v")),
		)
	}
}

// listen renders the typed Listen of a session, if the revision has subscriptions and a union of
// notifications.
func (e *emitter) listen(f *jen.File) {
	at := slices.IndexFunc(e.rev.Methods, func(m *ir.Method) bool { return m.Wire == "subscriptions/listen" && m.ToServer })
	notification := e.rev.Definition("ServerNotification")
	if at < 0 || notification == nil || !isUnion(notification) {
		return
	}
	member := requiredField(e.rev.Methods[at].Params, "notifications")
	if member == nil {
		return
	}
	ref, ok := member.Type.(*ir.Ref)
	if !ok || !e.isStruct(ref.Decl.Name) {
		return
	}
	f.Line()
	f.Add(doc(fmt.Sprintf("Listen yields the notifications that the server sends because of a subscription with the given filter. The first is the acknowledgement, with the part of the filter that the server honours; another one says that the stream was lost and opened again. runtime.Session.Listen says when the sequence ends. A notification that is not a %s is an error, after which the sequence continues.", notification.Name)))
	f.Func().Params(jen.Id("s").Op("*").Id("Session")).Id("Listen").
		Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("filter").Op("*").Id(ref.Decl.Name)).
		Qual("iter", "Seq2").Types(jen.Id(notification.Name), jen.Error()).
		Block(jen.Return(jen.Qual(runtimePath, "TypedNotifications").Call(
			jen.Id("s").Dot("Session").Dot("Listen").Call(jen.Id("ctx"), jen.Qual(runtimePath, "Params").Call(jen.Id("filter"))),
			jen.Id("Decode"+notification.Name),
		)))
}

// capabilitiesType returns the type of a client's capabilities.
func (e *emitter) capabilitiesType() jen.Code {
	if e.isStruct("ClientCapabilities") {
		return jen.Op("*").Id("ClientCapabilities")
	}
	return jen.Qual(wirePath, "Appender")
}

// isStruct reports whether the revision declares a struct with that name.
func (e *emitter) isStruct(name string) bool {
	d := e.rev.Lookup(name)
	if d == nil {
		return false
	}
	_, ok := d.Type.(*ir.Object)
	return ok
}

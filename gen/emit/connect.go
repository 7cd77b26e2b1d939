package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
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
	handlers := ""
	for _, m := range methods {
		handlers += fmt.Sprintf("\n%q: %s,", m.Wire, handler(m))
	}
	code.Declare(f, "NewClient returns a client with these options. It speaks all revisions of the table, converting messages from and to this revision. If the table is nil, it speaks this revision only.",
		`func (o ClientOptions) NewClient(table *convert.Table) *runtime.Client {
			handlers := runtime.Handlers{$1
			}
			options := o.Runtime
			if o.Name != "" {
				options.Name = o.Name
			}
			if o.Version != "" {
				options.Version = o.Version
			}
			if o.Title != "" {
				options.Title = o.Title
			}
			if o.Capabilities != nil {
				options.Capabilities = o.Capabilities
			} else if options.Capabilities == nil {
				options.Capabilities = handlers.Capabilities(Methods)
			}
			binding := handlers.Bind(Revision, Methods)
			if o.Bind != nil {
				binding = o.Bind(binding)
			}
			if table == nil {
				return runtime.NewClient(options, binding)
			}
			return runtime.NewClient(options, table.Bind(binding, convert.Options{Lost: o.Lost})...)
		}`, handlers)
	code.Declare(f, "NewSession returns the typed session on top of a runtime session of a client that NewClient returned.",
		"func (ClientOptions) NewSession(s *runtime.Session) *Session {\nreturn &Session{NewServerCaller(s), s}\n}")
	e.session(f)
}

func (e *emitter) clientOptions(f *jen.File, methods []*ir.Method) {
	capabilities := "wire.Appender"
	if e.isStruct("ClientCapabilities") {
		capabilities = "*ClientCapabilities"
	}
	functions := ""
	for _, m := range methods {
		functions += code.Doc(handlerDoc(m), m.Go+" func"+signature(m, handlerResult(m))+"\n")
	}
	code.Declare(f, "ClientOptions configure a client. The functions handle the requests and notifications of its server; a request without a function is answered with \"method not found\" (-32601), and a notification without one is ignored. Functions are called concurrently, and their params are never nil.", "type ClientOptions struct {\n$1\n$2\n$3}",
		code.Doc("Name identifies the program.", "Name string\n")+
			code.Doc("Version is the version of the program.", "Version string\n")+
			code.Doc("Title is a name for display, which clients send from 2025-06-18 on.", "Title string\n"),
		functions,
		code.Doc("Capabilities take precedence over the capabilities that follow from the functions that are set.", "Capabilities "+capabilities+"\n")+
			code.Doc("Runtime holds the other options, such as timeouts, limits, middleware and the logger. The fields above take precedence over its fields of the same name.", "Runtime runtime.ClientOptions\n")+
			code.Doc("Bind, if not nil, wraps the binding of the functions, for example to answer requests as tasks.", "Bind func(runtime.Binding) runtime.Binding\n")+
			code.Doc("Lost, if not nil, is called for everything that is lost when messages are converted between this revision and that of a session. It is called concurrently.", "Lost func(ctx context.Context, r convert.Report)\n"))
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

// handler renders the handler of a message by a function of ClientOptions.
func handler(m *ir.Method) string {
	name, box := "HandleRequest", ""
	if m.Notification {
		name = "HandleNotification"
	}
	if isUnion(m.Params) {
		name, box = name+"Value", newBox(m.Params, "")+", "
	}
	return "runtime." + name + "(" + box + "o." + m.Go + ")"
}

// session renders the typed session of a client.
func (e *emitter) session(f *jen.File) {
	code.Declare(f, "Session is a client's session with a server: the typed requests and notifications of ServerCaller on top of a runtime session, which has Close, Wait, Revision, Instructions and the untyped Call and Notify. It is safe for concurrent use.",
		"type Session struct {\nServerCaller\n*runtime.Session\n}")
	code.Declare(f, "Ping returns nil if the server responds.", "func (s *Session) Ping(ctx context.Context) error {\nreturn s.Session.Ping(ctx)\n}")
	e.listen(f)
	for _, info := range []struct{ name, definition, text string }{
		{"ServerInfo", "Implementation", "ServerInfo returns the name and version of the server."},
		{"ServerCapabilities", "ServerCapabilities", "ServerCapabilities returns the capabilities that the server declared."},
	} {
		if e.isStruct(info.definition) {
			code.Declare(f, info.text+fmt.Sprintf(" It is incomplete if the server's text does not match the definition; s.Session.%s returns the text.", info.name),
				"func (s *Session) $1() *$2 {\nv := new($2)\n_ = wire.UnmarshalString(string(s.Session.$1()), v)\nreturn v\n}", info.name, info.definition)
		}
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
	code.Declare(f, fmt.Sprintf("Listen yields the notifications that the server sends because of a subscription with the given filter. The first is the acknowledgement, with the part of the filter that the server honours; another one says that the stream was lost and opened again. runtime.Session.Listen says when the sequence ends. A notification that is not a %s is an error, after which the sequence continues.", notification.Name),
		"func (s *Session) Listen(ctx context.Context, filter *$1) iter.Seq2[$2, error] {\nreturn runtime.TypedNotifications(s.Session.Listen(ctx, runtime.Params(filter)), Decode$2)\n}", ref.Decl.Name, notification.Name)
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

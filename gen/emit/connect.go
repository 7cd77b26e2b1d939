package emit

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// runtimeHandled lists the messages to clients that the runtime handles, so that
// ClientOptions has no functions for them.
var runtimeHandled = []string{"ping", "notifications/cancelled"}

// connect renders the options of a client, with a function for each message of its server,
// and the typed session.
func (e *emitter) connect(w *code.Writer) {
	methods := slices.DeleteFunc(e.received(client), func(m *ir.Method) bool {
		return slices.Contains(runtimeHandled, m.Wire)
	})
	e.clientOptions(w, methods)
	w.Doc("NewClient returns a client with these options. It speaks all revisions of the table, converting messages from and to this revision. If the table is nil, it speaks this revision only.")
	w.P("func (o ClientOptions) NewClient(table *convert.Table) *runtime.Client {\nhandlers := runtime.Handlers{")
	for _, m := range methods {
		w.P("%q: %s,", m.Wire, handler(m))
	}
	w.P("}\noptions := o.Runtime")
	for _, name := range []string{"Name", "Version", "Title"} {
		w.P("if o.%[1]s != \"\" {\noptions.%[1]s = o.%[1]s\n}", name)
	}
	w.P(`if o.Capabilities != nil {
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
	}`)
	w.Doc("NewSession returns the typed session on top of a runtime session of a client that NewClient returned.")
	w.P("func (ClientOptions) NewSession(s *runtime.Session) *Session {\nreturn &Session{NewServerCaller(s), s}\n}")
	e.session(w)
}

func (e *emitter) clientOptions(w *code.Writer, methods []*ir.Method) {
	field := func(doc, name, of string) { w.P("%s%s %s", code.Comment(doc), name, of) }
	w.Doc("ClientOptions configure a client. The functions handle the requests and notifications of its server; a request without a function is answered with \"method not found\" (-32601), and a notification without one is ignored. Functions are called concurrently, and their params are never nil.")
	w.P("type ClientOptions struct {")
	field("Name identifies the program.", "Name", "string")
	field("Version is the version of the program.", "Version", "string")
	field("Title is a name for display, which clients send from 2025-06-18 on.", "Title", "string\n")
	for _, m := range methods {
		field(handlerDoc(m), m.Go, "func"+signature(m, handlerResult(m)))
	}
	capabilities := "wire.Appender"
	if e.isStruct("ClientCapabilities") {
		capabilities = "*ClientCapabilities"
	}
	w.P("")
	field("Capabilities take precedence over the capabilities that follow from the functions that are set.", "Capabilities", capabilities)
	field("Runtime holds the other options, such as timeouts, limits, middleware and the logger. The fields above take precedence over its fields of the same name.", "Runtime", "runtime.ClientOptions")
	field("Bind, if not nil, wraps the binding of the functions, for example to answer requests as tasks.", "Bind", "func(runtime.Binding) runtime.Binding")
	field("Lost, if not nil, is called for everything that is lost when messages are converted between this revision and that of a session. It is called concurrently.", "Lost", "func(ctx context.Context, r convert.Report)\n}")
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
	name := "HandleRequest"
	if m.Notification {
		name = "HandleNotification"
	}
	if isUnion(m.Params) {
		return fmt.Sprintf("runtime.%sValue(%s, o.%s)", name, newBox(m.Params, ""), m.Go)
	}
	return fmt.Sprintf("runtime.%s(o.%s)", name, m.Go)
}

// session renders the typed session of a client.
func (e *emitter) session(w *code.Writer) {
	w.Doc("Session is a client's session with a server: the typed requests and notifications of ServerCaller on top of a runtime session, which has Close, Wait, Revision, Instructions and the untyped Call and Notify. It is safe for concurrent use.")
	w.P("type Session struct {\nServerCaller\n*runtime.Session\n}")
	w.Doc("Ping returns nil if the server responds.")
	w.P("func (s *Session) Ping(ctx context.Context) error {\nreturn s.Session.Ping(ctx)\n}")
	e.listen(w)
	for _, info := range []struct{ name, definition, text string }{
		{"ServerInfo", "Implementation", "ServerInfo returns the name and version of the server."},
		{"ServerCapabilities", "ServerCapabilities", "ServerCapabilities returns the capabilities that the server declared."},
	} {
		if !e.isStruct(info.definition) {
			continue
		}
		w.Doc("%s It is incomplete if the server's text does not match the definition; s.Session.%s returns the text.", info.text, info.name)
		w.P("func (s *Session) %[1]s() *%[2]s {\nv := new(%[2]s)\n_ = wire.UnmarshalString(string(s.Session.%[1]s()), v)\nreturn v\n}", info.name, info.definition)
	}
}

// listen renders the typed Listen of a session, if the revision has subscriptions and a union of
// notifications.
func (e *emitter) listen(w *code.Writer) {
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
	w.Doc("Listen yields the notifications that the server sends because of a subscription with the given filter. The first is the acknowledgement, with the part of the filter that the server honours; another one says that the stream was lost and opened again. runtime.Session.Listen says when the sequence ends. A notification that is not a %s is an error, after which the sequence continues.", notification.Name)
	w.P("func (s *Session) Listen(ctx context.Context, filter *%s) iter.Seq2[%[2]s, error] {\nreturn runtime.TypedNotifications(s.Session.Listen(ctx, runtime.Params(filter)), Decode%[2]s)\n}", ref.Decl.Name, notification.Name)
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

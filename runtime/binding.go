package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Direction is the set of sides that a message may be sent to.
type Direction uint8

// The directions; a method that both sides may send has both.
const (
	ToServer Direction = 1 << iota
	ToClient
)

// String returns the name of the direction.
func (d Direction) String() string {
	switch d {
	case ToServer:
		return "to server"
	case ToClient:
		return "to client"
	case ToServer | ToClient:
		return "both"
	}
	return "none"
}

// Method is a row of a revision's generated method table.
type Method struct {
	Name           string       // on the wire: "tools/call"
	Kind           jsonrpc.Kind // jsonrpc.Request or jsonrpc.Notification
	Direction      Direction    // the sides it may be sent to
	Definition     string       // upstream definition: "CallToolRequest"
	Params         string       // name of the params for the package's New; "" when there are none
	Result         string       // name of the result for the package's New; "" for notifications
	ParamsRequired bool         // params is a required member
	Capability     string       // dotted path in the capabilities of who answers or notifies: "tools.listChanged"; "" for none
	Paginated      bool         // params have a cursor, the result a nextCursor
	Within         bool         // sent within the result of another request, which is then repeated with the answer
	Asks           bool         // the result may contain requests that are Within
	Cacheable      bool         // the result says how long it may be kept
	NameParam      string       // string member of the params that the header Mcp-Name repeats over HTTP; "" for none
	Filter         string       // member of the filter of subscriptions/listen that asks for the notification; "" for none
	FilterParam    string       // string member of the params whose values Filter lists: "uri"; "" if Filter is a boolean
	Errors         []int64      // codes that the revision defines for the errors of requests, the same for all methods
	ResultTypes    []string     // values of resultType that the result may have beside "complete" and "input_required"
	Extension      string       // extension that has the method, which both sides must declare; "" for the revision itself
}

// Binding connects an implementation of one side of one revision to the runtime. The generated
// BindServer, BindBase and BindClient return one.
type Binding struct {
	Revision  string    // "2025-06-18"
	Direction Direction // ToServer for a server's binding, ToClient for a client's
	Methods   []Method  // the table of the revision; no other message is sent, unless it is empty, see also Stateless

	// Handle handles the messages of the peer. For an unknown method it returns the error of MethodNotFound;
	// the runtime then answers by itself if it can.
	Handle Handler

	// Notified lists the notifications that a client's binding has handlers for. In a revision without
	// sessions, the client subscribes to those of them that need it.
	Notified []string

	// Served, if not nil, is called by NewServer with the new server, whose Publish sends the notifications of
	// the binding's implementation. An implementation that outlives its servers keeps weak pointers to them.
	Served func(*Server)

	// Permit, if not nil, returns an error if the sender of a request may not use the tool, prompt or
	// resource in the params. Handle checks that itself. Permit is for code that runs Handle later, after
	// it has answered the request otherwise.
	Permit func(ctx context.Context, method string, params wire.Raw) error

	// Scopes, if not nil, returns the scopes that senders of requests need for the tools, prompts and
	// resources together.
	Scopes func() []string

	// Listen, if not nil, returns an error if a client may not get the notifications of a method with a value:
	// the URI of a resource, or a member of the params that an extension lets clients filter by. It is called
	// for resources/subscribe if Handle does not handle the request, and in a stateless revision for each value
	// in the filter of a listener, which is the Session of the context's call. A listener learns from the
	// acknowledgement which values have no error; a *DeniedError refuses its request. Without Listen, a client
	// gets what is sent to all listeners.
	Listen func(ctx context.Context, notification, value string) error

	// Capabilities, if not nil, returns the capabilities that a session of the revision declares,
	// given those in the options. Declared may be nil.
	Capabilities func(declared wire.Appender) (wire.Appender, error)

	// ToolHeaders, if not nil, returns the HTTP headers that repeat arguments of a tool, as x-mcp-header
	// in its inputSchema says. It returns nil for a tool without such headers or an unknown one. It is
	// called for each call of a tool over HTTP in revisions that have no sessions, so it must be quick.
	ToolHeaders func(tool string) *headers.Table

	// Forwards means that the binding passes messages on between two peers, which may know more than this
	// program: it may send messages that the table does not have, and the result of a stateless request may
	// be of an unknown type.
	Forwards bool

	// Extensions lists the extensions whose methods are in Methods.
	Extensions []Extension

	// Around, if not nil, wraps the way of this side's messages to the peer. With Handle and Capabilities it
	// lets a binding convert messages for an implementation of another revision.
	Around Middleware
}

// Stateless reports whether the revision has no sessions: its table has no initialize, so each request
// carries its revision and capabilities ("Statelessness" in basic, 2026-07-28). A binding without a table has sessions.
func (b *Binding) Stateless() bool {
	return len(b.Methods) > 0 && !slices.ContainsFunc(b.Methods, func(m Method) bool { return m.Name == methodInitialize })
}

// declared returns the capabilities that a side declares under the binding, given those in the options.
func (b Binding) declared(capabilities wire.Appender) (wire.Object, error) {
	if b.Capabilities != nil {
		var err error
		if capabilities, err = b.Capabilities(capabilities); err != nil {
			return "", err
		}
	}
	return objectOf(capabilities)
}

// The keys of _meta with which each message of a stateless revision carries its revision and capabilities ("_meta" in
// basic, 2026-07-28).
const (
	metaRevision     = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaClientInfo   = "io.modelcontextprotocol/clientInfo"
	metaServerInfo   = "io.modelcontextprotocol/serverInfo"
	metaLogLevel     = "io.modelcontextprotocol/logLevel"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// The values of resultType, the member that tells results of stateless revisions apart ("Responses" in
// basic, 2026-07-28).
const (
	resultComplete      = "complete" // also if there is no resultType
	resultInputRequired = "input_required"
)

// The members of an InputRequiredResult and of the request that answers it ("InputRequiredResult" in
// basic/patterns/mrtr, 2026-07-28).
const (
	memberInputRequests  = "inputRequests"
	memberInputResponses = "inputResponses"
	memberRequestState   = "requestState"
)

// memberResources is the member of a SubscriptionFilter with the URIs of resources. The other members are
// named after the lists that change, such as toolsListChanged.
const memberResources = "resourceSubscriptions"

// The revisions that change the behaviour of the runtime. Revisions are dates, so they compare as strings.
const (
	revisionBatches         = "2025-03-26" // the only one in which messages may be sent in arrays
	revisionProgressMessage = "2025-03-26" // progress notifications have a message
	revisionTitle           = "2025-06-18" // Implementation has a title
	revisionDetails         = "2025-11-25" // Implementation has a description, a website and icons
	revisionNoID            = "2025-11-25" // an error answer may lack an id
	revisionNoTasks         = "2026-07-28" // params have no member task; tasks are an extension
)

// Extension describes an extension of the protocol ("Extensions" in basic, 2026-07-28). The package
// that is generated from the schema of an extension has one.
type Extension struct {
	Name     string            // key of the member extensions of capabilities: "io.modelcontextprotocol/tasks"
	Revision string            // that it extends: "2026-07-28"
	Methods  []Method          // of the extension
	Results  []ExtensionResult // further results of methods of the revision
	Settings string            // name of the value that declares the extension, for the package's New; "" for none
}

// missingExtension returns the error for a request that must declare an extension.
func missingExtension(name string) error {
	o, err := Extension{Name: name}.declare(nil)
	if err != nil {
		return err
	}
	text, err := objectOf(o)
	if err != nil {
		return err
	}
	return jsonrpc.MissingCapability(text)
}

// ExtensionResult is a result that a method of the revision may have if both sides have the extension.
type ExtensionResult struct {
	Method     string // "tools/call"
	Type       string // value of resultType: "task"
	Definition string // name for the package's New
}

// Extends reports whether the extension can be used with a revision that has the methods: the one that it was
// written for, or a later one that does not have its methods itself.
func (x Extension) Extends(revision string, methods []Method) bool {
	return revision >= x.Revision && !slices.ContainsFunc(methods, func(m Method) bool { return m.Extension != x.Name && x.has(m.Name) })
}

// has reports whether a method is one of the extension.
func (x Extension) has(method string) bool {
	return slices.ContainsFunc(x.Methods, func(m Method) bool { return m.Name == method })
}

// declare returns the capabilities with the extension declared. Capabilities may be nil.
func (x Extension) declare(capabilities wire.Appender) (wire.Appender, error) {
	own, err := objectOf(capabilities)
	if err != nil {
		return nil, err
	}
	extensions, ok := own.Get(memberExtensions)
	if !ok || extensions.Kind() != wire.KindObject {
		extensions = "{}"
	}
	if _, ok := wire.Object(extensions).Get(x.Name); ok {
		return own, nil
	}
	with, err := wire.Object(extensions).With(x.Name, "{}")
	if err != nil {
		return nil, err
	}
	return own.With(memberExtensions, wire.Raw(with))
}

// memberExtensions is the member of capabilities with the extensions by their names.
const memberExtensions = "extensions"

// declaresExtension reports whether capabilities declare an extension.
func declaresExtension(capabilities wire.Object, name string) bool {
	extensions, _ := capabilities.Get(memberExtensions)
	settings, ok := wire.Object(extensions).Get(name)
	return ok && settings.Kind() == wire.KindObject
}

// DecodeResult decodes a result if its resultType is kind, and reports whether it is. A client gets the
// result of an extension in an *[OtherResultError].
func DecodeResult(result wire.Appender, kind string, into wire.Value) (bool, error) {
	text, err := wire.MarshalString(result)
	if err != nil {
		return false, err
	}
	if wire.Object(text).GetString("resultType") != kind {
		return false, nil
	}
	return true, wire.UnmarshalString(text, into)
}

// lists reports whether the result is a list.
func (r *Method) lists() bool { return r.Paginated || r.Name == methodListRoots }

// reads reports whether a request only reads, so that it can be sent twice.
func (r *Method) reads() bool { return r.Cacheable || r.lists() }

// changes reports whether it is the notification that a list has changed.
func (r *Method) changes() bool {
	return r.Kind == jsonrpc.Notification && strings.HasSuffix(r.Capability, ".listChanged")
}

// flag returns the boolean member of the filter of subscriptions that asks for the notification, or "".
func (r *Method) flag() string {
	if r.FilterParam != "" {
		return ""
	}
	return r.Filter
}

// asked reads the member of a filter that asks for the notification: it returns the strings in it, sorted, or nil for a
// boolean.
func (r *Method) asked(member wire.Raw) (values []string, err error) {
	name := r.Filter
	switch {
	case r.FilterParam == "" && member.Kind() != wire.KindBool:
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /notifications/%s: expected a boolean", name)
	case r.FilterParam == "":
		return nil, nil
	case member.Kind() != wire.KindArray:
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /notifications/%s: expected an array", name)
	}
	for i, element := range member.Elements() {
		value, ok := element.Str()
		if !ok {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /notifications/%s/%d: expected a string", name, i)
		}
		values = append(values, strings.Clone(value))
	}
	slices.Sort(values)
	return slices.Compact(values), nil
}

// Over returns a binding in which own handles the methods of the extension and b handles all others. The
// binding declares the extension, with the settings that the Capabilities of the options give it, if they do.
// If the extension does not extend the revision of b, Over returns b unchanged.
func (x Extension) Over(b, own Binding) Binding {
	if !x.Extends(b.Revision, b.Methods) {
		return b
	}
	handle := b.Handle
	b.Extensions = append(slices.Clip(b.Extensions), x)
	b.Methods = slices.Concat(b.Methods, x.Methods)
	b.Notified = slices.Concat(b.Notified, own.Notified)
	b.Handle = func(ctx context.Context, m *Message) (wire.Appender, error) {
		if x.has(m.Method) {
			if c := CallOf(ctx); c != nil && b.Direction == ToServer && !c.Extension(x.Name) {
				return nil, missingExtension(x.Name)
			}
			return own.Handle(ctx, m)
		}
		return handle(ctx, m)
	}
	below := b.Capabilities
	b.Capabilities = func(declared wire.Appender) (wire.Appender, error) {
		if below != nil {
			var err error
			if declared, err = below(declared); err != nil {
				return nil, err
			}
		}
		return x.declare(declared)
	}
	return b
}

// protocol is a binding with the tables and Handlers that its messages need. It is immutable, except for what the server
// of a stateless revision offers, which changes with the catalog.
type protocol struct {
	Binding
	stateless bool               // see Binding.Stateless
	rows      map[string]*Method // by name
	codes     []int64            // of the errors that the revision defines
	serve     Handler            // of messages of the peer: handle within the rounds and the middleware
	send      Handler            // of messages to the peer: sendChecked within Around of the binding

	server   *Server    // of a stateless revision; otherwise nil
	offering sync.Mutex // held while last is replaced
	last     atomic.Pointer[offer]
}

// bind returns the protocol of a binding. Around is the middleware of the option Receiving.
func bind(b Binding, around layers) *protocol {
	ready := &protocol{Binding: b, stateless: b.Stateless(), send: sendChecked}
	ready.serve = ready.handle
	if ready.stateless && b.Direction == ToServer {
		ready.serve = inRounds(ready.serve)
	}
	ready.serve = around.around(ready.serve)
	if b.Around != nil {
		ready.send = b.Around(sendChecked)
	}
	ready.tabulate()
	return ready
}

// bindAll checks the bindings of one side and sorts them, newest revision first.
func bindAll(side Direction, bindings []Binding, around layers) ([]*protocol, error) {
	if len(bindings) == 0 {
		return nil, errors.New("runtime: no binding")
	}
	var all []*protocol
	for _, b := range bindings {
		switch {
		case b.Revision == "":
			return nil, errors.New("runtime: a binding without a revision")
		case b.Direction != side:
			return nil, fmt.Errorf("runtime: the binding of %s is for messages %s, not %s", b.Revision, b.Direction, side)
		}
		at, found := slices.BinarySearchFunc(all, b.Revision, func(other *protocol, revision string) int {
			return strings.Compare(revision, other.Revision)
		})
		if found {
			return nil, fmt.Errorf("runtime: two bindings of %s", b.Revision)
		}
		all = slices.Insert(all, at, bind(b, around))
	}
	return all, nil
}

// tabulate fills b.rows and b.codes.
func (b *protocol) tabulate() {
	b.rows = make(map[string]*Method, len(b.Methods))
	for i := range b.Methods {
		m := &b.Methods[i]
		b.rows[m.Name] = m
		if m.Errors != nil {
			b.codes = m.Errors
		}
	}
}

// noRow is the row of a method that the table does not have.
var noRow Method

// row returns the row of a method.
func (b *protocol) row(method string) *Method {
	if r := b.rows[method]; r != nil {
		return r
	}
	return &noRow
}

// defines reports whether an error in a revision without sessions may have a code: one that JSON-RPC, this runtime
// or the revision defines, or one outside the range that JSON-RPC reserves. Codes from -32099 to -32020 that the
// revision does not define must not be sent, those from -32019 to -32000 and all others should not ("Error Codes"
// in basic, 2026-07-28).
func (b *protocol) defines(code int64) bool {
	switch code {
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams, jsonrpc.CodeInternalError,
		jsonrpc.CodeHeaderMismatch, jsonrpc.CodeMissingCapability, jsonrpc.CodeUnsupportedVersion:
		return true
	}
	return code < -32768 || code > -32000 || slices.Contains(b.codes, code)
}

// handle calls Binding.Handle and adds what the runtime does itself: checks of results, the log
// level, and fallback.
func (b *protocol) handle(ctx context.Context, m *Message) (wire.Appender, error) {
	if b.Handle == nil {
		return b.fallback(ctx, m, MethodNotFound(m.Method))
	}
	handle := b.Handle
	if (m.Method == methodSubscribe || m.Method == methodUnsubscribe) && b.Direction == ToServer && !b.stateless && !b.Forwards {
		handle = b.subscription
	}
	result, err := handle(ctx, m)
	switch {
	case err != nil:
		return b.fallback(ctx, m, err)
	case m.Method == methodListRoots && b.Direction == ToClient:
		return checkRoots(result)
	case m.Method == methodElicit && b.Direction == ToClient:
		return checkForm(m.Object(), result)
	case m.Method == methodSetLevel && b.Direction == ToServer && !b.stateless:
		if level := LogLevel(m.Object().GetString("level")); level.severity() >= 0 { // others have no effect
			err = CallOf(ctx).Session().setLogLevel(ctx, level)
		}
	}
	return result, err
}

// fallback answers server/discover, subscriptions/listen, ping and logging/setLevel if the implementation does
// not. For other methods it returns err.
func (b *protocol) fallback(ctx context.Context, m *Message, err error) (wire.Appender, error) {
	method := m.Method
	if !isMethodNotFound(err) || len(b.rows) > 0 && b.row(method).Kind != jsonrpc.Request {
		return nil, err
	}
	switch {
	case method == methodDiscover && b.server != nil:
		return b.server.discovery(b)
	case method == methodListen && b.server != nil:
		return CallOf(ctx).Listen(ctx, m.Object(), nil)
	case method == methodPing:
		return emptyResult, nil
	case method == methodSetLevel && len(b.rows) > 0 && b.Direction == ToServer:
		return emptyResult, CallOf(ctx).Session().setLogLevel(ctx, LogLevel(m.Object().GetString("level")))
	}
	return nil, err
}

// ofEra returns the bindings of revisions with or without sessions, in their order.
func ofEra(bindings []*protocol, stateless bool) []*protocol {
	var of []*protocol
	for _, b := range bindings {
		if b.stateless == stateless {
			of = append(of, b)
		}
	}
	return of
}

// ofRevision returns the binding of a revision, or nil.
func ofRevision(bindings []*protocol, revision string) *protocol {
	for _, b := range bindings {
		if b.Revision == revision {
			return b
		}
	}
	return nil
}

func revisions(bindings []*protocol) []string {
	names := make([]string, len(bindings))
	for i, b := range bindings {
		names[i] = b.Revision
	}
	return names
}

package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// protocol is a binding with the tables and functions that are needed to handle its messages. It is
// immutable.
//
// The exception is what a stateless server's side offers, which changes with the catalog.
type protocol struct {
	Binding
	stateless bool            // see Binding.Stateless
	rows      map[string]*row // by method
	codes     []int64         // of the errors that the revision defines
	needs     []string        // the capabilities that rows refer to; the first is "", for none
	serve     Handler         // handle within the middleware
	way       Handler         // of messages to the peer

	declarations *declarations // nil except on a stateless server's side
}

func bind(b Binding, around layers) *protocol {
	ready := &protocol{Binding: b, stateless: b.Stateless(), way: deliver}
	ready.serve = around.around(ready.handle)
	if b.Around != nil {
		ready.way = b.Around(deliver)
	}
	ready.tabulate()
	return ready
}

// peer returns the peer of messages under the binding, with its Implementation and capabilities and this side's
// capabilities; "" means unknown.
func (b *protocol) peer(info, theirs, own wire.Object) *peer {
	return &peer{
		revision:     b.Revision,
		handle:       b.serve,
		info:         info,
		capabilities: theirs,
		declared:     own,
		protocol:     b,
		theirs:       b.capabilitySet(theirs),
		ours:         b.capabilitySet(own),
	}
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

// handle calls Binding.Handle and adds what the runtime does itself: checks of results, the log
// level, and fallback.
func (b *protocol) handle(ctx context.Context, m *Message) (wire.Appender, error) {
	if b.Handle == nil {
		return b.fallback(ctx, m, MethodNotFound(m.Method))
	}
	if c := CallOf(ctx); b.declarations != nil && c != nil {
		m, err := c.stateless.resume(m)
		if err != nil {
			return nil, err
		}
		result, err := b.handleOnce(ctx, m)
		return c.stateless.answered(ctx, result, err)
	}
	return b.handleOnce(ctx, m)
}

// handleOnce is handle for one of the rounds of a request.
func (b *protocol) handleOnce(ctx context.Context, m *Message) (wire.Appender, error) {
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
	if !isMethodNotFound(err) || len(b.rows) > 0 && b.row(method).kind != jsonrpc.Request {
		return nil, err
	}
	switch {
	case method == methodDiscover && b.declarations != nil:
		return b.declarations.server.discovery(b)
	case method == methodListen && b.declarations != nil:
		return CallOf(ctx).Listen(ctx, m.Object(), nil)
	case method == methodPing:
		return emptyResult, nil
	case method == methodSetLevel && len(b.rows) > 0 && b.Direction == ToServer:
		return emptyResult, CallOf(ctx).Session().setLogLevel(ctx, LogLevel(m.Object().GetString("level")))
	}
	return nil, err
}

// emptyResult is the result of methods that return nothing.
const emptyResult = wire.Raw("{}")

// defines reports whether an error in a revision without sessions may have a code: one that JSON-RPC, this
// runtime or the revision defines, or one outside the range that JSON-RPC reserves. Codes from -32099 to -32020 that the
// revision does not define must not be sent, those from -32019 to -32000 and all others should not ("Error
// Codes" in basic, 2026-07-28).
func (b *protocol) defines(code int64) bool {
	switch code {
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams, jsonrpc.CodeInternalError,
		jsonrpc.CodeHeaderMismatch, jsonrpc.CodeMissingCapability, jsonrpc.CodeUnsupportedVersion:
		return true
	}
	return code < -32768 || code > -32000 || slices.Contains(b.codes, code)
}

// row is the part of a Method that the runtime uses.
type row struct {
	kind    jsonrpc.Kind
	to      Direction
	need    int       // index in protocol.needs; 0 is nothing
	refined []refined // further needs of some requests of the method
	lists   bool      // the result is a list
	changes bool      // it is the notification that a list has changed

	within    bool // it is not sent but part of a result, see Method
	asks      bool // the result may have requests that are within it
	cacheable bool // the result says how long it may be kept
	nameParam string
	filter    string   // boolean member of the filter of subscriptions that asks for it, see Method
	types     []string // values of resultType, see Method
}

// refined is a refinement with its index in protocol.needs.
type refined struct {
	*refinement
	need   int
	quoted []byte // the member's name
}

// refinement is a capability that a request needs because of a member of its params. Generated
// method tables do not contain refinements.
type refinement struct {
	method     string
	member     string
	value      wire.Raw // of the member; "" is any
	missing    bool     // params without the member need it too
	capability string
	before     string // the revision without the member, "" if all newer ones have it
}

var refinements = []refinement{
	// "Capabilities" in client/sampling of 2025-11-25.
	{method: "sampling/createMessage", member: "tools", capability: "sampling.tools"},
	{method: "sampling/createMessage", member: "toolChoice", capability: "sampling.tools"},
	// "Capabilities" in client/elicitation of 2025-11-25.
	{method: "elicitation/create", member: "mode", value: `"url"`, capability: "elicitation.url"},
	{method: "elicitation/create", member: "mode", value: `"form"`, missing: true, capability: "elicitation.form"},
	// "Capabilities" in basic/utilities/tasks of 2025-11-25.
	{method: "tools/call", member: "task", capability: "tasks.requests.tools.call", before: revisionNoTasks},
	{method: "sampling/createMessage", member: "task", capability: "tasks.requests.sampling.createMessage", before: revisionNoTasks},
	{method: "elicitation/create", member: "task", capability: "tasks.requests.elicitation.create", before: revisionNoTasks},
}

// need returns the index of a capability in b.needs. It adds the capability if it is not there.
func (b *protocol) need(capability string) int {
	for i, n := range b.needs {
		if n == capability {
			return i
		}
	}
	b.needs = append(b.needs, capability)
	return len(b.needs) - 1
}

// noRow is the row of a method that the table does not have.
var noRow row

// row returns the row of a method.
func (b *protocol) row(method string) *row {
	if r := b.rows[method]; r != nil {
		return r
	}
	return &noRow
}

// tabulate fills b.rows, b.needs and b.codes.
func (b *protocol) tabulate() {
	b.needs = []string{""}
	b.rows = make(map[string]*row, len(b.Methods))
	for i := range b.Methods {
		m := &b.Methods[i]
		need := m.Capability
		if m.Extension != "" && need == "" {
			need = extensionNeed + m.Extension
		}
		filter := m.Filter
		if m.FilterParam != "" {
			filter = ""
		}
		if m.Errors != nil {
			b.codes = m.Errors
		}
		b.rows[m.Name] = &row{kind: m.Kind, to: m.Direction, need: b.need(need), lists: m.Paginated || m.Name == methodListRoots,
			changes: m.Kind == jsonrpc.Notification && strings.HasSuffix(m.Capability, ".listChanged"),
			within:  m.Within, asks: m.Asks, cacheable: m.Cacheable, nameParam: m.NameParam, filter: filter, types: m.ResultTypes}
	}
	for i := range refinements {
		f := &refinements[i]
		if r, ok := b.rows[f.method]; ok && (f.before == "" || b.Revision < f.before) {
			r.refined = append(r.refined, refined{f, b.need(f.capability), strconv.AppendQuote(nil, f.member)})
		}
	}
}

// capabilitySet holds for each of protocol.needs whether a side has declared it. It is nil for a side whose
// capabilities are unknown, which has all of them.
type capabilitySet []bool

func (g capabilitySet) has(need int) bool { return g == nil || g[need] }

// capabilitySet returns the set of a side that declares the given capabilities; "" means unknown.
func (b *protocol) capabilitySet(capabilities wire.Object) capabilitySet {
	if capabilities == "" {
		return nil
	}
	g := make(capabilitySet, len(b.needs))
	g[0] = true
	for i, path := range b.needs[1:] {
		g[i+1] = Declares(capabilities, path)
	}
	return g
}

// Declares reports whether capabilities declare the one at a dotted path, such as
// "resources.subscribe".
func Declares(capabilities wire.Object, path string) bool {
	if hasCapability(capabilities, path) {
		return true
	}
	// An elicitation capability without modes means forms.
	return path == "elicitation.form" && hasCapability(capabilities, "elicitation") && !hasCapability(capabilities, "elicitation.url")
}

// hasCapability reports whether the value at a dotted path is true or an object.
func hasCapability(capabilities wire.Object, path string) bool {
	if name, ok := strings.CutPrefix(path, extensionNeed); ok {
		return declaresExtension(capabilities, name)
	}
	for {
		name, rest, more := strings.Cut(path, ".")
		value, ok := capabilities.Get(name)
		if !ok || !more {
			return value == "true" || value.Kind() == wire.KindObject
		}
		capabilities, path = wire.Object(value), rest
	}
}

// concerns reports whether the request with that text needs the capability. Most requests do not
// contain the name of the member at all.
func (f refined) concerns(text []byte) bool {
	if !f.missing && !bytes.Contains(text, f.quoted) {
		return false
	}
	params, _ := wire.Object(text).Get("params")
	return f.asked(wire.Object(params))
}

// asked reports whether a request with these params needs the capability.
func (f *refinement) asked(params wire.Object) bool {
	value, ok := params.Get(f.member)
	if !ok {
		return f.missing
	}
	return f.value == "" || f.value == value
}

// declarations are the capabilities that a server declares in a stateless revision. They belong to no session,
// and what a catalog declares grows with its items, so they are computed again when a message needs more.
type declarations struct {
	protocol *protocol
	server   *Server

	mu   sync.Mutex // held while last is replaced
	last atomic.Pointer[declaration]
}

// declaration is the value of declarations at a time. It is immutable.
type declaration struct {
	text wire.Object
	set  capabilitySet // of every capability that was declared so far
}

// current returns the last declaration.
func (d *declarations) current() *declaration {
	if last := d.last.Load(); last != nil {
		return last
	}
	return d.renewed()
}

// renewed returns a new declaration. If the capabilities cannot be declared, it is the last one, or one of
// nothing. A capability that was declared once stays declared, because a request must not depend on the
// requests before it: a list whose last item was removed is empty, not unknown.
func (d *declarations) renewed() *declaration {
	text, err := d.declared()
	if err != nil {
		d.server.log.Error("the capabilities cannot be declared", "revision", d.protocol.Revision, "error", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	last := d.last.Load()
	if err != nil && last != nil {
		return last
	}
	if err != nil {
		text = "{}"
	}
	next := &declaration{text: text}
	if !d.protocol.Forwards { // otherwise it is unknown what the other peer has
		next.set = d.protocol.capabilitySet(text)
	}
	if last != nil {
		for i, declared := range last.set {
			next.set[i] = next.set[i] || declared
		}
		if last.text == next.text && slices.Equal(last.set, next.set) {
			return last
		}
	}
	d.last.Store(next)
	return next
}

// declared returns the capabilities that the server declares now.
func (d *declarations) declared() (wire.Object, error) {
	return d.protocol.declared(d.server.opts.Capabilities)
}

// declare adds the capability at a dotted path, unless the object has it already.
func declare(o wire.Object, path string, value wire.Raw) wire.Object {
	name, rest, nested := strings.Cut(path, ".")
	has, ok := o.Get(name)
	switch {
	case nested:
		if has.Kind() != wire.KindObject {
			has = "{}"
		}
		value = wire.Raw(declare(wire.Object(has), rest, value))
	case ok:
		return o
	}
	with, err := o.With(name, value)
	if err != nil {
		return o // both are well-formed, so that With does not fail
	}
	return with
}

// cutLast splits a dotted path before its last name.
func cutLast(path string) (parent, name string, nested bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

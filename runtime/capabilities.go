package runtime

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The code below decides which messages the revision and the capabilities of both sides allow ("Version Negotiation"
// and "Capability Negotiation" in basic/lifecycle of every revision). The generated method table lists the capability
// that each message needs, and refinements those that a member of the params needs. The capabilities of each side are
// computed once for a session, so that a message takes one lookup.

// admit admits a message of a peer whose revision is known.
func (p *peer) admit(m *jsonrpc.Message) (admission, error) {
	r := p.row(m.Method)
	switch {
	case m.Kind == jsonrpc.Request && (r.Kind == jsonrpc.Notification || !p.declares(r.need())):
		return admission{}, MethodNotFound(m.Method)
	case m.Kind == jsonrpc.Notification && r.Kind == jsonrpc.Request:
		return admission{}, errNotARequest
	case m.Kind == jsonrpc.Notification && !p.theirs.has(r.need()):
		return admission{}, &CapabilityError{Method: m.Method, Capability: r.need()}
	}
	return admission{peer: p, row: r}, nil
}

// maySend returns the row of a method that this side is about to send with these params, or an error if it must not.
// The revision must have the method, a request may need a capability of the peer, and a notification
// one of this side. A binding without a table allows everything.
func (p *peer) maySend(kind jsonrpc.Kind, method string, params wire.Appender) (*Method, error) {
	if len(p.rows) == 0 {
		return &noRow, nil
	}
	r := p.row(method)
	to := (ToServer | ToClient) &^ p.Direction
	switch {
	case r.Kind == 0 && p.Forwards:
	case r.Kind != kind || r.Direction&to == 0:
		return nil, &MethodError{Method: method, Kind: kind, To: to, Revision: p.Revision}
	case kind == jsonrpc.Request && !p.theirs.has(r.need()):
		text, _ := TextOf(params) // the capability as a whole is missing, whatever the params are
		return nil, &CapabilityError{Method: method, Capability: p.lacking(p.theirs, r, wire.Object(text))}
	case kind == jsonrpc.Notification && !p.declares(r.need()):
		return nil, &CapabilityError{Method: method, Capability: r.need(), Own: true}
	}
	return r, nil
}

// declares reports whether this side has declared a capability.
func (p *peer) declares(need string) bool {
	if need == "" || !p.serving() {
		return p.ours.has(need)
	}
	return p.offered().set.has(need) || p.offeredNow().set.has(need)
}

// refine checks a request that is encoded and about to be sent.
func (p *peer) refine(r *Method, text []byte) error {
	for i := range refinements {
		f := &refinements[i]
		if f.of(r.Name, p.Revision) && !p.theirs.has(f.capability) && f.concerns(text) {
			return &CapabilityError{Method: f.method, Capability: f.capability}
		}
	}
	return nil
}

// lacking returns the capability that a request with these params needs and a side has not declared, or "". If the side
// lacks all of a capability, it is the part that the request needs, such as elicitation.url, so that the peer learns
// all at once.
func (b *protocol) lacking(declared capabilitySet, r *Method, params wire.Object) string {
	missing := ""
	if !declared.has(r.need()) {
		missing = r.need()
	}
	for i := range refinements {
		f := &refinements[i]
		part := missing == "" || !f.missing && strings.HasPrefix(f.capability, missing+".")
		if part && f.of(r.Name, b.Revision) && !declared.has(f.capability) && f.asked(params) {
			return f.capability
		}
	}
	return missing
}

// extended reports whether a value of resultType belongs to an extension that this side has declared and
// that gives it to results of the method ("Extension Negotiation" in basic/versioning, 2026-07-28).
func (p *peer) extended(method, kind string) bool {
	for _, x := range p.Extensions {
		owns := slices.ContainsFunc(x.Results, func(r ExtensionResult) bool { return r.Method == method && r.Type == kind })
		if owns && declaresExtension(p.declared, x.Name) {
			return true
		}
	}
	return false
}

// Needs returns the capabilities, as dotted paths, that a message of the method with these params
// needs. A request needs capabilities of the side that answers it, and a notification of the side
// that sends it ("Capability negotiation" in basic/lifecycle of every revision).
func (m *Method) Needs(params wire.Raw) []string {
	var needs []string
	if m.Capability != "" {
		needs = append(needs, m.Capability)
	}
	for i := range refinements {
		f := &refinements[i]
		if f.method == m.Name && f.asked(wire.Object(params)) {
			needs = append(needs, f.capability)
		}
	}
	return needs
}

// need returns what a message of the method needs a side to declare: a capability, as a dotted path, an extension, or ""
// for nothing.
func (m *Method) need() string { return cmp.Or(m.Capability, m.Extension) }

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

// of reports whether the refinement is one of requests of a method in a revision.
func (f *refinement) of(method, revision string) bool {
	return f.method == method && (f.before == "" || revision < f.before)
}

// concerns reports whether the request with that text needs the capability. Most requests do not
// contain the name of the member at all.
func (f *refinement) concerns(text []byte) bool {
	if !f.missing && !bytes.Contains(text, []byte(`"`+f.member+`"`)) {
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

// capabilitySet holds, of the capabilities that messages of a revision need, those that a side has declared. It is nil
// for a side whose capabilities are unknown, which has all of them.
type capabilitySet map[string]bool

func (g capabilitySet) has(need string) bool { return g == nil || need == "" || g[need] }

// capabilitySet returns the set of a side that declares the given capabilities; "" means unknown.
func (b *protocol) capabilitySet(capabilities wire.Object) capabilitySet {
	if capabilities == "" {
		return nil
	}
	g := make(capabilitySet)
	add := func(need string, declares func(wire.Object, string) bool) {
		if need != "" && !g[need] && declares(capabilities, need) {
			g[need] = true
		}
	}
	for _, m := range b.rows {
		add(m.Capability, Declares)
		add(m.Extension, declaresExtension)
	}
	for i := range refinements {
		add(refinements[i].capability, Declares)
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
	for {
		name, rest, more := strings.Cut(path, ".")
		value, ok := capabilities.Get(name)
		if !ok || !more {
			return value == "true" || value.Kind() == wire.KindObject
		}
		capabilities, path = wire.Object(value), rest
	}
}

// offer is what a server declares in a stateless revision at a time. It belongs to no session, and what a catalog
// declares grows with its items, so it is made again when a message needs more. It is immutable.
type offer struct {
	capabilities wire.Object
	set          capabilitySet // of every capability that was declared so far
}

// offered returns the last offer of the server.
func (b *protocol) offered() *offer {
	if last := b.last.Load(); last != nil {
		return last
	}
	return b.offeredNow()
}

// offeredNow returns a new offer. If the capabilities cannot be declared, it is the last one, or one of
// nothing. A capability that was declared once stays declared, because a request must not depend on the
// requests before it: a list whose last item was removed is empty, not unknown.
func (b *protocol) offeredNow() *offer {
	text, err := b.declared(b.server.opts.Capabilities)
	if err != nil {
		b.server.log.Error("the capabilities cannot be declared", "revision", b.Revision, "error", err)
	}
	b.offering.Lock()
	defer b.offering.Unlock()
	last := b.last.Load()
	if err != nil && last != nil {
		return last
	}
	if err != nil {
		text = "{}"
	}
	next := &offer{capabilities: text}
	if !b.Forwards { // otherwise it is unknown what the other peer has
		next.set = b.capabilitySet(text)
	}
	if last != nil {
		maps.Copy(next.set, last.set)
		if last.capabilities == next.capabilities && maps.Equal(last.set, next.set) {
			return last
		}
	}
	b.last.Store(next)
	return next
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

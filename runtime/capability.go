package runtime

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file decides which messages the revision and the capabilities of both sides allow ("Version
// Negotiation" and "Capability Negotiation" in basic/lifecycle of every revision). The generated
// method table lists the capability that each message needs. The grants of each side are computed
// once for a session, so that a message takes one lookup.

// row is the part of a Method that the runtime uses.
type row struct {
	kind    jsonrpc.Kind
	to      Direction
	need    int       // index in bound.needs; 0 is nothing
	refined []refined // further needs of some requests of the method
	lists   bool      // the result is a list

	within    bool // it is not sent but part of a result, see Method
	asks      bool // the result may have requests that are within it
	cacheable bool // the result says how long it may be kept
	nameParam string
	filter    string   // boolean member of the filter of subscriptions that asks for it, see Method
	types     []string // values of resultType, see Method
}

// refined is a refinement with its place in bound.needs.
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

// grants holds for each of bound.needs whether a side has declared it. It is nil for a side whose
// capabilities are unknown, which has all of them.
type grants []bool

func (g grants) has(need int) bool { return g == nil || g[need] }

// grants returns the grants of a side with the given capabilities; "" means unknown.
func (b *bound) grants(capabilities wire.Object) grants {
	if capabilities == "" {
		return nil
	}
	g := make(grants, len(b.needs))
	g[0] = true
	for i, path := range b.needs[1:] {
		g[i+1] = Declares(capabilities, path)
	}
	return g
}

// Declares reports whether capabilities declare the one at a dotted path, such as
// "resources.subscribe".
func Declares(capabilities wire.Object, path string) bool {
	if granted(capabilities, path) {
		return true
	}
	// An elicitation capability without modes means forms.
	return path == "elicitation.form" && granted(capabilities, "elicitation") && !granted(capabilities, "elicitation.url")
}

// granted reports whether the value at a dotted path is true or an object.
func granted(capabilities wire.Object, path string) bool {
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

// need returns the index of a capability in b.needs. It adds the capability if it is not there.
func (b *bound) need(capability string) int {
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
func (b *bound) row(method string) *row {
	if r := b.rows[method]; r != nil {
		return r
	}
	return &noRow
}

// tabulate fills b.rows, b.needs and b.codes.
func (b *bound) tabulate() {
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
			within: m.Within, asks: m.Asks, cacheable: m.Cacheable, nameParam: m.NameParam, filter: filter, types: m.ResultTypes}
	}
	for i := range refinements {
		f := &refinements[i]
		if r, ok := b.rows[f.method]; ok && (f.before == "" || b.Revision < f.before) {
			r.refined = append(r.refined, refined{f, b.need(f.capability), strconv.AppendQuote(nil, f.member)})
		}
	}
}

// sending returns the row of a method that this side is about to send, or an error if it must not.
// The revision must have the method, a request may need a capability of the peer, and a notification
// one of this side. A binding without a table allows everything.
func (t *terms) sending(kind jsonrpc.Kind, method string) (*row, error) {
	if t == nil || t.bound == nil || len(t.bound.rows) == 0 {
		return &noRow, nil
	}
	r := t.bound.row(method)
	to := (ToServer | ToClient) &^ t.bound.Direction
	switch {
	case r.kind == 0 && t.bound.Forwards:
	case r.kind != kind || r.to&to == 0:
		return nil, &MethodError{Method: method, Kind: kind, To: to, Revision: t.revision}
	case kind == jsonrpc.Request && !t.theirs.has(r.need):
		return nil, &CapabilityError{Method: method, Capability: t.bound.needs[r.need]}
	case kind == jsonrpc.Notification && !t.offers(r.need):
		return nil, &CapabilityError{Method: method, Capability: t.bound.needs[r.need], Own: true}
	}
	return r, nil
}

// specified returns the error of sending for a request with these params. A capability that the peer lacks
// becomes the part of it that the request needs, such as elicitation.url, so that the peer learns all at once.
func specified(err error, params wire.Appender) error {
	e, ok := errors.AsType[*CapabilityError](err)
	if !ok || params == nil {
		return err
	}
	text, failed := wire.MarshalString(params)
	if failed != nil {
		return err
	}
	for i := range refinements {
		f := &refinements[i]
		if f.method == e.Method && !f.missing && strings.HasPrefix(f.capability, e.Capability+".") && f.asked(wire.Object(text)) {
			return &CapabilityError{Method: e.Method, Capability: f.capability}
		}
	}
	return err
}

// refine checks a request that is encoded and about to be sent.
func (t *terms) refine(r *row, text []byte) error {
	for _, f := range r.refined {
		if !t.theirs.has(f.need) && f.concerns(text) {
			return &CapabilityError{Method: f.method, Capability: f.capability}
		}
	}
	return nil
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

// offers are the capabilities that a server declares in a stateless revision. They belong to no session,
// and what a catalog declares grows with its items, so they are computed again when a message needs more.
type offers struct {
	bound  *bound
	server *Server

	mu   sync.Mutex // held while last is replaced
	last atomic.Pointer[offer]
}

// offer is the value of offers at a time. It is immutable.
type offer struct {
	text   wire.Object
	grants grants // of every capability that was declared so far
}

// offers reports whether this side has declared the capability with that index in bound.needs.
func (t *terms) offers(need int) bool {
	if need == 0 || !t.serving() {
		return t.ours.has(need)
	}
	o := t.bound.offered
	return o.current().grants.has(need) || o.renewed().grants.has(need)
}

// current returns the last offer.
func (o *offers) current() *offer {
	if last := o.last.Load(); last != nil {
		return last
	}
	return o.renewed()
}

// renewed returns a new offer. If the capabilities cannot be declared, it is the last one, or an offer of
// nothing. A capability that was declared once stays granted, because a request must not depend on the
// requests before it: a list whose last item was removed is empty, not unknown.
func (o *offers) renewed() *offer {
	text, err := o.declared()
	if err != nil {
		o.server.log.Error("the capabilities cannot be declared", "revision", o.bound.Revision, "error", err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	last := o.last.Load()
	if err != nil && last != nil {
		return last
	}
	if err != nil {
		text = "{}"
	}
	next := &offer{text: text, grants: o.bound.grants(text)}
	if last != nil {
		for i, granted := range last.grants {
			next.grants[i] = next.grants[i] || granted
		}
		if last.text == next.text && slices.Equal(last.grants, next.grants) {
			return last
		}
	}
	o.last.Store(next)
	return next
}

// declared returns the capabilities that the server declares now.
func (o *offers) declared() (wire.Object, error) {
	return o.bound.declared(o.server.opts.Capabilities)
}

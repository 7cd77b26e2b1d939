package runtime

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file holds which messages the revision and the capabilities of a session allow
// ("Version Negotiation" and "Capability Negotiation" in basic/lifecycle of every revision). What a message needs is in the
// generated method table and never changes; what a side has granted is found out once
// for each session. Between the two there is one lookup for each message.

// row is what the runtime keeps of a Method.
type row struct {
	kind    jsonrpc.Kind
	to      Direction
	need    int       // index in bound.needs; 0 is nothing
	refined []refined // what some requests of the method need besides
	lists   bool      // the result is about a list
}

// refined is a refinement with its place in bound.needs.
type refined struct {
	*refinement
	need   int
	quoted []byte // the member's name
}

// refinement is a capability that a request needs because of a member of its params.
// No generated table has them, because they are not about the method.
type refinement struct {
	method     string
	member     string
	value      wire.Raw // of the member; "" is any
	missing    bool     // it goes for params without the member, too
	capability string
}

var refinements = []refinement{
	// "Capabilities" in client/sampling of 2025-11-25.
	{method: "sampling/createMessage", member: "tools", capability: "sampling.tools"},
	{method: "sampling/createMessage", member: "toolChoice", capability: "sampling.tools"},
	// "Capabilities" in client/elicitation of 2025-11-25.
	{method: "elicitation/create", member: "mode", value: `"url"`, capability: "elicitation.url"},
	{method: "elicitation/create", member: "mode", value: `"form"`, missing: true, capability: "elicitation.form"},
	// "Capabilities" in basic/utilities/tasks of 2025-11-25.
	{method: "tools/call", member: "task", capability: "tasks.requests.tools.call"},
	{method: "sampling/createMessage", member: "task", capability: "tasks.requests.sampling.createMessage"},
	{method: "elicitation/create", member: "task", capability: "tasks.requests.elicitation.create"},
}

// grants tell for each of bound.needs whether a side has declared it. Nil is that of a
// side whose capabilities are not known, to which nothing is refused.
type grants []bool

func (g grants) has(need int) bool { return g == nil || g[need] }

// grants finds what capabilities declare; "" is not known.
func (b *bound) grants(capabilities wire.Object) grants {
	if capabilities == "" {
		return nil
	}
	g := make(grants, len(b.needs))
	g[0] = true
	for i, path := range b.needs[1:] {
		g[i+1] = declared(capabilities, path)
	}
	return g
}

// declared reports whether capabilities declare the one at a dotted path.
func declared(capabilities wire.Object, path string) bool {
	if granted(capabilities, path) {
		return true
	}
	// An elicitation that names no mode means forms.
	return path == "elicitation.form" && granted(capabilities, "elicitation") && !granted(capabilities, "elicitation.url")
}

// granted reports whether there is a value at a dotted path that says yes: true, or an
// object, which may be empty.
func granted(capabilities wire.Object, path string) bool {
	for {
		name, rest, more := strings.Cut(path, ".")
		value, ok := capabilities.Get(name)
		if !ok || !more {
			return value == "true" || value.Kind() == wire.KindObject
		}
		capabilities, path = wire.Object(value), rest
	}
}

// need is the index of a capability in b.needs.
func (b *bound) need(capability string) int {
	for i, n := range b.needs {
		if n == capability {
			return i
		}
	}
	b.needs = append(b.needs, capability)
	return len(b.needs) - 1
}

// tabulate makes b's rows of its methods.
func (b *bound) tabulate() {
	b.needs = []string{""}
	b.rows = make(map[string]row, len(b.Methods))
	for i := range b.Methods {
		m := &b.Methods[i]
		b.rows[m.Name] = row{kind: m.Kind, to: m.Direction, need: b.need(m.Capability), lists: m.Paginated || m.Name == methodListRoots}
	}
	for i := range refinements {
		f := &refinements[i]
		if r, ok := b.rows[f.method]; ok {
			r.refined = append(r.refined, refined{f, b.need(f.capability), strconv.AppendQuote(nil, f.member)})
			b.rows[f.method] = r
		}
	}
}

// sending returns the row of a method that this side is about to use, or why it may
// not: the revision must have it, a request needs a capability of the peer, and a
// notification one of this side. A binding without a table allows everything.
func (t *terms) sending(kind jsonrpc.Kind, method string) (row, error) {
	if t == nil || t.bound == nil || len(t.bound.rows) == 0 {
		return row{}, nil
	}
	r := t.bound.rows[method]
	to := (ToServer | ToClient) &^ t.bound.Direction
	switch {
	case r.kind != kind || r.to&to == 0:
		return row{}, &MethodError{Method: method, Kind: kind, To: to, Revision: t.revision}
	case kind == jsonrpc.Request && !t.peer.has(r.need):
		return row{}, &CapabilityError{Method: method, Capability: t.bound.needs[r.need]}
	case kind == jsonrpc.Notification && !t.own.has(r.need):
		return row{}, &CapabilityError{Method: method, Capability: t.bound.needs[r.need], Own: true}
	}
	return r, nil
}

// refine checks a request that is encoded and about to be sent.
func (t *terms) refine(r row, text []byte) error {
	for _, f := range r.refined {
		if !t.peer.has(f.need) && f.concerns(text) {
			return &CapabilityError{Method: f.method, Capability: f.capability}
		}
	}
	return nil
}

// concerns reports whether the request with that text needs the capability. Most
// requests do not have the member's name anywhere.
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

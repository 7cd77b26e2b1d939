package diff

import (
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// This file compares what two revisions say in different messages.

// statement is something that a peer says of itself or of what it wants, in one message or another.
type statement struct {
	to Direction
	// places are where messages of a revision may say it. A revision has the first place that its
	// schema has. If two revisions have the same place, the comparison of its method covers it.
	places []place
}

// place is a member of the params or the result of a method, by its path. The method "*" is any.
type place struct {
	method string
	part   string
	path   []string
}

const (
	handshake = "initialize"
	meta      = "io.modelcontextprotocol/"
)

// versionOfRequest is where a request names its revision.
var versionOfRequest = place{"*", "params", []string{"_meta", meta + "protocolVersion"}}

// statements are what revisions say in different messages.
var statements = []statement{
	{ToServer, []place{
		{handshake, "params", []string{"capabilities"}},
		{"*", "params", []string{"_meta", meta + "clientCapabilities"}},
	}},
	{ToServer, []place{
		{handshake, "params", []string{"clientInfo"}},
		{"*", "params", []string{"_meta", meta + "clientInfo"}},
	}},
	{ToServer, []place{
		{handshake, "params", []string{"protocolVersion"}},
		versionOfRequest,
	}},
	{ToClient, []place{
		{handshake, "result", []string{"capabilities"}},
		{"server/discover", "result", []string{"capabilities"}},
	}},
	{ToClient, []place{
		{handshake, "result", []string{"instructions"}},
		{"server/discover", "result", []string{"instructions"}},
	}},
	{ToClient, []place{
		{handshake, "result", []string{"serverInfo"}},
		{"*", "result", []string{"_meta", meta + "serverInfo"}},
	}},
}

// said is a statement in a revision.
type said struct {
	*member
	// decl is the declaration of its values, or nil.
	decl *ir.Decl
	// use is the message that has it, or "" for any.
	use string
}

// says returns how a revision makes a statement.
func (s *messages) says(one statement) (at place, is said, ok bool) {
	for _, at := range one.places {
		for _, name := range slices.Sorted(maps.Keys(s.methods)) {
			if at.method != "*" && at.method != name {
				continue
			}
			if is, ok := s.said(s.methods[name], at); ok {
				return at, is, true
			}
		}
	}
	return place{}, said{}, false
}

// said returns the member of a message at a place. It is required if all members of the path are.
func (s *messages) said(m *ir.Method, at place) (is said, ok bool) {
	decl, required := m.Params, m.ParamsRequired
	if at.part == "result" {
		decl, required = m.Result, true
	}
	if is, ok = s.below(decl, at.path); !ok {
		return said{}, false
	}
	is.Required = is.Required && required
	if at.method != "*" {
		is.use = useOf(m, at.part)
	}
	return is, true
}

// below returns the member at a path below a declaration, which may be nil. It is required if all members of the
// path are.
func (s *messages) below(decl *ir.Decl, path []string) (is said, ok bool) {
	required := true
	for _, name := range path {
		if decl == nil {
			return said{}, false
		}
		f := decl.Field(name)
		if f == nil {
			return said{}, false
		}
		is.member = s.field(f, decl.Name)
		required = required && is.Required
		decl = nil
		if ref, ok := f.Base().(*ir.Ref); ok {
			decl = ref.Decl
		}
	}
	is.Required, is.decl = required, decl
	return is, true
}

// useOf returns the name of the params or the result of a method in [Finding.Uses].
func useOf(m *ir.Method, part string) string {
	if part == "result" {
		return m.Wire + " result"
	}
	return m.Wire
}

// statements compares what the sides say in different messages.
func (p *protocol) statements() {
	for _, one := range statements {
		wasAt, was, had := p.was.says(one)
		isAt, is, has := p.is.says(one)
		if !had || !has || wasAt.method == isAt.method && wasAt.part == isAt.part {
			continue
		}
		first := was // the handshake names the finding, in both directions
		if isAt.method == handshake {
			first = is
		}
		for _, use := range []string{was.use, is.use} {
			if use != "" {
				p.statement(&root{use: use, direction: one.to, old: was.Shape, new: is.Shape}, was, is, first)
			}
		}
	}
}

func (p *protocol) statement(at *root, was, is, named said) {
	if was.Required != is.Required {
		rule := "member-became-required"
		if was.Required {
			rule = "member-became-optional"
		}
		p.direct(&change{rule: rule, guard: guardElsewhere, subject: named.Where.Path, old: was.Where, new: is.Where, args: []string{named.Name}}, nil, nil, at)
	}
	if was.decl == nil || is.decl == nil {
		return // nothing judges the values
	}
	at.judged = [2][]string{{was.decl.Key()}, {is.decl.Key()}}
	p.roots(at)
}

// payload compares the params and the results of a method that the sides send in different kinds of messages. A
// schema decides which members such a payload has, so the comparison leaves out those that other schemas omit by
// mistake.
func (p *protocol) payload(old, new *ir.Method) {
	to := directionOf(old).join(directionOf(new))
	oldBare, newBare := p.was.asWritten(), p.is.asWritten()
	p.roots(&root{
		use: new.Wire, direction: to,
		old: oldBare.decl(p.was.rev.Definition(old.Definition)), new: newBare.decl(p.is.rev.Definition(new.Definition)),
		judged: [2][]string{{old.Definition}, {new.Definition}},
		wrap: func(v any) any {
			whole := maps.Clone(v.(map[string]any))
			whole["jsonrpc"], whole["id"], whole["method"] = "2.0", 0, new.Wire
			return whole
		},
	})
	if old.Result != nil && new.Result != nil {
		at := p.declared(useOf(new, "result"), to.answer(), old.Result, new.Result)
		at.old, at.new = oldBare.decl(old.Result), newBare.decl(new.Result)
		p.roots(at)
	}
}

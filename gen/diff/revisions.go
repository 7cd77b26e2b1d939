package diff

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
)

// Revision is a revision of the protocol as a side of a comparison.
type Revision struct {
	// Label names the side. It defaults to the revision's date.
	Label string
	IR    *ir.Revision
	// Judge confirms witnesses. If it is nil, only the judge of the other side does.
	Judge Judge
	// Document is the schema that the ir was made from.
	Document *schema.Document
	Notes    Notes
	// Progress, unless it is nil, is called after each method that both sides have. Only that of the new
	// side is called.
	Progress func()
}

func (r Revision) label() string { return cmp.Or(r.Label, r.IR.ID) }

// ErrNothing is the error of a comparison whose sides have nothing that could be compared.
var ErrNothing = errors.New("nothing to compare")

// Revisions compares two revisions. It returns an error only if the sides cannot be compared at
// all.
func Revisions(old, new Revision) (*Report, error) {
	return revisions(old, new, Exceptions())
}

func revisions(old, new Revision, exceptions []Exception) (*Report, error) {
	p := &protocol{
		assembler: assembler{
			kind: "revisions", old: old.label(), new: new.label(), judges: [2]Judge{old.Judge, new.Judge},
			exceptions: exceptions, findings: map[string]*Finding{},
		},
	}
	p.comparer = newComparer(guardOpenObject)
	var err error
	if p.was, err = newMessages(old, p.comparer.engine); err != nil {
		return nil, fmt.Errorf("%s: %w", p.old, err)
	}
	if p.is, err = newMessages(new, p.comparer.engine); err != nil {
		return nil, fmt.Errorf("%s: %w", p.new, err)
	}
	p.envelope()
	p.errors()
	report := &Report{Old: p.old, New: p.new, Kind: p.kind, Negotiation: p.negotiation()}
	p.methods(report, new.Progress)
	settings := p.extension(report)
	if !settings && !p.common() {
		return nil, fmt.Errorf("%w: the schemas have no method of the protocol in common", ErrNothing)
	}
	report.Findings = p.list()
	report.Problems = p.problems
	report.notes(old.Notes, new.Notes)
	report.SetUpgrade(UpgradeEither)
	p.unchanged(report)
	return report, nil
}

// protocol compares revisions.
type protocol struct {
	assembler
	was, is  *messages
	comparer *comparer
}

// roots compares the shapes of a root.
func (p *protocol) roots(at *root) { p.compare(p.comparer, at.use, at) }

func (p *protocol) envelope() {
	old, new := p.was.envelope(), p.is.envelope()
	if old == nil || new == nil {
		return // the messages of the methods are compared anyway
	}
	p.roots(&root{
		use: "JSON-RPC messages", direction: BothWays, old: old, new: new,
		judged: [2][]string{{"JSONRPCMessage"}, {"JSONRPCMessage"}},
	})
}

// directionOf returns the direction in which a method is sent.
func directionOf(m *ir.Method) (d Direction) {
	if m.ToServer {
		d = ToServer
	}
	if m.ToClient {
		d = d.join(ToClient)
	}
	return d
}

// answer returns the direction of the answers.
func (d Direction) answer() Direction {
	return map[Direction]Direction{ToServer: ToClient, ToClient: ToServer, BothWays: BothWays}[d]
}

func (p *protocol) methods(report *Report, progress func()) {
	for _, wire := range keysOf(p.was.methods, p.is.methods) {
		old, new := p.was.methods[wire], p.is.methods[wire]
		both := report.Compared.add(wire, old != nil, new != nil)
		if sameKind(old, new) {
			p.method(old, new)
		} else {
			p.presence(narrows, old)
			p.presence(widens, new)
		}
		if both && !sameKind(old, new) {
			p.payload(old, new)
		}
		if both && progress != nil {
			progress()
		}
	}
	p.statements()
}

// common reports whether both sides have a method. Requests within results do not count: schemas of
// extensions repeat them.
func (p *protocol) common() bool {
	for name, both := range p.subjects() {
		if m := p.is.methods[name]; both && (m == nil || sameKind(p.was.methods[name], m) && !m.Within) {
			return true
		}
	}
	return false
}

// sameKind reports whether both revisions have a method, and send it in the same kind of message.
func sameKind(old, new *ir.Method) bool {
	return old != nil && new != nil && kindOfMethod(old) == kindOfMethod(new)
}

// kindOfMethod returns "request", "notification" or, for a request within a result, "input
// request".
func kindOfMethod(m *ir.Method) string {
	switch {
	case m.Notification:
		return "notification"
	case m.Within:
		return "input request"
	}
	return "request"
}

// unions returns the definitions of all messages of the method's kind that a side may receive.
func unions(m *ir.Method, d Direction) []string {
	side := map[Direction]string{ToServer: "Client", ToClient: "Server"}[d]
	switch {
	case m.Notification:
		return []string{side + "Notification"}
	case m.Within:
		return []string{"InputRequest"}
	}
	return []string{side + "Request"}
}

// presence reports a method that only one side has, or has in another kind of message. It does nothing for nil.
func (p *protocol) presence(way int, m *ir.Method) {
	if m == nil {
		return
	}
	guard := ""
	switch {
	case m.Capability != "" && !p.sides()[1-way].declares(m):
		guard = guardCapability
	case m.Notification:
		guard = guardNoAnswer
	}
	to := directionOf(m)
	judge := to
	if to == BothWays {
		judge = ToServer
	}
	p.exists("method-removed", guard, way, m, to, judge, kindOfMethod(m), m.Wire)
}

// sides returns the old side and the new one.
func (p *protocol) sides() [2]*messages { return [2]*messages{p.was, p.is} }

// declares reports whether the revision can declare the capability of a method. A peer that
// declares the capability receives the method even if its revision does not define it.
func (s *messages) declares(m *ir.Method) bool {
	server, client := m.ToServer, m.ToClient
	if m.Notification { // the sender declares
		server, client = client, server
	}
	path := strings.Split(m.Capability, ".")
	return server && s.hasMember("ServerCapabilities", path) || client && s.hasMember("ClientCapabilities", path)
}

// hasMember reports whether a definition declares a member path.
func (s *messages) hasMember(name string, path []string) bool {
	_, ok := s.below(s.rev.Definition(name), path)
	return ok
}

// exists reports that only one side has a method in a direction. If the finding has an example, the unions of all
// messages judge it.
func (p *protocol) exists(rule, guard string, way int, m *ir.Method, to, judge Direction, args ...string) {
	at := &root{use: m.Wire, direction: to, judged: [2][]string{unions(m, judge), unions(m, judge)}}
	has, lacks := p.sides()[way], p.sides()[1-way]
	if lacks.rev.Definition(unions(m, judge)[0]) == nil {
		// The side has no messages of this kind in that direction, so it refuses all.
		at.judged[1-way] = nil
	}
	ch := p.lone(rule, way, m.Wire, placeOf(has.rev.Definition(m.Definition)), args...)
	ch.guard = guard
	shape, _ := has.message(m)
	p.lacked(ch, way, p.comparer.finder(has.root), shape.from, "mcpgen cannot make such a message", at)
}

// method compares a method that both sides have.
func (p *protocol) method(old, new *ir.Method) {
	to := directionOf(old).join(directionOf(new))
	for _, to := range []Direction{ToServer, ToClient} {
		for way, m := range [2]*ir.Method{old, new} {
			if other := [2]*ir.Method{new, old}[way]; directionOf(m).includes(to) && !directionOf(other).includes(to) {
				p.exists("method-direction-removed", "", way, m, to, to, map[Direction]string{ToServer: "server", ToClient: "client"}[to])
			}
		}
	}
	was, judgedOld := p.was.message(old)
	is, judgedNew := p.is.message(new)
	at := &root{use: new.Wire, direction: to, old: was, new: is, judged: [2][]string{judgedOld, judgedNew}}
	if old.Capability != new.Capability {
		p.add(&change{rule: "method-capability-changed", subject: new.Wire, old: was.Where, new: is.Where,
			args: []string{quoted(old.Capability), quoted(new.Capability)}}, at)
	}
	p.roots(at)
	if old.Result == nil || new.Result == nil {
		return // a notification, or a leniently read side without a usable result
	}
	p.roots(p.declared(new.Wire+" result", to.answer(), old.Result, new.Result))
}

// errors compares the error codes that have definitions.
func (p *protocol) errors() {
	eachKey(p.was.rev.ErrorCodes(), p.is.rev.ErrorCodes(), func(way int, code int64, d *ir.Decl) {
		ch := p.lone("error-code-removed", way, d.Name, placeOf(d), strconv.FormatInt(code, 10), d.Name)
		p.add(ch, &root{use: "errors", direction: BothWays})
	}, func(int64, *ir.Decl, *ir.Decl) {})
}

func placeOf(d *ir.Decl) Place { return Place{d.Name, d.Pointer} }

// unchanged counts the methods without findings.
func (p *protocol) unchanged(report *Report) {
	used := map[string]bool{}
	for _, f := range report.Findings {
		for _, use := range append(slices.Clone(f.Uses), f.Subject) {
			used[strings.TrimSuffix(use, " result")] = true
		}
	}
	both := p.subjects()
	for _, wire := range slices.Sorted(maps.Keys(both)) {
		switch {
		case !both[wire]:
		case used[wire]:
			report.Compared.Changed = append(report.Compared.Changed, wire)
		default:
			report.Compared.Unchanged++
		}
	}
}

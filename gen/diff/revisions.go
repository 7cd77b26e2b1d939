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
	// Progress, unless it is nil, is called after each method that both sides have. That of the new side is
	// used.
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
			rules: newRuleTable(), exceptions: exceptions, findings: map[string]*Finding{},
		},
	}
	p.comparer = newComparer(p.rules, guardOpenObject)
	var err error
	if p.was, err = newMessages(old, p.comparer.engine); err != nil {
		return nil, fmt.Errorf("%s: %w", p.old, err)
	}
	if p.is, err = newMessages(new, p.comparer.engine); err != nil {
		return nil, fmt.Errorf("%s: %w", p.new, err)
	}
	if err := p.envelope(); err != nil {
		return nil, err
	}
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
	report.finish()
	p.unchanged(report)
	return report, nil
}

// protocol compares revisions.
type protocol struct {
	assembler
	was, is  *messages
	comparer *comparer
}

// compare reports the differences at a root.
func (p *protocol) compare(at *root) {
	list, problem := p.comparer.messages(at.old, at.new, at.use)
	if problem != "" {
		p.problem("%s", problem)
	}
	for _, one := range list {
		p.add(one, at)
	}
}

func (p *protocol) envelope() error {
	old, err := p.was.envelope()
	if err != nil {
		return err
	}
	new, err := p.is.envelope()
	if err != nil {
		return err
	}
	if old == nil || new == nil {
		return nil // the messages of the methods are compared anyway
	}
	p.compare(&root{
		use: "JSON-RPC messages", direction: BothWays, old: old, new: new,
		judgedOld: []string{"JSONRPCMessage"}, judgedNew: []string{"JSONRPCMessage"},
	})
	return nil
}

func direction(toServer, toClient bool) Direction {
	switch {
	case toServer && toClient:
		return BothWays
	case toClient:
		return ToClient
	}
	return ToServer
}

// answer returns the direction of the answers.
func (d Direction) answer() Direction {
	switch d {
	case ToServer:
		return ToClient
	case ToClient:
		return ToServer
	}
	return d
}

func (p *protocol) methods(report *Report, progress func()) {
	names := slices.Sorted(maps.Keys(p.was.methods))
	for _, wire := range names {
		old, new := p.was.methods[wire], p.is.methods[wire]
		if new == nil {
			report.Compared.Removed = append(report.Compared.Removed, wire)
			p.presence("method-removed", p.was, p.is, old)
			continue
		}
		report.Compared.Subjects++
		if sameKind(old, new) {
			p.method(old, new)
		} else {
			p.presence("method-removed", p.was, p.is, old)
			p.presence("method-added", p.was, p.is, new)
			p.payload(old, new)
		}
		progressed(progress)
	}
	for _, wire := range slices.Sorted(maps.Keys(p.is.methods)) {
		if p.was.methods[wire] == nil {
			report.Compared.Added = append(report.Compared.Added, wire)
			p.presence("method-added", p.was, p.is, p.is.methods[wire])
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

// presence reports a method that only one side has.
func (p *protocol) presence(rule string, was, is *messages, m *ir.Method) {
	ch := &change{rule: rule, args: []string{kindOfMethod(m), m.Wire}}
	lacks := was
	if rule == "method-removed" {
		lacks = is
	}
	switch {
	case m.Capability != "" && !lacks.declares(m):
		ch.guard = guardCapability
	case m.Notification:
		ch.guard = guardNoAnswer
	}
	to := direction(m.ToServer, m.ToClient)
	judge := to
	if to == BothWays {
		judge = ToServer
	}
	p.exists(ch, was, is, m, to, judge)
}

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
	decl := s.rev.Definition(name)
	if decl == nil {
		return false
	}
	t := decl.Type
	for _, wire := range path {
		fields := fieldsOf(t)
		i := slices.IndexFunc(fields, func(f *ir.Field) bool { return f.Wire == wire })
		if i < 0 {
			return false
		}
		t = fields[i].Type
	}
	return true
}

// exists reports that only one side has a method in a direction. Every message of the method
// shows that, so the finding needs no example. If it has one, the unions of all messages judge
// it.
func (p *protocol) exists(ch *change, was, is *messages, m *ir.Method, to, judge Direction) {
	at := &root{use: m.Wire, direction: to, judgedOld: unions(m, judge), judgedNew: unions(m, judge)}
	has, lacks, way := is, was, widens
	if p.rules.rule(ch.rule).Effect.Narrows() {
		has, lacks, way = was, is, narrows
	}
	decl := has.rev.Definition(m.Definition)
	sides := [2]*Place{&ch.old, &ch.new}
	*sides[way] = Place{decl.Name, decl.Pointer}
	if lacks.rev.Definition(unions(m, judge)[0]) == nil {
		// The side has no messages of this kind in that direction, so it refuses all.
		*[2]*[]string{&at.judgedNew, &at.judgedOld}[way] = nil
	}
	one := ch.about(m.Wire)
	shape, _, err := has.message(m)
	switch {
	case err != nil:
		one.ways[way] = outcome{state: unproven, sure: true, why: err.Error()}
	default:
		one.ways[way] = outcome{state: unproven, sure: true, why: "mcpgen cannot make such a message"}
		if a := p.comparer.finder(has.root).find(shape.from, nil, nil); a.is == found {
			one.ways[way] = outcome{state: shown, values: []any{a.value}}
		}
	}
	p.add(one, at)
}

// method compares a method that both sides have.
func (p *protocol) method(old, new *ir.Method) {
	to := direction(new.ToServer || old.ToServer, new.ToClient || old.ToClient)
	for _, way := range []struct {
		was, is bool
		to      Direction
		name    string
	}{{old.ToServer, new.ToServer, ToServer, "server"}, {old.ToClient, new.ToClient, ToClient, "client"}} {
		switch {
		case way.is && !way.was:
			p.exists(&change{rule: "method-direction-added", args: []string{way.name}}, p.was, p.is, new, way.to, way.to)
		case way.was && !way.is:
			p.exists(&change{rule: "method-direction-removed", args: []string{way.name}}, p.was, p.is, old, way.to, way.to)
		}
	}
	was, judgedOld, err := p.was.message(old)
	if err != nil {
		p.problem("%v", err)
		return
	}
	is, judgedNew, err := p.is.message(new)
	if err != nil {
		p.problem("%v", err)
		return
	}
	at := &root{use: new.Wire, direction: to, old: was, new: is, judgedOld: judgedOld, judgedNew: judgedNew}
	if old.Capability != new.Capability {
		p.tell(&change{rule: "method-capability-changed", old: was.Where, new: is.Where,
			args: []string{quoted(old.Capability), quoted(new.Capability)}}, new.Wire, at)
	}
	p.compare(at)
	if old.Result == nil || new.Result == nil {
		return // a notification, or a leniently read side without a usable result
	}
	p.compare(p.declared(new.Wire+" result", to.answer(), old.Result, new.Result))
}

// errors compares the error codes that have definitions.
func (p *protocol) errors() {
	old, new := p.was.rev.ErrorCodes(), p.is.rev.ErrorCodes()
	tell := func(rule string, code int64, d *ir.Decl, was, is Place) {
		text := strconv.FormatInt(code, 10)
		p.tell(&change{rule: rule, old: was, new: is, args: []string{text, d.Name}}, d.Name, &root{use: "errors", direction: BothWays})
	}
	for _, code := range slices.Sorted(maps.Keys(old)) {
		if d := old[code]; new[code] == nil {
			tell("error-code-removed", code, d, Place{d.Name, d.Pointer}, Place{})
		}
	}
	for _, code := range slices.Sorted(maps.Keys(new)) {
		if d := new[code]; old[code] == nil {
			tell("error-code-added", code, d, Place{}, Place{d.Name, d.Pointer})
		}
	}
}

func fieldsOf(t ir.Type) []*ir.Field {
	if o, ok := ir.Resolve(t).(*ir.Object); ok {
		return o.Fields
	}
	return nil
}

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

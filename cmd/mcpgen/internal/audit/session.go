package audit

import (
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of the lifecycle, of ids and of capabilities, which depend on
// earlier messages.

// sent checks a request or notification against the earlier messages. It returns the request to
// be answered, or nil.
func (s *Session) sent(c *check, m jsonrpc.Message, pointer string) *request {
	method := s.methods[m.Method]
	from := c.from
	if s.stateless && m.Kind == jsonrpc.Request && (from == Server || from == Unknown && method != nil && sender(method) == Server) {
		s.misdirected(c, Server, m, pointer)
		return s.asked(c, m, Server)
	}
	if method != nil {
		switch only := sender(method); {
		case from == Unknown:
			from = only
		case only != Unknown && from != only:
			c.breaks("method-side", pointer+"/method", "only the %[2]s sends %[1]s, but the %[3]s sent it", m.Method, only, from)
			if m.Kind == jsonrpc.Request {
				return s.asked(c, m, from) // It may still be answered with an error.
			}
			return nil
		}
	}
	again := s.replay && m.Kind == jsonrpc.Request && from != Unknown && s.used[from].has(m.ID.Canonical())
	if again {
		s.replayed.add(m.ID.Canonical())
		return nil
	}
	if s.whole && !s.stateless {
		s.order(c, from, m, pointer)
	}
	s.heard(from)
	var r *request
	if m.Kind == jsonrpc.Request {
		r = s.asked(c, m, from)
		if s.follows() && from != Unknown && !s.used[from].add(r.id) && (!s.stateless || len(s.open.byID[r.id]) > 1) {
			switch {
			case s.stateless && c.exchange != nil: // perhaps of another client
			case s.shared:
				c.note("crossed", pointer+"/id", "the id %s was used before, perhaps by another client", m.ID)
			case s.stateless:
				c.breaks("id-in-use", pointer+"/id", "another open request of the %s has the id %s", from, m.ID)
			default:
				c.breaks("id-reused", pointer+"/id", "the %s has used the id %s before", from, m.ID)
			}
		}
	}
	if method == nil {
		return r
	}
	if undeclared := s.capable(c, from, method, m.Params, pointer); r != nil {
		r.about.undeclared = undeclared
	}
	return r
}

// asked remembers a request until it is answered.
func (s *Session) asked(c *check, m jsonrpc.Message, from Side) *request {
	r := &request{id: keptID(m.ID), name: kept(m.Method), revision: s.revision, method: s.methods[m.Method], by: from, line: s.line, number: s.number, since: s.now}
	if c.exchange != nil {
		r.exchange = c.exchange.number
	}
	if s.stateless {
		r.about.capabilities = s.capabilities[Client]
	}
	full, forgotten := s.open.add(r)
	for _, old := range forgotten {
		if old.by != Unknown {
			delete(s.tokens[old.by], old.about.token)
		}
	}
	if full {
		c.note("crossed", "", "more than %d requests are open; the oldest are no longer followed", maxOpen)
	}
	return r
}

// heard marks the open requests of the other side: a side that sends something is still there.
func (s *Session) heard(from Side) {
	if from != Unknown && s.open.open < 64 { // only the last requests of a recording matter
		for _, open := range s.open.byID {
			for _, r := range open {
				r.heard = r.heard || r.by == from.Other()
			}
		}
	}
}

// probe is the method with which a client asks for the revisions of a server that has no
// handshake. A server with a handshake need not know it (basic/versioning of 2026-07-28,
// "Backward Compatibility").
const probe = "server/discover"

// order checks the phases of a session (basic/lifecycle, "Lifecycle Phases").
func (s *Session) order(c *check, from Side, m jsonrpc.Message, pointer string) {
	request := m.Kind == jsonrpc.Request
	switch {
	case m.Method == "initialize":
		if pointer != "" {
			c.breaks("batch-initialize", pointer, "initialize is part of a batch")
		}
		if s.phase != silent {
			c.breaks("initialize-twice", pointer, "initialize was already sent in this session")
			return
		}
		s.phase = asked
	case m.Method == probe && s.phase == silent:
	case s.phase == silent && m.Method != "ping":
		s.recordedBefore(c, pointer)
	case m.Method == "ping" || m.Method == "notifications/cancelled":
		// The client may send these before notifications/initialized, but still has to send
		// that.
		if s.phase == answered && from != Server {
			s.owe()
		}
	case from == Client:
		s.clientOrder(c, m, pointer)
	case from == Server && request && s.phase < operational:
		c.breaks("server-request-early", pointer, "before notifications/initialized, a server sends no request except ping")
	}
}

// recordedBefore reports a message before initialize.
func (s *Session) recordedBefore(c *check, pointer string) {
	c.breaks("before-initialize", pointer, "a message before initialize, which opens a session")
}

func (s *Session) clientOrder(c *check, m jsonrpc.Message, pointer string) {
	initialized := m.Method == "notifications/initialized"
	if s.phase == answered && s.givenVersion > s.requestedVersion && isDate(s.requestedVersion) && isDate(s.givenVersion) {
		c.breaks("version-newer", pointer, "the server answered with version %s, the client's latest is %s, and the client did not disconnect", s.givenVersion, s.requestedVersion)
		s.requestedVersion = "" // reported once
	}
	switch {
	case s.phase == asked && initialized:
		c.breaks("initialized-early", pointer, "initialize has not been answered yet")
		s.phase = operational
	case s.phase == asked && m.Kind == jsonrpc.Request:
		c.breaks("client-request-early", pointer, "before the answer to initialize, a client sends no request except ping")
	case s.phase == answered && initialized:
		s.phase = operational
	case s.phase == answered && (s.crossing || s.opts.Unordered):
		// The notification may come on another connection. Close reports it if it never comes.
		s.owe()
	case s.phase == answered:
		c.breaks("initialized-missing", pointer, "notifications/initialized must come first after the answer to initialize")
		s.phase = operational // reported once
	case s.phase == operational && initialized:
		c.breaks("initialized-twice", pointer, "notifications/initialized was already sent")
	}
}

// owe remembers the first message that a client sent before notifications/initialized.
func (s *Session) owe() {
	if s.owes == 0 {
		s.owes, s.owesNumber = s.line, s.number
	}
}

// capable checks the capabilities that a message needs. It reports whether the receiver of a
// request lacks one of them.
func (s *Session) capable(c *check, from Side, method *runtime.Method, params wire.Raw, pointer string) (undeclared bool) {
	who := from
	if method.Kind == jsonrpc.Request {
		who = from.Other()
	}
	declared, known := s.capabilities[who]
	if !known {
		return false
	}
	for _, need := range method.Needs(params) {
		if !runtime.Declares(declared, need) {
			c.breaks("capability", pointer, "%s needs the capability %s, which the %s has not declared", method.Name, need, who)
			undeclared = true
		}
	}
	return undeclared && method.Kind == jsonrpc.Request
}

// declares reports whether a side is known to have declared a capability.
func (s *Session) declares(who Side, path string) bool {
	declared, known := s.capabilities[who]
	return known && runtime.Declares(declared, path)
}

// unknownResponse checks a response without an open request.
func (s *Session) unknownResponse(c *check, m jsonrpc.Message, pointer string) {
	s.heard(c.from)
	if !s.follows() || m.ID.IsZero() {
		return
	}
	id := m.ID.Canonical()
	asked := func(side Side) bool { return c.from != side && s.used[side].has(id) }
	before := asked(Client) || asked(Server)
	switch {
	case s.replayed.has(id), s.replay && before, s.unread && !before:
	case s.stateless && c.from == Client:
		s.misdirected(c, Client, m, pointer)
	case !s.entire() && !before:
		c.note("no-initialize", pointer+"/id", "the recording has no request with the id %s", m.ID)
	case before && s.open.evicted > 0:
		s.open.evicted--
	case before:
		c.breaks("response-unknown-id", pointer+"/id", "no open request has the id %s: it was answered already", m.ID)
	default:
		c.breaks("response-unknown-id", pointer+"/id", "no open request has the id %s%s", m.ID, s.alike(c, id))
	}
}

// alike describes an open request that has the same id as the other JSON type.
func (s *Session) alike(c *check, id wire.Scalar) string {
	other := scalar(wire.Raw(`"` + id.String() + `"`))
	if text, ok := id.Str(); ok {
		other = scalar(wire.Raw(text)).Canonical()
	}
	if !other.IsZero() && len(c.candidates(s, other)) > 0 {
		return "; an open request has the id " + other.String() + ", which is a different id"
	}
	return ""
}

// done checks a response and ends its request. ok reports whether the result is valid.
func (s *Session) done(c *check, r *request, m jsonrpc.Message, pointer string, ok bool) {
	s.heard(c.from)
	if !s.now.IsZero() {
		s.lately = append(s.lately, answer{id: r.id, by: r.by, at: s.now})
		s.lately = s.lately[max(0, len(s.lately)-maxAnswers):]
	}
	switch {
	case r.cancelled && s.passed(r.cancel):
		c.note("crossed", pointer, "the request %s was cancelled just before its answer", m.ID)
	case r.cancelled:
		s.late(c, r.cancel, "cancel-answered", pointer, "the request %s was cancelled but is answered", m.ID)
	}
	s.finished(c, r, m)
	if x := c.exchange; x != nil && x.method == "POST" && r.by == Client && r.exchange != x.number && !s.http.sse {
		c.breaks("http-response-elsewhere", pointer, "the response is on the stream of another POST than its request")
	}
	if m.Error != nil {
		if r.name == "initialize" {
			s.phase = silent
		}
		s.refused(c, r, m, pointer)
		return
	}
	if r.name == "initialize" {
		s.phase = max(s.phase, answered)
		s.givenVersion = kept(text(member(m.Result, "protocolVersion")))
		s.capabilities[Server] = object(member(m.Result, "capabilities"))
		s.negotiated(c, member(m.Result, "protocolVersion"), pointer+"/result/protocolVersion")
	}
	if s.stateless && r.by != Server && !s.resultType(c, r, m.Result, pointer) {
		return
	}
	if ok && r.method != nil {
		s.answers(c, r, m, pointer)
	}
}

// Close ends the session and reports open requests. A side that closed the connection need not
// answer the last ones.
func (s *Session) Close(closed Side) []Finding {
	if !s.follows() || s.number < 2 { // a single message is not a session
		return nil
	}
	c := &check{s: s}
	left, more := 0, s.open.evicted
	for _, r := range s.open.all() {
		soon := s.now.IsZero() || r.since.IsZero() || s.now.Sub(r.since) < 2*time.Second
		gone := closed != Unknown && !r.heard && (soon || r.by != closed)
		notification := strings.HasPrefix(r.name, "notifications/") || r.method != nil && r.method.Kind == jsonrpc.Notification
		if r.cancelled || r.broken || notification || r.name == probe || r.name == methodListen || r.by == Server && stateless(r.revision) {
			continue
		}
		if left++; left > maxReported {
			more++
			continue
		}
		f := Finding{Rule: "unanswered", Level: ruleLevels["unanswered"], From: r.by.Other(), Place: r.line, Number: r.number, Pointer: "/id"}
		f.Problem = r.name + " with the id " + r.id.String() + " was not answered"
		if gone {
			f.Level = Note
			f.Problem += " before the connection ended"
		}
		c.findings = append(c.findings, f)
	}
	if more > 0 {
		c.breaks("unanswered", "", "%d more requests were not answered", more)
	}
	if s.undiscovered > 0 && s.served && !s.whole {
		c.findings = append(c.findings, Finding{Rule: "discover-missing", Level: ruleLevels["discover-missing"], From: Server, Place: s.undiscovered, Problem: "the server does not implement " + probe})
	}
	if s.owes > 0 && s.phase == answered {
		c.findings = append(c.findings, Finding{Rule: "initialized-missing", Level: ruleLevels["initialized-missing"], From: Client, Place: s.owes, Number: s.owesNumber,
			Problem: "notifications/initialized must come after the answer to initialize, but never came"})
	}
	return c.done()
}

func scalar(raw wire.Raw) wire.Scalar {
	var s wire.Scalar
	_ = wire.UnmarshalString(string(raw), &s)
	return s
}

// object returns a copy of a value that is an object.
func object(raw wire.Raw) wire.Object {
	if raw.Kind() != wire.KindObject || len(raw) > 1<<20 {
		return "{}"
	}
	return wire.Object(strings.Clone(string(raw)))
}

// levels are the log levels of RFC 5424 in increasing severity.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func levelOf(name string) int { return slices.Index(levels, name) }

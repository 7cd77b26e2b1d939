package audit

import (
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file holds the rules of the lifecycle, of ids and of capabilities: what a message
// must keep besides its schema, because of the messages before it.

// sent judges a request or notification by what went before. It returns the request to be
// answered, if it is one.
func (s *Session) sent(c *check, m jsonrpc.Message, pointer string, base int) *request {
	method := s.methods[m.Method]
	from := c.from
	if method != nil {
		switch only := sender(method); {
		case from == Unknown:
			from = only
		case only != Unknown && from != only:
			c.breaks("method-side", pointer+"/method", base, "%s is sent by the %s, not by the %s", m.Method, only, from)
			if m.Kind == jsonrpc.Request {
				return s.asked(c, m, from) // it may be answered, if only by an error
			}
			return nil
		}
	}
	again := s.replay && m.Kind == jsonrpc.Request && from != Unknown && s.used[from].has(m.ID.Canonical())
	if again {
		s.replayed.add(m.ID.Canonical())
		return nil
	}
	if s.whole {
		s.order(c, from, m, pointer, base)
	}
	s.heard(from)
	var r *request
	if m.Kind == jsonrpc.Request {
		r = s.asked(c, m, from)
		if s.follows() && from != Unknown && !s.used[from].add(r.id) {
			if s.shared {
				c.note("crossed", pointer+"/id", base, "the id %s was used before, perhaps by another client", m.ID)
			} else {
				c.breaks("id-reused", pointer+"/id", base, "the %s has used the id %s before", from, m.ID)
			}
		}
	}
	if method == nil {
		return r
	}
	if undeclared := s.capable(c, from, method, m.Params, pointer, base); r != nil {
		r.about.undeclared = undeclared
	}
	return r
}

// asked remembers a request until its answer.
func (s *Session) asked(c *check, m jsonrpc.Message, from Side) *request {
	r := &request{id: keptID(m.ID), name: kept(m.Method), revision: s.revision, method: s.methods[m.Method], by: from, line: s.line, number: s.number, since: s.now}
	if c.exchange != nil {
		r.exchange = c.exchange.number
	}
	full, forgotten := s.open.add(r)
	for _, old := range forgotten {
		if old.by != Unknown {
			delete(s.tokens[old.by], old.about.token)
		}
	}
	if full {
		c.note("crossed", "", 0, "more than %d requests are open: the oldest are not followed any more", maxOpen)
	}
	return r
}

// heard marks the open requests of the other side: whoever sends something is there.
func (s *Session) heard(from Side) {
	if from != Unknown && s.open.open < 64 { // only a recording's last requests matter
		for _, open := range s.open.byID {
			for _, r := range open {
				r.heard = r.heard || r.by == from.Other()
			}
		}
	}
}

// probe is the request by which clients ask for revisions without a handshake, which a
// server of other revisions need not know ("Backward Compatibility" in basic/versioning of
// 2026-07-28).
const probe = "server/discover"

// order keeps the phases of a session ("Lifecycle Phases" in basic/lifecycle).
func (s *Session) order(c *check, from Side, m jsonrpc.Message, pointer string, base int) {
	request := m.Kind == jsonrpc.Request
	switch {
	case m.Method == "initialize":
		if pointer != "" {
			c.breaks("batch-initialize", pointer, base, "initialize is part of a batch")
		}
		if s.phase != silent {
			c.breaks("initialize-twice", pointer, base, "initialize was sent before in this session")
			return
		}
		s.phase = asked
	case m.Method == probe && s.phase == silent:
	case s.phase == silent && m.Method != "ping":
		s.recordedBefore(c, pointer, base)
	case m.Method == "ping" || m.Method == "notifications/cancelled":
		// The client may do this before notifications/initialized, which it owes all the same.
		if s.phase == answered && from != Server {
			s.owe()
		}
	case from == Client:
		s.clientOrder(c, m, pointer, base)
	case from == Server && request && s.phase < operational:
		c.breaks("server-request-early", pointer, base, "before notifications/initialized a server sends no requests but pings")
	}
}

// recordedBefore reports a message before initialize.
func (s *Session) recordedBefore(c *check, pointer string, base int) {
	c.breaks("before-initialize", pointer, base, "a session begins with initialize, and this comes before it")
}

func (s *Session) clientOrder(c *check, m jsonrpc.Message, pointer string, base int) {
	initialized := m.Method == "notifications/initialized"
	if s.phase == answered && s.givenVersion > s.requestedVersion && isDate(s.requestedVersion) && isDate(s.givenVersion) {
		c.breaks("version-newer", pointer, base, "the server has answered with %s, the client has asked for %s at the latest, and goes on", s.givenVersion, s.requestedVersion)
		s.requestedVersion = "" // reported once
	}
	switch {
	case s.phase == asked && initialized:
		c.breaks("initialized-early", pointer, base, "initialize has not been answered yet")
		s.phase = operational
	case s.phase == asked && m.Kind == jsonrpc.Request:
		c.breaks("client-request-early", pointer, base, "before the answer to initialize a client sends no requests but pings")
	case s.phase == answered && initialized:
		s.phase = operational
	case s.phase == answered && (s.crossing || s.opts.Unordered):
		// The notification may come on another connection; whether it does, the end shows.
		s.owe()
	case s.phase == answered:
		c.breaks("initialized-missing", pointer, base, "after the answer to initialize comes notifications/initialized first")
		s.phase = operational // reported once
	case s.phase == operational && initialized:
		c.breaks("initialized-twice", pointer, base, "notifications/initialized is sent once")
	}
}

// owe remembers the first message of a client that has not sent notifications/initialized.
func (s *Session) owe() {
	if s.owes == 0 {
		s.owes, s.owesNumber = s.line, s.number
	}
}

// capable asks for what the two sides have declared. It reports whether the receiver of a
// request has not declared it.
func (s *Session) capable(c *check, from Side, method *runtime.Method, params wire.Raw, pointer string, base int) (undeclared bool) {
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
			c.breaks("capability", pointer, base, "%s needs the capability %s, which the %s has not declared", method.Name, need, who)
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

// unknownResponse judges a response to no request that is open.
func (s *Session) unknownResponse(c *check, m jsonrpc.Message, pointer string, base int) {
	s.heard(c.from)
	if !s.follows() || m.ID.IsZero() {
		return
	}
	id := m.ID.Canonical()
	asked := func(side Side) bool { return c.from != side && s.used[side].has(id) }
	before := asked(Client) || asked(Server)
	switch {
	case s.replayed.has(id), s.replay && before:
	case !s.whole && !before:
		c.note("no-initialize", pointer+"/id", base, "the request with the id %s is not in the recording", m.ID)
	case before && s.open.evicted > 0:
		s.open.evicted--
	case before:
		c.breaks("response-unknown-id", pointer+"/id", base, "no request that is open has the id %s: it has been answered", m.ID)
	default:
		c.breaks("response-unknown-id", pointer+"/id", base, "no request that is open has the id %s%s", m.ID, s.alike(c, id))
	}
}

// alike names an open request whose id is the same in another type.
func (s *Session) alike(c *check, id wire.Scalar) string {
	other := scalar(wire.Raw(`"` + id.String() + `"`))
	if text, ok := id.Str(); ok {
		other = scalar(wire.Raw(text)).Canonical()
	}
	if !other.IsZero() && len(c.candidates(s, other)) > 0 {
		return "; one has the id " + other.String() + ", which is another"
	}
	return ""
}

// done judges a response, and what ends with it. The result is valid if ok.
func (s *Session) done(c *check, r *request, m jsonrpc.Message, pointer string, base int, ok bool) {
	s.heard(c.from)
	if !s.now.IsZero() {
		s.lately = append(s.lately, answer{id: r.id, by: r.by, at: s.now})
		s.lately = s.lately[max(0, len(s.lately)-maxAnswers):]
	}
	switch {
	case r.cancelled && s.passed(r.cancel):
		c.note("crossed", pointer, base, "the request %s was cancelled just before its answer", m.ID)
	case r.cancelled:
		s.late(c, r.cancel, "cancel-answered", pointer, base, "the request %s was cancelled, and is answered", m.ID)
	}
	s.finished(c, r, m)
	if x := c.exchange; x != nil && x.method == "POST" && r.by == Client && r.exchange != x.number && !s.http.sse {
		c.breaks("http-response-elsewhere", pointer, base, "the response comes on the stream of another POST than its request")
	}
	if m.Error != nil {
		if r.name == "initialize" {
			s.phase = silent
		}
		s.refused(c, r, m, pointer, base)
		return
	}
	if r.name == "initialize" {
		s.phase = max(s.phase, answered)
		s.givenVersion = kept(text(member(m.Result, "protocolVersion")))
		s.capabilities[Server] = object(member(m.Result, "capabilities"))
		s.negotiated(c, member(m.Result, "protocolVersion"), pointer+"/result/protocolVersion")
	}
	if ok && r.method != nil {
		s.answers(c, r, m, pointer, base)
	}
}

// Close ends the session, and reports what is left open. A side that has closed the
// connection need not answer what came last.
func (s *Session) Close(closed Side) []Finding {
	if !s.follows() || s.number < 2 { // one message is no recording
		return nil
	}
	c := &check{s: s}
	left, more := 0, s.open.evicted
	for _, r := range s.open.all() {
		soon := s.now.IsZero() || r.since.IsZero() || s.now.Sub(r.since) < 2*time.Second
		gone := closed != Unknown && !r.heard && (soon || r.by != closed)
		notification := strings.HasPrefix(r.name, "notifications/") || r.method != nil && r.method.Kind == jsonrpc.Notification
		if r.cancelled || r.broken || notification || r.name == probe {
			continue
		}
		if left++; left > maxReported {
			more++
			continue
		}
		f := Finding{Rule: "unanswered", Level: ruleLevels["unanswered"], From: r.by.Other(), Place: r.line, Number: r.number, Pointer: "/id"}
		f.Problem = r.name + " with the id " + r.id.String() + " is not answered"
		if gone {
			f.Level = Note
			f.Problem += " before the connection ends"
		}
		c.findings = append(c.findings, f)
	}
	if more > 0 {
		c.breaks("unanswered", "", 0, "%d more requests are not answered", more)
	}
	if s.owes > 0 && s.phase == answered {
		c.findings = append(c.findings, Finding{Rule: "initialized-missing", Level: ruleLevels["initialized-missing"], From: Client, Place: s.owes, Number: s.owesNumber,
			Problem: "after the answer to initialize comes notifications/initialized, and there is none"})
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

// levels are those of RFC 5424 that log messages have, the least grave first.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func levelOf(name string) int { return slices.Index(levels, name) }

package audit

import (
	"slices"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file holds what a message must keep besides its schema, because of the messages
// before it.

// request is one that has not been answered.
type request struct {
	revision  generated.Revision // by which it is judged
	method    *runtime.Method    // nil for one the revision does not have
	by        Side
	params    wire.Raw
	cancelled bool
}

// token is a progress token in use.
type token struct {
	value   float64
	any     bool
	expired bool // the request is answered: what comes now has been overtaken
}

// sent judges a request or notification by its method, once it is known to be one.
func (s *Session) sent(c *check, m jsonrpc.Message, pointer string, base int) {
	method := s.methods[m.Method]
	from := c.from
	if method != nil {
		switch only := sender(method); {
		case from == Unknown:
			from = only
		case only != Unknown && from != only:
			c.breaks(Method, pointer+"/method", base, "%s is sent by the %s, not by the %s", m.Method, only, from)
			return
		}
	}
	if !s.rules {
		return
	}
	s.order(c, from, m, pointer, base)
	if m.Kind == jsonrpc.Request && from != Unknown && !s.used[from].add(m.ID.Canonical()) {
		c.breaks(ID, pointer+"/id", base, "the %s has used the id %s before", from, m.ID)
	}
	if method == nil {
		return
	}
	s.capable(c, from, method, m.Params, pointer, base)
	if m.Kind == jsonrpc.Request {
		s.requested(c, from, m, pointer, base)
		return
	}
	switch m.Method {
	case "notifications/initialized":
		if s.phase == answered {
			s.phase = operational
		}
	case "notifications/cancelled":
		s.cancelled(c, from, m.Params, pointer, base)
	case "notifications/progress":
		s.progress(c, from, m.Params, pointer, base)
	case "notifications/message":
		s.logged(c, m.Params, pointer, base)
	case "notifications/resources/updated":
		s.updated(c, m.Params, pointer, base)
	}
}

// order keeps the phases of a session ("Lifecycle Phases" in basic/lifecycle).
func (s *Session) order(c *check, from Side, m jsonrpc.Message, pointer string, base int) {
	switch {
	case m.Method == "initialize":
		if s.phase != silent {
			c.breaks(Lifecycle, pointer, base, "initialize is sent once, and first")
		} else {
			s.phase = asked
		}
		if pointer != "" {
			c.breaks(Lifecycle, pointer, base, "initialize is not part of a batch")
		}
	case m.Method == "ping" || m.Method == "notifications/cancelled":
	case from == Client && s.phase < answered:
		c.breaks(Lifecycle, pointer, base, "before the answer to initialize a client sends only pings")
	case from == Client && s.phase == answered && m.Method != "notifications/initialized":
		s.late(c, Lifecycle, pointer, base, "after the answer to initialize comes notifications/initialized first")
		s.phase = operational // said once
	case from == Client && m.Method == "notifications/initialized" && s.phase == operational:
		c.breaks(Lifecycle, pointer, base, "notifications/initialized is sent once")
	case from == Server && s.phase < operational && m.Kind == jsonrpc.Request:
		s.late(c, Lifecycle, pointer, base, "before notifications/initialized a server sends only pings and log messages")
	}
}

// capable asks for what the two sides have declared.
func (s *Session) capable(c *check, from Side, method *runtime.Method, params wire.Raw, pointer string, base int) {
	who := from
	if method.Kind == runtime.Request {
		who = from.other()
	}
	declared, known := s.capabilities[who]
	if !known {
		return
	}
	for _, need := range method.Needs(params) {
		if !runtime.Declares(declared, need) {
			c.breaks(Capability, pointer, base, "%s needs the capability %s, which the %s has not declared", method.Name, need, who)
		}
	}
}

// requested remembers what a request sets going.
func (s *Session) requested(c *check, from Side, m jsonrpc.Message, pointer string, base int) {
	if m.Method == "initialize" {
		s.capabilities[Client] = object(member(m.Params, "capabilities"))
		s.negotiated(c, member(m.Params, "protocolVersion"), pointer+"/params/protocolVersion")
	}
	raw := member(m.Params, "_meta", "progressToken")
	if raw == "" || from == Unknown {
		return
	}
	id := scalar(raw)
	if t := s.tokens[from][id]; t != nil && !t.expired {
		c.breaks(Progress, pointer+"/params/_meta/progressToken", base, "the token %s is that of another request of the %s", raw, from)
	}
	s.tokens[from][id] = &token{}
}

// done judges a response, and what ends with it.
func (s *Session) done(c *check, r *request, m jsonrpc.Message, pointer string) {
	if !s.rules || r.method == nil {
		return
	}
	task := m.Error == nil && member(m.Result, "task") != "" && member(r.params, "task") != ""
	if raw := member(r.params, "_meta", "progressToken"); raw != "" && r.by != Unknown && !task {
		// Kept for what may have been overtaken; the next request with the token takes its place.
		if t := s.tokens[r.by][scalar(raw)]; t != nil {
			t.expired = true
			if !s.opts.Unordered {
				delete(s.tokens[r.by], scalar(raw))
			}
		}
	}
	if m.Error != nil {
		if r.method.Name == "initialize" {
			s.phase = silent
		}
		return
	}
	switch r.method.Name {
	case "initialize":
		s.phase = answered
		s.capabilities[Server] = object(member(m.Result, "capabilities"))
		s.negotiated(c, member(m.Result, "protocolVersion"), pointer+"/result/protocolVersion")
	case "logging/setLevel":
		s.level = slices.Index(levels, text(member(r.params, "level")))
	case "resources/subscribe":
		s.subscribed[text(member(r.params, "uri"))] = true
	case "resources/unsubscribe":
		delete(s.subscribed, text(member(r.params, "uri")))
	}
}

// cancelled keeps basic/utilities/cancellation.
func (s *Session) cancelled(c *check, from Side, params wire.Raw, pointer string, base int) {
	raw := member(params, "requestId")
	if raw == "" || from == Unknown {
		return
	}
	id := scalar(raw).Canonical()
	for _, r := range s.pending[id] {
		if r.by != from {
			continue
		}
		r.cancelled = true
		if r.method != nil && r.method.Name == "initialize" {
			c.breaks(Cancelling, pointer, base, "initialize is not cancelled")
		}
		return
	}
	if !s.used[from].has(id) {
		c.breaks(Cancelling, pointer+"/params/requestId", base, "the %s has sent no request with the id %s", from, raw)
	}
}

// progress keeps basic/utilities/progress.
func (s *Session) progress(c *check, from Side, params wire.Raw, pointer string, base int) {
	raw := member(params, "progressToken")
	if raw == "" {
		return
	}
	asker := from.other()
	if from == Unknown {
		asker = Client
		if s.tokens[Client][scalar(raw)] == nil {
			asker = Server
		}
	}
	t := s.tokens[asker][scalar(raw)]
	at := pointer + "/params/progressToken"
	switch {
	case t == nil:
		s.late(c, Progress, at, base, "no request under way has the token %s", raw)
		return
	case t.expired:
		c.note(at, base, "the request with the token has been answered")
	}
	r := wire.NewStringReader(string(member(params, "progress")))
	value := r.ReadFloat64()
	if r.Err() != nil {
		return
	}
	if t.any && value <= t.value {
		s.late(c, Progress, pointer+"/params/progress", base, "progress increases, and was %v already", t.value)
	}
	t.value, t.any = value, true
}

// levels are those of RFC 5424 that log messages have, the least grave first.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// logged keeps server/utilities/logging.
func (s *Session) logged(c *check, params wire.Raw, pointer string, base int) {
	level := text(member(params, "level"))
	if i := slices.Index(levels, level); i >= 0 && i < s.level {
		s.late(c, Logging, pointer+"/params/level", base, "the client has asked for messages from %s on", levels[s.level])
	}
}

// updated keeps "Subscriptions" of server/resources. What is updated may be a part of
// what was subscribed to, which only the server knows.
func (s *Session) updated(c *check, params wire.Raw, pointer string, base int) {
	uri := text(member(params, "uri"))
	switch {
	case s.subscribed[uri]:
	case len(s.subscribed) == 0:
		s.late(c, Subscribed, pointer+"/params/uri", base, "the client has subscribed to no resource")
	default:
		c.note(pointer+"/params/uri", base, "the client has not subscribed to this resource, unless it is part of one")
	}
}

func scalar(raw wire.Raw) wire.Scalar {
	var s wire.Scalar
	_ = wire.UnmarshalString(string(raw), &s)
	return s
}

func object(raw wire.Raw) wire.Object {
	if raw.Kind() != wire.KindObject {
		return "{}"
	}
	return wire.Object(raw)
}

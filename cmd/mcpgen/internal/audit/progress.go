package audit

import (
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of basic/utilities/cancellation and basic/utilities/progress.

// token is a progress token in use.
type token struct {
	value     float64
	any       bool
	stateless bool // the request is of a stateless revision
	exchange  int  // the HTTP exchange of the request
	expired   bool // the request was answered
	task      bool // the request continues as a task
	ended     time.Time
	stream    int // the HTTP stream of the last notification
}

// requested remembers the progress token of a request.
func (s *Session) requested(c *check, r *request, params wire.Raw, pointer string) {
	raw := member(params, "_meta", "progressToken")
	if raw == "" || r.by == Unknown {
		return
	}
	id := keptID(scalar(raw))
	tokens := s.tokens[r.by]
	if t := tokens[id]; t != nil && !t.expired && s.follows() {
		c.breaks("progress-token-reused", pointer+"/params/_meta/progressToken", "another active request of the %[2]s has the token %[1]s", raw, r.by)
	}
	if len(tokens) >= maxOpen {
		for old, t := range tokens {
			if t.expired || len(tokens) > 2*maxOpen {
				delete(tokens, old)
			}
		}
	}
	r.about.token = id
	tokens[id] = &token{task: r.about.task, stateless: stateless(r.revision), exchange: r.exchange}
}

// finished ends the progress of an answered request.
func (s *Session) finished(c *check, r *request, m jsonrpc.Message) {
	if r.about.token.IsZero() || r.by == Unknown {
		return
	}
	goesOn := m.Error == nil && r.about.task && member(m.Result, "task") != ""
	// The token is kept so that late progress is recognized.
	if t := s.tokens[r.by][r.about.token]; t != nil && !goesOn {
		t.expired, t.ended, t.stream = true, s.now, c.stream()
	}
}

// stream returns the number of the HTTP stream of the message, or 0. The messages of a stream
// do not overtake each other.
func (c *check) stream() int {
	if c.exchange == nil {
		return 0
	}
	return c.exchange.home
}

// progress checks a progress notification.
func (s *Session) progress(c *check, params wire.Raw, pointer string) {
	raw := member(params, "progressToken")
	if raw == "" || !s.follows() {
		return
	}
	id := scalar(raw).Canonical()
	asker := c.from.Other()
	if c.from == Unknown {
		asker = Client
		if s.tokens[Client][id] == nil {
			asker = Server
		}
	}
	t := s.tokens[asker][id]
	at := pointer + "/params/progressToken"
	switch {
	case t == nil && (!s.entire() || s.open.evicted > 0):
		c.note("no-initialize", at, "the recording has no request with the token %s", raw)
		return
	case t == nil:
		c.breaks("progress-token-unknown", at, "no request of the other side has the token %s", raw)
		return
	case t.expired && t.stream != 0 && t.stream == c.stream():
		c.breaks("progress-after-completion", at, "the request with the token %s was answered already", raw)
	case t.expired:
		s.late(c, t.ended, "progress-after-completion", at, "the request with the token %s was answered already", raw)
	}
	switch {
	case !s.stateless || c.exchange == nil:
	case c.exchange.listens:
		c.breaks("http-listen-stream", at, "the stream of a subscription carries no progress")
	case t.exchange != c.exchange.number:
		c.breaks("http-stream-other", at, "the notification is not on the stream of the request with the token %s", raw)
	}
	in := wire.NewStringReader(string(member(params, "progress")))
	value := in.ReadFloat64()
	if in.Err() != nil {
		return
	}
	if t.any && value <= t.value && !s.replay {
		const format = "progress %v is not more than %v, the previous value"
		if at := pointer + "/params/progress"; t.stream != 0 && t.stream == c.stream() {
			c.breaks("progress-not-increasing", at, format, value, t.value)
		} else {
			s.late(c, time.Time{}, "progress-not-increasing", at, format, value, t.value)
		}
	}
	t.value, t.any, t.stream = value, true, c.stream()
}

// cancelled checks a cancellation.
func (s *Session) cancelled(c *check, params wire.Raw, pointer string) {
	raw := member(params, "requestId")
	if !s.follows() {
		return
	}
	if raw == "" {
		c.breaks("cancel-unknown", pointer+"/params", "the notification has no requestId")
		return
	}
	id := scalar(raw).Canonical()
	at := pointer + "/params/requestId"
	if s.stateless && c.from == Server {
		s.tornDown(c, id, at)
		return
	}
	for _, r := range s.open.byID[id] {
		if c.from != Unknown && r.by != c.from {
			continue
		}
		r.cancelled, r.cancel = true, s.now
		switch {
		case r.name == "initialize":
			c.breaks("cancel-initialize", pointer, "initialize must not be cancelled")
		case r.about.task:
			c.breaks("cancel-task", at, "the request %s runs as a task, which is cancelled with tasks/cancel", raw)
		}
		return
	}
	mine := func(side Side) bool { return (c.from == side || c.from == Unknown) && s.used[side].has(id) }
	switch {
	case mine(Client), mine(Server):
		ended := s.answered(c.from, id)
		if s.passed(ended) {
			c.note("crossed", at, "the request %s was answered just before", raw)
			return
		}
		s.late(c, ended, "cancel-completed", at, "the request %s was answered already", raw)
	case !s.entire():
		c.note("no-initialize", at, "the recording has no request %s", raw)
	default:
		c.breaks("cancel-unknown", at, "the %s has sent no request with the id %s", side(c.from), raw)
	}
}

// answer is a recent answer.
type answer struct {
	id wire.Scalar
	by Side // the sender of the request
	at time.Time
}

// maxAnswers limits the number of recent answers.
const maxAnswers = 64

// answered returns when the request of a side was answered, if that was recently.
func (s *Session) answered(by Side, id wire.Scalar) time.Time {
	for _, a := range s.lately {
		if a.id == id && (by == Unknown || a.by == by) {
			return a.at
		}
	}
	return time.Time{}
}

// passed reports whether a message of the other side came so recently that the sender may not
// have seen it. Equal times mean a coarse clock and do not count.
func (s *Session) passed(at time.Time) bool {
	const near = 100 * time.Millisecond
	return !at.IsZero() && s.now.After(at) && s.now.Sub(at) < near
}

// side returns the name of a side for a report.
func side(s Side) string {
	if s == Unknown {
		return "sender"
	}
	return string(s)
}

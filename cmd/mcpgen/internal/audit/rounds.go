package audit

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of basic/patterns/mrtr (2026-07-28): results that ask for input, and
// the requests that repeat theirs with the answers.

// round is a result that asks for input.
type round struct {
	id     wire.Scalar
	state  uint64 // the hash of the requestState
	stated bool   // the result has a requestState
	inputs map[string]*request
}

// rounds are the last rounds of each request, by the hash of the request.
type rounds struct {
	byRequest map[uint64][]*round
	byState   map[uint64]*round // the last round with each requestState
	bytes     int
}

// maxRoundBytes limits the approximate memory of rounds, and maxRounds the rounds of equal requests.
const (
	maxRoundBytes = 16 << 20
	maxRounds     = 64
)

func (q *rounds) add(request uint64, one *round) {
	q.bytes += 200
	for key, input := range one.inputs {
		q.bytes += len(key) + input.size()
	}
	if q.byRequest == nil || q.bytes > maxRoundBytes {
		*q = rounds{byRequest: map[uint64][]*round{}, byState: map[uint64]*round{}}
	}
	if one.stated {
		q.byState[one.state] = one
	}
	last := append(q.byRequest[request], one)
	q.byRequest[request] = last[max(0, len(last)-maxRounds):]
}

// requestHash returns the hash of a request without what a retry changes. It does not depend on
// the order of members.
func requestHash(method string, params wire.Raw) uint64 {
	sum := hash(method)
	for name, value := range wire.Object(params).All() {
		if name != "_meta" && name != "inputResponses" && name != "requestState" {
			sum += hash(name + "\x00" + string(value))
		}
	}
	return sum
}

// inputRequired checks a result that asks for input.
func (s *Session) inputRequired(c *check, r *request, result wire.Raw, pointer string) {
	at := pointer + "/result"
	if r.method != nil && !r.method.Asks {
		c.breaks("input-required-method", at, "the result of %s cannot ask for input", r.name)
		return
	}
	requests, state := member(result, "inputRequests"), member(result, "requestState")
	if requests == "" && state == "" {
		c.breaks("input-required-empty", at, "the result has neither inputRequests nor a requestState")
	}
	for _, name := range []string{"ttlMs", "cacheScope"} {
		if member(result, name) != "" {
			c.breaks("cache-misplaced", at+"/"+name, "a result that asks for input is not cached")
		}
	}
	one := &round{id: r.id, stated: state != "", state: hash(text(state)), inputs: map[string]*request{}}
	for key, input := range wire.Object(requests).All() {
		here := wire.ChildPointer(at+"/inputRequests", key)
		if asked := s.inputAsked(c, r, input, here); asked != nil && len(key) <= maxKeptString && len(one.inputs) < 1000 {
			one.inputs[strings.Clone(key)] = asked
		}
	}
	s.rounds.add(r.about.hash, one)
}

// inputAsked checks an input request. It returns what the check of its answer needs, or nil.
func (s *Session) inputAsked(c *check, r *request, input wire.Raw, pointer string) *request {
	name := text(member(input, "method"))
	method := methodsOf(r.revision)[name]
	if method == nil || !method.Within {
		c.breaks("input-request", pointer+"/method", "%q is not a method of input requests", cut(name, 80))
		return nil
	}
	for _, part := range []string{"id", "jsonrpc"} {
		if member(input, part) != "" {
			c.breaks("input-request", pointer+"/"+part, "an input request is not a message and has no %s", part)
		}
	}
	params := member(input, "params")
	if declared, known := s.capabilities[Client]; known {
		for _, need := range method.Needs(params) {
			if !runtime.Declares(declared, need) {
				c.breaks("input-capability", pointer, "%s needs the capability %s, which the request does not declare", name, need)
			}
		}
	}
	asked := &request{name: method.Name, method: method, revision: r.revision, by: Server}
	switch method.Name {
	case "sampling/createMessage":
		s.sampled(c, asked, params, pointer)
	case "elicitation/create":
		s.elicits(c, asked, params, pointer)
	}
	return asked
}

// retried checks a request that repeats another one with the requested input.
func (s *Session) retried(c *check, r *request, params wire.Raw, pointer string) {
	r.about.hash = requestHash(r.name, params)
	responses, state := member(params, "inputResponses"), member(params, "requestState")
	if responses == "" && state == "" {
		return
	}
	before := s.rounds.byRequest[r.about.hash]
	if len(before) == 0 {
		if other := s.rounds.byState[hash(text(state))]; state != "" && other != nil {
			c.breaks("retry-state", pointer+"/params/requestState", "the requestState is that of the result of the request %s, which is another request", other.id)
			return
		}
		c.note("no-initialize", pointer+"/params", "the recording has no result that asks for the input of this %s", r.name)
		return
	}
	last := before[len(before)-1]
	for _, one := range before { // equal requests may run at the same time
		if one.stated == (state != "") && one.state == hash(text(state)) {
			last = one
		}
	}
	switch {
	case !last.stated && state != "":
		c.breaks("retry-state", pointer+"/params/requestState", "the result of the request %s has no requestState", last.id)
	case last.stated && state == "":
		c.breaks("retry-state", pointer+"/params", "the retry lacks the requestState of the result")
	case last.state != hash(text(state)):
		c.breaks("retry-state", pointer+"/params/requestState", "the requestState is not the one of the result")
	}
	if last.id == r.id {
		c.breaks("retry-id", pointer+"/id", "the retry has the id %s of the request that it repeats", r.id)
	}
	given := wire.Object(responses)
	for key, asked := range last.inputs {
		answer, ok := given.Get(key)
		if !ok {
			c.breaks("retry-incomplete", pointer+"/params", "the retry has no response for the input request %q", cut(key, 80))
			continue
		}
		s.inputGiven(c, asked, answer, wire.ChildPointer(pointer+"/params/inputResponses", key))
	}
}

// inputGiven checks an input response against its request.
func (s *Session) inputGiven(c *check, asked *request, answer wire.Raw, at string) {
	before := len(c.findings)
	if asked.method.Result != "" && !c.value(asked.revision, asked.method.Result, string(answer), at) {
		for i := range c.findings[before:] {
			c.findings[before+i].Rule = "input-response"
		}
		return
	}
	switch asked.name {
	case "roots/list":
		s.rootsGiven(c, answer, at)
	case "sampling/createMessage":
		s.sampleGiven(c, asked, answer, at)
	case "elicitation/create":
		s.formFilled(c, asked, answer, at)
	}
}

// cached checks the hints of a cacheable result: the pages of a list share a scope
// (server/utilities/caching, "Pagination").
func (s *Session) cached(c *check, r *request, m jsonrpc.Message, pointer string) {
	scope := text(member(m.Result, "cacheScope"))
	if r.method == nil || !r.method.Cacheable || !r.method.Paginated || scope == "" {
		return
	}
	l := s.list(r.name)
	if r.about.paged && l.scope != "" && l.scope != scope {
		c.breaks("cache-scope", pointer+"/result/cacheScope", "the scope of this page is %q, that of the page before %q", scope, l.scope)
	}
	l.scope = kept(scope)
}

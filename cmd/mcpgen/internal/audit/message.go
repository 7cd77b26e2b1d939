package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// check collects the findings of one entry. Their lines count from its start.
type check struct {
	s                  *Session
	lenient, roundtrip bool
	src                string
	from               Side
	stdio              bool // the message came over standard input or output
	envelope           bool // the value is an envelope, whose content comes later
	exchange           *exchange
	findings           []Finding
}

// message checks a JSON-RPC message down to its params or result.
func (c *check) message(s *Session) {
	if c.text() {
		return
	}
	if wire.NewStringReader(c.src).Kind() != wire.KindArray {
		c.single(s, c.src, "", 0)
		return
	}
	// A batch is followed even where the revision has none, as its ids are used.
	c.envelope = true
	if !c.value(s.revision, "JSONRPCMessage", c.src, "", 0) && !wellFormed(c.src) {
		return
	}
	r := wire.NewStringReader(c.src)
	n := 0
	for r.BeginArray(); r.Element(); n++ {
		r.Kind() // skips white space
		base := r.Offset()
		c.single(s, string(r.ReadRaw()), "/"+strconv.Itoa(n), base)
	}
	if n == 0 {
		c.report("", 0, "an empty batch is not allowed")
	}
}

func wellFormed(src string) bool {
	var raw wire.Raw
	return wire.UnmarshalString(src, &raw) == nil
}

// text reports text that is no message at all, and whether it is.
func (c *check) text() bool {
	trimmed := strings.TrimLeft(c.src, " \t\r\n")
	if strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") && !strings.HasPrefix(trimmed, "[a") {
		if c.stdio && strings.ContainsAny(strings.TrimSpace(c.src), "\r\n") {
			c.breaks("embedded-newline", "", 0, "the message has a line end in it")
		}
		return false
	}
	rule := Rule("not-a-message")
	if c.stdio && c.from == Server {
		rule = "stdout-text"
	} else if c.stdio && c.from == Client {
		rule = "stdin-text"
	}
	const shown = 80
	c.breaks(rule, "", 0, "expected a message, found the text %q", cut(trimmed, shown))
	return true
}

// cut shortens text for a report.
func cut(s string, length int) string {
	if len(s) <= length {
		return s
	}
	return strings.ToValidUTF8(s[:length], "") + "..."
}

func distinct(findings []Finding) []Finding {
	seen := map[Finding]bool{}
	return slices.DeleteFunc(findings, func(f Finding) bool {
		again := seen[f]
		seen[f] = true
		return again
	})
}

// single checks one message. base is its place in the whole value, pointer the
// same as a JSON Pointer.
func (c *check) single(s *Session, src, pointer string, base int) {
	c.envelope = true
	envelope := c.value(s.revision, "JSONRPCMessage", src, pointer, base)
	c.envelope = false
	m, err := jsonrpc.Parse(src)
	if err != nil {
		if envelope { // else it has been reported
			c.report(pointer, base, problemOf(err))
		}
		if s.follows() {
			c.broken(s, src)
		}
		return
	}
	if c.exchange != nil {
		c.exchange.said(c, m)
	}
	if m.Kind == jsonrpc.Response {
		c.response(s, m, src, pointer, base, envelope)
	} else {
		c.params(s, m, src, pointer, base, envelope)
	}
}

// broken follows a message that is none by its id, as a peer that reads it all the same
// will answer it, or will take it for an answer.
func (c *check) broken(s *Session, src string) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal([]byte(src), &m) != nil {
		return
	}
	id := scalar(wire.Raw(m.ID))
	if !id.Is(wire.ScalarString | wire.ScalarInteger) {
		return
	}
	if m.Method != "" {
		r := s.asked(c, jsonrpc.Message{Kind: jsonrpc.Request, ID: id, Method: m.Method}, c.from)
		r.method, r.broken = nil, true // nothing is known of its answer
		if c.from != Unknown {
			s.used[c.from].add(r.id)
		}
		return
	}
	if open := c.candidates(s, id.Canonical()); len(open) > 0 {
		s.open.remove(open[0])
	}
}

// problemOf is what an envelope's error says beside its code.
func problemOf(err error) string {
	var refused *jsonrpc.Error
	if errors.As(err, &refused) {
		return strings.TrimPrefix(refused.Message, "invalid request: ")
	}
	return err.Error()
}

// params checks a request or notification by its method.
func (c *check) params(s *Session, m jsonrpc.Message, src, pointer string, base int, envelope bool) {
	method, known := s.methods[m.Method]
	if c.from == Unknown && known {
		c.from = sender(method)
		defer func() { c.from = Unknown }()
	}
	if known {
		switch wantsRequest := method.Kind == jsonrpc.Request; {
		case wantsRequest && m.Kind != jsonrpc.Request:
			c.breaks("request-without-id", pointer, base, "%s is a request and has no id", m.Method)
		case !wantsRequest && m.Kind == jsonrpc.Request:
			c.breaks("notification-with-id", pointer+"/id", base, "%s is a notification and has the id %s", m.Method, m.ID)
		}
	}
	r := s.sent(c, m, pointer, base)
	if !known {
		switch {
		case strings.HasPrefix(m.Method, "rpc."):
			c.breaks("method-reserved", pointer+"/method", base, "method names that begin with rpc. are reserved, as %q", m.Method)
		case s.known[m.Method] && (s.follows() || s.opts.OwnMethods):
			c.breaks("method-revision", pointer+"/method", base, "revision %s has no method %q", s.revision.ID, m.Method)
		default:
			c.note("method-unknown", pointer+"/method", base, "the revision has no method %q", m.Method)
		}
		return
	}
	if m.Kind == jsonrpc.Notification {
		s.announced(m.Method)
	}
	ok := envelope
	switch {
	case !envelope:
	case m.Params != "":
		ok = c.part(s.revision, method.Params, m.Params, src, "/params", pointer, base)
	case method.ParamsRequired:
		c.report(pointer, base, `missing member "params"`)
		ok = false
	}
	if m.Params.Kind() == wire.KindObject {
		c.content(s, m.Params, src, "/params", pointer, base)
		if ok && r != nil {
			s.asks(c, r, m, pointer, base)
		} else if ok {
			s.tells(c, m, pointer, base)
		}
	}
}

// candidates are the open requests that a response of the check's side may answer.
func (c *check) candidates(s *Session, id wire.Scalar) []*request {
	open := s.open.byID[id]
	if c.from == Unknown {
		return open
	}
	return slices.DeleteFunc(slices.Clone(open), func(r *request) bool { return r.by == c.from })
}

// response checks an answer by the request with its id. Where both sides have one
// of that id and nothing tells which is meant, a result must fit either.
func (c *check) response(s *Session, m jsonrpc.Message, src, pointer string, base int, envelope bool) {
	id := m.ID.Canonical()
	candidates := c.candidates(s, id)
	if len(candidates) == 0 {
		s.unknownResponse(c, m, pointer, base)
		return
	}
	chosen := candidates[0]
	if len(candidates) > 1 && m.Error == nil {
		chosen = c.fitting(s, candidates, m, src)
	}
	s.open.remove(chosen)
	if c.from == Unknown {
		c.from = chosen.by.Other()
		defer func() { c.from = Unknown }()
	}
	ok := envelope && (m.Error != nil || chosen.result(c, m, src, pointer, base))
	if m.Result.Kind() == wire.KindObject {
		c.content(s, m.Result, src, "/result", pointer, base)
	}
	s.done(c, chosen, m, pointer, base, ok)
}

// fitting returns the first of several requests that a result can answer. Every object fits
// a request whose result is empty, so that one comes last for a result with members.
func (c *check) fitting(s *Session, candidates []*request, m jsonrpc.Message, src string) *request {
	chosen, best := candidates[0], 0
	for _, r := range candidates {
		try := check{s: s, lenient: c.lenient, src: c.src}
		fit := 0
		if r.result(&try, m, src, "", 0) {
			fit = 1
			if r.method == nil || r.method.Result != "EmptyResult" || empty(m.Result) {
				fit = 2
			}
		}
		if fit > best {
			chosen, best = r, fit
		}
	}
	return chosen
}

// empty reports whether a result has no members but _meta.
func empty(result wire.Raw) bool {
	for name := range wire.Object(result).All() {
		if name != "_meta" {
			return false
		}
	}
	return true
}

// result checks a result by the method of its request.
func (r *request) result(c *check, m jsonrpc.Message, src, pointer string, base int) bool {
	if r.method == nil || r.method.Result == "" {
		return true
	}
	definition := r.method.Result
	if r.about.task && member(m.Result, "task") != "" {
		definition = "CreateTaskResult"
	}
	return c.part(r.revision, definition, m.Result, src, "/result", pointer, base)
}

// value checks text against a definition.
func (c *check) value(revision generated.Revision, definition, src, pointer string, base int) bool {
	v, ok := revision.New(definition)
	if !ok {
		c.report(pointer, base, fmt.Sprintf("the revision has no definition %q", definition))
		return false
	}
	return c.decode(v, src, pointer, base)
}

// part checks the params or the result of a message. Where they begin in it is found
// out when there is something to say.
func (c *check) part(revision generated.Revision, definition string, text wire.Raw, src, name, pointer string, base int) bool {
	before := len(c.findings)
	ok := c.value(revision, definition, string(text), pointer+name, base)
	if len(c.findings) == before {
		return ok
	}
	c.findings = c.findings[:before]
	return c.value(revision, definition, string(text), pointer+name, base+offsetOf(src, name))
}

// decode checks text against a fresh value. base is the text's place in the
// whole value, pointer the same as a JSON Pointer.
func (c *check) decode(v wire.Value, src, pointer string, base int) bool {
	before := len(c.findings)
	if err := wire.UnmarshalString(src, v); err != nil {
		var bad *wire.Error
		if errors.As(err, &bad) {
			c.report(pointer+bad.Pointer, base+int(bad.Offset), bad.Problem)
		} else {
			c.report(pointer, base, err.Error())
		}
		return false
	}
	if err := wire.Validate(v); err != nil {
		var bad *wire.ValidationError
		if !errors.As(err, &bad) {
			c.report(pointer, base, err.Error())
		} else {
			for _, p := range bad.Problems {
				c.valueProblem(pointer+p.Pointer, base+offsetOf(src, p.Pointer), p.Message+c.elsewhere(src, p))
			}
		}
	}
	if c.roundtrip {
		again, err := wire.Marshal(v)
		switch {
		case err != nil:
			c.breaks("roundtrip", pointer, base, "decoded, it cannot be encoded again: %v", err)
		case !wire.Equal(wire.Raw(src), wire.Raw(again)):
			c.breaks("roundtrip", pointer, base, "decoded and encoded again, it is another JSON value")
		}
	}
	ok := c.lenient || len(c.findings) == before
	if c.s.opts.Undeclared {
		c.undeclared(v, src, pointer, base)
	}
	return ok
}

// valueProblem reports what can be decoded and is not allowed.
func (c *check) valueProblem(pointer string, offset int, problem string) {
	if c.lenient {
		c.note("schema", pointer, offset, "%s", problem)
		return
	}
	c.report(pointer, offset, problem)
}

func (c *check) report(pointer string, offset int, problem string) {
	c.breaks("schema", pointer, offset, "%s", problem)
}

// breaks reports that a rule is broken, with the level of the rule.
func (c *check) breaks(rule Rule, pointer string, offset int, format string, args ...any) {
	c.add(Finding{Rule: rule, Level: ruleLevels[rule], Pointer: pointer, Problem: fmt.Sprintf(format, args...)}, offset)
}

func (c *check) note(rule Rule, pointer string, offset int, format string, args ...any) {
	c.add(Finding{Rule: rule, Level: Note, Pointer: pointer, Problem: fmt.Sprintf(format, args...)}, offset)
}

func (c *check) add(f Finding, offset int) {
	f.From, f.Line = c.from, strings.Count(c.src[:min(max(offset, 0), len(c.src))], "\n")
	c.findings = append(c.findings, f)
}

// done returns the findings, each once.
func (c *check) done() []Finding {
	if len(c.findings) > 1 {
		c.findings = distinct(c.findings)
	}
	for i := range c.findings {
		f := &c.findings[i]
		if f.Place == 0 {
			f.Place, f.Number = c.s.line, c.s.number
		}
		f.Session = c.s.name
	}
	return c.findings
}

// offsetOf finds where the value at a JSON Pointer begins, 0 when it is not
// there.
func offsetOf(src, pointer string) int {
	r := wire.NewStringReader(src)
	for _, segment := range strings.Split(pointer, "/")[1:] {
		segment = wire.PointerName(segment)
		if !descend(r, segment) {
			return 0
		}
	}
	r.Kind() // skips white space
	return r.Offset()
}

func descend(r *wire.Reader, segment string) bool {
	if r.Kind() == wire.KindArray {
		index, _ := strconv.Atoi(segment)
		i := 0
		for r.BeginArray(); r.Element(); i++ {
			if i == index {
				return true
			}
			r.Skip()
		}
		return false
	}
	for r.BeginObject(); r.Member(); {
		if r.Name() == segment {
			return true
		}
		r.Skip()
	}
	return false
}

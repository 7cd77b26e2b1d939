package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// check collects the findings of one entry. Their lines count from the start of the entry.
type check struct {
	s                  *Session
	lenient, roundtrip bool
	src                string
	from               Side
	stdio              bool // the message came over stdio
	envelope           bool // the value is an envelope; its content is checked later
	exchange           *exchange
	findings           []Finding
}

// message checks a JSON-RPC message including its params or result.
func (c *check) message(s *Session) {
	if c.text() {
		return
	}
	if wire.Raw(c.src).Kind() != wire.KindArray {
		c.single(s, c.src, "")
		return
	}
	// The messages of a batch are followed even if the revision has no batches, because their
	// ids are in use.
	c.envelope = true
	if !c.value(s.revision, "JSONRPCMessage", c.src, "") && !wellFormed(c.src) {
		return
	}
	r := wire.NewStringReader(c.src)
	n := 0
	for r.BeginArray(); r.Element(); n++ {
		c.single(s, string(r.ReadRaw()), "/"+strconv.Itoa(n))
	}
	if n == 0 {
		c.report("", "an empty batch is not allowed")
	}
}

func wellFormed(src string) bool {
	var raw wire.Raw
	return wire.UnmarshalString(src, &raw) == nil
}

// text reports text that is not a message, and returns whether it did.
func (c *check) text() bool {
	trimmed := strings.TrimLeft(c.src, " \t\r\n")
	if strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") && !strings.HasPrefix(trimmed, "[a") {
		if c.stdio && strings.ContainsAny(strings.TrimSpace(c.src), "\r\n") {
			c.breaks("embedded-newline", "", "the message contains a line end")
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
	c.breaks(rule, "", "expected a message, found the text %q", cut(trimmed, shown))
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

// single checks one message. pointer is its JSON Pointer.
func (c *check) single(s *Session, src, pointer string) {
	m, err := jsonrpc.Parse(src)
	defer s.judgedBy(s.of(c, m), m)()
	c.envelope = true
	envelope := c.value(s.revision, "JSONRPCMessage", src, pointer) || s.stateless && c.untyped(pointer)
	c.envelope = false
	if err != nil {
		if envelope { // otherwise it was reported already
			c.report(pointer, problemOf(err))
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
		c.response(s, m, src, pointer, envelope)
	} else {
		c.params(s, m, pointer, envelope)
	}
}

// untyped removes the last finding if it is about a result without a resultType, which has its own
// rule.
func (c *check) untyped(pointer string) bool {
	last := len(c.findings) - 1
	if last < 0 || c.findings[last].Pointer != pointer+"/result" || c.findings[last].Problem != `missing member "resultType"` {
		return false
	}
	c.findings = c.findings[:last]
	return true
}

// broken follows an invalid message by its id: a lenient peer answers it, or takes it for an
// answer.
func (c *check) broken(s *Session, src string) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal([]byte(src), &m) != nil {
		return
	}
	id := scalar(wire.Raw(m.ID))
	if !id.Is(wire.KindString | wire.KindInteger) {
		return
	}
	if m.Method != "" {
		r := s.asked(c, jsonrpc.Message{Kind: jsonrpc.Request, ID: id, Method: m.Method}, c.from)
		r.method, r.broken = nil, true // the request of the answer is unknown
		if c.from != Unknown {
			s.used[c.from].add(r.id)
		}
		return
	}
	if open := c.candidates(s, id.Canonical()); len(open) > 0 {
		s.open.remove(open[0])
	}
}

// problemOf returns the detail of an envelope's error, without its code.
func problemOf(err error) string {
	var refused *jsonrpc.Error
	if errors.As(err, &refused) {
		return strings.TrimPrefix(refused.Message, "invalid request: ")
	}
	return err.Error()
}

// params checks the params of a request or notification.
func (c *check) params(s *Session, m jsonrpc.Message, pointer string, envelope bool) {
	method, known := s.methods[m.Method]
	if c.from == Unknown && known {
		c.from = sender(method)
		defer func() { c.from = Unknown }()
	}
	if known {
		switch wantsRequest := method.Kind == jsonrpc.Request; {
		case wantsRequest && m.Kind != jsonrpc.Request:
			c.breaks("request-without-id", pointer, "%s is a request but has no id", m.Method)
		case !wantsRequest && m.Kind == jsonrpc.Request:
			c.breaks("notification-with-id", pointer+"/id", "%s is a notification but has the id %s", m.Method, m.ID)
		}
	}
	r := s.sent(c, m, pointer)
	if !known {
		switch {
		case strings.HasPrefix(m.Method, "rpc."):
			c.breaks("method-reserved", pointer+"/method", "the method %q begins with rpc., which is reserved", m.Method)
		case s.stateless && s.extended():
			c.note("method-unknown", pointer+"/method", "the revision has no method %q; perhaps an extension has it", m.Method)
		case s.known[m.Method] && (s.follows() || s.opts.OwnMethods):
			c.breaks("method-revision", pointer+"/method", "revision %s has no method %q", s.revision.ID, m.Method)
		default:
			c.note("method-unknown", pointer+"/method", "the revision has no method %q", m.Method)
		}
		return
	}
	if m.Kind == jsonrpc.Notification {
		s.announced(m.Method)
		if s.stateless && s.follows() && s.subscribes(m.Method) {
			s.delivered(c, m, pointer)
		}
	}
	ok := envelope
	switch {
	case !envelope:
	case s.stateless && r != nil && c.from != Server && !s.introduced(c, r, m.Params, pointer):
		ok = false
	case m.Params != "":
		ok = c.value(s.revision, method.Params, string(m.Params), pointer+"/params")
	case method.ParamsRequired:
		c.report(pointer, `missing member "params"`)
		ok = false
	}
	if m.Params.Kind() == wire.KindObject {
		c.content(s, m.Params, pointer+"/params")
		if ok && r != nil {
			s.asks(c, r, m, pointer)
		} else if ok {
			s.tells(c, m, pointer)
		}
	}
}

// candidates returns the open requests that a response from the check's side may answer.
func (c *check) candidates(s *Session, id wire.Scalar) []*request {
	open := s.open.byID[id]
	if c.from == Unknown {
		return open
	}
	open = slices.DeleteFunc(slices.Clone(open), func(r *request) bool { return r.by == c.from })
	if c.exchange != nil && len(open) > 1 { // clients may use the same ids at the same time
		if i := slices.IndexFunc(open, func(r *request) bool { return r.exchange == c.exchange.number }); i >= 0 {
			open[0], open[i] = open[i], open[0]
		}
	}
	return open
}

// response checks a response against the request with its id. If both sides have such a request
// and the sender is unknown, a result must match either of them.
func (c *check) response(s *Session, m jsonrpc.Message, src, pointer string, envelope bool) {
	id := m.ID.Canonical()
	candidates := c.candidates(s, id)
	if len(candidates) == 0 {
		s.unknownResponse(c, m, pointer)
		return
	}
	chosen := candidates[0]
	if s.stateless {
		if chosen.by == Client {
			s.capabilities[Client] = chosen.about.capabilities
		}
		s.misdirected(c, chosen.by.Other(), m, pointer)
	}
	if len(candidates) > 1 && m.Error == nil {
		chosen = c.fitting(s, candidates, m)
	}
	s.open.remove(chosen)
	if c.from == Unknown {
		c.from = chosen.by.Other()
		defer func() { c.from = Unknown }()
	}
	ok := envelope && (m.Error != nil || chosen.result(c, m, pointer))
	if m.Error != nil {
		c.data(chosen, m.Error.Code, src, pointer)
	}
	if m.Result.Kind() == wire.KindObject {
		c.content(s, m.Result, pointer+"/result")
	}
	s.done(c, chosen, m, pointer, ok)
}

// fitting returns the first of several requests that a result can answer. A request with an
// empty result comes last for a result with members, because any object matches it.
func (c *check) fitting(s *Session, candidates []*request, m jsonrpc.Message) *request {
	chosen, best := candidates[0], 0
	for _, r := range candidates {
		try := check{s: s, lenient: c.lenient, src: c.src}
		fit := 0
		if r.result(&try, m, "") {
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

// empty reports whether a result has no members except _meta.
func empty(result wire.Raw) bool {
	for name := range wire.Object(result).All() {
		if name != "_meta" {
			return false
		}
	}
	return true
}

// result checks a result against the method of its request.
func (r *request) result(c *check, m jsonrpc.Message, pointer string) bool {
	if r.method == nil || r.method.Result == "" {
		return true
	}
	definition := r.method.Result
	if stateless(r.revision) {
		if definition = c.s.resultDefinition(r, m.Result); definition == "" {
			return true
		}
	}
	if r.about.task && member(m.Result, "task") != "" {
		definition = "CreateTaskResult"
	}
	return c.value(r.revision, definition, string(m.Result), pointer+"/result")
}

// value checks text against a definition.
func (c *check) value(revision generated.Revision, definition, src, pointer string) bool {
	v, ok := revision.New(definition)
	if !ok {
		c.report(pointer, fmt.Sprintf("the revision has no definition %q", definition))
		return false
	}
	return c.decode(v, src, pointer)
}

// decode checks text by decoding it into a new value. pointer is its JSON Pointer in the whole message.
func (c *check) decode(v wire.Value, src, pointer string) bool {
	before := len(c.findings)
	if err := wire.UnmarshalString(src, v); err != nil {
		var bad *wire.Error
		if !errors.As(err, &bad) {
			bad = &wire.Error{Problem: err.Error()}
		}
		// A message that is not well-formed has no places.
		c.add(Finding{Rule: "schema", Level: ruleLevels["schema"], Pointer: pointer + bad.Pointer, Problem: bad.Problem}, offsetOf(c.src, pointer)+int(bad.Offset))
		return false
	}
	if err := wire.Validate(v); err != nil {
		var bad *wire.ValidationError
		if !errors.As(err, &bad) {
			c.report(pointer, err.Error())
		} else {
			for _, p := range bad.Problems {
				c.valueProblem(pointer+p.Pointer, p.Message+c.elsewhere(src, p))
			}
		}
	}
	if c.roundtrip {
		again, err := wire.MarshalString(v)
		switch {
		case err != nil:
			c.breaks("roundtrip", pointer, "the decoded value cannot be encoded again: %v", err)
		case !wire.Equal(wire.Raw(src), wire.Raw(again)) && !wire.Equal(typed(wire.Raw(src)), wire.Raw(again)):
			c.breaks("roundtrip", pointer, "the value changes when it is decoded and encoded again")
		}
	}
	ok := c.lenient || len(c.findings) == before
	if c.s.opts.Undeclared {
		c.undeclared(v, src, pointer)
	}
	return ok
}

// typed returns a result, or a response with one, with the resultType that an absent one stands for ("Responses"
// in basic, 2026-07-28). Other objects come back with a member that they do not have once they are encoded.
func typed(src wire.Raw) wire.Raw {
	if src.Kind() != wire.KindObject {
		return src
	}
	o := wire.Object(src)
	if result, ok := o.Get("result"); ok && has(o, "jsonrpc") {
		o, _ = o.With("result", typed(result)) // a checked text cannot fail
	} else if !has(o, "resultType") {
		o, _ = o.With("resultType", `"complete"`)
	}
	return wire.Raw(o)
}

func has(o wire.Object, name string) bool {
	_, ok := o.Get(name)
	return ok
}

// valueProblem reports a value that can be decoded but is not allowed.
func (c *check) valueProblem(pointer, problem string) {
	if c.lenient {
		c.note("schema", pointer, "%s", problem)
		return
	}
	c.report(pointer, problem)
}

func (c *check) report(pointer, problem string) { c.breaks("schema", pointer, "%s", problem) }

// breaks reports a broken rule with the rule's level.
func (c *check) breaks(rule Rule, pointer, format string, args ...any) {
	c.at(Finding{Rule: rule, Level: ruleLevels[rule], Pointer: pointer, Problem: fmt.Sprintf(format, args...)})
}

func (c *check) note(rule Rule, pointer, format string, args ...any) {
	c.at(Finding{Rule: rule, Level: Note, Pointer: pointer, Problem: fmt.Sprintf(format, args...)})
}

// at adds a finding at the place of its pointer.
func (c *check) at(f Finding) {
	offset := 0
	if strings.Contains(c.src, "\n") {
		offset = offsetOf(c.src, f.Pointer)
	}
	c.add(f, offset)
}

// add adds a finding at an offset of the message.
func (c *check) add(f Finding, offset int) {
	if f.Level != Note && c.redacted(f.Pointer) {
		f.Rule, f.Level, f.Problem = "unjudged", Note, "the recording has no value here: it is redacted"
	}
	f.From, f.Line = c.from, strings.Count(c.src[:min(offset, len(c.src))], "\n")
	c.findings = append(c.findings, f)
}

// redacted reports whether the recording has something else in place of the value at a pointer.
func (c *check) redacted(pointer string) bool {
	if pointer == "" || !strings.Contains(c.src, recording.RedactedPrefix) {
		return false
	}
	value := wire.Raw(c.src[offsetOf(c.src, pointer):]).Reader()
	return value.Kind() == wire.KindString && strings.HasPrefix(value.ReadString(), recording.RedactedPrefix)
}

// done returns the findings without duplicates.
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

// offsetOf returns the offset of the value at a JSON Pointer, or of the innermost one around it that there is.
func offsetOf(src, pointer string) int {
	r := wire.Raw(src).Reader()
	r.Kind() // skips white space
	offset := r.Offset()
	for _, segment := range strings.Split(pointer, "/")[1:] {
		if !descend(r, wire.PointerName(segment)) {
			break
		}
		r.Kind()
		offset = r.Offset()
	}
	return offset
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

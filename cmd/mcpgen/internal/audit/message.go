package audit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// check collects the findings of one value. Their lines count from its start.
type check struct {
	lenient, roundtrip bool
	src                string
	from               Side
	findings           []Finding
}

// message checks a JSON-RPC message down to its params or result.
func (c *check) message(s *Session) {
	if wire.NewStringReader(c.src).Kind() != wire.KindArray {
		c.single(s, c.src, "", 0)
		return
	}
	if !c.value(s.revision, "JSONRPCMessage", c.src, "", 0) {
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
	c.findings = distinct(c.findings) // the batch tells of its envelopes too
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
	envelope := c.value(s.revision, "JSONRPCMessage", src, pointer, base)
	m, err := jsonrpc.Parse(src)
	if err != nil {
		if envelope { // else it has been said already
			c.report(pointer, base, problemOf(err))
		}
		return
	}
	if m.Kind == jsonrpc.Response {
		c.response(s, m, src, pointer, base, envelope)
	} else {
		c.params(s, m, src, pointer, base, envelope)
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

// params checks a request or notification by its method. A method that no revision
// has, or that the revision has as the other kind of message, is legal JSON-RPC that a
// receiver refuses or ignores: worth a note, not a problem.
func (c *check) params(s *Session, m jsonrpc.Message, src, pointer string, base int, envelope bool) {
	s.sent(c, m, pointer, base)
	method, known := s.methods[m.Method]
	if m.Kind == jsonrpc.Request {
		by := c.from
		if by == Unknown && known {
			by = sender(method)
		}
		id := m.ID.Canonical()
		r := &request{revision: s.revision, method: method, by: by}
		if s.rules {
			r.params = m.Params
		}
		s.pending[id] = append(s.pending[id], r)
	}
	if !known {
		if s.known[m.Method] && (s.rules || s.opts.OwnMethods) {
			c.breaks(Method, pointer+"/method", base, "revision %s has no method %q", s.revision.ID, m.Method)
		} else {
			c.note(pointer+"/method", base, fmt.Sprintf("the revision has no method %q", m.Method))
		}
		return
	}
	switch wantsRequest := method.Kind == runtime.Request; {
	case wantsRequest && m.Kind != jsonrpc.Request:
		c.note(pointer, base, fmt.Sprintf("%s is a request, and here has no id", m.Method))
	case !wantsRequest && m.Kind == jsonrpc.Request:
		c.note(pointer, base, fmt.Sprintf("%s is a notification, and here has an id", m.Method))
	}
	switch {
	case !envelope:
	case m.Params != "":
		c.part(s.revision, method.Params, m.Params, src, "/params", pointer, base)
	case method.ParamsRequired:
		c.report(pointer, base, `missing member "params"`)
	}
}

// response checks an answer by the request with its id. Where both sides have one
// of that id and nothing tells which is meant, a result must fit either.
func (c *check) response(s *Session, m jsonrpc.Message, src, pointer string, base int, envelope bool) {
	id := m.ID.Canonical()
	open := s.pending[id]
	candidates := open
	if c.from != Unknown {
		candidates = slices.DeleteFunc(slices.Clone(open), func(r *request) bool { return r.by == c.from })
	}
	if len(candidates) == 0 {
		if s.rules && !m.ID.IsZero() {
			c.breaks(ID, pointer+"/id", base, "no request that is open has the id %s", m.ID)
		}
		return
	}
	// Of several with the id, the result tells.
	chosen := candidates[0]
	for _, r := range candidates {
		try := check{lenient: c.lenient, src: c.src}
		if len(candidates) == 1 || m.Error != nil || r.result(&try, m, src, pointer, base) {
			chosen = r
			break
		}
	}
	if open = slices.DeleteFunc(open, func(r *request) bool { return r == chosen }); len(open) == 0 {
		delete(s.pending, id)
	} else {
		s.pending[id] = open
	}
	s.done(c, chosen, m, pointer)
	if envelope && m.Error == nil {
		chosen.result(c, m, src, pointer, base)
	}
}

// result checks a result by the method of its request.
func (r *request) result(c *check, m jsonrpc.Message, src, pointer string, base int) bool {
	if r.method == nil || r.method.Result == "" {
		return true
	}
	return c.part(r.revision, r.method.Result, m.Result, src, "/result", pointer, base)
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
				c.valueProblem(pointer+p.Pointer, base+offsetOf(src, p.Pointer), p.Message)
			}
		}
	}
	if c.roundtrip {
		again, err := wire.Marshal(v)
		switch {
		case err != nil:
			c.report(pointer, base, "decoded, it cannot be encoded again: "+err.Error())
		case !wire.Equal(wire.Raw(src), wire.Raw(again)):
			c.report(pointer, base, "decoded and encoded again, it is another JSON value")
		}
	}
	return c.lenient || len(c.findings) == before
}

// valueProblem reports what can be decoded and is not allowed.
func (c *check) valueProblem(pointer string, offset int, problem string) {
	if c.lenient {
		c.note(pointer, offset, problem)
		return
	}
	c.report(pointer, offset, problem)
}

func (c *check) report(pointer string, offset int, problem string) {
	c.breaks(Schema, pointer, offset, "%s", problem)
}

// breaks reports a problem.
func (c *check) breaks(rule Rule, pointer string, offset int, format string, args ...any) {
	c.add(Finding{Rule: rule, Pointer: pointer, Problem: fmt.Sprintf(format, args...)}, offset)
}

func (c *check) note(pointer string, offset int, problem string) {
	c.add(Finding{Pointer: pointer, Problem: problem, Note: true}, offset)
}

func (c *check) add(f Finding, offset int) {
	f.From, f.Line = c.from, strings.Count(c.src[:min(max(offset, 0), len(c.src))], "\n")
	c.findings = append(c.findings, f)
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

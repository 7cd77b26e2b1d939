//go:build !bootstrap

package main

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

// conversation remembers the requests of a file, because only they tell what
// the result of a response is.
type conversation struct {
	revision generated.Revision
	methods  map[string]runtime.Method
	// pending are the methods of unanswered requests by id. Both sides count
	// their own ids, so one id may stand for two requests.
	pending map[wire.Scalar][]runtime.Method
}

func newConversation(revision generated.Revision) *conversation {
	c := &conversation{revision: revision, methods: map[string]runtime.Method{}, pending: map[wire.Scalar][]runtime.Method{}}
	for _, m := range revision.Methods {
		c.methods[m.Name] = m
	}
	return c
}

// check collects the findings of one value. Their lines count from its start.
type check struct {
	lenient, roundtrip bool
	src                string
	findings           []finding
}

// message checks a JSON-RPC message down to its params or result.
func (c *check) message(conv *conversation) {
	if wire.NewStringReader(c.src).Kind() != wire.KindArray {
		c.single(conv, c.src, "", 0)
		return
	}
	if !c.value(conv.revision, "JSONRPCMessage", c.src, "", 0) {
		return
	}
	r := wire.NewStringReader(c.src)
	n := 0
	for r.BeginArray(); r.Element(); n++ {
		r.Kind() // skips white space
		base := r.Offset()
		c.single(conv, string(r.ReadRaw()), "/"+strconv.Itoa(n), base)
	}
	if n == 0 {
		c.report("", 0, "an empty batch is not allowed")
	}
	c.findings = distinct(c.findings) // the batch tells of its envelopes too
}

func distinct(findings []finding) []finding {
	seen := map[finding]bool{}
	return slices.DeleteFunc(findings, func(f finding) bool {
		again := seen[f]
		seen[f] = true
		return again
	})
}

// single checks one message. base is its place in the whole value, pointer the
// same as a JSON Pointer.
func (c *check) single(conv *conversation, src, pointer string, base int) {
	envelope := c.value(conv.revision, "JSONRPCMessage", src, pointer, base)
	m, err := jsonrpc.Parse(src)
	if err != nil {
		if envelope { // else it has been said already
			c.report(pointer, base, problemOf(err))
		}
		return
	}
	switch {
	case m.Kind != jsonrpc.Response:
		c.params(conv, m, src, pointer, base, envelope)
	case m.Error == nil:
		c.result(conv, m, src, pointer, base, envelope)
	default:
		conv.answered(m.ID, 0)
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

// params checks params by the method. A method the revision does not have, or
// has as the other kind of message, is legal JSON-RPC that a receiver refuses
// or ignores: worth a note, not a problem.
func (c *check) params(conv *conversation, m jsonrpc.Message, src, pointer string, base int, envelope bool) {
	method, known := conv.methods[m.Method]
	if !known {
		c.note(pointer+"/method", base, fmt.Sprintf("the revision has no method %q", m.Method))
		return
	}
	isRequest := m.Kind == jsonrpc.Request
	switch wantsRequest := method.Kind == runtime.Request; {
	case wantsRequest && !isRequest:
		c.note(pointer, base, fmt.Sprintf("%s is a request, and here has no id", m.Method))
	case !wantsRequest && isRequest:
		c.note(pointer, base, fmt.Sprintf("%s is a notification, and here has an id", m.Method))
	}
	switch {
	case !envelope:
	case m.Params != "":
		c.decode(method.NewParams(), string(m.Params), pointer+"/params", base+offsetOf(src, "/params"))
	case method.ParamsRequired:
		c.report(pointer, base, `missing member "params"`)
	}
	if isRequest {
		id := m.ID.Canonical()
		conv.pending[id] = append(conv.pending[id], method)
	}
}

// result checks a result by the request with its id. Where both sides have one
// of that id, it must fit either.
func (c *check) result(conv *conversation, m jsonrpc.Message, src, pointer string, base int, envelope bool) {
	candidates := conv.pending[m.ID.Canonical()]
	if len(candidates) == 0 || !envelope {
		conv.answered(m.ID, 0)
		return
	}
	at := base + offsetOf(src, "/result")
	var first []finding
	for i, method := range candidates {
		try := check{lenient: c.lenient, roundtrip: c.roundtrip, src: c.src}
		if try.decode(method.NewResult(), string(m.Result), pointer+"/result", at) {
			conv.answered(m.ID, i)
			return
		}
		if i == 0 {
			first = try.findings
		}
	}
	conv.answered(m.ID, 0)
	c.findings = append(c.findings, first...)
}

func (conv *conversation) answered(id wire.Scalar, i int) {
	id = id.Canonical()
	rest := conv.pending[id]
	if i < len(rest) {
		rest = append(rest[:i:i], rest[i+1:]...)
	}
	if len(rest) == 0 {
		delete(conv.pending, id)
		return
	}
	conv.pending[id] = rest
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
	c.findings = append(c.findings, finding{Line: lineOf(c.src, offset), Pointer: pointer, Problem: problem})
}

func (c *check) note(pointer string, offset int, problem string) {
	c.findings = append(c.findings, finding{Line: lineOf(c.src, offset), Pointer: pointer, Problem: problem, Note: true})
}

// offsetOf finds where the value at a JSON Pointer begins, 0 when it is not
// there.
func offsetOf(src, pointer string) int {
	r := wire.NewStringReader(src)
	for _, segment := range strings.Split(pointer, "/")[1:] {
		segment = strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)
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

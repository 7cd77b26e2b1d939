package audit

import (
	"errors"
	"strings"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of basic/transports/streamable-http of stateless revisions: the
// headers that repeat parts of a message, and the status of an error.

// statelessKey is the key of the session that stands for all stateless requests over HTTP.
const statelessKey = "stateless"

// statelessRevision returns the stateless revision that an HTTP request names, or false.
func statelessRevision(e recording.Entry) (r generated.Revision, ok bool) {
	if m, err := jsonrpc.Parse(e.Text); err == nil {
		if r, ok = named(m.Params); ok {
			return r, true
		}
	}
	r, ok = generated.Lookup(e.Header["Mcp-Protocol-Version"])
	return r, ok && stateless(r)
}

// stateless returns the session that stands for all stateless requests.
func (r *Recording) stateless(revision generated.Revision) *Session {
	s := r.bySession[statelessKey]
	if s == nil {
		s = r.newSession("")
		s.shared = true
		if r.opts.Revision == nil {
			s.speak(revision)
		}
		r.remember(statelessKey, s)
	}
	return s
}

// repeated checks the headers of a stateless request against its message.
func (x *exchange) repeated(e recording.Entry) []Finding {
	m, err := jsonrpc.Parse(e.Text)
	if err != nil || m.Kind != jsonrpc.Request || e.Method != "POST" {
		return nil // it is undefined what the headers of a notification must have
	}
	sent := headers.Header{}
	for name, value := range e.Header {
		sent[name] = []string{value}
	}
	want := headers.Standard{Revision: text(member(m.Params, "_meta", metaVersion)), Method: m.Method}
	if method := methodsOf(x.session.revision)[m.Method]; method != nil && method.NameParam != "" {
		want.Name, want.Named = text(member(m.Params, method.NameParam)), true
	}
	bad := want.Check(sent)
	if t := x.session.tools[want.Name]; bad == nil && m.Method == "tools/call" && t != nil {
		bad = t.headers.Check(sent, wire.Object(member(m.Params, "arguments")))
	}
	var mismatch *headers.MismatchError
	if !errors.As(bad, &mismatch) {
		return nil
	}
	x.mismatch = mismatch.Header
	rule := Rule("http-header-mismatch")
	if strings.HasPrefix(mismatch.Problem, "the header is missing") {
		rule = "http-header-missing"
	}
	return x.finding(e, Client, rule, "%s: %s", mismatch.Header, mismatch.Problem)
}

// status checks the status of a response to a stateless request.
func (x *exchange) status(e recording.Entry) (findings []Finding) {
	bad := func(rule Rule, format string, args ...any) {
		findings = append(findings, x.finding(e, Server, rule, format, args...)...)
	}
	if e.Header["Mcp-Session-Id"] != "" {
		bad("http-session-minted", "the response has the header Mcp-Session-Id")
	}
	if x.mismatch != "" && e.Status/100 == 2 {
		bad("http-header-accepted", "the header %s does not agree with the message, but the status is %d", x.mismatch, e.Status)
	}
	m, err := jsonrpc.Parse(e.Text)
	if err != nil || m.Error == nil {
		return findings
	}
	want := 0
	switch m.Error.Code {
	case jsonrpc.CodeHeaderMismatch, jsonrpc.CodeMissingCapability, jsonrpc.CodeUnsupportedVersion:
		want = 400
	case jsonrpc.CodeMethodNotFound:
		want = 404
	case jsonrpc.CodeInvalidParams:
		if x.unnamed {
			want = 400
		}
	}
	if want != 0 && e.Status != want {
		bad("http-status", "the status of the error %d must be %d, got %d", m.Error.Code, want, e.Status)
	}
	return findings
}

// headersDeclared checks the annotations x-mcp-header of a tool and returns its headers.
func (c *check) headersDeclared(source wire.Raw, pointer string) *headers.Table {
	table, err := headers.NewTable(source)
	var invalid *wire.ValidationError
	if errors.As(err, &invalid) {
		for _, p := range invalid.Problems {
			c.breaks("x-mcp-header", pointer+p.Pointer, "%s", p.Message)
		}
	}
	return table
}

package audit

import (
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file decides which revision a message is checked against. A session of the older
// revisions negotiates one with initialize. In a stateless revision, each request names its own
// in _meta. One connection may carry messages of both kinds (basic/versioning, "Backward
// Compatibility", 2026-07-28).

// The keys of _meta in which a stateless request says who its peer is, as a handshake does for a session (basic,
// "_meta", 2026-07-28).
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaLogLevel     = "io.modelcontextprotocol/logLevel"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// tables caches the results of methodsOf by the address of the revision's table.
var tables sync.Map

// methodsOf returns the methods of a revision by name.
func methodsOf(r generated.Revision) map[string]*runtime.Method {
	if len(r.Methods) == 0 {
		return nil
	}
	if have, ok := tables.Load(&r.Methods[0]); ok {
		return have.(map[string]*runtime.Method)
	}
	methods := map[string]*runtime.Method{}
	for i := range r.Methods {
		methods[r.Methods[i].Name] = &r.Methods[i]
	}
	tables.Store(&r.Methods[0], methods)
	return methods
}

// stateless reports whether a revision has no handshake.
func stateless(r generated.Revision) bool { return methodsOf(r)["initialize"] == nil }

// newest returns the newest revision that is stateless or not.
func newest(isStateless bool) (found generated.Revision) {
	for _, r := range generated.Revisions() {
		if found.ID == "" || stateless(r) == isStateless {
			found = r
		}
	}
	return found
}

// named returns the stateless revision that the _meta of a request names.
func named(params wire.Raw) (r generated.Revision, ok bool) {
	version := member(params, "_meta", metaVersion)
	if version.Kind() != wire.KindString {
		return r, false
	}
	if r, ok = generated.Lookup(text(version)); !ok {
		return newest(true), isDate(text(version))
	}
	return r, stateless(r)
}

// begins reports whether a message says which revision applies.
func begins(src string) bool {
	if opens(src) {
		return true
	}
	m, err := jsonrpc.Parse(src)
	if err != nil || m.Kind != jsonrpc.Request {
		return false
	}
	_, ok := named(m.Params)
	return ok
}

// of returns the revision of a message, with the extensions.
func (s *Session) of(c *check, m jsonrpc.Message) generated.Revision {
	return s.extensions.over(s.spokenIn(c, m))
}

// spokenIn returns the revision of a message. It returns the revision of the session for messages that are
// not stateless.
func (s *Session) spokenIn(c *check, m jsonrpc.Message) generated.Revision {
	if one := s.opts.Revision; one != nil {
		if _, ok := named(m.Params); ok && stateless(*one) {
			s.modern = *one
		}
		return *one
	}
	switch m.Kind {
	case jsonrpc.Response:
		if open := c.candidates(s, m.ID.Canonical()); len(open) > 0 {
			return open[0].revision
		}
		if member(m.Result, "resultType") != "" && s.modern.ID == "" && !s.whole {
			return newest(true)
		}
	default:
		if r, ok := named(m.Params); ok {
			if s.modern = r; !slices.Contains(s.named, r.ID) {
				s.named = append(s.named, r.ID)
			}
			return r
		}
		if s.aboutStateless(m) {
			return s.modern
		}
		if s.phase < answered && s.methods[m.Method] == nil {
			if r := newest(true); methodsOf(r)[m.Method] != nil {
				return r // a probe that does not name its revision
			}
		}
	}
	if s.modern.ID != "" && !s.whole && m.Method != "initialize" {
		return s.modern
	}
	s.assumed = s.assumed || !s.whole && !s.stateless
	return s.revision
}

// aboutStateless reports whether a notification refers to a request of a stateless revision.
func (s *Session) aboutStateless(m jsonrpc.Message) bool {
	if s.modern.ID == "" || m.Kind != jsonrpc.Notification {
		return false
	}
	for _, side := range []Side{Client, Server} {
		if t := s.tokens[side][scalar(member(m.Params, "progressToken")).Canonical()]; t != nil {
			return t.stateless
		}
	}
	of := s.open.byID[scalar(member(m.Params, "requestId")).Canonical()]
	return member(m.Params, "_meta", metaSubscription) != "" ||
		slices.ContainsFunc(of, func(r *request) bool { return stateless(r.revision) })
}

// judgedBy checks the message by a revision until the function that it returns is called.
func (s *Session) judgedBy(r generated.Revision, m jsonrpc.Message) (back func()) {
	revision, methods, isStateless, capabilities := s.revision, s.methods, s.stateless, s.capabilities
	back = func() {}
	if r.ID != revision.ID {
		s.revision, s.methods, s.stateless = r, methodsOf(r), stateless(r)
		if s.stateless {
			s.capabilities = s.perRequest
		}
		back = func() {
			s.revision, s.methods, s.stateless, s.capabilities = revision, methods, isStateless, capabilities
		}
	}
	if s.stateless && m.Kind == jsonrpc.Request {
		s.offered(m)
	}
	return back
}

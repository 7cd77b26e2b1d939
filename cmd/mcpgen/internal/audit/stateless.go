package audit

import (
	"regexp"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of stateless revisions about what a request says of its peer, results and errors:
// "basic" and "basic/versioning" of 2026-07-28.

// The types of results that the protocol defines (basic, "Responses").
const (
	resultComplete      = "complete"
	resultInputRequired = "input_required"
)

// traceParent matches the traceparent of W3C Trace Context.
var traceParent = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$`)

// introduced checks the _meta of a stateless request, and keeps what the check of its answer needs. It
// reports whether the _meta has all required members.
func (s *Session) introduced(c *check, r *request, params wire.Raw, pointer string) bool {
	meta := wire.Object(member(params, "_meta"))
	complete := true
	for _, key := range []string{metaVersion, metaCapabilities} {
		if _, ok := meta.Get(key); !ok {
			complete = false
			if c.exchange != nil {
				c.exchange.unnamed = true
			}
			c.breaks("meta-terms", pointer+"/params/_meta", "the request has no %q in _meta", key)
		}
	}
	r.about.version = kept(text(member(wire.Raw(meta), metaVersion)))
	if trace, ok := meta.Get("traceparent"); ok && !traceParent.MatchString(text(trace)) {
		c.breaks("trace-context", pointer+"/params/_meta/traceparent", "%s is not a traceparent of W3C Trace Context", cut(string(trace), 80))
	}
	s.settings(c, member(wire.Raw(meta), metaCapabilities), pointer+pathCapabilities)
	if level, ok := meta.Get(metaLogLevel); ok {
		r.about.logs, r.about.level = true, kept(text(level))
	}
	return complete
}

// offered remembers the capabilities that a stateless request declares.
func (s *Session) offered(m jsonrpc.Message) {
	declared := member(m.Params, "_meta", metaCapabilities)
	switch last, known := s.capabilities[Client]; {
	case declared.Kind() != wire.KindObject:
		delete(s.capabilities, Client)
	case !known || string(last) != string(declared):
		s.capabilities[Client] = object(declared)
	}
}

// discovered records what a server says about itself.
func (s *Session) discovered(result wire.Raw) {
	s.capabilities[Server] = object(member(result, "capabilities"))
	s.supports(member(result, "supportedVersions"))
}

// supports remembers the versions of a server.
func (s *Session) supports(list wire.Raw) {
	s.supported = nil
	for _, version := range list.Elements() {
		if len(s.supported) < 100 {
			s.supported = append(s.supported, kept(text(version)))
		}
	}
}

// resultType checks the type of a result. It reports whether the result is complete.
func (s *Session) resultType(c *check, r *request, result wire.Raw, pointer string) bool {
	raw := member(result, "resultType")
	x, _ := s.extensions.result(r.revision, r.name, text(raw))
	at := pointer + "/result/resultType"
	switch kind := text(raw); {
	case raw == "":
		c.breaks("result-type", pointer+"/result", "the result of %s has no resultType", r.name)
	case kind == resultInputRequired:
		s.inputRequired(c, r, result, pointer)
		return false
	case kind == resultComplete:
	case r.method != nil && slices.Contains(r.method.ResultTypes, kind):
		s.served = true
		return false
	case x != nil && s.declaresExtension(Client, x.Name):
		s.served = true
		return false
	case x != nil:
		c.breaks("result-type-unknown", at, "the resultType %q belongs to the extension %s, which the client does not declare", cut(kind, 80), x.Name)
		return false
	case s.extended():
		c.note("result-type-unknown", at, "the protocol does not define the resultType %q; perhaps an extension does", cut(kind, 80))
		return false
	default:
		c.breaks("result-type-unknown", at, "neither the protocol nor a declared extension defines the resultType %q", cut(kind, 80))
		return false
	}
	s.served = true
	if v := r.about.version; v != "" && len(s.supported) > 0 && !slices.Contains(s.supported, v) {
		c.breaks("version-accepted", pointer+"/result", "the request names version %s, which is not one of the versions that the server supports", v)
	}
	if r.about.logs && levelOf(r.about.level) < 0 {
		c.breaks("log-level-invalid", pointer+"/result", "the request asks for the unknown log level %q: it must be refused with the code %d", r.about.level, jsonrpc.CodeInvalidParams)
	}
	return true
}

// resultDefinition returns the definition of a result of a method, or "" if the protocol does not
// define one for its type.
func (s *Session) resultDefinition(r *request, result wire.Raw) string {
	method := r.method
	switch kind := member(result, "resultType"); {
	case kind == "" || kind.Kind() != wire.KindString, text(kind) == resultComplete, slices.Contains(method.ResultTypes, text(kind)):
		return method.Result
	case text(kind) == resultInputRequired:
		return "InputRequiredResult"
	}
	if x, definition := s.extensions.result(r.revision, r.name, text(member(result, "resultType"))); x != nil && s.declaresExtension(Client, x.Name) {
		return definition
	}
	return ""
}

// refusedStateless checks the code and data of an error (basic, "Error Codes").
func (s *Session) refusedStateless(c *check, r *request, e *jsonrpc.Error, pointer string) {
	at, data := pointer+"/error/code", pointer+"/error/data"
	switch code := e.Code; {
	case code == jsonrpc.CodeResourceNotFound, code == jsonrpc.CodeURLElicitationRequired:
		c.breaks("error-code-retired", at, "the code %d is retired", code)
	case code == jsonrpc.CodeHeaderMismatch:
	case code == jsonrpc.CodeMissingCapability:
		if member(e.Data, "requiredCapabilities").Kind() != wire.KindObject {
			c.breaks("error-data", data, "the data has no requiredCapabilities")
		}
	case code == jsonrpc.CodeUnsupportedVersion:
		if member(e.Data, "supported").Kind() != wire.KindArray || member(e.Data, "requested").Kind() != wire.KindString {
			c.breaks("error-data", data, "the data does not name the supported versions and the requested one")
		}
		s.supports(member(e.Data, "supported"))
	case r.revision.Errors[code] != "": // response checks the data
	case code >= -32099 && code <= -32020:
		c.breaks("error-code-undefined", at, "the protocol does not define the code %d, which is reserved for it", code)
	case code >= -32019 && code <= -32000, code == jsonrpc.CodeParseError, code >= -32603 && code <= -32600:
	case code >= -32768 && code <= -32000:
		c.breaks("error-code", at, "JSON-RPC reserves the code %d without a meaning", code)
	}
	if r.name == probe && e.Code == jsonrpc.CodeMethodNotFound && s.undiscovered == 0 {
		s.undiscovered = s.line
	}
}

// data checks an error response against the definition that the revision has for its code, unless a rule
// checks it.
func (c *check) data(r *request, code int64, src, pointer string) {
	definition := r.revision.Errors[code]
	if definition == "" || !stateless(r.revision) || code == jsonrpc.CodeMissingCapability || code == jsonrpc.CodeUnsupportedVersion {
		return
	}
	c.value(r.revision, definition, src, pointer)
}

// aboutPeer reports whether an error is about the peer of a request or its revision, not about its subject.
func aboutPeer(code int64) bool {
	return code <= jsonrpc.CodeHeaderMismatch && code >= jsonrpc.CodeUnsupportedVersion
}

// misdirected reports a message that stateless revisions do not have: a request of the server or a
// response of the client.
func (s *Session) misdirected(c *check, from Side, m jsonrpc.Message, pointer string) {
	switch {
	case m.Kind == jsonrpc.Request && from == Server:
		c.breaks("server-request", pointer+"/method", "the server sent the request %s: it asks for input within a result", m.Method)
	case m.Kind == jsonrpc.Response && from == Client:
		c.breaks("client-response", pointer, "the client sent a response")
	}
}

// entire reports whether the session has all messages that a check may refer to.
func (s *Session) entire() bool { return s.whole || s.stateless }

package audit

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file dispatches valid params and results to the rules of their methods.

// asks checks a request with valid params and keeps what the check of its answer needs.
func (s *Session) asks(c *check, r *request, m jsonrpc.Message, pointer string) {
	p := m.Params
	if s.stateless && r.method.Asks {
		s.retried(c, r, p, pointer)
	}
	r.about.task = member(p, "task").Kind() == wire.KindObject
	s.requested(c, r, p, pointer)
	if r.method.Extension != "" {
		return
	}
	switch m.Method {
	case "initialize":
		s.capabilities[Client] = object(member(p, "capabilities"))
		s.requestedVersion = kept(text(member(p, "protocolVersion")))
		s.negotiated(c, member(p, "protocolVersion"), pointer+"/params/protocolVersion")
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list", "tasks/list":
		s.pageAsked(c, r, p, pointer)
	case "tools/call":
		s.called(c, r, p, pointer)
	case "prompts/get":
		s.promptAsked(c, r, p, pointer)
	case "resources/read":
		r.about.subject = kept(text(member(p, "uri")))
	case "resources/subscribe":
		// The subscription counts from the request on, because updates may come before the
		// answer.
		r.about.subject = kept(text(member(p, "uri")))
		if len(s.subscribed) < maxKept {
			s.subscribed[r.about.subject] = true
		}
	case "resources/unsubscribe":
		r.about.subject = kept(text(member(p, "uri")))
	case "logging/setLevel":
		r.about.level = kept(text(member(p, "level")))
	case "sampling/createMessage":
		s.sampled(c, r, p, pointer)
	case "elicitation/create":
		s.elicits(c, r, p, pointer)
	case methodListen:
		s.listens(r, p)
	case "tasks/get", "tasks/result", "tasks/cancel":
		s.taskAsked(c, r, p, pointer)
	}
}

// tells checks a notification with valid params.
func (s *Session) tells(c *check, m jsonrpc.Message, pointer string) {
	if m.Kind != jsonrpc.Notification {
		return
	}
	p := m.Params
	switch m.Method {
	case "notifications/cancelled":
		s.cancelled(c, p, pointer)
	case "notifications/progress":
		s.progress(c, p, pointer)
	case "notifications/message":
		s.logged(c, p, pointer)
	case "notifications/resources/updated":
		s.updated(c, p, pointer)
	case "notifications/tasks/status":
		s.taskTold(c, p, "/params", pointer)
	case "notifications/elicitation/complete":
		s.elicitationDone(c, p, pointer)
	}
}

// announced records that a list has changed. The notification needs no params.
func (s *Session) announced(method string) {
	if name, ok := strings.CutSuffix(method, "/list_changed"); ok {
		name = strings.TrimPrefix(name, "notifications/")
		s.roots.announced = s.roots.announced || name == "roots"
		for list, l := range s.lists {
			if strings.HasPrefix(list, name+"/") {
				l.announced = true
			}
		}
	}
}

// answers checks a valid result against its request.
func (s *Session) answers(c *check, r *request, m jsonrpc.Message, pointer string) {
	result := m.Result
	s.cached(c, r, m, pointer)
	if r.method.Extension != "" {
		s.undeclaredExtension(c, r.method, pointer+"/result")
		return
	}
	if r.about.task {
		if task := member(result, "task"); task != "" {
			s.taskCreated(c, r, task, pointer)
			return
		}
		if s.runsAsTask(r) {
			c.breaks("task-ignored", pointer+"/result", "%s was requested as a task, but the result is not a task", r.name)
		}
	} else if s.since("2025-11-25") && member(result, "task", "taskId") != "" && member(result, "content") == "" && member(result, "action") == "" {
		c.breaks("task-unasked", pointer+"/result/task", "%s was not requested as a task, but the result is one", r.name)
		return
	}
	switch r.name {
	case "ping":
		if s.stateless {
			return
		}
		for name := range wire.Object(result).All() {
			if name != "_meta" {
				c.breaks("ping-result", pointer+"/result/"+name, "the result of a ping must be empty, but has the member %q", name)
			}
		}
	case probe:
		s.discovered(result)
		s.settings(c, member(result, "capabilities"), pointer+"/result/capabilities")
	case methodListen:
		s.listenDone(c, r, result, pointer)
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list", "tasks/list":
		s.pageGiven(c, r, result, pointer)
	case "tools/call":
		s.callDone(c, r, result, pointer)
	case "resources/unsubscribe":
		delete(s.subscribed, r.about.subject)
	case "logging/setLevel":
		s.level, s.leveled = levelOf(r.about.level), s.now
	case "completion/complete":
		if n := len(member(result, "completion", "values").Elements()); n > 100 {
			c.breaks("completion-values", pointer+"/result/completion/values", "a completion has at most 100 values, got %d", n)
		}
	case "roots/list":
		s.rootsGiven(c, result, pointer+"/result")
	case "sampling/createMessage":
		s.sampleGiven(c, r, result, pointer+"/result")
	case "elicitation/create":
		s.formFilled(c, r, result, pointer+"/result")
	case "tasks/get":
		s.taskGiven(c, r, result, pointer)
	case "tasks/cancel":
		s.taskCancelled(c, r, result, pointer)
	case "tasks/result":
		s.taskResult(c, r, result, pointer)
	}
}

// refused checks an error against its request.
func (s *Session) refused(c *check, r *request, m jsonrpc.Message, pointer string) {
	at := pointer + "/error/code"
	code := m.Error.Code
	switch {
	case s.stateless:
		s.refusedStateless(c, r, m.Error, pointer)
		if aboutPeer(code) {
			return
		}
	case code == jsonrpc.CodeResourceNotFound, code == jsonrpc.CodeURLElicitationRequired,
		code >= -32099 && code <= -32000, code == jsonrpc.CodeParseError, code >= -32603 && code <= -32600:
	case code >= -32768 && code <= -32000:
		c.breaks("error-code", at, "JSON-RPC reserves the code %d without a meaning", code)
	}
	switch {
	case r.name == "ping" && r.method != nil && code != jsonrpc.CodeInvalidRequest && code != jsonrpc.CodeInvalidParams && code != jsonrpc.CodeParseError:
		c.breaks("ping-result", pointer+"/error", "a ping must be answered with an empty result, got the error %d", code)
		return
	case r.about.undeclared && !r.about.task:
		if code != jsonrpc.CodeMethodNotFound {
			c.breaks("method-not-found", at, "%s is not supported: the code must be %d, got %d", r.name, jsonrpc.CodeMethodNotFound, code)
		}
		return
	case r.method != nil && code == jsonrpc.CodeMethodNotFound && !r.about.task:
		s.unserved(c, r, at)
		return
	}
	said := strings.ToLower(m.Error.Message)
	unknown := strings.Contains(said, "not found") || strings.Contains(said, "unknown") || strings.Contains(said, "not exist") || strings.Contains(said, "no such")
	expect := func(rule Rule, want int64, what string) {
		if code != want {
			c.breaks(rule, at, "%s: the code must be %d, got %d", what, want, code)
		}
	}
	switch r.name {
	case "tools/call":
		if s.absent("tools/list", r.about.subject) || unknown && strings.Contains(said, "tool") {
			expect("tool-unknown", jsonrpc.CodeInvalidParams, "unknown tool")
		}
	case "prompts/get":
		if s.absent("prompts/list", r.about.subject) || r.about.missing || unknown && strings.Contains(said, "prompt") {
			expect("prompt-error", jsonrpc.CodeInvalidParams, "unknown prompt or missing argument")
		}
	case "resources/read":
		if unknown {
			want := int64(jsonrpc.CodeResourceNotFound)
			if s.stateless {
				want = jsonrpc.CodeInvalidParams
			}
			expect("resource-not-found", want, "unknown resource")
		}
	case "logging/setLevel":
		if r.about.level == "" || levelOf(r.about.level) < 0 {
			expect("log-level-invalid", jsonrpc.CodeInvalidParams, "invalid log level")
		}
	}
	if strings.HasPrefix(r.name, "tasks/") && r.about.subject != "" {
		switch t := s.tasks[r.about.subject]; {
		case t == nil && s.whole && unknown:
			expect("task-error", jsonrpc.CodeInvalidParams, "unknown task")
		case t != nil && terminal(t.status) && r.name == "tasks/cancel":
			expect("task-cancel-terminal", jsonrpc.CodeInvalidParams, "cancellation of a finished task")
		}
	}
	if r.about.unknownCursor {
		expect("cursor-accepted", jsonrpc.CodeInvalidParams, "invalid cursor")
	}
	if code == jsonrpc.CodeURLElicitationRequired && s.since("2025-11-25") {
		s.elicitationRequired(c, m.Error.Data, pointer)
	}
}

// unserved reports a method that is refused although its capability is declared.
func (s *Session) unserved(c *check, r *request, at string) {
	who := r.by.Other()
	if need := r.method.Capability; need != "" && s.declares(who, need) {
		c.breaks("capability-unserved", at, "the %s has declared %s but does not support %s", who, need, r.name)
	}
}

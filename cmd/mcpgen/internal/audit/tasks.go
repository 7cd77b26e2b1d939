package audit

import (
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of basic/utilities/tasks.

// task is a task that a receiver has created.
type task struct {
	status    string
	request   string // the method of the request that runs as the task
	subject   string // the name of the called tool, or ""
	arguments bool   // the arguments do not match the input schema
	token     wire.Scalar
	by        Side // the id of the request
	given     int  // the number of the message with the result, or 0
}

func terminal(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// taskCreated checks a new task.
func (s *Session) taskCreated(c *check, r *request, raw wire.Raw, pointer string) {
	at := pointer + "/result/task"
	id, status := kept(text(member(raw, "taskId"))), text(member(raw, "status"))
	if status != "working" {
		c.breaks("task-status", at+"/status", "a new task must be working, got %q", status)
	}
	s.taskTimes(c, raw, at)
	if s.tasks[id] != nil {
		c.breaks("task-id-reused", at+"/taskId", "another task has the id %q", id)
	}
	if len(s.tasks) < maxKept {
		s.tasks[id] = &task{status: kept(status), request: r.name, subject: r.about.subject, arguments: r.about.arguments, token: r.about.token, by: r.by}
	}
}

// runsAsTask reports whether the receiver of a request has declared that it can run it as a
// task.
func (s *Session) runsAsTask(r *request) bool {
	if !s.since("2025-11-25") || !s.declares(r.by.Other(), "tasks.requests."+strings.ReplaceAll(r.name, "/", ".")) {
		return false
	}
	if r.name != "tools/call" {
		return true
	}
	t := s.tools[r.about.subject]
	return t != nil && (t.support == "optional" || t.support == "required")
}

// taskAsked checks a request about a task.
func (s *Session) taskAsked(c *check, r *request, params wire.Raw, pointer string) {
	r.about.subject = kept(text(member(params, "taskId")))
	if s.whole && s.tasks[r.about.subject] == nil && len(s.tasks) < maxKept {
		c.breaks("task-unknown", pointer+"/params/taskId", "there is no task with the id %q", cut(r.about.subject, 80))
	}
}

// taskTold checks the state of a task.
func (s *Session) taskTold(c *check, raw wire.Raw, name, pointer string) {
	at := pointer + name
	s.taskTimes(c, raw, at)
	t := s.tasks[text(member(raw, "taskId"))]
	if t == nil {
		return
	}
	status := text(member(raw, "status"))
	if terminal(t.status) && status != t.status {
		s.late(c, time.Time{}, "task-status", at+"/status", "the task was %s, but is %s now", t.status, status)
		return
	}
	if t.status = kept(status); terminal(status) && t.by != Unknown {
		if token := s.tokens[t.by][t.token]; token != nil && token.task {
			token.expired = true
		}
	}
}

// taskGiven checks the answer to a request for the state of a task.
func (s *Session) taskGiven(c *check, r *request, result wire.Raw, pointer string) {
	id, status := text(member(result, "taskId")), text(member(result, "status"))
	if r.about.subject != "" && id != r.about.subject {
		c.breaks("task-other", pointer+"/result/taskId", "%s asks for the task %q, but the answer is about the task %q", r.name, cut(r.about.subject, 80), cut(id, 80))
		return
	}
	if t := s.tasks[id]; t != nil && t.given != 0 && t.given < r.number && !terminal(t.status) && !terminal(status) {
		c.breaks("task-status", pointer+"/result/status", "the result of the task was sent already, but the task is %s now", status)
		return
	}
	s.taskTold(c, result, "/result", pointer)
}

func (s *Session) taskTimes(c *check, raw wire.Raw, pointer string) {
	for _, name := range []string{"createdAt", "lastUpdatedAt"} {
		if at := text(member(raw, name)); at != "" && !isTime(at) {
			c.breaks("task-time", pointer+"/"+name, "%q is not a time in ISO 8601 form", cut(at, 80))
		}
	}
}

// isTime reports whether text is an ISO 8601 date or time.
func isTime(s string) bool {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "20060102T150405Z", "2006-01-02T15:04:05Z0700", time.DateOnly} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// taskCancelled checks the answer to tasks/cancel.
func (s *Session) taskCancelled(c *check, r *request, result wire.Raw, pointer string) {
	if t := s.tasks[r.about.subject]; t != nil && terminal(t.status) {
		s.late(c, time.Time{}, "task-cancel-terminal", pointer+"/result", "the task was already %s: the request must be refused with the code %d", t.status, jsonrpc.CodeInvalidParams)
	}
	s.taskGiven(c, r, result, pointer)
	if t := s.tasks[r.about.subject]; t != nil && text(member(result, "status")) != "cancelled" && !terminal(t.status) {
		c.breaks("task-status", pointer+"/result/status", "a cancelled task must have the status cancelled, got %q", text(member(result, "status")))
	}
}

// taskResult checks the result of a task as the answer to the request that runs as the task.
func (s *Session) taskResult(c *check, r *request, result wire.Raw, pointer string) {
	related := text(member(result, "_meta", "io.modelcontextprotocol/related-task", "taskId"))
	if related != r.about.subject {
		c.breaks("task-related", pointer+"/result/_meta", "io.modelcontextprotocol/related-task names %q, but the result belongs to the task %q", related, r.about.subject)
	}
	t := s.tasks[r.about.subject]
	if t == nil {
		return
	}
	t.given = s.number
	method := s.methods[t.request]
	if c.value(s.revision, method.Result, string(result), pointer+"/result") && t.request == "tools/call" {
		s.callResult(c, t.subject, t.arguments, result, pointer)
	}
}

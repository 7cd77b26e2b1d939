package audit

import (
	"slices"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of client/sampling.

// sampled checks a sampling request.
func (s *Session) sampled(c *check, r *request, params wire.Raw, pointer string) {
	if !s.since("2025-11-25") {
		return
	}
	r.about.choice = text(member(params, "toolChoice", "mode"))
	r.about.offersTools = member(params, "tools") != ""
	for _, tool := range member(params, "tools").Elements() {
		if len(r.about.tools) < 1000 {
			r.about.tools = append(r.about.tools, kept(text(member(tool, "name"))))
		}
	}
	switch context := text(member(params, "includeContext")); context {
	case "thisServer", "allServers":
		if declared, known := s.capabilities[Client]; known && !runtime.Declares(declared, "sampling.context") {
			c.breaks("sampling-context", pointer+"/params/includeContext", "%s needs the capability sampling.context, which the client has not declared", context)
		}
	}
	s.conversation(c, member(params, "messages"), pointer+"/params/messages")
}

// conversation checks that tool uses and tool results match.
func (s *Session) conversation(c *check, messages wire.Raw, pointer string) {
	var uses []string // ids of the tool uses in the previous message
	last := -1
	for i, message := range messages.Elements() {
		last = i
		var used, results []string
		other := false
		for _, block := range blocks(member(message, "content")) {
			switch text(member(block, "type")) {
			case "tool_use":
				used = append(used, text(member(block, "id")))
			case "tool_result":
				results = append(results, text(member(block, "toolUseId")))
			default:
				other = true
			}
		}
		at := ptr(pointer, i, "content")
		switch {
		case len(results) > 0 && other:
			c.breaks("sampling-tool-result", at, "a message with tool results has other content too")
		case len(uses) > 0 && len(results) == 0:
			c.breaks("sampling-tool-result", at, "the previous message uses tools, but this one has no tool results")
		}
		if role := text(member(message, "role")); len(results) > 0 && role == "assistant" {
			c.breaks("sampling-tool-result", ptr(pointer, i, "role"), "tool results must be in a message of the user, got the role %s", role)
		}
		for _, id := range uses {
			if len(results) > 0 && !slices.Contains(results, id) {
				c.breaks("sampling-tool-result", at, "the tool use %q has no result", id)
			}
		}
		for n, id := range results {
			switch {
			case slices.Contains(results[:n], id):
				c.breaks("sampling-tool-result", at, "the tool use %q has several results", id)
			case !slices.Contains(uses, id):
				c.breaks("sampling-tool-result", at, "the tool result refers to %q, which the previous message does not use", id)
			}
		}
		uses = used
	}
	if len(uses) > 0 {
		c.breaks("sampling-tool-result", ptr(pointer, last, "content"), "the last message uses tools, but no message with results follows")
	}
}

// blocks returns content as a slice. The content is a block or an array of blocks.
func blocks(content wire.Raw) []wire.Raw {
	if content.Kind() != wire.KindArray {
		return []wire.Raw{content}
	}
	return content.Elements()
}

// sampleGiven checks the result of a sampling request.
func (s *Session) sampleGiven(c *check, r *request, result wire.Raw, at string) {
	if !s.since("2025-11-25") {
		return
	}
	uses := 0
	at += "/content"
	for _, block := range blocks(member(result, "content")) {
		if text(member(block, "type")) != "tool_use" {
			continue
		}
		uses++
		name := text(member(block, "name"))
		switch {
		case !r.about.offersTools:
			c.breaks("sampling-tool-choice", at, "the result uses the tool %q, but the request has no tools", name)
		case r.about.choice == "none":
			c.breaks("sampling-tool-choice", at, "the result uses the tool %q, but toolChoice is none", name)
		case len(r.about.tools) < 1000 && !slices.Contains(r.about.tools, name):
			c.breaks("sampling-tool-choice", at, "the result uses the tool %q, which the request does not have", name)
		}
	}
	if r.about.choice == "required" && uses == 0 {
		c.breaks("sampling-tool-choice", at, "toolChoice is required, but the result uses no tool")
	}
}

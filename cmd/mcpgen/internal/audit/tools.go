package audit

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/fallback"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of server/tools: the schemas of tools, and calls.

func itoa(n int) string { return strconv.Itoa(n) }

// tool is a tool that the server has listed.
type tool struct {
	input, output *compiled
	headers       *headers.Table // of calls over HTTP
	support       string         // task support: "", "forbidden", "optional" or "required"
}

// compiled is a schema that is compiled on first use.
type compiled struct {
	check   func(*schema.Checker)
	invalid error // the error if the text is not a JSON Schema
	unknown error // why values cannot be checked, or ""
}

// schemas are the schemas of a recording, shared by its sessions.
type schemas struct {
	byText map[string]*compiled
	bytes  int
}

const maxSchemaBytes = 64 << 20

func newSchemas() *schemas { return &schemas{byText: map[string]*compiled{}} }

func (s *schemas) of(text string) *compiled {
	if found := s.byText[text]; found != nil {
		return found
	}
	if s.bytes += len(text); s.bytes > maxSchemaBytes {
		*s = *newSchemas()
		s.bytes = len(text)
	}
	text = strings.Clone(text)
	one := compile(text)
	s.byText[text] = one
	return one
}

// dialects are the dialects that package fallback supports.
var dialects = regexp.MustCompile(`^https?://json-schema\.org/(draft-0[467]|draft/20(19-09|20-12))/schema#?$`)

func compile(source string) *compiled {
	if dialect := member(wire.Raw(source), "$schema"); dialect != "" && !dialects.MatchString(text(dialect)) {
		return &compiled{unknown: errors.New("the dialect " + string(dialect) + " is unknown")}
	}
	check, err := fallback.Compile(source)
	switch {
	case err == nil:
		return &compiled{check: check}
	case strings.Contains(err.Error(), "references are not fetched"):
		return &compiled{unknown: err}
	}
	return &compiled{invalid: err}
}

// problems returns the violations of the schema in a value.
func (s *compiled) problems(value wire.Raw) []wire.Problem {
	if s == nil || s.check == nil {
		return nil
	}
	var bad *wire.ValidationError
	if err := schema.Check(value, s.check); errors.As(err, &bad) {
		return bad.Problems
	}
	return nil
}

// isFormat reports whether a problem is about a format, which in JSON Schema is an annotation.
func isFormat(p wire.Problem) bool { return strings.HasPrefix(p.Message, "must be in the format ") }

// mismatch reports the violations of a schema in a value.
func (c *check) mismatch(rule Rule, s *compiled, value wire.Raw, pointer string, what string) (found bool) {
	for _, p := range s.problems(value) {
		if isFormat(p) {
			c.note("schema-unchecked", pointer+p.Pointer, "%s: %s", what, p.Message)
			continue
		}
		found = true
		c.breaks(rule, pointer+p.Pointer, "%s: %s", what, p.Message)
	}
	return found
}

var toolNames = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// toolListed checks a tool of a list.
func (s *Session) toolListed(c *check, raw wire.Raw, pointer string) {
	name := text(member(raw, "name"))
	if s.since("2025-11-25") && !toolNames.MatchString(name) {
		c.breaks("tool-name", pointer+"/name", "the name %q does not consist of 1 to 128 ASCII letters, digits, underscores, hyphens and dots", cut(name, 140))
	}
	t := &tool{support: text(member(raw, "execution", "taskSupport"))}
	for _, which := range []string{"inputSchema", "outputSchema"} {
		source := member(raw, which)
		if source.Kind() != wire.KindObject || which == "outputSchema" && !s.since("2025-06-18") {
			continue
		}
		compiled := s.schemas.of(string(source))
		if compiled.invalid != nil {
			c.breaks("tool-schema", pointer+"/"+which, "not a valid JSON Schema: %s", firstLines(compiled.invalid))
		}
		if compiled.unknown != nil {
			c.note("schema-unchecked", pointer+"/"+which, "%s", firstLines(compiled.unknown))
		}
		if which == "inputSchema" {
			t.input = compiled
			if s.stateless {
				t.headers = c.headersDeclared(source, pointer+"/"+which)
			}
		} else {
			t.output = compiled
		}
	}
	if name = kept(name); name != "" && (len(s.tools) < maxKept || s.tools[name] != nil) {
		s.tools[name] = t
	}
}

// firstLines shortens the error of the schema compiler.
func firstLines(err error) string {
	message := strings.TrimPrefix(err.Error(), "fallback: ")
	return cut(strings.Join(strings.Fields(message), " "), 300)
}

// called checks a tool call.
func (s *Session) called(c *check, r *request, params wire.Raw, pointer string) {
	r.about.subject = kept(text(member(params, "name")))
	t := s.tools[r.about.subject]
	if t == nil {
		return
	}
	arguments := member(params, "arguments")
	if arguments == "" || arguments == "null" {
		arguments = "{}"
	}
	r.about.arguments = c.mismatch("arguments-invalid", t.input, arguments, pointer+"/params/arguments", "the input schema of "+r.about.subject)
	if !s.since("2025-11-25") || !s.declares(Server, "tasks.requests.tools.call") {
		return
	}
	switch {
	case r.about.task && (t.support == "" || t.support == "forbidden"):
		c.breaks("task-forbidden", pointer+"/params/task", "the tool %s does not support tasks", r.about.subject)
	case !r.about.task && t.support == "required":
		c.breaks("task-required", pointer+"/params", "the tool %s must be called as a task", r.about.subject)
	}
}

// callDone checks the result of a tool call.
func (s *Session) callDone(c *check, r *request, result wire.Raw, pointer string) {
	s.callResult(c, r.about.subject, r.about.arguments, result, pointer)
}

func (s *Session) callResult(c *check, name string, badArguments bool, result wire.Raw, pointer string) {
	at := pointer + "/result"
	failed := member(result, "isError") == "true"
	structured := member(result, "structuredContent")
	t := s.tools[name]
	switch {
	case badArguments && !failed:
		c.breaks("arguments-accepted", at, "the arguments do not match the input schema of %s, but the call succeeded", name)
	case failed && s.absent("tools/list", name):
		c.breaks("tool-unknown", at, "the tool %q is not in the list: a call of an unknown tool must fail with the error code -32602, not with a result", name)
	}
	if s.since("2025-06-18") && t != nil && t.output != nil && !failed {
		if structured == "" {
			c.breaks("structured-content-missing", at, "the tool %s has an output schema, but the result has no structuredContent", name)
		} else {
			c.mismatch("structured-content-invalid", t.output, structured, at+"/structuredContent", "the output schema of "+name)
		}
	}
	if structured != "" && !failed && s.since("2025-06-18") && !echoes(member(result, "content"), structured) {
		c.breaks("structured-content-text", at+"/content", "no text block contains the structured content as JSON")
	}
}

// echoes reports whether a text block contains a value as JSON.
func echoes(content, value wire.Raw) (found bool) {
	for _, block := range content.Elements() {
		if found || text(member(block, "type")) != "text" {
			continue
		}
		var raw wire.Raw
		found = wire.UnmarshalString(text(member(block, "text")), &raw) == nil && wire.Equal(raw, value)
	}
	return found
}

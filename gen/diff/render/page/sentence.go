package page

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/diff/render"
)

// speaker describes the findings of a comparison in sentences.
type speaker struct {
	report   *diff.Report
	rules    map[string]diff.Rule
	old, new *source
	// since returns the side that introduced a change. It is the new side of the report unless
	// an earlier side is known to have the change.
	since func(f *diff.Finding) string
}

// sentence returns one sentence about the effect of a finding.
func (s *speaker) sentence(f *diff.Finding) phrase {
	if p := s.change(f); p != nil {
		return p
	}
	what, known := s.what(f)
	switch {
	case !known:
	case s.report.Kind != "revisions":
		return toolSentence(f, s.owner(f), what)
	case what.manner && f.Level == diff.LevelInfo && f.Guard != "": // the receiver refuses nothing
		return say("%: % %", code(f.Subject), marked(f.Message+"."), render.Why(f))
	case f.Effect.Narrows() != f.Effect.Widens():
		return s.peerSentence(f, what)
	}
	harm := f.ServerFirst.Says
	if f.ClientFirst.Level.AtLeast(f.ServerFirst.Level) {
		harm = f.ClientFirst.Says
	}
	return say("%: % %", code(f.Subject), marked(f.Message+"."), marked(harm))
}

// marked formats text between backticks as code.
func marked(text string) phrase {
	var p phrase
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			p = p.add(code(part))
		} else {
			p = p.add(part)
		}
	}
	return p
}

// subject describes the values that one side refuses.
type subject struct {
	words phrase
	// manner means that the words describe a property of a value, such as "a call without x",
	// not a thing, such as "the argument x".
	manner bool
}

// peers returns the receiver and the sender of a finding's values.
func peers(d diff.Direction) (receiver, sender string) {
	switch d {
	case diff.ToServer:
		return "server", "client"
	case diff.ToClient:
		return "client", "server"
	}
	return "peer", "peer"
}

// peerSentence describes a change between two revisions of the protocol.
func (s *speaker) peerSentence(f *diff.Finding, what subject) phrase {
	receiver, _ := peers(f.Direction)
	here, there := s.report.Old, s.report.New
	if f.Effect.Narrows() {
		here, there = there, here
	}
	verb := "cannot read"
	if f.Guard == "read-as-another" {
		return say("A % of % accepts % from a peer of %, but reads it as another variant.", receiver, here, what.words, there)
	}
	switch {
	case f.Level == diff.LevelInfo:
		verb = "ignores"
	case f.Guard == "no-answer":
		verb = "ignores"
	case f.Category == diff.CategoryMethods:
		verb = "does not know"
	}
	if (f.Rule == "method-added" || f.Rule == "method-removed") && len(f.Args) > 0 {
		verb += " the " + f.Args[0] // both sides may have the method, in different kinds of messages
	}
	switch {
	case what.manner:
		return say("A % of % refuses %, which % allows.", receiver, here, what.words, there)
	case f.Effect.Narrows():
		return say("A % of % % %, which % still has.", receiver, here, verb, what.words, there)
	}
	return say("A % of % % %, which came with %.", receiver, here, verb, what.words, s.since(f))
}

// toolSentence describes a change for the callers of a tool.
func toolSentence(f *diff.Finding, tool string, what subject) phrase {
	server, client := f.ServerFirst.Level, f.ClientFirst.Level
	toCaller := f.Direction == diff.ToClient
	switch {
	case toCaller && f.Effect.Widens():
		if server == diff.LevelErr {
			return say("% may now return %, which callers of the old list do not expect.", code(tool), what.words)
		}
		return say("% may now return %.", code(tool), what.words)
	case toCaller:
		if client == diff.LevelErr {
			return say("% no longer returns %; if callers go first, they refuse it from the old server.", code(tool), what.words)
		}
		return say("% no longer returns %.", code(tool), what.words)
	case f.Effect.Widens():
		if client == diff.LevelErr {
			return say("% now accepts %; if callers go first, the old server refuses it.", code(tool), what.words)
		}
		return say("% now accepts %.", code(tool), what.words)
	}
	return say("% no longer accepts %.", code(tool), what.words)
}

// owner returns the tool, prompt or other offer that a finding belongs to.
func (s *speaker) owner(f *diff.Finding) string {
	if f.Tool != "" {
		return f.Tool
	}
	if name, found := owner(f.Subject, func(name string) bool { return s.old.subjects[name] || s.new.subjects[name] }); found {
		return name
	}
	name, _, _ := strings.Cut(f.Subject, ".arguments")
	return name
}

// inside returns the path of a finding within a tool's arguments or result, or below a
// declaration: "a.b" for "greet.input.a.b".
func (s *speaker) inside(f *diff.Finding) string {
	if s.report.Kind == "revisions" {
		return f.Subject
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(f.Subject, s.owner(f)), ".")
	part, below, _ := strings.Cut(rest, ".")
	switch part {
	case "input", "output", "arguments":
		return below
	}
	return rest
}

// change describes changes that do not affect the set of accepted values. It returns nil for
// other changes.
func (s *speaker) change(f *diff.Finding) phrase {
	if s.report.Kind == "revisions" {
		if f.Rule == "method-capability-changed" && len(f.Args) == 2 {
			return capability(f, s.since(f))
		}
		return nil
	}
	tool := s.owner(f)
	switch {
	case f.Rule == "tool-removed":
		return say("% was removed: every call of it fails.", code(tool))
	case f.Rule == "prompt-removed", f.Rule == "resource-removed", f.Rule == "resource-template-removed":
		return say("% was removed.", code(tool))
	case f.Rule == "tool-added", f.Rule == "prompt-added", f.Rule == "resource-added", f.Rule == "resource-template-added":
		return say("% is new.", code(tool))
	case f.Rule == "tool-renamed" && len(f.Args) > 0:
		return say("% was renamed to %: calls by the old name fail.", code(f.Args[0]), code(tool))
	case f.Rule == "instructions-changed":
		return say("The instructions changed: a model may act differently.")
	case f.Rule == "tool-description-changed":
		return say("The description of % changed: a model may use it differently.", code(tool))
	case f.Rule == "parameter-description-changed":
		return say("The description of % in % changed: a model may fill it in differently.", code(s.inside(f)), code(tool))
	case f.Rule == "default-changed" && len(f.Args) == 3:
		return say("The default of % in % is % now, was %.", code(s.inside(f)), code(tool), code(clipEnd(f.Args[2], 80)), code(clipEnd(f.Args[1], 80)))
	case f.Rule == "output-schema-added":
		return say("% now describes its result: callers of the new list refuse other results.", code(tool))
	case f.Rule == "output-schema-removed":
		return say("% no longer describes its result, which callers of the old list rely on.", code(tool))
	case s.rules[f.Rule].Promise:
		return say("% %.", code(tool), marked(f.Message))
	case f.Rule == "type-changed" && len(f.Args) == 2:
		if at := s.inside(f); at != "" {
			return say("% of % must be % now, was %.", code(at), code(tool), f.Args[1], f.Args[0])
		}
	case f.Rule == "const-changed" && len(f.Args) == 2:
		if at := s.inside(f); at != "" {
			return say("% of % must be % now, was %.", code(at), code(tool), code(f.Args[1]), code(f.Args[0]))
		}
	}
	return nil
}

// capability describes a change of the capability that a method depends on.
func capability(f *diff.Finding, since string) phrase {
	method, was, is := code(f.Subject), f.Args[0], f.Args[1]
	switch {
	case was == "none":
		return say("% depends on the capability % since %.", method, code(is), since)
	case is == "none":
		return say("% no longer depends on the capability % since %.", method, code(was), since)
	}
	return say("% depends on the capability % since %, before on %.", method, code(is), since, code(was))
}

// beyond describes a value beyond a limit, by the keyword of the limit; % is the limit.
var beyond = map[string]string{
	"minimum":       "a number below %",
	"minLength":     "a string shorter than % characters",
	"minItems":      "an array with fewer than % elements",
	"minProperties": "an object with fewer than % members",
	"maximum":       "a number above %",
	"maxLength":     "a string longer than % characters",
	"maxItems":      "an array with more than % elements",
	"maxProperties": "an object with more than % members",
}

// what describes the values that one side refuses. It returns false if the rule is not about
// values.
func (s *speaker) what(f *diff.Finding) (subject, bool) {
	at := s.inside(f)
	in := func(text phrase) phrase {
		if at == "" {
			return text
		}
		return say("% in %", text, code(at))
	}
	thing := func(p phrase) (subject, bool) { return subject{words: p}, true }
	manner := func(p phrase) (subject, bool) { return subject{words: p, manner: true}, true }
	arg := code(clipEnd(argument(f, 0), 80))
	switch f.Rule {
	case "member-added", "member-removed":
		return thing(s.member(f, "%"))
	case "required-member-added", "required-member-removed", "member-became-required", "member-became-optional":
		return manner(s.member(f, "without %"))
	case "variant-added", "variant-removed":
		return thing(in(say("%", s.variant(f))))
	case "method-added", "method-removed":
		return thing(say("%", code(argument(f, 1))))
	case "type-added", "type-removed":
		return manner(in(say("a value of type %", string(arg))))
	case "type-opened", "type-closed":
		return manner(in(say("a value of another type than %", string(arg))))
	case "type-widened", "type-narrowed":
		return manner(in(say("a number with a fraction")))
	case "enum-value-added", "enum-value-removed":
		if more := len(f.Args) - 1; more > 0 {
			return thing(in(say("the value % or one of % more", arg, strconv.Itoa(more))))
		}
		return thing(in(say("the value %", arg)))
	case "enum-opened", "enum-closed":
		return manner(in(say("a value that is not listed")))
	case "format-added", "format-removed":
		return manner(in(say("a string without the format %", arg)))
	case "unique-items-added", "unique-items-removed":
		return manner(in(say("an array with equal elements")))
	case "object-opened", "object-closed":
		return manner(in(say("members that are not declared")))
	}
	if text, ok := beyond[s.rules[f.Rule].Keyword]; ok && len(f.Args) == 2 {
		limit := f.Args[0] // the limit of the side that refuses
		if f.Effect.Narrows() {
			limit = f.Args[1]
		}
		return manner(in(say(text, limit)))
	}
	return subject{}, false
}

// member describes a member that only one side declares or requires. % in text is the member.
func (s *speaker) member(f *diff.Finding, text string) phrase {
	name := argument(f, 0)
	of := strings.TrimSuffix(strings.TrimSuffix(s.inside(f), name), ".")
	words := say(text, code(name))
	without := strings.HasPrefix(text, "without")
	switch {
	case s.report.Kind == "revisions" && without:
		return say("% %", code(of), words)
	case s.report.Kind == "revisions":
		return say("% in %", words, code(of))
	case without && of != "":
		return say("% %", code(of), words)
	case of != "":
		return say("% in %", words, code(of))
	case !without:
		return words
	case f.Direction == diff.ToClient:
		return say("a result %", words)
	}
	return say("a call %", words)
}

// variant returns the name of a variant: its constant on the wire if that identifies it, as
// "resource_link" identifies ResourceLink, and otherwise its type.
func (s *speaker) variant(f *diff.Finding) phrase {
	constant := s.new.constant(f.New)
	if f.Effect.Narrows() {
		constant = s.old.constant(f.Old)
	}
	name := argument(f, 0)
	if constant != "" && strings.Contains(letters(name), letters(constant)) {
		return say("%", code(constant))
	}
	return say("%", code(name))
}

// letters returns the letters of a name in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// owner returns the longest known prefix of a path, which is divided at dots. If no prefix is
// known, it returns the first part and false.
func owner(path string, known func(name string) bool) (string, bool) {
	for name := path; ; {
		if known(name) {
			return name, true
		}
		i := strings.LastIndexByte(name, '.')
		if i < 0 {
			return name, false
		}
		name = name[:i]
	}
}

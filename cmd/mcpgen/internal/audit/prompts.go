package audit

import (
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of server/prompts.

// promptListed remembers a prompt of a list.
func (s *Session) promptListed(raw wire.Raw) {
	var required []string
	for _, argument := range member(raw, "arguments").Elements() {
		if member(argument, "required") == "true" && len(required) < 100 {
			required = append(required, kept(text(member(argument, "name"))))
		}
	}
	if name := kept(text(member(raw, "name"))); name != "" && (len(s.prompts) < maxKept || s.prompts[name] != nil) {
		s.prompts[name] = required
	}
}

// promptAsked checks the arguments of a prompt.
func (s *Session) promptAsked(c *check, r *request, params wire.Raw, pointer string) {
	r.about.subject = kept(text(member(params, "name")))
	given := wire.Object(member(params, "arguments"))
	for _, name := range s.prompts[r.about.subject] {
		if _, ok := given.Get(name); !ok {
			r.about.missing = true
			c.breaks("prompt-arguments", pointer+"/params/arguments", "the prompt %s requires the argument %q", r.about.subject, name)
		}
	}
}

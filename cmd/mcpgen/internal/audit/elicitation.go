package audit

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of client/elicitation.

// elicits checks an elicitation request.
func (s *Session) elicits(c *check, r *request, params wire.Raw, pointer string) {
	r.about.mode = text(member(params, "mode"))
	if r.about.mode == "url" {
		s.elicitsURL(c, params, pointer+"/params")
		return
	}
	form := member(params, "requestedSchema")
	if len(form) <= 64<<10 {
		r.about.form = strings.Clone(string(form))
	}
	at := pointer + "/params/requestedSchema/properties/"
	texts := text(member(params, "message"))
	for name, field := range wire.Object(member(form, "properties")).All() {
		title := text(member(field, "title"))
		if sensitiveName(name) || sensitiveName(title) {
			c.breaks("elicitation-sensitive", at+name, "the form asks for %q, which is sensitive", name)
		}
		texts += "\n" + title + "\n" + text(member(field, "description"))
	}
	if s.since("2025-11-25") && (strings.Contains(texts, "https://") || strings.Contains(texts, "http://")) {
		c.breaks("elicitation-form-url", pointer+"/params", "the text of the form contains a URL; use the mode url for that")
	}
}

// elicitsURL checks an elicitation by URL.
func (s *Session) elicitsURL(c *check, params wire.Raw, pointer string) {
	if id := text(member(params, "elicitationId")); id != "" && len(s.elicited) < maxKept {
		s.elicited[hash(id)] = true
	}
	address := text(member(params, "url"))
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme == "" || u.Host == "" && (u.Scheme == "http" || u.Scheme == "https"):
		c.breaks("elicitation-url", pointer+"/url", "%q is not a URL", cut(address, 80))
	case u.Scheme == "http" && !development(u.Hostname()):
		c.breaks("elicitation-url-https", pointer+"/url", "the URL does not use https")
	}
	if err != nil {
		return
	}
	if _, given := u.User.Password(); given {
		c.breaks("elicitation-url-secret", pointer+"/url", "the URL contains a password")
	}
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if sensitiveName(name) && !recording.Masked(query.Get(name)) {
			c.breaks("elicitation-url-secret", pointer+"/url", "the parameter %q of the URL looks like a credential", cut(name, 80))
		}
	}
}

func development(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.") || host == "::1"
}

// formFilled checks the answer to a form.
func (s *Session) formFilled(c *check, r *request, result wire.Raw, pointer string) {
	action := text(member(result, "action"))
	content := member(result, "content")
	at := pointer + "/content"
	switch {
	case r.about.mode == "url" || action != "accept":
		if content != "" && content != "null" && content != "{}" {
			c.breaks("elicitation-content-extra", at, "only an accepted form has content")
		}
	case content == "" || content == "null":
		if length := wire.Object(member(wire.Raw(r.about.form), "properties")).Len(); length > 0 {
			c.breaks("elicitation-content-missing", pointer, "the form was accepted, but there is no content")
		}
	case r.about.form != "":
		for _, p := range s.schemas.of(r.about.form).problems(content) {
			c.breaks("elicitation-content", at+p.Pointer, "the content does not match the requested schema: %s", p.Message)
		}
		s.unasked(c, r, content, at)
	}
}

// unasked notes fields that the form does not have.
func (s *Session) unasked(c *check, r *request, content wire.Raw, pointer string) {
	fields := wire.Object(member(wire.Raw(r.about.form), "properties"))
	for name := range wire.Object(content).All() {
		if _, ok := fields.Get(name); !ok {
			c.note("elicitation-content", pointer+"/"+name, "the requested schema has no field %q", name)
		}
	}
}

// elicitationDone checks the notification that an elicitation was completed.
func (s *Session) elicitationDone(c *check, params wire.Raw, pointer string) {
	if id := text(member(params, "elicitationId")); s.whole && len(s.elicited) < maxKept && !s.elicited[hash(id)] {
		c.breaks("elicitation-complete-unknown", pointer+"/params/elicitationId", "the server requested no elicitation with the id %q", cut(id, 80))
	}
}

// elicitationRequired checks the data of the error -32042.
func (s *Session) elicitationRequired(c *check, data wire.Raw, pointer string) {
	list := member(data, "elicitations")
	at := pointer + "/error/data"
	if list.Kind() != wire.KindArray {
		c.breaks("elicitation-required", at, "the error has no list of elicitations")
		return
	}
	if declared, known := s.capabilities[Client]; known && !runtime.Declares(declared, "elicitation.url") {
		c.breaks("elicitation-required", at, "the client has not declared elicitation.url")
	}
	for i, one := range list.Elements() {
		if text(member(one, "mode")) != "url" || text(member(one, "elicitationId")) == "" || text(member(one, "url")) == "" {
			c.breaks("elicitation-required", ptr(at+"/elicitations", i), "the entry must be an elicitation with the mode url, an elicitationId and a url")
		}
		s.elicitsURL(c, one, ptr(at+"/elicitations", i))
	}
}

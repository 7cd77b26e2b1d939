package audit

import (
	"regexp"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of server/prompts, server/resources, server/utilities/logging and
// client/roots.

// promptListed remembers a prompt of a list.
func (s *Session) promptListed(raw wire.Raw) {
	var required []string
	each(member(raw, "arguments"), func(_ int, argument wire.Raw) {
		if member(argument, "required") == "true" && len(required) < 100 {
			required = append(required, kept(text(member(argument, "name"))))
		}
	})
	if name := kept(text(member(raw, "name"))); name != "" && (len(s.prompts) < maxKept || s.prompts[name] != nil) {
		s.prompts[name] = required
	}
}

// promptAsked checks the arguments of a prompt.
func (s *Session) promptAsked(c *check, r *request, params wire.Raw, pointer string, base int) {
	r.about.subject = kept(text(member(params, "name")))
	given := wire.Object(member(params, "arguments"))
	for _, name := range s.prompts[r.about.subject] {
		if _, ok := given.Get(name); !ok {
			r.about.missing = true
			c.breaks("prompt-arguments", pointer+"/params/arguments", base, "the prompt %s requires the argument %q", r.about.subject, name)
		}
	}
}

// updated checks a resource update (server/resources, "Subscriptions"). The resource may be
// part of a subscribed one.
func (s *Session) updated(c *check, params wire.Raw, pointer string, base int) {
	uri := text(member(params, "uri"))
	at := pointer + "/params/uri"
	if !s.whole || len(s.subscribed) >= maxKept || s.subscribed[uri] {
		return
	}
	if len(s.subscribed) == 0 {
		c.breaks("subscribe", at, base, "the client has not subscribed to any resource")
		return
	}
	for whole := range s.subscribed {
		if strings.HasPrefix(uri, strings.TrimRight(whole, "/")) {
			return
		}
	}
	c.breaks("subscribe-part", at, base, "the client has subscribed neither to %q nor to a resource whose URI is a prefix of it", cut(uri, 80))
}

// logged checks the rules of server/utilities/logging.
func (s *Session) logged(c *check, params wire.Raw, pointer string, base int) {
	if i := levelOf(text(member(params, "level"))); i >= 0 && i < s.level {
		s.late(c, s.leveled, "log-level", pointer+"/params/level", base, "the client has set the log level %s", levels[s.level])
	}
	if at, what := secret(member(params, "data"), ""); what != "" {
		c.breaks("log-secret", pointer+"/params/data"+at, base, "a log message contains %s", what)
	}
}

var (
	// sensitive matches names of members and fields whose values are credentials.
	sensitive = regexp.MustCompile(`(?i)^(.*[^a-z])?(password|passwd|passphrase|passcode|secret|client_?secret|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|access[-_ ]?token|refresh[-_ ]?token|auth[-_ ]?token|bearer[-_ ]?token|credentials?|card[-_ ]?number|credit[-_ ]?card|cvv|cvc|ssn|social[-_ ]?security)([-_ ]?number)?$`)
	// camel matches the word boundaries of a name in camel case.
	camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	// secrets matches texts that have the form of credentials.
	secrets = regexp.MustCompile(`(?i)-----BEGIN [A-Z ]*PRIVATE KEY-----|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}|\bsk-[A-Za-z0-9_-]{20,}|\bxox[abpr]-[A-Za-z0-9-]{10,}|\bbearer [A-Za-z0-9._~+/-]{16,}|\b(password|passwd|secret|api[-_]?key|access[-_]?token)\s*[=:]\s*["']?[^\s"'*<\[(]{4,}`)
	// masked matches placeholders for credentials.
	masked = regexp.MustCompile(`(?i)^[*x.•<\[(]|redacted|hidden|masked|^$`)
)

func sensitiveName(name string) bool {
	return sensitive.MatchString(camel.ReplaceAllString(name, "${1}_${2}"))
}

// secret returns the JSON Pointer and a description of the first credential in a value, or "".
func secret(value wire.Raw, at string) (pointer, what string) {
	switch value.Kind() {
	case wire.KindString:
		if found := secrets.FindString(text(value)); found != "" && !strings.Contains(strings.ToLower(found), "redacted") {
			return at, "a text that looks like a credential"
		}
	case wire.KindObject:
		for name, inner := range wire.Object(value).All() {
			here := at + "/" + name
			if inner.Kind() == wire.KindString && sensitiveName(name) && !masked.MatchString(text(inner)) {
				return here, "the value of " + name
			}
			if pointer, what = secret(inner, here); what != "" {
				return pointer, what
			}
		}
	case wire.KindArray:
		each(value, func(i int, element wire.Raw) {
			if what == "" {
				pointer, what = secret(element, ptr(at, i))
			}
		})
	}
	return pointer, what
}

// rootsSeen is the last known state of the client's roots.
type rootsSeen struct {
	any       bool
	sum       uint64
	announced bool
}

// rootsGiven checks the client's roots.
func (s *Session) rootsGiven(c *check, result wire.Raw, pointer string, base int) {
	sum := uint64(0)
	each(member(result, "roots"), func(i int, root wire.Raw) {
		uri := text(member(root, "uri"))
		sum += hash(uri)
		if !strings.HasPrefix(strings.ToLower(uri), "file://") {
			c.breaks("root-uri", ptr(pointer+"/result/roots", i, "uri"), base, "%q is not a file:// URI", cut(uri, 80))
		}
	})
	if s.roots.any && s.roots.sum != sum && !s.roots.announced && s.declares(Client, "roots.listChanged") {
		s.late(c, time.Time{}, "roots-changed-unannounced", pointer+"/result/roots", base, "the roots have changed, but no notifications/roots/list_changed has come")
	}
	s.roots = rootsSeen{any: true, sum: sum}
}

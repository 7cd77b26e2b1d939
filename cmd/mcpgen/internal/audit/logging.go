package audit

import (
	"regexp"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of server/utilities/logging, and finds credentials.

// logged checks the rules of server/utilities/logging.
func (s *Session) logged(c *check, params wire.Raw, pointer string) {
	if s.stateless && s.follows() {
		s.loggedFor(c, params, pointer)
	} else if i := levelOf(text(member(params, "level"))); i >= 0 && i < s.level {
		s.late(c, s.leveled, "log-level", pointer+"/params/level", "the client has set the log level %s", levels[s.level])
	}
	if at, what := secret(member(params, "data"), ""); what != "" {
		c.breaks("log-secret", pointer+"/params/data"+at, "a log message contains %s", what)
	}
}

var (
	// sensitive matches names of members and fields whose values are credentials.
	sensitive = regexp.MustCompile(`(?i)^(.*[^a-z])?(password|passwd|passphrase|passcode|secret|client_?secret|(api|access|private|secret|signing|encryption)[-_ ]?key|` +
		`(access|refresh|auth|bearer|api|id|session|secret|personal|oauth|jwt)[-_ ]?token|credentials?|(one[-_ ]?time|otp|card|mfa|2fa)[-_ ]?code|otp|seed[-_ ]?phrase|` +
		`card[-_ ]?number|credit[-_ ]?card|cvv|cvc|iban|ssn|social[-_ ]?security)([-_ ]?number)?$`)
	// camel matches the word boundaries of a name in camel case.
	camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

func sensitiveName(name string) bool {
	return sensitive.MatchString(camel.ReplaceAllString(name, "${1}_${2}"))
}

// secret returns the JSON Pointer and a description of the first credential in a value, or "".
func secret(value wire.Raw, at string) (pointer, what string) {
	switch value.Kind() {
	case wire.KindString:
		if recording.HasSecret(text(value)) {
			return at, "a text that looks like a credential"
		}
	case wire.KindObject:
		for name, inner := range wire.Object(value).All() {
			here := at + "/" + name
			if inner.Kind() == wire.KindString && sensitiveName(name) && !recording.Masked(text(inner)) {
				return here, "the value of " + name
			}
			if pointer, what = secret(inner, here); what != "" {
				return pointer, what
			}
		}
	case wire.KindArray:
		for i, element := range value.Elements() {
			if what == "" {
				pointer, what = secret(element, ptr(at, i))
			}
		}
	}
	return pointer, what
}

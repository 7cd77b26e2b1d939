package oauth

import (
	"net/http"
	"slices"
	"strings"
)

// The schemes of authentication by access tokens, as they are written in headers.
const (
	SchemeBearer = "Bearer" // RFC 6750
	SchemeDPoP   = "DPoP"   // RFC 9449
)

// The values of the parameter error of a challenge (RFC 6750, section 3.1, and RFC 9449, section 7).
const (
	ErrorInvalidRequest    = "invalid_request"
	ErrorInvalidToken      = "invalid_token"
	ErrorInsufficientScope = "insufficient_scope"
	ErrorInvalidDPoPProof  = "invalid_dpop_proof"
	ErrorUseDPoPNonce      = "use_dpop_nonce"
)

// FormatChallenge returns a challenge of a WWW-Authenticate header (RFC 9110, section 11.6.1) with parameters, which
// are pairs of a name and a value. It leaves out parameters whose value is "", and characters that a header must not
// contain.
func FormatChallenge(scheme string, parameters ...string) string {
	var b strings.Builder
	b.WriteString(scheme)
	separator := " "
	for pair := range slices.Chunk(parameters, 2) {
		if pair[1] == "" {
			continue
		}
		b.WriteString(separator + pair[0] + `="` + escaper.Replace(strings.Map(printable, pair[1])) + `"`)
		separator = ", "
	}
	return b.String()
}

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// printable is a function of strings.Map that drops control characters.
func printable(c rune) rune {
	if c < ' ' && c != '\t' || c == 0x7f {
		return -1
	}
	return c
}

// Challenge is one challenge of a WWW-Authenticate header.
type Challenge struct {
	// Scheme is the scheme as it was written; schemes are compared without case.
	Scheme string
	// Params are the parameters by their names in lower case, with unquoted values. The value of a scheme such as
	// Negotiate, which has no name, is not among them.
	Params map[string]string
}

// Scopes returns the scopes of the parameter scope, without duplicates.
func (c Challenge) Scopes() []string { return ParseScopes(c.Params["scope"]) }

// Challenges returns the challenges of the WWW-Authenticate headers. It ignores what follows a syntax error in a
// header.
func Challenges(h http.Header) []Challenge {
	var all []Challenge
	for _, text := range h.Values("WWW-Authenticate") {
		all = append(all, parseChallenges(text)...)
	}
	return all
}

// parseChallenges parses the value of one header. A name before an equals sign is that of a parameter, and any other
// one is the scheme of the next challenge.
func parseChallenges(text string) []Challenge {
	var all []Challenge
	for {
		name, rest := cutToken(strings.TrimLeft(text, ", \t"))
		if name == "" {
			return all
		}
		rest = strings.TrimLeft(rest, " \t")
		value, isParameter := strings.CutPrefix(rest, "=")
		if !isParameter {
			all = append(all, Challenge{Scheme: name, Params: map[string]string{}})
			text = rest
			after := strings.TrimLeftFunc(rest, func(c rune) bool { return !strings.ContainsRune(", \t", c) })
			unnamed := rest[:len(rest)-len(after)]
			if after = strings.TrimLeft(after, " \t"); IsToken68(unnamed) && (after == "" || after[0] == ',') {
				text = after
			}
			continue
		}
		value, rest, ok := cutValue(strings.TrimLeft(value, " \t"))
		if !ok || len(all) == 0 {
			return all
		}
		params := all[len(all)-1].Params
		name = strings.ToLower(name)
		if _, twice := params[name]; twice {
			return all
		}
		params[name] = value
		if text = strings.TrimLeft(rest, " \t"); text != "" && text[0] != ',' {
			return all
		}
	}
}

// cutToken cuts a token (RFC 9110, section 5.6.2), which is "" if there is none, from the beginning of a text.
func cutToken(text string) (token, rest string) {
	rest = strings.TrimLeftFunc(text, func(c rune) bool { return isAlphanumeric(c) || strings.ContainsRune("!#$%&'*+-.^_`|~", c) })
	return text[:len(text)-len(rest)], rest
}

// cutValue cuts a token or a quoted string from the beginning of a text. Some servers do not quote URLs, so a value
// without quotes may have all characters but those that end it, and semicolons, by which some separate parameters.
func cutValue(text string) (value, rest string, ok bool) {
	quoted, isQuoted := strings.CutPrefix(text, `"`)
	if !isQuoted {
		rest = strings.TrimLeftFunc(text, func(c rune) bool { return !strings.ContainsRune(",; \t\"", c) })
		value = text[:len(text)-len(rest)]
		return value, rest, value != ""
	}
	var b strings.Builder
	for i := 0; i < len(quoted); i++ {
		switch c := quoted[i]; {
		case c == '"':
			return b.String(), quoted[i+1:], true
		case c == '\\' && i+1 < len(quoted):
			i++
		}
		b.WriteByte(quoted[i])
	}
	return "", "", false
}

// IsToken68 reports whether a text has the syntax of a bearer token and of the only value of a challenge (RFC 9110,
// section 11.2).
func IsToken68(text string) bool {
	core := strings.TrimRight(text, "=")
	return core != "" && !strings.ContainsFunc(core, func(c rune) bool { return !isAlphanumeric(c) && !strings.ContainsRune("-._~+/", c) })
}

func isAlphanumeric(c rune) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// ParseScopes returns the scopes of a list that is separated by spaces, in its order and without
// duplicates. It leaves out what is not a scope.
func ParseScopes(list string) []string {
	return UnionScopes(slices.DeleteFunc(strings.Fields(list), func(s string) bool { return !IsScope(s) }))
}

// FormatScopes returns scopes as a list that is separated by spaces.
func FormatScopes(scopes []string) string { return strings.Join(scopes, " ") }

// UnionScopes returns the scopes of all lists, in their order and without duplicates.
func UnionScopes(lists ...[]string) []string {
	var union []string
	for _, s := range slices.Concat(lists...) {
		if !slices.Contains(union, s) {
			union = append(union, s)
		}
	}
	return union
}

// IsScope reports whether a text is a scope: printable ASCII without spaces, quotes and backslashes
// (RFC 6749, section 3.3).
func IsScope(s string) bool {
	return IsVisible(s) && !strings.ContainsAny(s, `"\`)
}

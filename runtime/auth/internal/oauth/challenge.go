package oauth

import (
	"errors"
	"fmt"
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

// Challenge is one challenge of a WWW-Authenticate header (RFC 9110, section 11.6.1).
type Challenge struct {
	// Scheme is the scheme as it was written; schemes are compared without case.
	Scheme string
	// Token68 is the value of a scheme such as Negotiate, which has no parameters.
	Token68 string
	// Params are the parameters in the order of the header. Their names are in lower case.
	Params []Param
}

// Param is a parameter of a challenge, with its value unquoted.
type Param struct {
	Name, Value string
}

// HasScheme reports whether the challenge has a scheme.
func (c Challenge) HasScheme(scheme string) bool { return strings.EqualFold(c.Scheme, scheme) }

// Get returns the value of a parameter, or "" if it is absent.
func (c Challenge) Get(name string) string {
	for _, p := range c.Params {
		if strings.EqualFold(p.Name, name) {
			return p.Value
		}
	}
	return ""
}

// With returns the challenge with one more parameter, unless the value is "".
func (c Challenge) With(name, value string) Challenge {
	if value != "" {
		c.Params = append(slices.Clip(c.Params), Param{Name: name, Value: value})
	}
	return c
}

// ErrorCode returns the parameter error, such as [ErrorInsufficientScope].
func (c Challenge) ErrorCode() string { return c.Get("error") }

// Scopes returns the scopes of the parameter scope, without duplicates.
func (c Challenge) Scopes() []string { return ParseScopes(c.Get("scope")) }

// ResourceMetadata returns the URL of the metadata of the resource (RFC 9728, section 5.1).
func (c Challenge) ResourceMetadata() string { return c.Get("resource_metadata") }

// String returns the challenge as it is written in a header. Characters that a header must not
// contain are left out of values.
func (c Challenge) String() string {
	var b strings.Builder
	b.WriteString(c.Scheme)
	if c.Token68 != "" {
		b.WriteString(" " + c.Token68)
	}
	for i, p := range c.Params {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(" " + p.Name + "=" + quote(p.Value))
	}
	return b.String()
}

// quote returns a value as a quoted string (RFC 9110, section 5.6.4).
func quote(value string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(value) {
		switch c := value[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= ' ' && c != 0x7f || c == '\t':
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Challenges returns the challenges of the WWW-Authenticate headers. It returns those before a syntax
// error as well as the error.
func Challenges(h http.Header) ([]Challenge, error) {
	var all []Challenge
	for _, value := range h.Values("WWW-Authenticate") {
		some, err := parseChallenges(value)
		all = append(all, some...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// parseChallenges parses the value of one WWW-Authenticate header, which holds one or more challenges.
// It returns those before a syntax error as well as the error.
func parseChallenges(value string) ([]Challenge, error) {
	p := challengeParser{rest: value}
	var all []Challenge
	for p.nextItem() {
		c, err := p.challenge()
		if c.Scheme != "" {
			all = append(all, c)
		}
		if err != nil {
			return all, fmt.Errorf("WWW-Authenticate: %w after %d bytes of %q", err, len(value)-len(p.rest), value)
		}
	}
	return all, nil
}

type challengeParser struct{ rest string }

// nextItem skips commas and space, and reports whether anything follows.
func (p *challengeParser) nextItem() bool {
	p.rest = strings.TrimLeft(p.rest, ", \t")
	return p.rest != ""
}

func (p *challengeParser) challenge() (Challenge, error) {
	c := Challenge{Scheme: p.token()}
	if c.Scheme == "" {
		return c, errors.New("expected a scheme")
	}
	if p.rest == "" || p.rest[0] == ',' {
		return c, nil // a scheme alone
	}
	if !p.space() {
		return c, errors.New("expected a space after the scheme")
	}
	if t := p.token68(); t != "" {
		c.Token68 = t
		return c, nil
	}
	for p.nextItem() {
		before := p.rest
		name := p.token()
		if name == "" {
			return c, errors.New("expected a parameter")
		}
		p.space()
		if !strings.HasPrefix(p.rest, "=") { // the next challenge
			p.rest = before
			return c, nil
		}
		p.rest = p.rest[1:]
		p.space()
		v, err := p.value()
		if err != nil {
			return c, err
		}
		if slices.ContainsFunc(c.Params, func(p Param) bool { return strings.EqualFold(p.Name, name) }) {
			return c, fmt.Errorf("the parameter %q occurs twice", name)
		}
		c.Params = append(c.Params, Param{Name: strings.ToLower(name), Value: v})
		p.space()
		if p.rest != "" && p.rest[0] != ',' {
			return c, errors.New("expected a comma")
		}
	}
	return c, nil
}

// space skips white space and reports whether there was any.
func (p *challengeParser) space() bool {
	return p.take(func(c rune) bool { return c == ' ' || c == '\t' }) != ""
}

// token reads a token (RFC 9110, section 5.6.2).
func (p *challengeParser) token() string {
	return p.take(func(c rune) bool { return isAlphanumeric(c) || strings.ContainsRune("!#$%&'*+-.^_`|~", c) })
}

// take reads characters of a set.
func (p *challengeParser) take(in func(rune) bool) string {
	rest := strings.TrimLeftFunc(p.rest, in)
	taken := p.rest[:len(p.rest)-len(rest)]
	p.rest = rest
	return taken
}

// token68 reads a value like that of Negotiate, which extends to a comma or the end. A token before
// an equals sign and a value is a parameter instead.
func (p *challengeParser) token68() string {
	before := p.rest
	t := p.take(func(c rune) bool { return !strings.ContainsRune(", \t", c) })
	p.space()
	if !IsToken68(t) || p.rest != "" && p.rest[0] != ',' {
		p.rest = before
		return ""
	}
	return t
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

func (p *challengeParser) value() (string, error) {
	if !strings.HasPrefix(p.rest, `"`) {
		if v := p.token(); v != "" {
			return v, nil
		}
		return "", errors.New("expected a value")
	}
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '"':
			p.rest = p.rest[i+1:]
			return b.String(), nil
		case '\\':
			i++
			if i == len(p.rest) {
				return "", errors.New("unfinished quoted string")
			}
		}
		b.WriteByte(p.rest[i])
	}
	return "", errors.New("unfinished quoted string")
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
	for _, list := range lists {
		for _, s := range list {
			if !slices.Contains(union, s) {
				union = append(union, s)
			}
		}
	}
	return union
}

// IsScope reports whether a text is a scope: printable ASCII without spaces, quotes and backslashes
// (RFC 6749, section 3.3).
func IsScope(s string) bool {
	return IsVisible(s) && !strings.ContainsAny(s, `"\`)
}

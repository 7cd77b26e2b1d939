package resource

import (
	"math"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// claims are those of a token: a JSON object that was checked.
type claims wire.Object

// claimsOf reads the claims of a token. Two claims with the same name are an error, because readers
// differ in which one they take.
func claimsOf(text string) (claims, error) {
	var o wire.Object
	if err := wire.UnmarshalString(text, &o); err != nil {
		return "", refusedf("the claims of the access token are not a JSON object")
	}
	return claims(o), nil
}

func (c claims) get(name string) (wire.Raw, bool) { return wire.Object(c).Get(name) }

// text returns a claim that is a string, or "".
func (c claims) text(name string) string { return wire.Object(c).GetString(name) }

// list returns a claim that is a string or an array of strings.
func (c claims) list(name string) []string {
	value, ok := c.get(name)
	if !ok {
		return nil
	}
	if one, ok := value.Str(); ok {
		return []string{one}
	}
	var all []string
	for _, item := range value.Elements() {
		if one, ok := item.Str(); ok {
			all = append(all, one)
		}
	}
	return all
}

// date returns a claim that is a number of seconds since 1970, or the zero time if it is absent.
func (c claims) date(name string) (time.Time, error) {
	value, ok := c.get(name)
	if !ok || value == "null" {
		return time.Time{}, nil
	}
	seconds, err := strconv.ParseFloat(string(value), 64)
	if err != nil || math.Abs(seconds) > 1<<40 {
		return time.Time{}, refusedf("the claim %s of the access token is not a date", name)
	}
	return time.Unix(int64(math.Floor(seconds)), 0), nil
}

// scopes returns the scopes of a token: scope, a list with spaces (RFC 9068, section 2.2.3), or scp, as
// some authorization servers call it.
func (c claims) scopes() []string {
	if _, ok := c.get("scope"); ok {
		var all []string
		for _, part := range c.list("scope") {
			all = auth.UnionScopes(all, auth.ParseScopes(part))
		}
		return all
	}
	var all []string
	for _, part := range c.list("scp") {
		all = auth.UnionScopes(all, auth.ParseScopes(part))
	}
	return all
}

// confirm sets what the token is bound to (RFC 7800). A token that is bound to something else is
// refused, because a thief could use it.
func (c claims) confirm(caller *auth.Caller) error {
	value, ok := c.get("cnf")
	if !ok || value == "null" {
		return nil
	}
	bound := false
	if value.Kind() == wire.KindObject {
		for name, thumbprint := range wire.Object(value).All() {
			text, _ := thumbprint.Str()
			switch name {
			case "x5t#S256":
				caller.CertificateThumbprint = text
			case "jkt":
				caller.KeyThumbprint = text
			default:
				continue
			}
			if text == "" {
				return refusedf("the claim cnf of the access token has an empty thumbprint")
			}
			bound = true
		}
	}
	if !bound {
		return refusedf("the access token is bound to its sender in a way that is not supported")
	}
	return nil
}

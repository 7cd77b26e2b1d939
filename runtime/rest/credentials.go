package rest

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"unicode"
)

// Kind is how a credential is sent.
type Kind string

// The kinds of credentials.
const (
	APIKey Kind = "apiKey" // as the parameter that the scheme names
	Basic  Kind = "basic"  // as user and password, with a colon between them (RFC 7617)
	Bearer Kind = "bearer" // as a bearer token (RFC 6750), also for OAuth 2 and OpenID Connect
)

// Scheme is a security scheme of an API.
type Scheme struct {
	// Name is that of the scheme in the document.
	Name string
	Kind Kind
	// In and Parameter say where an API key is sent: in a header, the query or a cookie.
	In        Place
	Parameter string
}

// Credentials returns the credential of a scheme, or "" if there is none.
type Credentials func(ctx context.Context, s Scheme) (string, error)

// Environment returns the credential of a scheme from the environment variable [Scheme.Variable].
func Environment(_ context.Context, s Scheme) (string, error) { return os.Getenv(s.Variable()), nil }

// Variable returns the environment variable of a scheme: its name in upper case, with underscores
// between words, such as BEARER_AUTH for bearerAuth.
func (s Scheme) Variable() string {
	var b strings.Builder
	before := '_'
	for _, r := range s.Name {
		switch {
		case r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = '_'
			if before == '_' {
				continue
			}
		case unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsDigit(before)):
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
		before = r
	}
	name := strings.TrimRight(b.String(), "_")
	if name == "" || unicode.IsDigit(rune(name[0])) {
		name = "API_" + name
	}
	return name
}

// authorize adds the credentials of the first alternative whose credentials are all known.
func (c *Client) authorize(o *Operation, req *http.Request) error {
	if c.Credentials == nil || len(o.Security) == 0 {
		return nil
	}
	anonymous := false
	for _, schemes := range o.Security {
		anonymous = anonymous || len(schemes) == 0
		found := make([]string, len(schemes))
		for i, s := range schemes {
			var err error
			if found[i], err = c.Credentials(req.Context(), s); err != nil {
				return fmt.Errorf("%s %s: the credential %q: %w", o.Method, o.Path, s.Name, err)
			}
		}
		if len(schemes) == 0 || slices.Contains(found, "") {
			continue
		}
		for i, s := range schemes {
			s.add(req, found[i])
		}
		return nil
	}
	if anonymous {
		return nil
	}
	var alternatives []string
	for _, schemes := range o.Security {
		var names []string
		for _, s := range schemes {
			names = append(names, s.Variable())
		}
		alternatives = append(alternatives, strings.Join(names, " and "))
	}
	return fmt.Errorf("%s %s: the API requires credentials that are not in the environment of the server: %s", o.Method, o.Path, strings.Join(alternatives, ", or "))
}

// add adds a credential to a request.
func (s Scheme) add(req *http.Request, credential string) {
	switch {
	case s.Kind == Bearer:
		req.Header.Set("Authorization", "Bearer "+credential)
	case s.Kind == Basic:
		req.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(credential)))
	case s.In == Query:
		pair := escapeText(s.Parameter) + "=" + escapeText(credential)
		if req.URL.RawQuery != "" {
			pair = "&" + pair
		}
		req.URL.RawQuery += pair
	case s.In == Cookie:
		pair := s.Parameter + "=" + escapeCookie(credential)
		if before := req.Header.Get("Cookie"); before != "" {
			pair = before + "; " + pair
		}
		req.Header.Set("Cookie", pair)
	default:
		req.Header.Set(s.Parameter, credential)
	}
}

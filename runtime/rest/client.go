package rest

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// BaseURLVariable is the environment variable from which a generated main.go takes
// [Client.BaseURL].
const BaseURLVariable = "API_BASE_URL"

const (
	// maxResponse is the default of Client.MaxResponse.
	maxResponse = 8 << 20
	// maxExcerpt limits what an error quotes of an answer.
	maxExcerpt = 2 << 10
)

// Client sends requests to an API. The zero value uses the servers that the document names and no
// credentials. Its fields must not be changed while it is used.
type Client struct {
	// BaseURL replaces the servers of all operations, with their paths, if it is not "".
	BaseURL string
	// HTTP sends the requests. Nil uses http.DefaultTransport and follows no redirect to another
	// host, because that host would receive the credentials.
	HTTP *http.Client
	// Credentials returns the credential of a scheme, or "" if there is none. Without it, requests have none, for an
	// HTTP client that adds its own.
	Credentials func(ctx context.Context, s Scheme) (string, error)
	// Header is added to all requests, unless they have headers of these names.
	Header http.Header
	// MaxResponse limits the size of an answer in bytes. 0 means 8 MiB.
	MaxResponse int64
}

// StatusError is the answer of an API that is not a success.
type StatusError struct {
	Method string
	Path   string // as the document has it
	Status int
	// Body is the beginning of the answer, at most 2 KiB.
	Body string
}

// Error returns the request, the status and the beginning of the answer, for the client's model.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("%s %s: %d %s", e.Method, e.Path, e.Status, http.StatusText(e.Status))
	if e.Body != "" {
		text += ": " + e.Body
	}
	return text
}

// Call calls an operation whose answer is JSON, decodes the answer into out and returns out, or nil
// with an error. It returns a *[StatusError] for an answer that is not a success.
func Call[Out wire.Value](ctx context.Context, c *Client, o *Operation, in wire.Appender, out Out) (Out, error) {
	var none Out
	a, err := c.do(ctx, o, in)
	if err != nil {
		return none, err
	}
	text, err := a.json(o.Wrapped)
	if err == nil {
		err = wire.UnmarshalString(text, out)
	}
	if err != nil {
		return none, fmt.Errorf("%s %s: the answer of the API is not what its description says: %w", o.Method, o.Path, err)
	}
	return out, nil
}

// CallContent calls an operation and returns its answer as content blocks: text, an image, audio, or
// an embedded resource. decode reads the blocks of a CallToolResult.
func CallContent[Block any](ctx context.Context, c *Client, o *Operation, in wire.Appender, decode func(wire.Object) ([]Block, error)) ([]Block, error) {
	a, err := c.do(ctx, o, in)
	if err != nil {
		return nil, err
	}
	return decode(a.content())
}

// answer is a response of an API that is a success.
type answer struct {
	status    int
	mediaType string
	url       string // without the query, which may have credentials
	body      []byte
}

// do sends the request of an operation.
func (c *Client) do(ctx context.Context, o *Operation, in wire.Appender) (*answer, error) {
	arguments, err := wire.MarshalString(in)
	if err != nil {
		return nil, err
	}
	req, err := o.request(ctx, c.BaseURL, wire.Object(arguments))
	if err != nil {
		return nil, err
	}
	if err := c.authorize(o, req); err != nil {
		return nil, err
	}
	for name, values := range c.Header {
		if _, has := req.Header[name]; !has {
			req.Header[name] = values
		}
	}
	client := c.HTTP
	if client == nil {
		client = &http.Client{CheckRedirect: sameHost}
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.Method, o.Path, withoutURL(err))
	}
	defer resp.Body.Close()
	limit := min(cmp.Or(c.MaxResponse, maxResponse), math.MaxInt64-1)
	a := &answer{status: resp.StatusCode, url: req.URL.Scheme + "://" + req.URL.Host + req.URL.EscapedPath()}
	a.mediaType, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		a.body, _ = io.ReadAll(io.LimitReader(resp.Body, maxExcerpt+1)) // as much as there is
		return nil, &StatusError{o.Method, o.Path, resp.StatusCode, a.excerpt()}
	}
	if a.body, err = io.ReadAll(io.LimitReader(resp.Body, limit+1)); err != nil {
		return nil, fmt.Errorf("%s %s: reading the answer: %w", o.Method, o.Path, err)
	}
	if int64(len(a.body)) > limit {
		return nil, fmt.Errorf("%s %s: the answer is longer than %d bytes", o.Method, o.Path, limit)
	}
	return a, nil
}

// sameHost follows redirects within a host. A redirect to another host is not followed, so it is
// the answer.
func sameHost(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("stopped after 10 redirects")
	}
	if first := via[0].URL; req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// json returns the text of a structured result.
func (a *answer) json(wrapped bool) (string, error) {
	text := strings.TrimSpace(string(a.body))
	if text == "" && wrapped {
		return "{}", nil // the schema says whether that is allowed
	}
	if _, err := wire.Parse(text); err != nil {
		return "", fmt.Errorf("expected JSON, found %s (%w): %s", a.kind(), err, a.excerpt())
	}
	if wrapped {
		return `{"result":` + text + `}`, nil
	}
	return text, nil
}

// kind returns the media type, or a description if there is none.
func (a *answer) kind() string {
	switch {
	case len(a.body) == 0:
		return fmt.Sprintf("nothing (status %d)", a.status)
	case a.mediaType == "":
		return "an answer without a media type"
	}
	return a.mediaType
}

// excerpt returns the beginning of an answer that is text.
func (a *answer) excerpt() string {
	text := string(a.body[:min(len(a.body), maxExcerpt)])
	if len(text) < len(a.body) {
		for !utf8.ValidString(text) && len(text) > maxExcerpt-utf8.UTFMax {
			text = text[:len(text)-1]
		}
		text += "..."
	}
	if !utf8.ValidString(text) {
		return ""
	}
	return strings.TrimSpace(text)
}

// content returns the answer as a CallToolResult.
func (a *answer) content() wire.Object {
	kind, _, _ := strings.Cut(a.mediaType, "/")
	members := func(pairs ...string) string {
		text := []byte{'{'}
		for i := 0; i < len(pairs); i += 2 {
			text = wire.AppendName(text, pairs[i])
			text, _ = wire.AppendString(text, pairs[i+1]) // all of them are valid UTF-8
		}
		return string(append(text, '}'))
	}
	block := ""
	switch {
	case len(a.body) == 0:
		block = members("type", "text", "text", fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)))
	case kind == "image" && a.mediaType != "image/svg+xml", kind == "audio":
		block = members("type", kind, "data", base64.StdEncoding.EncodeToString(a.body), "mimeType", a.mediaType)
	case utf8.Valid(a.body):
		block = members("type", "text", "text", string(a.body))
	default:
		mediaType := cmp.Or(a.mediaType, "application/octet-stream")
		block = `{"type":"resource","resource":` + members("uri", a.url, "mimeType", mediaType, "blob", base64.StdEncoding.EncodeToString(a.body)) + "}"
	}
	return wire.Object(`{"content":[` + block + `]}`)
}

// Scheme is a security scheme of an API.
type Scheme struct {
	// Name is that of the scheme in the document.
	Name string `json:"name"`
	// Kind is how the credential is sent: apiKey (as the parameter that the scheme names), basic (as user and
	// password, with a colon between them, RFC 7617) or bearer (as a bearer token, RFC 6750, also for OAuth 2 and
	// OpenID Connect).
	Kind string `json:"kind"`
	// In and Parameter say where an API key is sent: in a header, the query or a cookie.
	In        string `json:"in,omitempty"`
	Parameter string `json:"parameter,omitempty"`
}

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
	case s.Kind == "bearer":
		req.Header.Set("Authorization", "Bearer "+credential)
	case s.Kind == "basic":
		req.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(credential)))
	case s.In == "query":
		pair := escapeText(s.Parameter) + "=" + escapeText(credential)
		if req.URL.RawQuery != "" {
			pair = "&" + pair
		}
		req.URL.RawQuery += pair
	case s.In == "cookie":
		pair := s.Parameter + "=" + escapeCookie(credential)
		if before := req.Header.Get("Cookie"); before != "" {
			pair = before + "; " + pair
		}
		req.Header.Set("Cookie", pair)
	default:
		req.Header.Set(s.Parameter, credential)
	}
}

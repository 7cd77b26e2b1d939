package recording

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A Redactor replaces secrets. Equal values have equal replacements within a recording.
type Redactor struct {
	key     [32]byte
	secrets []Pattern // the places of further secrets
	off     bool
}

// RedactNothing is the pattern with which a redactor leaves messages as they are.
const RedactNothing = "none"

// NewRedactor returns a redactor with a random key, so that digests do not reveal values that
// are easy to guess. Patterns are the places of further secrets in messages.
func NewRedactor(patterns ...string) (*Redactor, error) {
	r := new(Redactor)
	rand.Read(r.key[:])
	if len(patterns) == 1 && patterns[0] == RedactNothing {
		r.off = true
		return r, nil
	}
	for _, text := range patterns {
		p, err := ParsePattern(text)
		if err != nil {
			return nil, fmt.Errorf("%w, or %s alone", err, RedactNothing)
		}
		r.secrets = append(r.secrets, p)
	}
	return r, nil
}

// Invalid ends the digest of a session id with characters that the protocol does not allow.
const Invalid = ";invalid"

// Digest returns the replacement of a session id, or "" for "".
func (r *Redactor) Digest(id string) string {
	if id == "" {
		return ""
	}
	mac := hmac.New(sha256.New, r.key[:])
	io.WriteString(mac, id)
	digest := "sha256:" + hex.EncodeToString(mac.Sum(nil)[:8])
	if strings.ContainsFunc(id, func(c rune) bool { return c < 0x21 || c > 0x7e }) {
		digest += Invalid
	}
	return digest
}

// kept are the headers that the protocol uses. Those that repeat parts of a message, such as
// Mcp-Name and Mcp-Param-Region, are redacted with their message.
var kept = []string{
	"Accept", "Allow", "Cache-Control", "Connection", "Content-Encoding", "Content-Length", "Content-Type",
	"Last-Event-Id", "Location", "Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Origin", "Retry-After", "Transfer-Encoding", "User-Agent",
}

// secret are the headers that are recorded without their values.
var secret = []string{"Authorization", "Cookie", "Proxy-Authorization", "Set-Cookie", "X-Api-Key"}

// Header returns the headers to record, by canonical name.
func (r *Redactor) Header(h http.Header) map[string]string {
	out := map[string]string{}
	for name, values := range h {
		value := strings.Join(values, ", ")
		switch {
		case slices.Contains(kept, name), strings.HasPrefix(name, "Mcp-Param-"):
			out[name] = value
		case name == "Mcp-Session-Id":
			out[name] = r.Digest(value)
		case name == "Www-Authenticate":
			scheme, _, _ := strings.Cut(value, " ")
			out[name] = scheme
		case slices.Contains(secret, name):
			out[name] = "redacted"
		}
	}
	return out
}

// Path returns the path and query of a URL, without secrets, and with digests in place of the query values.
func (r *Redactor) Path(u *url.URL) string {
	path := u.EscapedPath()
	if !r.off {
		path = (&secrets{r: r, found: map[string]string{}}).within(path)
	}
	if u.RawQuery == "" {
		return path
	}
	var query []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, found := strings.Cut(part, "=")
		if found {
			name += "=" + r.Digest(value)
		}
		query = append(query, name)
	}
	return path + "?" + strings.Join(query, "&")
}

package recording

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// line is an entry in the file format.
type line struct {
	Time      string     `json:"time,omitempty"`
	Kind      Kind       `json:"kind"`
	Direction string     `json:"direction,omitempty"`
	Transport Transport  `json:"transport,omitempty"`
	Session   string     `json:"session,omitempty"`
	Exchange  int        `json:"exchange,omitempty"`
	HTTP      *httpPart  `json:"http,omitempty"`
	Event     *eventPart `json:"event,omitempty"`
	Message   *string    `json:"message,omitempty"`
	Base64    string     `json:"messageBase64,omitempty"` // replaces message for bytes that are not UTF-8
	Unread    string     `json:"unread,omitempty"`
}

type httpPart struct {
	Method  string            `json:"method,omitempty"`
	Path    string            `json:"path,omitempty"`
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

type eventPart struct {
	ID   string `json:"id,omitempty"`
	Type string `json:"type,omitempty"`
}

// Writer writes a recording. It writes each entry with one call of the underlying writer, so
// that a killed program leaves complete lines. It is safe for concurrent use.
type Writer struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

// NewWriter writes the first line of a recording and returns a writer for its entries.
func NewWriter(w io.Writer) *Writer {
	out := &Writer{w: w}
	out.line(map[string]any{"mcpgen": "recording", "version": Version, "time": time.Now().UTC().Format(time.RFC3339Nano)})
	return out
}

// Write writes an entry. [Writer.Err] returns its error.
func (w *Writer) Write(e Entry) {
	l := line{Kind: e.Kind, Transport: e.Transport, Session: e.Session, Exchange: e.Exchange, Unread: e.Unread}
	if !e.Time.IsZero() {
		l.Time = e.Time.UTC().Format(time.RFC3339Nano)
	}
	if e.From != Unknown {
		l.Direction = string(e.From) + "->" + string(e.From.Other())
	}
	if e.Method != "" || e.Path != "" || e.Status != 0 || len(e.Header) > 0 {
		l.HTTP = &httpPart{e.Method, e.Path, e.Status, e.Header}
	}
	if e.EventID != "" || e.EventType != "" {
		l.Event = &eventPart{e.EventID, e.EventType}
	}
	switch {
	case e.Text == "":
	case utf8.ValidString(e.Text):
		l.Message = &e.Text
	default:
		l.Base64 = base64.StdEncoding.EncodeToString([]byte(e.Text))
	}
	w.line(l)
}

func (w *Writer) line(v any) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil && w.err == nil {
		_, err = w.w.Write(text.Bytes())
	}
	if w.err == nil {
		w.err = err
	}
}

// Err returns the first write error.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// A Redactor replaces secrets. Equal values have equal replacements within a recording.
type Redactor struct{ key [32]byte }

// NewRedactor returns a redactor with a random key, so that digests do not reveal values that
// are easy to guess.
func NewRedactor() *Redactor {
	r := new(Redactor)
	rand.Read(r.key[:])
	return r
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

// kept are the headers that the protocol uses and that contain no secret. Those that repeat parts
// of a message, such as Mcp-Name and Mcp-Param-Region, contain nothing that the message does not.
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

// Path returns the path and query of a URL, with digests in place of the query values.
func (r *Redactor) Path(u *url.URL) string {
	if u.RawQuery == "" {
		return u.EscapedPath()
	}
	var query []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, found := strings.Cut(part, "=")
		if found {
			name += "=" + r.Digest(value)
		}
		query = append(query, name)
	}
	return u.EscapedPath() + "?" + strings.Join(query, "&")
}

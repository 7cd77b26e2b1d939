package recording

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
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

package recording

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Reader reads the entries of a recording in any form.
type Reader struct {
	values *Stream
	labels labels
}

// NewReader returns a reader of a recording. [Decode] decodes the input.
func NewReader(r io.Reader) (*Reader, error) {
	in, err := Decode(r)
	if err != nil {
		return nil, err
	}
	values := NewStream(in)
	values.messages = true
	return &Reader{values: values}, nil
}

// Next returns the next entry, or io.EOF at the end. A line of a log without a message is an
// entry of kind [Log].
func (r *Reader) Next() (Entry, error) {
	for {
		value, line, err := r.values.Next()
		if err != nil {
			return Entry{}, err
		}
		e, err := r.entry(string(value))
		e.Line = line
		if err != nil {
			return e, fmt.Errorf("line %d: %w", line, err)
		}
		if e.Kind != "" {
			return e, nil
		}
	}
}

// entry returns the entry of a value or line. The entry of the format's first line has no kind.
func (r *Reader) entry(text string) (Entry, error) {
	if e, ours, err := own(text); ours {
		return e, err
	}
	return r.labels.entry(text), nil
}

// own reads a line in the format of this package.
func own(text string) (e Entry, ours bool, err error) {
	if !strings.Contains(text, `"kind"`) && !strings.Contains(text, `"mcpgen"`) {
		return e, false, nil
	}
	var l struct {
		line
		Format  json.RawMessage `json:"mcpgen"`
		Version json.RawMessage `json:"version"`
		JSONRPC json.RawMessage `json:"jsonrpc"`
		// Message is the text itself if it is a string; an object is a message that was written by hand.
		Message json.RawMessage `json:"message"`
	}
	var otherType *json.UnmarshalTypeError // of a member, which then has no value
	if err := json.Unmarshal([]byte(text), &l); err != nil && !errors.As(err, &otherType) || l.JSONRPC != nil {
		return e, false, nil
	}
	switch {
	case l.Format != nil && string(l.Version) != "1":
		return e, true, fmt.Errorf("the recording has version %s, but this program reads versions up to %d", l.Version, Version)
	case l.Format != nil:
		return e, true, nil
	}
	switch l.Kind {
	case Message, Request, Response, Event, End, Close, Log:
		e, err = l.entry(wire.Raw(l.Message))
		return e, true, err
	}
	return e, false, nil
}

// entry returns the entry of a line with a message.
func (l *line) entry(message wire.Raw) (e Entry, err error) {
	e = Entry{Kind: l.Kind, Transport: l.Transport, Session: l.Session, Exchange: l.Exchange, Unread: l.Unread, Text: string(message)}
	e.Time, _ = time.Parse(time.RFC3339Nano, l.Time)
	e.From, _ = read(l.Direction)
	if l.HTTP != nil {
		e.Method, e.Path, e.Status, e.Header = l.HTTP.Method, l.HTTP.Path, l.HTTP.Status, map[string]string{}
		for name, value := range l.HTTP.Headers {
			e.Header[textproto.CanonicalMIMEHeaderKey(name)] = value
		}
	}
	if l.Event != nil {
		e.EventType, e.EventID = l.Event.Type, l.Event.ID
	}
	if message.Kind() == wire.KindString {
		e.Text = stringOf(message)
	}
	if l.Base64 != "" {
		text, wrong := base64.StdEncoding.DecodeString(l.Base64)
		if wrong != nil {
			err = fmt.Errorf("messageBase64: %w", wrong)
		}
		e.Text = string(text)
	}
	return e, err
}

func stringOf(raw wire.Raw) string {
	s, _ := raw.Str()
	return s
}

// IsValue reports whether text begins like a message or a batch, rather than like a line of a
// log.
func IsValue(text string) bool {
	text = strings.TrimLeft(text, space)
	if strings.HasPrefix(text, "[") {
		return len(text) == 1 || strings.IndexByte("{[] \t\r\n", text[1]) >= 0
	}
	return strings.HasPrefix(text, "{")
}

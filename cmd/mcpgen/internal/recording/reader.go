package recording

import (
	"encoding/base64"
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
	in := wire.NewStringReader(text)
	if in.Kind() != wire.KindObject {
		return e, false, nil
	}
	version := wire.Raw("")
	for in.BeginObject(); in.Member(); {
		switch name := in.Name(); name {
		case "jsonrpc":
			return e, false, nil
		case "mcpgen":
			ours = true
			in.Skip()
		case "version":
			version = in.ReadRaw()
		case "kind":
			e.Kind = Kind(stringOf(in.ReadRaw()))
		default:
			err = errors.Join(err, e.member(name, in.ReadRaw()))
		}
	}
	if in.Err() != nil {
		return e, false, nil
	}
	switch {
	case ours && version != "1":
		return e, true, fmt.Errorf("the recording has version %s, but this program reads versions up to %d", version, Version)
	case ours:
		return Entry{}, true, nil
	}
	switch e.Kind {
	case Message, Request, Response, Event, End, Close, Log:
		return e, true, err
	}
	return e, false, nil
}

// member reads a member of an entry.
func (e *Entry) member(name string, value wire.Raw) error {
	switch name {
	case "time":
		e.Time, _ = time.Parse(time.RFC3339Nano, stringOf(value))
	case "direction":
		from, _ := read(stringOf(value))
		e.From = from
	case "transport":
		e.Transport = Transport(stringOf(value))
	case "session":
		e.Session = stringOf(value)
	case "exchange":
		e.Exchange = intOf(value)
	case "http":
		http := wire.Object(value)
		e.Method, e.Path, e.Status = stringOf(get(http, "method")), stringOf(get(http, "path")), intOf(get(http, "status"))
		e.Header = map[string]string{}
		for name, value := range wire.Object(get(http, "headers")).All() {
			e.Header[textproto.CanonicalMIMEHeaderKey(name)] = stringOf(value)
		}
	case "event":
		e.EventType, e.EventID = stringOf(get(wire.Object(value), "type")), stringOf(get(wire.Object(value), "id"))
	case "unread":
		e.Unread = stringOf(value)
	case "message":
		// A string is the text itself; an object is a message that was written by hand.
		if e.Text = string(value); value.Kind() == wire.KindString {
			e.Text = stringOf(value)
		}
	case "messageBase64":
		text, err := base64.StdEncoding.DecodeString(stringOf(value))
		if err != nil {
			return fmt.Errorf("messageBase64: %w", err)
		}
		e.Text = string(text)
	}
	return nil
}

func get(o wire.Object, name string) wire.Raw {
	if o.Kind() != wire.KindObject {
		return ""
	}
	value, _ := o.Get(name)
	return value
}

func stringOf(raw wire.Raw) string {
	s, _ := raw.Str()
	return s
}

func intOf(raw wire.Raw) int {
	var n int
	if raw.Kind() == wire.KindNumber {
		fmt.Sscan(string(raw), &n)
	}
	return n
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

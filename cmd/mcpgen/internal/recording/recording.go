// Package recording reads and writes what a client and a server say to each other.
//
// Its own format is a line of JSON for each [Entry], after a first line that names the
// format and its version. [Writer] writes it. [Reader] reads it, and also plain messages,
// objects of other tools that hold a message and its direction, and the lines of logs.
package recording

import "time"

// Version is the version of the format that this package writes. A reader refuses newer
// ones; members that it does not know it ignores.
const Version = 1

// Side is one of the two that talk.
type Side string

// The sides. Unknown is the side of a message that a recording does not attribute.
const (
	Unknown Side = ""
	Client  Side = "client"
	Server  Side = "server"
)

// Other returns the side that s talks to.
func (s Side) Other() Side {
	switch s {
	case Client:
		return Server
	case Server:
		return Client
	}
	return Unknown
}

// Kind says what an entry records.
type Kind string

// The kinds of entries.
const (
	// Message is a message, or text that a peer sent in place of one.
	Message Kind = "message"
	// Request is an HTTP request, with the message in its body.
	Request Kind = "request"
	// Response is the head of an HTTP response, with its body unless that is a stream.
	Response Kind = "response"
	// Event is an event of a stream of server-sent events.
	Event Kind = "event"
	// End is the end of the body of an HTTP response that was a stream.
	End Kind = "end"
	// Close is the end of what a side sends over standard input or output.
	Close Kind = "close"
	// Log is a line of a log that holds no message.
	Log Kind = "log"
)

// Transport is how a message travelled.
type Transport string

// The transports. HTTP is Streamable HTTP, or HTTP with SSE.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
)

// Entry is one thing that happened, in the order in which it passed.
type Entry struct {
	Kind      Kind
	Time      time.Time // zero where the recording has none
	From      Side
	Transport Transport // "" where the recording does not say
	// Session identifies a session over HTTP. It is a digest of the id, as whoever has
	// the id can take the session over.
	Session string
	// Exchange numbers HTTP requests from 1. Their responses and events have the same.
	Exchange int
	// Method, Path, Status and Header are those of an HTTP request or response.
	Method, Path string
	Status       int
	Header       map[string]string
	// EventType and EventID are the fields of a server-sent event.
	EventType, EventID string
	// Text is the message as it was sent, byte by byte. It need not be one.
	Text string
	// Unread says why there is no text, as when it was too long to keep.
	Unread string

	// Line is the line of the file in which the entry begins.
	Line int
	// Beside is the text that a log has before a message, and Plain tells that there is
	// nothing but the message.
	Beside string
	Plain  bool
}

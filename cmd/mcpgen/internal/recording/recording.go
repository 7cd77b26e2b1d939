// Package recording reads and writes the messages between a client and a server.
//
// Its own format has one JSON object a line for each [Entry], after a first line that names the
// format and its version. [Writer] writes this format. [Reader] reads it, and also plain
// messages, the JSON logs of other tools, and text logs.
package recording

import "time"

// Version is the version of the format that this package writes. A reader refuses newer
// versions and ignores unknown members.
const Version = 1

// Side is the client or the server.
type Side string

// The sides. Unknown is the sender of a message that the recording does not attribute to a
// side.
const (
	Unknown Side = ""
	Client  Side = "client"
	Server  Side = "server"
)

// Other returns the opposite side, or Unknown.
func (s Side) Other() Side {
	switch s {
	case Client:
		return Server
	case Server:
		return Client
	}
	return Unknown
}

// Kind is the kind of an entry.
type Kind string

// The kinds of entries.
const (
	// Message is a message, or text that a side sent in its place.
	Message Kind = "message"
	// Request is an HTTP request with the message in its body.
	Request Kind = "request"
	// Response is the status and headers of an HTTP response, with its body unless it is a
	// stream.
	Response Kind = "response"
	// Event is an event of a stream of server-sent events.
	Event Kind = "event"
	// End is the end of a streamed HTTP response, or of a connection without a response. It is from the
	// side that has ended it.
	End Kind = "end"
	// Close is the end of a side's output over stdio.
	Close Kind = "close"
	// Log is a line of a log without a message.
	Log Kind = "log"
)

// Transport is the transport of a message.
type Transport string

// The transports. HTTP is Streamable HTTP or HTTP+SSE.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
)

// Entry is one event of a recording.
type Entry struct {
	Kind      Kind
	Time      time.Time // zero if unknown
	From      Side
	Transport Transport // "" if unknown
	// Session identifies a session over HTTP. It is a digest, because the id itself gives
	// access to the session.
	Session string
	// Exchange numbers HTTP requests from 1. The response and events of a request have its
	// number.
	Exchange int
	// Method, Path, Status and Header describe an HTTP request or response.
	Method, Path string
	Status       int
	Header       map[string]string
	// EventType and EventID are the fields of a server-sent event.
	EventType, EventID string
	// Text is the message as sent, byte by byte. It need not be a valid message.
	Text string
	// Unread says why Text is empty, for example because the message was too long.
	Unread string

	// Line is the line of the file where the entry begins.
	Line int
	// Beside is the text before the message in a log. Plain says that the line is the message
	// alone.
	Beside string
	Plain  bool
}

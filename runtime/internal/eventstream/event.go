package eventstream

import (
	"slices"
	"strconv"
	"time"
)

// MediaType is that of an event stream.
const MediaType = "text/event-stream"

// Event is one event. A field that is absent is distinguished from an empty one.
type Event struct {
	Type  string // "" is "message"
	Data  string // lines joined by \n
	ID    string // the event's own, not that of an earlier one
	Retry time.Duration

	HasData, HasID, HasRetry bool
}

// Comment is a comment, which readers skip; it keeps a connection in use.
const Comment = ":\n\n"

// framing is about what an event has beyond its parts, if its data is one line.
const framing = 64

// Append appends an event with the given id and type, each a single line and left out
// when empty, and data, of which every line becomes a field. A retry of zero or less is
// left out.
func Append(dst, id []byte, typ string, retry time.Duration, data []byte) []byte {
	dst = slices.Grow(dst, len(id)+len(typ)+len(data)+framing)
	if len(id) > 0 {
		dst = append(append(append(dst, "id: "...), id...), '\n')
	}
	if typ != "" {
		dst = append(append(append(dst, "event: "...), typ...), '\n')
	}
	if retry > 0 {
		dst = strconv.AppendInt(append(dst, "retry: "...), max(1, retry.Milliseconds()), 10)
		dst = append(dst, '\n')
	}
	for {
		dst = append(dst, "data: "...)
		i := lineEnd(data)
		if i < 0 {
			break
		}
		dst = append(append(dst, data[:i]...), '\n')
		if data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n' {
			i++
		}
		data = data[i+1:]
	}
	return append(append(dst, data...), "\n\n"...)
}

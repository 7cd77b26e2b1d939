package eventstream

import (
	"slices"
	"strconv"
	"time"
)

// MediaType is the media type of an event stream.
const MediaType = "text/event-stream"

// Event is one event. It distinguishes an absent field from an empty one.
type Event struct {
	Type  string // "" means "message"
	Data  string // lines joined by \n
	ID    string // of this event, not of an earlier one
	Retry time.Duration

	HasData, HasID, HasRetry bool
}

// Comment is a comment, which readers skip. It keeps a connection alive.
const Comment = ":\n\n"

// framing is the approximate number of bytes that an event has in addition to its fields,
// if its data is one line.
const framing = 64

// Append appends an event with the given id and type, each a single line and omitted if
// empty, and data, of which every line becomes a field. A retry of zero or less is omitted.
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

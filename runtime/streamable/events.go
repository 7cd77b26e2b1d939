package streamable

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"strings"
)

// ErrEventsLost tells that events a client has missed are not kept any more.
var ErrEventsLost = errors.New("streamable: events are no longer kept")

// EventStore keeps the events of streams, so that clients which lost their connection get
// what they missed (section Resumability and Redelivery). It is what replicas of a server
// share so that any of them can replay. It is safe for concurrent use.
//
// The events of a stream are numbered 1, 2, 3 without gaps. One process appends to a
// stream, one event after the other. An event without data is the last one of a stream that ends
// without an answer, because its request was cancelled.
type EventStore interface {
	// Append keeps event n of the stream. It must not keep data, but may keep a copy.
	Append(ctx context.Context, session, stream string, n uint64, data []byte) error
	// After yields the events after number n in order, those that were kept when it is
	// called. When some of them are not kept any more, or the stream is not known, it
	// yields ErrEventsLost and nothing else.
	After(ctx context.Context, session, stream string, n uint64) iter.Seq2[[]byte, error]
	// Drop forgets the streams of a session that has ended.
	Drop(ctx context.Context, session string) error
}

// eventID is the id of event n of a stream: enough to find the stream again, as the
// section on resumability asks for. Number 0 is that of the stream's beginning.
func eventID(stream string, n uint64) []byte {
	return strconv.AppendUint(append(append(make([]byte, 0, 48), stream...), '_'), n, 10)
}

func parseEventID(id string) (stream string, n uint64, ok bool) {
	stream, number, _ := strings.Cut(id, "_")
	n, err := strconv.ParseUint(number, 10, 64)
	return stream, n, err == nil && stream != ""
}

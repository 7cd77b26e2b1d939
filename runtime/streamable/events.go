package streamable

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"strings"
)

// ErrEventsLost is the error of an EventStore that no longer has the events that a client missed.
var ErrEventsLost = errors.New("streamable: events are no longer kept")

// EventStore stores the events of streams for clients that have lost their connection (section
// Resumability and Redelivery). Replicas of a server that share a store can all replay its events. It
// must be safe for concurrent use. Package runtime/storetest checks stores.
//
// The events of a stream are numbered 1, 2, 3 without gaps. One process appends to a stream, one
// event after the other. An event without data ends a stream that gets no answer, because its request
// was cancelled.
type EventStore interface {
	// Append stores event n of the stream. It must not retain data, but may retain a copy. After an
	// error, the event may have been stored; the next call has the same number and replaces it.
	Append(ctx context.Context, session, stream string, n uint64, data []byte) error
	// After yields the events after number n in order, as they are stored when it is called. If some
	// of them are no longer stored, or the stream or number n is unknown, it yields only ErrEventsLost.
	// The id of the stream may come from a client and have any form.
	After(ctx context.Context, session, stream string, n uint64) iter.Seq2[[]byte, error]
	// Drop removes the streams of a session that has ended.
	Drop(ctx context.Context, session string) error
}

// eventID returns the id of event n of a stream, by which the stream can be found again. Number 0 is
// the beginning of the stream.
func eventID(stream string, n uint64) []byte {
	return strconv.AppendUint(append(append(make([]byte, 0, 48), stream...), '_'), n, 10)
}

func parseEventID(id string) (stream string, n uint64, ok bool) {
	stream, number, _ := strings.Cut(id, "_")
	n, err := strconv.ParseUint(number, 10, 64)
	return stream, n, err == nil && stream != ""
}

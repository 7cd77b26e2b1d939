package natsmcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// Events is a streamable.EventStore in a stream of JetStream. Each message is an event, and its subject consists
// of a digest of the session, the stream of the session and the number of the event. When the stream is full,
// NATS removes the oldest events.
//
// The size of an event is limited by max_payload of the NATS server, 1 MB by default. A larger event still
// reaches its client, but is not repeated after the connection has been lost.
type Events struct {
	stream stream
	// dropping holds a token while a session is dropped. NATS scans all events for that, and other requests
	// wait meanwhile. Dropping one session at a time lets them in between when many sessions end at once.
	dropping chan struct{}
}

// OpenEvents opens the store, and creates the stream if it does not exist. There is nothing to close.
func OpenEvents(ctx context.Context, nc *nats.Conn, o Options) (*Events, error) {
	stream, err := openStream(ctx, nc, o, jetstream.StreamConfig{
		Name:        "MCP_EVENTS",
		Description: "events of MCP sessions, one message each",
		Subjects:    []string{"*.*.*"},
		MaxAge:      cmp.Or(o.MaxAge, defaultEventsAge),
		MaxBytes:    defaultEventsBytes,
		Discard:     jetstream.DiscardOld, // a full store forgets the oldest events
	})
	if err != nil {
		return nil, err
	}
	return &Events{stream, make(chan struct{}, 1)}, nil
}

// session returns what the subjects of a session begin with.
func (s *Events) session(id string) string {
	sum := sha256.Sum256([]byte(id))
	return s.stream.prefix + base64.RawURLEncoding.EncodeToString(sum[:24]) + "."
}

// Append implements streamable.EventStore.
func (s *Events) Append(ctx context.Context, session, stream string, n uint64, data []byte) error {
	if !isWord(stream) {
		return fmt.Errorf("natsmcp: the name of a stream must consist of letters and digits: %.100q", stream)
	}
	m := nats.NewMsg(s.session(session) + stream + "." + strconv.FormatUint(n, 10))
	m.Data = data
	// A repeated request that arrives late must not store the event behind later ones.
	_, err := s.stream.write(ctx, m, 0)
	if isConflict(err) { // an earlier call has stored event n, and could not know it
		var old *jetstream.RawStreamMsg
		if old, err = s.stream.last(ctx, m.Subject); err == nil {
			_, err = s.stream.write(ctx, m, old.Sequence)
		}
	}
	if err != nil {
		return fmt.Errorf("natsmcp: event %d of %d bytes: %w", n, len(data), err)
	}
	return nil
}

// After implements streamable.EventStore.
func (s *Events) After(ctx context.Context, session, stream string, n uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		events, err := s.after(ctx, session, stream, n)
		if err != nil {
			yield(nil, err)
		}
		for _, data := range events {
			if !yield(data, nil) {
				return
			}
		}
	}
}

// after returns all events after number n, so that none is yielded if a later one is missing.
func (s *Events) after(ctx context.Context, session, stream string, n uint64) (events [][]byte, err error) {
	if !isWord(stream) {
		return nil, streamable.ErrEventsLost
	}
	prefix := s.session(session) + stream + "."
	last, err := s.stream.last(ctx, prefix+"*")
	if err != nil {
		return nil, missing(err)
	}
	end, err := strconv.ParseUint(strings.TrimPrefix(last.Subject, prefix), 10, 64)
	if err != nil || n > end {
		return nil, streamable.ErrEventsLost
	}
	for n++; n < end; n++ {
		m, err := s.stream.last(ctx, prefix+strconv.FormatUint(n, 10))
		if err != nil {
			return nil, missing(err)
		}
		events = append(events, m.Data)
	}
	if n == end {
		events = append(events, last.Data)
	}
	return events, nil
}

func missing(err error) error {
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return streamable.ErrEventsLost
	}
	return fmt.Errorf("natsmcp: %w", err)
}

// Drop implements streamable.EventStore.
func (s *Events) Drop(ctx context.Context, session string) error {
	select {
	case s.dropping <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-s.dropping }()
	return s.stream.remove(ctx, s.session(session)+">")
}

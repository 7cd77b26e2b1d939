package natsmcp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Store is a tasks.Store in a stream, whose messages are the records: each has a subject of its own, with
// one message, which NATS removes when the lifetime of the task ends.
//
// A task is limited by max_payload of the NATS server, 1 MB by default.
type Store struct {
	stream stream
	follow jetstream.ConsumeContext
	index  tasks.Index

	lists // index. NATS removes the tasks whose lifetime has ended
}

type lists = tasks.Lists

// OpenStore opens the store, and creates the stream if it does not exist. The caller closes the store before
// the connection.
func OpenStore(ctx context.Context, nc *nats.Conn, o Options) (*Store, error) {
	stream, err := openStream(ctx, nc, o, jetstream.StreamConfig{
		Name:        "MCP_STORE",
		Description: "tasks and other records of an MCP server, one message each",
		Subjects:    []string{"*"},
		AllowMsgTTL: true,
		Discard:     jetstream.DiscardNew, // a full store refuses tasks and forgets none
	})
	if err != nil {
		return nil, err
	}
	s := &Store{stream: stream}
	s.lists = &s.index
	consumer, err := s.stream.follower(ctx)
	if err == nil {
		s.follow, err = consumer.Consume(s.changed)
	}
	if err != nil {
		return nil, fmt.Errorf("natsmcp: stream %s cannot be followed: %w", strings.TrimSuffix(stream.prefix, "."), err)
	}
	return s, nil
}

// Close ends what the store does in the background. It leaves the connection open.
func (s *Store) Close() error {
	s.follow.Stop()
	<-s.follow.Closed()
	return nil
}

// Headers of the messages, from which replicas know when work is due without reading the task. Both are
// nanoseconds since 1970, and the first one is absent if there is no work.
const (
	headerDue     = "Mcp-Task-Due"
	headerExpires = "Mcp-Task-Expires"
)

// headerSession is the header with the session that a task belongs to. It is absent if there is none.
const headerSession = "Mcp-Task-Session"

// subject returns the subject of a task, and false for ids with characters that have a meaning in subjects.
func (s *Store) subject(id string) (string, bool) {
	if !isWord(id) || len(id) > 128 {
		return "", false
	}
	return s.stream.prefix + id, true
}

// isWord reports whether a text can be one word of a subject.
func isWord(text string) bool {
	return share.Check(text, nil) == nil && !strings.Contains(text, ".")
}

// put stores a task if the last message of its subject is the one with the sequence number last.
func (s *Store) put(ctx context.Context, r *tasks.Record, last uint64) error {
	subject, ok := s.subject(r.ID)
	if !ok {
		return fmt.Errorf("natsmcp: the id of a record must consist of letters, digits, - and _: %.100q", r.ID)
	}
	text, err := wire.Marshal(r)
	if err != nil {
		return err
	}
	m := nats.NewMsg(subject)
	m.Data = text
	if at, ok := r.DueAt(); ok {
		m.Header.Set(headerDue, strconv.FormatInt(nanoseconds(at), 10))
	}
	m.Header.Set(headerExpires, strconv.FormatInt(nanoseconds(r.Expires), 10))
	if r.Session != "" {
		m.Header.Set(headerSession, r.Session)
	}
	sequence, err := s.stream.write(ctx, m, last, jetstream.WithMsgTTL(seconds(time.Until(r.Expires))))
	if err != nil {
		return refusal(err)
	}
	r.Version = sequence
	// The stream may be late, and List finds the task at once.
	s.index.Set(r)
	return nil
}

// refusal returns the error of package tasks that an error of NATS stands for, if there is one.
func refusal(err error) error {
	e, refused := errors.AsType[*jetstream.APIError](err)
	switch {
	case isTooLarge(err):
		return tasks.ErrTooLarge
	case isConflict(err):
		return tasks.ErrConflict
	case refused && isFull(e):
		return fmt.Errorf("%w: %w", tasks.ErrFull, err)
	}
	return fmt.Errorf("natsmcp: %w", err)
}

// Create implements tasks.Store.
func (s *Store) Create(ctx context.Context, r *tasks.Record) error { return s.put(ctx, r, 0) }

// Get implements tasks.Store.
func (s *Store) Get(ctx context.Context, id string) (*tasks.Record, error) {
	subject, ok := s.subject(id)
	if !ok {
		return nil, tasks.ErrNotFound
	}
	m, err := s.stream.last(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, tasks.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("natsmcp: %w", err)
	}
	r := &tasks.Record{Version: m.Sequence}
	if err := wire.UnmarshalString(string(m.Data), r); err != nil {
		return nil, fmt.Errorf("natsmcp: message %d of %s: %w", m.Sequence, subject, err)
	}
	return r, nil
}

// Swap implements tasks.Store.
func (s *Store) Swap(ctx context.Context, r *tasks.Record) error {
	if _, ok := s.subject(r.ID); !ok {
		return tasks.ErrNotFound
	}
	err := tasks.ErrConflict
	if r.Version != 0 { // which stands for a subject without a message
		err = s.put(ctx, r, r.Version)
	}
	if !errors.Is(err, tasks.ErrConflict) {
		return err
	}
	if _, missing := s.Get(ctx, r.ID); errors.Is(missing, tasks.ErrNotFound) {
		return missing
	}
	return err
}

// changed is called with each message of the stream, in their order.
func (s *Store) changed(m jetstream.Msg) {
	id, ok := strings.CutPrefix(m.Subject(), s.stream.prefix)
	if !ok {
		return
	}
	info, err := m.Metadata()
	if err != nil {
		return // not a message of a stream
	}
	r := &tasks.Record{ID: id, Version: info.Sequence.Stream, Session: m.Headers().Get(headerSession), Status: "completed"}
	r.Expires, _ = timeOf(m.Headers().Get(headerExpires))
	if r.Leased, err = timeOf(m.Headers().Get(headerDue)); err == nil {
		r.Status = "working"
	}
	s.index.Set(r)
}

// nanoseconds returns the nanoseconds since 1970, and 0 for times before, such as the zero time.
func nanoseconds(t time.Time) int64 {
	if t.Unix() < 0 {
		return 0
	}
	return t.UnixNano()
}

// timeOf returns the time of a header.
func timeOf(header string) (time.Time, error) {
	n, err := strconv.ParseInt(header, 10, 64)
	return time.Unix(0, n), err
}

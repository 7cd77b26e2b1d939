package natsmcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// DefaultStream is the default of TasksOptions.Stream.
const DefaultStream = "MCP_TASKS"

// TasksOptions configure a store of tasks. The zero value is ready to use.
type TasksOptions struct {
	// Stream is the name of the stream that has the tasks. Servers with different tools have different
	// streams. It defaults to DefaultStream.
	Stream string
	// Replicas is the number of NATS servers that keep each task, if OpenTasks creates the stream: 1, 3
	// or 5. It defaults to 1.
	Replicas int
	// MaxTasks limits the tasks in the store, if OpenTasks creates the stream. 0 means no limit.
	MaxTasks int64
}

// Tasks is a tasks.Store in a stream, whose messages are the tasks: each task has a subject of its own, with
// one message, which NATS removes when the lifetime of the task ends.
//
// A task is limited by max_payload of the NATS server, 1 MB by default.
type Tasks struct {
	stream   stream
	follow   jetstream.ConsumeContext
	watchers tasks.Watchers
	work     leases
	sessions sessions
}

// OpenTasks opens the store, and creates the stream if it does not exist. The caller closes the store before
// the connection.
func OpenTasks(ctx context.Context, nc *nats.Conn, o TasksOptions) (*Tasks, error) {
	name := cmp.Or(o.Stream, DefaultStream)
	stream, err := openStream(ctx, nc, jetstream.StreamConfig{
		Name:              name,
		Description:       "tasks of MCP, one message each",
		Subjects:          []string{name + ".*"},
		MaxMsgs:           cmp.Or(max(o.MaxTasks, 0), -1),
		MaxMsgsPerSubject: 1,
		AllowMsgTTL:       true,
		Discard:           jetstream.DiscardNew, // a full store refuses tasks and forgets none
		Replicas:          max(o.Replicas, 1),
	})
	if err != nil {
		return nil, err
	}
	s := &Tasks{stream: stream}
	consumer, err := s.stream.follower(ctx)
	if err == nil {
		s.follow, err = consumer.Consume(s.changed)
	}
	if err != nil {
		return nil, fmt.Errorf("natsmcp: stream %s cannot be followed: %w", name, err)
	}
	return s, nil
}

// Close ends what the store does in the background. It leaves the connection open.
func (s *Tasks) Close() error {
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
func (s *Tasks) subject(id string) (string, bool) {
	if !isWord(id) || len(id) > 128 {
		return "", false
	}
	return s.stream.prefix + id, true
}

// isWord reports whether a text can be one word of a subject.
func isWord(text string) bool {
	return share.CheckSubject(text) == nil && !strings.Contains(text, ".")
}

// put stores a task if the last message of its subject is the one with the sequence number last.
func (s *Tasks) put(ctx context.Context, r *tasks.Record, last uint64) error {
	subject, ok := s.subject(r.ID)
	if !ok {
		return fmt.Errorf("natsmcp: the id of a task has letters and digits: %.100q", r.ID)
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
	if last == 0 { // the stream may be late, and List finds the task at once
		s.sessions.set(r.Session, r.ID, nanoseconds(r.Expires), true)
	}
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
func (s *Tasks) Create(ctx context.Context, r *tasks.Record) error { return s.put(ctx, r, 0) }

// Get implements tasks.Store.
func (s *Tasks) Get(ctx context.Context, id string) (*tasks.Record, error) {
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
func (s *Tasks) Swap(ctx context.Context, r *tasks.Record) error {
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

// Watch implements tasks.Store.
func (s *Tasks) Watch(_ context.Context, id string, changed func()) (stop func(), err error) {
	return s.watchers.Watch(id, changed), nil
}

// List implements tasks.Store.
func (s *Tasks) List(_ context.Context, session string) ([]string, error) {
	return s.sessions.list(session, time.Now()), nil
}

// Due implements tasks.Store.
func (s *Tasks) Due(_ context.Context, now time.Time) ([]string, error) {
	ids := s.work.due(now)
	slices.Sort(ids)
	return ids, nil
}

// Expire implements tasks.Store. NATS removes the tasks itself.
func (s *Tasks) Expire(_ context.Context, now time.Time) error {
	s.work.forget(now)
	s.sessions.forget(now)
	return nil
}

// changed is called with each message of the stream, in their order.
func (s *Tasks) changed(m jetstream.Msg) {
	id, ok := strings.CutPrefix(m.Subject(), s.stream.prefix)
	if !ok {
		return
	}
	expires, _ := strconv.ParseInt(m.Headers().Get(headerExpires), 10, 64)
	s.work.set(id, m.Headers().Get(headerDue), expires)
	s.sessions.set(m.Headers().Get(headerSession), id, expires, false)
	s.watchers.Changed(id)
}

package natsmcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// requestTimeout limits the time for a request with its repetitions, because the context of a caller may
	// last as long as a task. A cluster chooses a new leader within that time: the other servers wait up to 9
	// seconds for the one that has ended, and again after an election that nobody wins.
	requestTimeout = 30 * time.Second
	// openTimeout limits the time in which a store is opened, because the context of a caller may last as long
	// as the program. A cluster that has just started chooses its leader and those of the stream within it.
	openTimeout = time.Minute
	// tryTimeout is how long a request waits for its answer before it is repeated. A request that is under
	// way while the connection breaks or a server of the cluster ends gets no answer.
	tryTimeout = 2 * time.Second
	// tryAgain is the wait before a request is repeated after NATS has temporarily refused it.
	tryAgain = 100 * time.Millisecond
)

// Options configure a store in a stream of JetStream. The zero value is ready to use. All but the name take effect if
// the store creates the stream.
type Options struct {
	// Stream is the name of the stream. Servers with different tools need different streams. It defaults to MCP_STORE
	// or MCP_EVENTS.
	Stream string
	// Replicas is the number of NATS servers that keep each message: 1, 3 or 5. It defaults to 1.
	Replicas int
	// MaxMessages limits the messages in the stream: a task, another record or an event each. 0 means no limit.
	MaxMessages int64
	// MaxBytes limits their size, with some hundred bytes for each beside its data. 0 means 256 MiB for events and no
	// limit for others.
	MaxBytes int64
	// MaxAge is how long events are kept. 0 means 30 minutes. Records have lifetimes of their own.
	MaxAge time.Duration
}

// The defaults of Options for events.
const (
	defaultEventsAge   = 30 * time.Minute
	defaultEventsBytes = 256 << 20
)

// stream is a stream of JetStream whose messages are values, each with a subject of its own.
type stream struct {
	js     jetstream.JetStream
	handle jetstream.Stream
	prefix string // of subjects: the name of the stream and a dot
}

// openStream opens a stream. If there is none, openStream creates it. want has the default name of the stream,
// and its subject without the name.
func openStream(ctx context.Context, nc *nats.Conn, o Options, want jetstream.StreamConfig) (stream, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return stream{}, fmt.Errorf("natsmcp: %w", err)
	}
	want.Name = cmp.Or(o.Stream, want.Name)
	s := stream{js: js, prefix: want.Name + "."}
	want.Subjects = []string{s.prefix + want.Subjects[0]}
	want.MaxMsgsPerSubject = 1 // a message that is stored again replaces itself
	want.MaxMsgs = cmp.Or(max(o.MaxMessages, 0), -1)
	want.MaxBytes = cmp.Or(max(o.MaxBytes, 0), want.MaxBytes, -1)
	want.Replicas = max(o.Replicas, 1)
	err = retry(ctx, openTimeout, func(ctx context.Context) (err error) {
		s.handle, err = js.Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			s.handle, err = js.CreateStream(ctx, want)
			if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process was faster
				s.handle, err = js.Stream(ctx, want.Name)
			}
		}
		return err
	})
	if err == nil {
		err = checkStream(s.handle.CachedInfo().Config, want)
	}
	if err != nil {
		return stream{}, fmt.Errorf("natsmcp: stream %s: %w", want.Name, err)
	}
	return s, nil
}

// follower returns a consumer of the states of all subjects and then of their changes, without their data.
func (s stream) follower(ctx context.Context) (c jetstream.Consumer, err error) {
	want := jetstream.OrderedConsumerConfig{
		NamePrefix:    rand.Text(), // the same at each try, so that a try without an answer leaves no consumer behind
		DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy,
		HeadersOnly:   true,
	}
	err = retry(ctx, openTimeout, func(ctx context.Context) error {
		c, err = s.handle.OrderedConsumer(ctx, want)
		return err
	})
	return c, err
}

// checkStream returns an error if an existing stream could lose data. Its size, its number of replicas, and its
// age if want has one, may differ.
func checkStream(found, want jetstream.StreamConfig) error {
	var wrong []error
	for _, member := range []struct {
		name        string
		ok          bool
		found, want any
	}{
		{"subjects", slices.Equal(found.Subjects, want.Subjects), found.Subjects, want.Subjects},
		{"max_msgs_per_subject", found.MaxMsgsPerSubject == 1, found.MaxMsgsPerSubject, 1},
		{"allow_msg_ttl", found.AllowMsgTTL || !want.AllowMsgTTL, false, "true, which NATS has since version 2.11"},
		{"discard", found.Discard == want.Discard, found.Discard, want.Discard},
		{"retention", found.Retention == want.Retention, found.Retention, want.Retention},
		{"storage", found.Storage == want.Storage, found.Storage, want.Storage},
		{"max_age", found.MaxAge == 0 || want.MaxAge != 0, found.MaxAge, "none"},
		{"allow_direct", !found.AllowDirect, true, "false, because a server that lags could say that a value is unknown"},
	} {
		if !member.ok {
			wrong = append(wrong, fmt.Errorf("%s is %v, want %v", member.name, member.found, member.want))
		}
	}
	return errors.Join(wrong...)
}

// retry calls try until it succeeds, fails for good or the limit has passed.
func retry(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	ctx, done := context.WithTimeout(ctx, limit)
	defer done()
	for {
		one, end := context.WithTimeout(ctx, tryTimeout)
		err := try(one)
		end()
		if err == nil || !isTemporary(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(tryAgain):
		}
	}
}

// isTemporary reports whether a request may succeed when the connection is back or the cluster has a new
// leader.
func isTemporary(err error) bool {
	e, refused := errors.AsType[*jetstream.APIError](err)
	return refused && e.Code == 503 && !isFull(e) || err == errOnItsWay || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) ||
		errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrDisconnected)
}

// headerWrite is the header of a message with the random id of the write that has stored it.
const headerWrite = "Mcp-Write"

// errOnItsWay is the error for a write that the servers refuse in favour of one that they have not stored yet, such
// as an earlier try whose answer was lost.
var errOnItsWay = errors.New("natsmcp: another write is on its way")

// write stores a message and returns its sequence number, if expected is the sequence number of the last message of
// its subject, 0 for none. It repeats a write that gets no answer; the message is stored once. If expected is another
// number, isConflict is true of the error.
func (s stream) write(ctx context.Context, m *nats.Msg, expected uint64, opts ...jetstream.PublishOpt) (sequence uint64, err error) {
	id := rand.Text()
	m.Header.Set(headerWrite, id)
	opts = append(opts, jetstream.WithExpectLastSequencePerSubject(expected))
	err = retry(ctx, requestTimeout, func(ctx context.Context) error {
		ack, err := s.js.PublishMsg(ctx, m, opts...)
		if err == nil {
			sequence = ack.Sequence
			return nil
		}
		if !isConflict(err) {
			return err
		}
		last, failed := s.handle.GetLastMsgForSubject(ctx, m.Subject)
		switch {
		case failed == nil && last.Header.Get(headerWrite) == id: // by an earlier try
			sequence = last.Sequence
			return nil
		case failed == nil && last.Sequence == expected, errors.Is(failed, jetstream.ErrMsgNotFound) && expected == 0:
			return errOnItsWay
		case failed != nil && !errors.Is(failed, jetstream.ErrMsgNotFound):
			return failed
		}
		return err
	})
	return sequence, err
}

// last returns the last message of a subject, which may have wildcards. The error is
// jetstream.ErrMsgNotFound if there is none.
func (s stream) last(ctx context.Context, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = retry(ctx, requestTimeout, func(ctx context.Context) error {
		m, err = s.handle.GetLastMsgForSubject(ctx, subject)
		return err
	})
	return m, err
}

// remove removes the messages of a subject, which may have wildcards.
func (s stream) remove(ctx context.Context, subject string) error {
	err := retry(ctx, requestTimeout, func(ctx context.Context) error { return s.handle.Purge(ctx, jetstream.WithPurgeSubject(subject)) })
	if err != nil {
		return fmt.Errorf("natsmcp: %w", err)
	}
	return nil
}

// seconds rounds a lifetime up to seconds, of which NATS needs at least one.
func seconds(lifetime time.Duration) time.Duration {
	return max((lifetime + time.Second - 1).Truncate(time.Second), time.Second)
}

// The codes of errors that package jetstream has no names for.
const (
	codeInsufficientResources = 10023 // of the cluster
	codeResourcesExceeded     = 10047 // of the account
	codeStoreFailed           = 10077 // among others, by a limit of the stream
)

// isFull reports whether there is no room for a message.
func isFull(e *jetstream.APIError) bool {
	switch e.ErrorCode {
	case codeInsufficientResources, codeResourcesExceeded:
		return true
	case codeStoreFailed:
		return strings.HasPrefix(e.Description, "maximum")
	}
	return false
}

// isConflict reports whether the last message of a subject is not the expected one.
func isConflict(err error) bool {
	e, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// isTooLarge reports whether a message is longer than the server or the stream allows.
func isTooLarge(err error) bool {
	e, ok := errors.AsType[*jetstream.APIError](err)
	return errors.Is(err, nats.ErrMaxPayload) || ok && e.ErrorCode == jetstream.JSErrCodeStreamMessageExceedsMaximum
}

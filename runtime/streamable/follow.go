package streamable

import (
	"context"
	"encoding/base32"
	"errors"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file writes streams that belong to another replica. Their names begin with that of the replica, which
// is asked for news. The events themselves are in the event store.

// question is what a replica asks the one that has a stream.
type question struct {
	session string // the key in the table of sessions
	stream  string
	after   uint64 // the number of the last event that the client has
	wait    bool   // for an event after that
	release bool   // the client has left a stream of the server's own messages, whose events are to be passed on
}

// news is the answer to a question.
type news struct {
	known bool   // the replica has the stream, which may go on
	last  uint64 // the number of the last event
}

func (q *question) encode() ([]byte, error) {
	w := wire.NewWriter(nil)
	w.BeginObject()
	w.String("session", q.session)
	w.String("stream", q.stream)
	w.Int64("after", int64(q.after))
	w.Bool("wait", q.wait)
	w.Bool("release", q.release)
	w.EndObject()
	return w.End()
}

// ask asks the replica that has a stream. The error is share.ErrNobody if it is gone.
func (sh *sharing) ask(ctx context.Context, q question) (news, error) {
	data, err := q.encode()
	if err != nil || len(q.stream) < replicaLength {
		return news{}, errors.Join(err, errEventID)
	}
	ctx, cancel := context.WithTimeout(ctx, waits.News+waits.Bus)
	defer cancel()
	answer, err := sh.bus.Request(ctx, subjectReplica+q.stream[:replicaLength], data)
	if err != nil {
		return news{}, err
	}
	last, _ := wire.Object(answer).GetScalar("last")
	n, ok := last.Int64()
	return news{known: ok, last: uint64(n)}, nil
}

// answer answers a question of another replica.
func (sh *sharing) answer(ctx context.Context, data []byte) []byte {
	o := wire.Object(data)
	after, _ := o.GetScalar("after")
	n, _ := after.Int64()
	wait, _ := o.Get("wait")
	release, _ := o.Get("release")
	s := sh.handler.known(o.GetString("session"))
	if s == nil {
		return []byte("{}")
	}
	st := s.stream(o.GetString("stream"))
	if st == nil || !st.take(ctx) {
		return []byte("{}")
	}
	st.drop() // the client has left it
	last, over := st.last, st.over.Load()
	switch {
	case release == "true":
		s.yieldGet(time.Now().UnixNano())
		s.passOn(ctx, st, uint64(n))
		st.release()
	case wait == "true":
		last, over = st.news(ctx, uint64(n))
	default:
		st.release()
	}
	if over {
		return []byte("{}")
	}
	return append(wire.AppendInt64([]byte(`{"last":`), int64(last)), '}')
}

// news waits until the stream has an event after number n, has ended, or a while has passed. The lock must be
// held; news releases it.
func (st *stream) news(ctx context.Context, n uint64) (last uint64, over bool) {
	timer := time.NewTimer(waits.News)
	defer timer.Stop()
	for {
		last, over = st.last, st.over.Load()
		if last > n || over {
			st.release()
			return last, over
		}
		if st.changed == nil {
			st.changed = make(chan struct{})
		}
		changed := st.changed
		st.release()
		select {
		case <-changed:
		case <-timer.C:
			return last, false
		case <-ctx.Done():
			return last, false
		}
		if !st.acquire(ctx) {
			return last, true
		}
	}
}

// tellNews wakes the goroutines that wait in news. The lock must be held.
func (st *stream) tellNews() {
	if st.changed != nil {
		close(st.changed)
		st.changed = nil
	}
}

// pursue writes a stream of another replica: the stored events, and then the new ones. If the replica is
// gone and has not answered the request, the client gets an error in place of the answer.
func (s *session) pursue(ctx context.Context, c *connection, stream string, n uint64) error {
	sh := s.handler.sharing
	begun, heard := n, time.Now()
	for {
		at, failure := sh.ask(ctx, question{session: s.key, stream: stream, after: n, wait: c.Streaming()})
		if failure != nil && !errors.Is(failure, share.ErrNobody) {
			return failure // the client comes back
		}
		missed, ended, err := s.missed(ctx, stream, n)
		switch {
		case errors.Is(err, ErrEventsLost) && n == 0 && at.last == 0:
			// The stream has begun, and nothing was sent on it yet.
		case err != nil:
			return err
		case len(missed) == 0 && !ended && !at.known && n == begun:
			if ended, err = s.answered(ctx, stream, n); err != nil {
				return err
			}
		}
		if !ended && !c.Streaming() && len(missed) == 0 && at.known {
			if err := s.prime(c, eventID(stream, n)); err != nil {
				return err
			}
		}
		for _, data := range missed {
			n++
			if err := c.Event(eventID(stream, n), "", 0, data); err != nil {
				return err
			}
			if isResponse(string(data)) {
				return nil
			}
			heard = time.Now()
		}
		switch {
		case ended && n == begun:
			return errEnded
		case ended:
			return nil
		case !at.known:
			return s.abandon(c, stream)
		case s.handler.opts.KeepAlive > 0 && time.Since(heard) >= s.handler.opts.KeepAlive:
			heard = time.Now()
			if err := c.Beat(); err != nil {
				return err
			}
		}
	}
}

// errAbandoned is the answer to a request whose replica is gone.
var errAbandoned = jsonrpc.Errorf(jsonrpc.CodeInternalError,
	"unavailable: the replica of the server that handled the request has ended; whether the request was done is unknown; send it again if that does no harm")

// abandon answers the request of a stream whose replica is gone.
func (s *session) abandon(c *connection, stream string) error {
	s.handler.log.Warn("a request was not answered: its replica is gone", "session", s.logID())
	id, ok := requestOf(stream)
	if !ok {
		return errEnded // an array of requests
	}
	text, err := jsonrpc.AppendError(nil, id, errAbandoned)
	if err != nil {
		return err
	}
	return c.Event(nil, "", 0, text)
}

// requestMark comes before the id of the request in the name of a stream that answers it.
const requestMark = "q"

// maxRequestID is the length of the longest id in the name of a stream.
const maxRequestID = 48

var requestEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// requestName returns the end of the name of a stream that answers a request.
func requestName(m *jsonrpc.Text) string {
	if m.Err != nil || m.Kind != jsonrpc.Request || len(m.ID.String()) > maxRequestID {
		return ""
	}
	return requestMark + requestEncoding.EncodeToString([]byte(m.ID.String()))
}

// requestOf returns the id of the request that a stream answers.
func requestOf(stream string) (id wire.Scalar, ok bool) {
	_, encoded, _ := strings.Cut(stream, requestMark)
	text, err := requestEncoding.DecodeString(encoded)
	if err != nil || len(text) == 0 {
		return id, false
	}
	err = wire.Unmarshal(text, &id)
	return id, err == nil
}

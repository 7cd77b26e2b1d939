package share

import (
	"context"
	"encoding/base32"
	"errors"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/record"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file follows streams of other replicas. Their names begin with that of the replica, which is asked for news,
// while the events themselves are in the event store. They end with the id of the request, so that another replica
// can answer it if the first is gone.

// requestMark comes before the id of the request in the name of a stream that answers it.
const requestMark = "q"

// maxRequestID is the length of the longest id in the name of a stream.
const maxRequestID = 48

var requestEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// Name implements streamable.Sharing.
func (p *replica) Name(stream string, request wire.Scalar) string {
	stream = p.name + stream
	if id := request.String(); !request.IsZero() && len(id) <= maxRequestID {
		stream += requestMark + requestEncoding.EncodeToString([]byte(id))
	}
	return stream
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

// isAnswered reports whether event n is the answer, after which the stream ends.
func (p *replica) isAnswered(ctx context.Context, session, stream string, n uint64) (bool, error) {
	if n == 0 {
		return false, nil
	}
	last, _, err := web.Missed(p.events.After(ctx, session, stream, n-1))
	if errors.Is(err, streamable.ErrEventsLost) || len(last) == 0 {
		return false, nil
	}
	return web.IsAnswer(string(last[0])), err
}

// news is what there is on a stream.
type news struct {
	known bool   // the replica has the stream, which may go on
	last  uint64 // the number of the last event
}

// ask asks the replica that has a stream. The error is ErrNobody if it is gone.
func (p *replica) ask(ctx context.Context, n notice) (news, error) {
	if len(n.stream) < replicaLength {
		return news{}, streamable.ErrEventsLost
	}
	ctx, cancel := context.WithTimeout(ctx, waits.News+waits.Bus)
	defer cancel()
	answer, err := p.request(ctx, n.stream[:replicaLength], n)
	if err != nil {
		return news{}, err
	}
	number, _ := wire.Object(answer).GetScalar("last")
	last, ok := number.Int64()
	return news{known: ok, last: uint64(last)}, nil
}

// answerNotice returns the answer to a notice to this replica.
func (p *replica) answerNotice(ctx context.Context, data []byte) []byte {
	var n notice
	err := record.Read(data, 0, n.members()...)
	s := p.find(n.session)
	switch {
	case (s == nil || err != nil) && n.kind == askSend:
		return []byte(answerGone)
	case s == nil || err != nil:
		return []byte("{}")
	case n.kind == askSend:
		return s.sendForReplica(ctx, n.message)
	}
	last, next := s.Release(ctx, n.stream, n.after)
	switch {
	case next == nil:
	case n.kind == askRelease:
		s.yieldGet(n.from, time.Now().UnixNano())
		s.handOver(ctx)
	case n.kind == askMore && last <= n.after:
		if engine.Wait(next, waits.News, ctx.Done()) {
			last, next = s.Release(ctx, n.stream, n.after)
		}
	}
	if next == nil {
		return []byte("{}")
	}
	return append(strconv.AppendInt([]byte(`{"last":`), int64(last), 10), '}')
}

// Follow implements streamable.Sharing. If the replica that has the stream is gone and has not answered the
// request, the last event is an error in place of the answer. Without a bus, or when this replica has shut down, it
// yields what is stored, and the client comes back for more.
func (p *replica) Follow(ctx context.Context, s *streamable.Session, stream string, n uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(p.handler.Context(), cancel)() // a goroutine that waits would take 3 KB
		if err := p.follow(ctx, s, stream, n, yield); err != nil {
			yield(nil, err)
		}
	}
}

// follow yields the events after number n of a stream, until no more may come.
func (p *replica) follow(ctx context.Context, s *streamable.Session, stream string, n uint64, yield func([]byte, error) bool) error {
	here := strings.HasPrefix(stream, p.name) // then it has ended
	q := notice{kind: askNews, session: s.Key(), stream: stream}
	for begun := n; ; q.kind = askMore { // the first question only asks what there is
		var at news
		var err error
		if q.after = n; p.bus != nil && !here {
			if at, err = p.ask(ctx, q); err != nil && !errors.Is(err, ErrNobody) {
				return err // the client comes back
			}
		}
		missed, ended, err := web.Missed(p.events.After(ctx, s.Key(), stream, n))
		switch {
		case errors.Is(err, streamable.ErrEventsLost) && n == 0 && at.last == 0:
			// The stream has begun, and nothing was sent on it yet.
		case err != nil:
			return err
		case len(missed) == 0 && !ended && !at.known && n == begun:
			if ended, err = p.isAnswered(ctx, s.Key(), stream, n); err != nil {
				return err
			}
		}
		for _, data := range missed {
			n++
			if !yield(data, nil) || web.IsAnswer(string(data)) {
				return nil
			}
		}
		switch {
		case ended:
			return nil
		case p.bus == nil && !here:
			if len(missed) == 0 {
				yield(nil, nil)
			}
			return nil
		case !at.known:
			p.answerForGone(s, stream, yield)
			return nil
		case len(missed) == 0 && !yield(nil, nil):
			return nil
		}
	}
}

// errAbandoned is the answer to a request whose replica is gone.
var errAbandoned = jsonrpc.Errorf(jsonrpc.CodeInternalError,
	"unavailable: the replica of the server that handled the request has ended; whether the request was done is unknown; send it again if that does no harm")

// answerForGone answers the request of a stream whose replica is gone.
func (p *replica) answerForGone(s *streamable.Session, stream string, yield func([]byte, error) bool) {
	p.log.Warn("a request was not answered: its replica is gone", "session", runtime.LogID(s.SessionID()))
	id, ok := requestOf(stream)
	if !ok {
		return // an array of requests
	}
	yield(errAbandoned.Answer(id).AppendJSON(nil))
}

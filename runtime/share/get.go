package share

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file passes the server's own messages to the replica that has the client's GET stream: the one with the GET that
// was opened last, which tells the others. If no replica has one, each message waits at the replica that has sent it,
// until a GET is opened somewhere.

// get is what a session knows about the GET streams of its client.
type get struct {
	mu     sync.Mutex // held also while others are told
	local  int        // GETs at this replica
	opened int64      // when the last GET was opened here, in nanoseconds; 0 for never
	remote string     // the replica where a GET was opened later; "" if none is known

	// stale says that the client may have missed announcements, because the session was taken over or another replica
	// had the GET.
	stale atomic.Bool
}

// Listen implements streamable.Sharing.
func (p *replica) Listen(ctx context.Context, of *streamable.Session, former string, n uint64, replay func() error) (stop func(), err error) {
	s := of.Outbox().(*session)
	g := &s.get
	g.mu.Lock()
	g.local++
	g.opened, g.remote = time.Now().UnixNano(), "" // the other replicas keep using theirs until tellGet
	g.mu.Unlock()
	var at news
	if former != "" && p.bus != nil { // the replica with the stream that the client has left passes the events on
		at, err = p.ask(ctx, notice{kind: askRelease, session: s.Key(), stream: former, after: n})
	}
	if err != nil || !at.known {
		err = replay()
	}
	switch {
	case errors.Is(err, streamable.ErrEventsLost):
		g.stale.Store(true)
	case err != nil:
		s.getClosed()
		return nil, err
	}
	s.tellGet()
	s.Inbox().Listens(g.stale.Swap(false))
	return s.getClosed, nil
}

// tellGet tells the other replicas that this one has the client's GET, if it has.
func (s *session) tellGet() {
	g := &s.get
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.has() {
		_ = s.replica.publish(notice{kind: noticeGet, session: s.Key(), time: g.opened})
	}
}

// findGet asks the replica with the client's GET to tell the others. The replica gone, unless it is "", has none.
func (s *session) findGet(gone string) {
	s.tellGet()
	_ = s.replica.publish(notice{kind: noticeWho, session: s.Key(), stream: gone})
}

// getClosed is called when a GET has ended.
func (s *session) getClosed() {
	g := &s.get
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.local--; g.local == 0 && g.remote == "" && !s.closed.Load() {
		_ = s.replica.publish(notice{kind: noticeWho, session: s.Key(), stream: s.replica.name})
	}
}

// getOpenedRemotely is called when another replica reports that it has a GET.
func (s *session) getOpenedRemotely(replica string, opened int64) {
	if s.yieldGet(replica, opened) {
		go s.handOver(s.replica.handler.Context())
	} else {
		s.tellGet()
	}
}

// yieldGet leaves messages to a GET at another replica. It returns false if one was opened here later.
func (s *session) yieldGet(replica string, opened int64) bool {
	g := &s.get
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.has() && opened < g.opened {
		return false
	}
	g.remote = replica
	return true
}

// forget forgets the GET at another replica, if it is the one that is known.
func (g *get) forget(replica string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.remote == replica {
		g.remote = ""
	}
}

// has reports whether the GET that was opened last is here. The lock must be held.
func (g *get) has() bool { return g.local > 0 && g.remote == "" }

// Send implements runtime.Outbox. It sends a message of the server's own to the client's GET, wherever it is.
func (s *session) Send(ctx context.Context, m runtime.Outgoing) error {
	p, g := s.replica, &s.get
	if p.bus == nil {
		return s.Session.Send(ctx, m)
	}
	if s.closed.Load() {
		return runtime.ErrClosed
	}
	g.mu.Lock()
	to := g.remote
	if m.Change && !g.has() {
		g.stale.Store(true)
		g.mu.Unlock()
		return nil // every replica sends it, and so does the one that has the GET
	}
	g.mu.Unlock()
	if to != "" {
		switch err := s.sendTo(ctx, to, m.Text); {
		case err == nil:
			return nil
		case !errors.Is(err, ErrNobody):
			p.log.Warn("a message could not be forwarded to the client", "session", s.logID(), "method", m.Method, "error", err)
			return err
		}
		g.forget(to)
		defer s.findGet(to) // the notice of another one may have been lost
	}
	err := s.Session.Send(ctx, m)
	s.handOver(ctx) // if there is another one since then
	return err
}

// sendTo passes a message to another replica with a GET of the client.
func (s *session) sendTo(ctx context.Context, replica string, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, waits.Bus)
	defer cancel()
	answer, err := s.replica.request(ctx, replica, notice{kind: askSend, session: s.Key(), message: wire.Raw(text)})
	switch {
	case err != nil:
		return err
	case string(answer) == answerGone:
		return ErrNobody
	case len(answer) > 0:
		return errors.New(string(answer))
	}
	return nil
}

// answerGone is the answer to a message for a session that has no GET at the replica.
const answerGone = "gone"

// sendForReplica sends a message that another replica has passed to this one, and returns the answer.
func (s *session) sendForReplica(ctx context.Context, text wire.Raw) []byte {
	s.get.mu.Lock()
	here := s.get.has()
	s.get.mu.Unlock()
	if !here {
		return []byte(answerGone)
	}
	err := s.Session.Send(ctx, runtime.Outgoing{Kind: jsonrpc.Notification, Text: []byte(text)})
	switch {
	case errors.Is(err, runtime.ErrClosed):
		return []byte(answerGone)
	case err != nil:
		return []byte(err.Error())
	}
	return nil
}

// handOver passes the messages that wait for a GET here to the replica that has one now.
func (s *session) handOver(ctx context.Context) {
	s.get.mu.Lock()
	to := s.get.remote
	s.get.mu.Unlock()
	if to == "" {
		return
	}
	err := s.HandOver(ctx, func(message []byte) error { return s.sendTo(ctx, to, message) })
	if err != nil && !errors.Is(err, ErrNobody) && !errors.Is(err, runtime.ErrClosed) {
		s.replica.log.Warn("messages could not be forwarded to the client", "session", s.logID(), "error", err)
		s.get.stale.Store(true)
	}
}

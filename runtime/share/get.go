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
)

// This file passes the server's own messages to the replica that has the client's GET stream. The replica
// with the GET that was opened last serves subjectGet of the session and notifies the others. If none serves
// it, each message waits at the replica that has sent it, until a GET is opened somewhere.

// get is what a session knows about the GET streams of its client.
type get struct {
	mu     sync.Mutex // held while the subject begins or ends to be served, and while others are told
	local  int        // GETs at this replica
	stop   func()     // ends serving; nil while the subject is not served
	opened int64      // when the last GET was opened here, in nanoseconds; 0 for never
	remote bool       // another replica may have a GET that was opened later
	heard  int        // how often remote was set by others

	// stale says that the client may have missed announcements, because the session was taken over or another replica
	// had the GET.
	stale atomic.Bool
}

// Listen implements streamable.Sharing.
func (p *replica) Listen(ctx context.Context, of *streamable.Session, former string, n uint64, replay func() error) (stop func(), err error) {
	s := of.Outbox().(*session)
	s.getOpened()
	if former == "" || !s.releaseFormer(ctx, former, n) {
		err = replay()
	}
	switch {
	case errors.Is(err, streamable.ErrEventsLost):
		s.get.stale.Store(true)
	case err != nil:
		s.getClosed()
		return nil, err
	}
	s.tellGet()
	s.Inbox().Listens(s.get.stale.Swap(false))
	return s.getClosed, nil
}

// releaseFormer asks the replica with a stream that the client has left for the events after number n. It reports
// whether they come.
func (s *session) releaseFormer(ctx context.Context, former string, n uint64) bool {
	if s.replica.bus == nil {
		return false
	}
	at, err := s.replica.ask(ctx, question{session: s.Key(), stream: former, after: n, release: true})
	return err == nil && at.known
}

// getOpened directs messages of other replicas to the GET that has been opened here. The others keep using
// theirs until tellGet.
func (s *session) getOpened() {
	g := &s.get
	g.mu.Lock()
	defer g.mu.Unlock()
	g.local++
	g.opened = time.Now().UnixNano()
	s.serveGetLocked()
}

// serveGetLocked serves the subject of the session, unless it is served already. The lock of get must be
// held.
func (s *session) serveGetLocked() {
	g, p := &s.get, s.replica
	g.remote = false
	if g.stop != nil || p.bus == nil {
		return
	}
	ctx, cancel := context.WithTimeout(p.handler.Context(), waits.Bus)
	defer cancel()
	stop, err := p.bus.Serve(ctx, subjectGet+s.name, func(ctx context.Context, data []byte) []byte {
		err := s.Session.Send(ctx, runtime.Outgoing{Kind: jsonrpc.Notification, Text: data})
		switch {
		case errors.Is(err, runtime.ErrClosed):
			return []byte(answerGone)
		case err != nil:
			return []byte(err.Error())
		}
		return nil
	})
	if err != nil {
		p.log.Warn("messages of other replicas will not reach the client", "session", s.logID(), "error", err)
		return
	}
	g.stop = stop
}

// answerGone is the answer to a message for a session that is over at the replica.
const answerGone = "gone"

// tellGet tells the other replicas that this one has the client's GET.
func (s *session) tellGet() {
	g := &s.get
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = s.replica.publish(notice{kind: noticeGet, session: s.Key(), time: g.opened})
}

// getClosed is called when a GET has ended.
func (s *session) getClosed() {
	g := &s.get
	g.mu.Lock()
	defer g.mu.Unlock()
	g.local--
	if g.stop == nil || g.local > 0 {
		return
	}
	g.stop()
	g.stop = nil
	if !s.closed.Load() {
		_ = s.replica.publish(notice{kind: noticeNoGet, session: s.Key()})
	}
}

// getOpenedRemotely is called when another replica reports that it has a GET, which was opened at the given
// time.
func (s *session) getOpenedRemotely(opened int64) {
	if s.yieldGet(opened) {
		go s.handOver(s.replica.handler.Context())
	} else {
		s.tellGet()
	}
}

// yieldGet leaves messages to a GET that another replica opened at the given time. It returns false if one was
// opened here later.
func (s *session) yieldGet(opened int64) bool {
	g := &s.get
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.local > 0 && !g.remote && opened < g.opened {
		s.serveGetLocked() // the bus may have been down before
		return false
	}
	g.heard++
	g.remote = true
	if g.stop != nil {
		g.stop()
		g.stop = nil
	}
	return true
}

// getClosedRemotely is called when another replica reports that it no longer has a GET.
func (s *session) getClosedRemotely() {
	g := &s.get
	g.mu.Lock()
	g.heard++
	g.remote = false
	here := g.local > 0
	if here {
		s.serveGetLocked()
	}
	g.mu.Unlock()
	if here {
		s.tellGet()
	}
}

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
	remote, heard := g.remote, g.heard
	if m.Change && (remote || g.local == 0) {
		g.stale.Store(true)
		g.mu.Unlock()
		return nil // every replica sends it, and so does the one that has the GET
	}
	g.mu.Unlock()
	if remote {
		switch err := s.sendRemotely(ctx, m.Text); {
		case err == nil:
			return nil
		case !errors.Is(err, ErrNobody):
			p.log.Warn("a message could not be forwarded to the client", "session", s.logID(), "method", m.Method, "error", err)
			return err
		}
		g.mu.Lock()
		if g.heard == heard {
			g.remote = false
		}
		g.mu.Unlock()
	}
	err := s.Session.Send(ctx, m)
	g.mu.Lock()
	remote = g.remote
	g.mu.Unlock()
	if remote { // since then
		s.handOver(ctx)
	}
	return err
}

// sendRemotely passes a message to the replica with the client's GET.
func (s *session) sendRemotely(ctx context.Context, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, waits.Bus)
	defer cancel()
	answer, err := s.replica.bus.Request(ctx, subjectGet+s.name, text)
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

// handOver passes the messages that wait for a GET here to the replica that has one now.
func (s *session) handOver(ctx context.Context) {
	err := s.HandOver(ctx, func(message []byte) error { return s.sendRemotely(ctx, message) })
	if err != nil && !errors.Is(err, ErrNobody) && !errors.Is(err, runtime.ErrClosed) {
		s.replica.log.Warn("messages could not be forwarded to the client", "session", s.logID(), "error", err)
		s.get.stale.Store(true)
	}
}

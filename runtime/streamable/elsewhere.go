package streamable

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file passes the server's own messages to the replica that has the client's GET stream. The replica
// with the GET that was opened last serves subjectGet of the session and notifies the others. If none serves
// it, each message waits at the replica that has sent it, until a GET is opened somewhere.

// gets is what a session knows about the GET streams of its client.
type gets struct {
	mu        sync.Mutex // held while the subject begins or ends to be served, and while others are told
	stop      func()     // ends serving; nil while the subject is not served
	opened    int64      // when the last GET was opened here, in nanoseconds; 0 for never
	elsewhere bool       // another replica may have a GET that was opened later
	heard     int        // how often elsewhere was set by others
	stale     bool       // the client may have missed announcements
}

// onBus reports whether the session can reach other replicas.
func (s *session) onBus() bool { return s.shared != nil && s.handler.sharing.bus != nil }

// getOpened directs messages of other replicas to the GET that has been opened here. The others keep using
// theirs until tellGet. getClosed must follow.
func (s *session) getOpened() {
	if !s.onBus() {
		return
	}
	g := &s.shared.gets
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened = time.Now().UnixNano()
	s.serveGetLocked()
}

// serveGetLocked serves the subject of the session, unless it is served already. The lock of gets must be
// held.
func (s *session) serveGetLocked() {
	g := &s.shared.gets
	g.elsewhere = false
	if g.stop != nil {
		return
	}
	stop, err := s.handler.sharing.bus.Serve(s.handler.sessions.Context(), subjectGet+s.shared.name, func(ctx context.Context, data []byte) []byte {
		if s.isGone() {
			return []byte("gone")
		}
		if _, err := s.ownStream().send(ctx, runtime.Outgoing{Kind: jsonrpc.Notification, Text: data}); err != nil {
			return []byte(err.Error())
		}
		return nil
	})
	if err != nil {
		s.handler.log.Warn("messages of other replicas will not reach the client", "session", s.logID(), "error", err)
		return
	}
	g.stop = stop
}

// tellGet tells the other replicas that this one has the client's GET.
func (s *session) tellGet() {
	if !s.onBus() {
		return
	}
	g := &s.shared.gets
	g.mu.Lock()
	defer g.mu.Unlock()
	s.handler.sharing.publish(notice{kind: noticeGet, session: s.key, time: g.opened})
}

// getClosed is called when a GET has ended.
func (s *session) getClosed() {
	if !s.onBus() {
		return
	}
	g := &s.shared.gets
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stop == nil || s.hasGet() {
		return
	}
	g.stop()
	g.stop = nil
	if !s.isGone() {
		s.handler.sharing.publish(notice{kind: noticeNoGet, session: s.key})
	}
}

// hasGet reports whether the client has a GET open at this replica.
func (s *session) hasGet() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.own, func(st *stream) bool { return st.followers > 0 })
}

// getElsewhere is called when another replica reports that it has a GET, which was opened at the given
// time.
func (s *session) getElsewhere(opened int64) {
	if s.yieldGet(opened) {
		go s.handOver(s.handler.sessions.Context())
	} else {
		s.tellGet()
	}
}

// yieldGet leaves messages to a GET that was opened elsewhere at the given time. It returns false if one was
// opened here later.
func (s *session) yieldGet(opened int64) bool {
	g := &s.shared.gets
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stop != nil && opened < g.opened {
		return false
	}
	g.heard++
	g.elsewhere = true
	if g.stop != nil {
		g.stop()
		g.stop = nil
	}
	return true
}

// getNowhere is called when another replica reports that it no longer has a GET.
func (s *session) getNowhere() {
	g := &s.shared.gets
	g.mu.Lock()
	g.heard++
	g.elsewhere = false
	here := s.hasGet()
	if here {
		s.serveGetLocked()
	}
	g.mu.Unlock()
	if here {
		s.tellGet()
	}
}

// sendOwn sends a message of the server's own to the client's GET, wherever it is.
func (s *session) sendOwn(ctx context.Context, m runtime.Outgoing) error {
	if !s.onBus() {
		_, err := s.ownStream().send(ctx, m)
		return err
	}
	g := &s.shared.gets
	g.mu.Lock()
	elsewhere, heard := g.elsewhere, g.heard
	if s.handler.announces && announced(m.Method) && (elsewhere || !s.hasGet()) {
		g.stale = true
		g.mu.Unlock()
		return nil // every replica sends it, and so does the one that has the GET
	}
	g.mu.Unlock()
	if elsewhere {
		switch err := s.sendElsewhere(ctx, m.Text); {
		case err == nil:
			return nil
		case !errors.Is(err, share.ErrNobody):
			s.handler.log.Warn("a message could not be forwarded to the client", "session", s.logID(), "method", m.Method, "error", err)
			return err
		}
		g.mu.Lock()
		if g.heard == heard {
			g.elsewhere = false
		}
		g.mu.Unlock()
	}
	_, err := s.ownStream().send(ctx, m)
	g.mu.Lock()
	elsewhere = g.elsewhere
	g.mu.Unlock()
	if elsewhere { // since then
		s.handOver(ctx)
	}
	return err
}

// announced reports whether a notification is one of those that replicas announce to each other.
func announced(method string) bool {
	switch method {
	case "notifications/tools/list_changed", "notifications/prompts/list_changed",
		"notifications/resources/list_changed", "notifications/resources/updated":
		return true
	}
	return false
}

// sendElsewhere passes a message to the replica with the client's GET.
func (s *session) sendElsewhere(ctx context.Context, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, waits.Bus)
	defer cancel()
	answer, err := s.handler.sharing.bus.Request(ctx, subjectGet+s.shared.name, text)
	switch {
	case err != nil:
		return err
	case string(answer) == "gone":
		return share.ErrNobody
	case len(answer) > 0:
		return errors.New(string(answer))
	}
	return nil
}

// handOver passes the messages that wait for a GET here to the replica that has one now.
func (s *session) handOver(ctx context.Context) {
	s.mu.Lock()
	var idle []*stream
	for _, st := range s.own {
		if st.followers == 0 {
			idle = append(idle, st)
		}
	}
	s.mu.Unlock()
	for _, st := range idle {
		if st.acquire(ctx) {
			s.passOn(ctx, st, st.sent)
			st.release()
		}
	}
}

// passOn passes the events of an own stream after number n to the replica with the client's GET. The lock of
// the stream must be held.
func (s *session) passOn(ctx context.Context, st *stream, n uint64) {
	if n >= st.last {
		return
	}
	missed, _, err := s.missed(ctx, st.name, n)
	for _, data := range missed {
		if err = s.sendElsewhere(ctx, data); err != nil {
			break
		}
		n++
		st.sent = max(st.sent, n)
	}
	if err != nil && !errors.Is(err, share.ErrNobody) {
		s.handler.log.Warn("messages could not be forwarded to the client", "session", s.logID(), "error", err)
		s.setStale()
	}
}

func (s *session) setStale() {
	s.shared.gets.mu.Lock()
	defer s.shared.gets.mu.Unlock()
	s.shared.gets.stale = true
}

// renew tells the client on its GET that everything may have changed, if it may have missed announcements
// because the session was taken over or another replica had the GET.
func (s *session) renew(ctx context.Context, st *stream) {
	if s.shared == nil {
		return
	}
	g := &s.shared.gets
	g.mu.Lock()
	stale := g.stale
	g.stale = false
	g.mu.Unlock()
	if !stale {
		return
	}
	s.mu.Lock()
	capabilities := s.shared.capabilities
	s.mu.Unlock()
	s.shared.kept.mu.Lock()
	subscriptions := s.shared.kept.subscriptions
	s.shared.kept.mu.Unlock()
	tell := func(method string, params wire.Appender) {
		text, err := jsonrpc.AppendNotification(nil, method, params)
		if err == nil {
			_, err = st.send(ctx, runtime.Outgoing{Kind: jsonrpc.Notification, Method: method, Text: text})
		}
		if err != nil {
			s.setStale()
		}
	}
	for _, list := range []string{"tools", "prompts", "resources"} {
		declared, _ := capabilities.Get(list)
		if changes, _ := wire.Object(declared).Get("listChanged"); changes == "true" {
			tell("notifications/"+list+"/list_changed", nil)
		}
	}
	for _, uri := range subscriptions {
		w := wire.NewWriter(nil)
		w.BeginObject()
		w.String("uri", uri)
		w.EndObject()
		if params, err := w.End(); err == nil {
			tell("notifications/resources/updated", wire.Object(params))
		}
	}
}

package streamable

import (
	"context"
	"encoding/base32"
	"errors"
	"slices"
	"strings"
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

// The code below writes streams that belong to another replica. Their names begin with that of the replica, which
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

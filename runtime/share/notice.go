package share

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/record"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The subjects of the bus. The name of a session does not suffice to use the session.
const (
	subjectNotices = "mcp.streamable"          // of notices, to all replicas
	subjectReplica = "mcp.streamable.replica." // and the name of the replica that has a stream
	subjectAnswer  = "mcp.streamable.answer."  // and the name and copy of the session that has sent a request
	subjectGet     = "mcp.streamable.get."     // and the name of the session whose GET stream a replica has
)

// join connects the replica with the others, until the sessions of its handler have ended.
func (p *replica) join() error {
	ctx, cancel := context.WithTimeout(p.handler.Context(), waits.Bus)
	defer cancel()
	stop, err := p.bus.Subscribe(ctx, subjectNotices, p.notified)
	if err != nil {
		return fmt.Errorf("share: Sessions.Bus: %w", err)
	}
	stops := []func(){stop}
	if stop, err = p.bus.Serve(ctx, subjectReplica+p.name, p.answer); err != nil {
		stops[0]()
		return fmt.Errorf("share: Sessions.Bus: %w", err)
	}
	stops = append(stops, stop)
	if r, ok := p.bus.(Reconnector); ok {
		stops = append(stops, r.Reconnected(p.reconnected))
	}
	p.leave = sync.OnceFunc(func() {
		for _, stop := range stops {
			stop()
		}
	})
	context.AfterFunc(p.handler.Context(), p.leave) // a goroutine that waits would take 3 KB
	return nil
}

// reconnected lets the sessions catch up with notices that may have been lost.
func (p *replica) reconnected() {
	for _, s := range p.all() {
		s.catchUp(p.handler.Context())
		s.setStale()
		if s.hasGet() {
			s.tellGet()
		} else {
			s.yieldGet(time.Now().UnixNano())
		}
	}
}

// notice is a message to all replicas about a session.
type notice struct {
	kind    string
	from    string // the replica that has sent it
	session string // the key in the table of sessions
	time    int64  // of the end of the session's lifetime, in seconds; of the opening of a GET, in nanoseconds
	text    string // of the client's message
}

func (n *notice) members() []record.Member {
	return []record.Member{
		record.Field("kind", &n.kind), record.Field("from", &n.from), record.Field("session", &n.session), record.Field("time", &n.time), record.Field("text", &n.text),
	}
}

// The kinds of notices.
const (
	noticeEnded   = "ended"   // the client has ended the session
	noticeChanged = "changed" // the client has changed what the KV keeps
	noticeMessage = "message" // the client has sent a notification about a request at another replica
	noticeGet     = "get"     // the client has opened a GET
	noticeNoGet   = "no get"  // the client no longer has a GET at that replica
)

// publish sends a notice about a session. It does nothing without a bus.
func (p *replica) publish(n notice) {
	if p.bus == nil {
		return
	}
	n.from = p.name
	data, err := record.Append(nil, 0, n.members()...)
	if err == nil {
		ctx, cancel := context.WithTimeout(p.handler.Context(), waits.Bus)
		defer cancel()
		err = p.bus.Publish(ctx, subjectNotices, data)
	}
	if err != nil {
		p.log.Warn("a notice to other replicas could not be sent", "kind", n.kind, "error", err)
	}
}

// notified takes a notice. It does not wait.
func (p *replica) notified(data []byte) {
	var n notice
	if err := record.Read(data, 0, n.members()...); err != nil {
		p.log.Warn("a notice of another replica cannot be read", "error", err)
		return
	}
	if n.from == p.name || len(n.session) < nameLength {
		return
	}
	if n.kind == noticeEnded {
		p.ended.Add(nameOf(n.session), time.Unix(n.time, 0), time.Now())
	}
	s := p.find(n.session)
	if s == nil {
		return
	}
	switch n.kind {
	case noticeEnded:
		s.forget()
		_ = s.Session.Close()
	case noticeChanged:
		go s.catchUp(p.handler.Context())
	case noticeMessage:
		s.deliver(n.text)
	case noticeGet:
		s.getOpenedRemotely(n.time)
	case noticeNoGet:
		s.getClosedRemotely()
	}
}

// The code below forwards messages of the client that are about a request at another replica. Answers go to the
// replica that has sent the request: each copy of a session begins the ids of its requests at a random
// multiple of 1<<copyBits (see runtime.Server.Resume), and the copy that has begun the session at 0.
// Everything else goes to all replicas.

// copyBits is the number of bits in the id of a server's request that do not name the copy of the session.
const copyBits = 20

// questions are the requests of a session to its client, whose answers other replicas forward.
type questions struct {
	mu     sync.Mutex // held while a subject begins to be served
	copies map[int64]func()
	over   bool
}

// subjectOf returns the subject of answers to a request, and the copy of the session that has sent it.
func (s *session) subjectOf(id wire.Scalar) (subject string, of int64, ok bool) {
	n, ok := id.Int64()
	of = n >> copyBits
	return subjectAnswer + s.name + "." + strconv.FormatInt(of, 10), of, ok && n >= 0
}

// BeforeRequest implements streamable.Sharing. It lets other replicas forward the answer.
func (p *replica) BeforeRequest(of *streamable.Session, id wire.Scalar) {
	if p.bus != nil {
		of.Outbox().(*session).serveAnswers(id)
	}
}

func (s *session) serveAnswers(id wire.Scalar) {
	subject, of, ok := s.subjectOf(id)
	q := &s.questions
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, served := q.copies[of]; served || !ok || q.over {
		return
	}
	stop, err := s.replica.bus.Serve(s.replica.handler.Context(), subject, func(_ context.Context, data []byte) []byte {
		s.deliver(string(data))
		return nil
	})
	if err != nil {
		s.replica.log.Warn("an answer that arrives at another replica will be lost", "session", s.logID(), "error", err)
		return
	}
	if q.copies == nil {
		q.copies = make(map[int64]func())
	}
	q.copies[of] = stop
}

// stop ends serving answers when the session is over.
func (q *questions) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	for _, stop := range q.copies {
		stop()
	}
	q.copies = nil
}

// deliver takes a message that another replica has forwarded.
func (s *session) deliver(text string) {
	if run := s.Inbox().Accept(runtime.Incoming{Text: text, Forwarded: true}); run != nil {
		go run()
	}
}

// Forward implements runtime.Replicated.
func (s *session) Forward(m jsonrpc.Message) {
	p := s.replica
	if p.bus == nil {
		p.log.Debug("message about no request in flight dropped", slog.String("session", s.logID()), slog.String("method", m.Method), slog.Any("id", m.ID))
		return
	}
	text, err := m.AppendJSON(nil)
	if err != nil {
		p.log.Warn("a message could not be forwarded", "session", s.logID(), "error", err)
		return
	}
	if m.Kind == jsonrpc.Response {
		go s.forwardAnswer(m.ID, text)
		return
	}
	p.publish(notice{kind: noticeMessage, session: s.Key(), text: string(text)})
}

// forwardAnswer passes an answer to the replica that has sent the request.
func (s *session) forwardAnswer(id wire.Scalar, text []byte) {
	subject, _, ok := s.subjectOf(id)
	if !ok {
		return
	}
	if len(text) > MaxMessage { // the call would otherwise wait until its timeout
		e := jsonrpc.Errorf(jsonrpc.CodeInternalError, "the answer has %d bytes, too many to be forwarded to the replica that has asked", len(text))
		text, _ = jsonrpc.AppendError(nil, id, e)
	}
	ctx, cancel := context.WithTimeout(s.replica.handler.Context(), waits.Bus)
	defer cancel()
	_, err := s.replica.bus.Request(ctx, subject, text)
	switch {
	case errors.Is(err, ErrNobody):
		s.replica.log.Warn("an answer of the client was dropped: the replica that has asked is gone", "session", s.logID(), "id", id)
	case err != nil:
		s.replica.log.Warn("an answer of the client could not be forwarded", "session", s.logID(), "id", id, "error", err)
	}
}

package share

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/record"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The subjects of the bus.
const (
	subjectNotices = "mcp.streamable"          // of notices to all replicas
	subjectReplica = "mcp.streamable.replica." // and the name of a replica: of notices to it, which it answers
)

// join connects the replica with the others, until the sessions of its handler have ended.
func (p *replica) join() error {
	ctx, cancel := context.WithTimeout(p.handler.Context(), waits.Bus)
	defer cancel()
	stop, err := p.bus.Subscribe(ctx, subjectNotices, p.takeNotice, p.reconnected)
	if err != nil {
		return fmt.Errorf("share: Sessions.Bus: %w", err)
	}
	leave, err := p.bus.Serve(ctx, subjectReplica+p.name, p.answerNotice)
	if err != nil {
		stop()
		return fmt.Errorf("share: Sessions.Bus: %w", err)
	}
	p.leave = sync.OnceFunc(func() {
		stop()
		leave()
	})
	context.AfterFunc(p.handler.Context(), p.leave) // a goroutine that waits would take 3 KB
	return nil
}

// reconnected lets the sessions catch up with notices that may have been lost.
func (p *replica) reconnected() {
	for of := range p.handler.All() {
		s := of.Outbox().(*session)
		s.catchUp(p.handler.Context())
		s.get.stale.Store(true)
		s.findGet("")
	}
}

// notice is a message about a session, to all replicas or to one.
type notice struct {
	kind    string
	from    string   // the replica that has sent it
	session string   // the key in the table of sessions
	time    int64    // of the end of the session's lifetime, in seconds; of the opening of a GET, in nanoseconds
	message wire.Raw // of the client to all replicas, or of the server to one
	stream  string   // of the replica that is asked; in noticeWho, the name of a replica
	after   uint64   // the number of the last event of the stream that the client has
}

func (n *notice) members() []record.Member {
	return []record.Member{
		record.Field("kind", &n.kind), record.Field("from", &n.from), record.Field("session", &n.session), record.Field("time", &n.time), record.Field("message", &n.message),
		record.Field("stream", &n.stream), record.Field("after", &n.after),
	}
}

// The kinds of notices to all replicas.
const (
	noticeEnded   = "ended"   // the client has ended the session
	noticeChanged = "changed" // the client has changed what the store keeps
	noticeMessage = "message" // the client has sent an answer or a notification about a request at another replica
	noticeGet     = "get"     // the client has opened a GET
	noticeWho     = "who"     // the replica with the GET is to send noticeGet; stream is one that has it no longer
)

// The kinds of notices to one replica.
const (
	askNews    = "news"    // what there is on a stream
	askMore    = "more"    // the same, when there is something
	askRelease = "release" // the client has left a stream of the server's own messages, whose events are to be passed on
	askSend    = "send"    // a message of the server's own is to be sent to the client's GET
)

// request sends a notice to a replica and returns the answer. The error is ErrNobody if the replica is gone.
func (p *replica) request(ctx context.Context, to string, n notice) ([]byte, error) {
	n.from = p.name
	data, err := record.Append(nil, 0, n.members()...)
	if err != nil {
		return nil, err
	}
	return p.bus.Request(ctx, subjectReplica+to, data)
}

// publish sends a notice about a session. It does nothing without a bus. It logs its error.
func (p *replica) publish(n notice) error {
	if p.bus == nil {
		return nil
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
	return err
}

// takeNotice takes a notice. It does not wait.
func (p *replica) takeNotice(data []byte) {
	var n notice
	if err := record.Read(data, 0, n.members()...); err != nil {
		p.log.Warn("a notice of another replica cannot be read", "error", err)
		return
	}
	if n.from == p.name || len(n.session) < nameLength {
		return
	}
	if n.kind == noticeEnded {
		p.ended.Add("", nameOf(n.session), time.Unix(n.time, 0), time.Now())
	}
	s := p.find(n.session)
	if s == nil {
		return
	}
	switch n.kind {
	case noticeEnded:
		s.ended.Store(true)
		_ = s.Session.Close()
	case noticeChanged:
		go s.catchUp(p.handler.Context())
	case noticeMessage:
		if run := s.Inbox().Accept(runtime.Incoming{Text: string(n.message), Forwarded: true}); run != nil {
			go run()
		}
	case noticeGet:
		s.getOpenedRemotely(n.from, n.time)
	case noticeWho:
		s.get.forget(n.stream)
		s.tellGet()
	}
}

// Forward implements runtime.Replicated. All replicas get the message, and one of them has the request: each copy of a
// session begins the ids of its requests at another number (see runtime.Server.Resume).
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
	err = p.publish(notice{kind: noticeMessage, session: s.Key(), message: wire.Raw(text)})
	if errors.Is(err, ErrTooLarge) && m.Kind == jsonrpc.Response { // the call would otherwise wait until its timeout
		e := jsonrpc.Errorf(jsonrpc.CodeInternalError, "the answer has %d bytes, too many to be forwarded to the replica that has asked", len(text))
		if text, err = e.Answer(m.ID).AppendJSON(nil); err == nil {
			_ = p.publish(notice{kind: noticeMessage, session: s.Key(), message: wire.Raw(text)}) // it logs the error
		}
	}
}

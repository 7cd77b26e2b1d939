package streamable

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file forwards messages of the client that are about a request at another replica. Answers go to the
// replica that has sent the request: each copy of a session begins the ids of its requests at a random
// multiple of 1<<copyBits (see runtime.Server.Resume), and the copy that has begun the session at 0.
// Everything else goes to all replicas.

// copyBits is the number of bits in the id of a server's request that do not name the copy of the session.
const copyBits = 20

// asked holds what a session needs to receive answers from other replicas.
type asked struct {
	mu     sync.Mutex // held while a subject begins to be served
	copies map[int64]func()
	over   bool
}

// subjectOfAsked returns the subject of answers to a request, and the copy of the session that has sent it.
func (s *session) subjectOfAsked(id wire.Scalar) (subject string, of int64, ok bool) {
	n, ok := id.Int64()
	of = n >> copyBits
	return subjectAsked + s.shared.name + "." + strconv.FormatInt(of, 10), of, ok && n >= 0
}

// awaitAnswer lets other replicas forward the answer to a request that is about to be sent.
func (s *session) awaitAnswer(id wire.Scalar) {
	subject, of, ok := s.subjectOfAsked(id)
	a := &s.shared.asked
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, served := a.copies[of]; served || !ok || a.over {
		return
	}
	stop, err := s.handler.sharing.bus.Serve(s.handler.sessions.Context(), subject, func(_ context.Context, data []byte) []byte {
		s.deliver(string(data))
		return nil
	})
	if err != nil {
		s.handler.log.Warn("an answer that arrives at another replica will be lost", "session", s.logID(), "error", err)
		return
	}
	if a.copies == nil {
		a.copies = make(map[int64]func())
	}
	a.copies[of] = stop
}

// deliver takes a message that another replica has forwarded.
func (s *session) deliver(text string) {
	if run := s.inbox.Accept(runtime.Incoming{Text: text, Forwarded: true}); run != nil {
		go run()
	}
}

// stop ends awaitAnswer when the session is over.
func (a *asked) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	for _, stop := range a.copies {
		stop()
	}
	a.copies = nil
}

// Forward implements runtime.Forwarder.
func (s *session) Forward(m jsonrpc.Message) {
	if s.shared == nil || s.handler.sharing.bus == nil {
		s.debug("message about no request in flight dropped", slog.String("method", m.Method), slog.Any("id", m.ID))
		return
	}
	text, err := m.AppendJSON(nil)
	if err != nil {
		s.handler.log.Warn("a message could not be forwarded", "session", s.logID(), "error", err)
		return
	}
	if m.Kind == jsonrpc.Response {
		go s.forwardAnswer(m.ID, text)
		return
	}
	s.handler.sharing.publish(notice{kind: noticeMessage, session: s.key, text: string(text)})
}

// forwardAnswer passes an answer to the replica that has sent the request.
func (s *session) forwardAnswer(id wire.Scalar, text []byte) {
	subject, _, ok := s.subjectOfAsked(id)
	if !ok {
		return
	}
	if len(text) > share.MaxMessage { // the call would otherwise wait until its timeout
		e := jsonrpc.Errorf(jsonrpc.CodeInternalError, "the answer has %d bytes, too many to be forwarded to the replica that has asked", len(text))
		text, _ = jsonrpc.AppendError(nil, id, e)
	}
	ctx, cancel := context.WithTimeout(s.handler.sessions.Context(), waits.Bus)
	defer cancel()
	_, err := s.handler.sharing.bus.Request(ctx, subject, text)
	switch {
	case errors.Is(err, share.ErrNobody):
		s.handler.log.Warn("an answer of the client was dropped: the replica that has asked is gone", "session", s.logID(), "id", id)
	case err != nil:
		s.handler.log.Warn("an answer of the client could not be forwarded", "session", s.logID(), "id", id, "error", err)
	}
}

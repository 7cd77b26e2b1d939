package streamable

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// DefaultSessionLifetime is the default of Sharing.Lifetime.
const DefaultSessionLifetime = 24 * time.Hour

// Sharing lets every replica of a server serve every session (section Session Management). A session's id
// then carries what never changes in the session: the revision, the capabilities of both sides, and the name
// and version of the client. It is sealed, so that a client can neither read nor change it, and no store
// is needed. A replica that gets a request of a session that it does not have takes the session over.
// Requests of a session with an id that has expired, was changed, is of another user or was sealed with an
// unknown key get status 404, upon which clients initialize again; the logger gets the reason.
//
// The state that changes in a session is in a KV, and replicas communicate over a Bus. Both are
// optional:
//
//   - Without a KV, a replica that takes a session over has neither the log level that the client has set nor
//     its subscriptions, and only replicas that have heard of the end of a session refuse its id.
//   - Without a Bus, a client's answer, cancellation or progress is lost if it comes to another replica than
//     the one with the request, and so is a message of the server's own if the client has its GET stream
//     elsewhere. A replica does not notice changes that a client makes at another one.
//
// A stream is resumed at another replica with the events in Options.Events, which must then be shared too.
type Sharing struct {
	// Keys seal the ids: the first seals, and all of them open, so that keys can be replaced. Each has
	// at least 32 random bytes. All replicas need the same keys. Without keys, nothing is shared.
	Keys [][]byte
	// Lifetime is how long a session can last. 0 means DefaultSessionLifetime.
	Lifetime time.Duration
	// Bus carries messages between the replicas.
	Bus share.Bus
	// KV keeps the log level, the subscriptions and the end of each session for its Lifetime.
	KV share.KV
}

// maxEnded limits the ended sessions that a handler remembers, in addition to those in the KV.
const maxEnded = 1 << 16

// The subjects of the bus. The name of a session, which is the head of its id, does not suffice to use the
// session.
const (
	subjectNotices = "mcp.streamable"          // of notices, to all replicas
	subjectReplica = "mcp.streamable.replica." // and the name of the replica that has a stream
	subjectAsked   = "mcp.streamable.asked."   // and the name and copy of the session that has sent a request
	subjectGet     = "mcp.streamable.get."     // and the name of the session whose GET stream a replica has
)

// replicaLength is the length of the name of a replica.
const replicaLength = 12

// sharing is the state that a handler shares with other replicas.
type sharing struct {
	handler  *Handler
	ring     *seal.Ring
	lifetime time.Duration
	bus      share.Bus  // may be nil
	kv       share.KV   // may be nil
	replica  string     // the name of this handler
	ended    *seal.Used // names of sessions that their clients have ended

	stops []func() // of the subscriptions of the handler
	once  sync.Once
}

// newSharing returns nil if the options share nothing.
func newSharing(h *Handler, opts Sharing) (*sharing, error) {
	if len(opts.Keys) == 0 {
		if opts.Bus != nil || opts.KV != nil {
			return nil, errors.New("streamable: Sharing has a Bus or a KV, but no Keys")
		}
		return nil, nil
	}
	ring, err := seal.NewRing(opts.Keys...)
	if err != nil {
		return nil, fmt.Errorf("streamable: Sharing.Keys: %w", err)
	}
	sh := &sharing{
		handler:  h,
		ring:     ring,
		lifetime: cmp.Or(max(opts.Lifetime, 0), DefaultSessionLifetime),
		bus:      opts.Bus,
		kv:       opts.KV,
		replica:  rand.Text()[:replicaLength],
		ended:    seal.NewUsed(maxEnded),
	}
	if sh.bus == nil {
		return sh, nil
	}
	ctx, cancel := context.WithTimeout(h.sessions.Context(), waits.Bus)
	defer cancel()
	stop, err := sh.bus.Subscribe(ctx, subjectNotices, sh.notified)
	if err != nil {
		return nil, fmt.Errorf("streamable: Sharing.Bus: %w", err)
	}
	sh.stops = append(sh.stops, stop)
	if stop, err = sh.bus.Serve(ctx, subjectReplica+sh.replica, sh.answer); err != nil {
		sh.stop()
		return nil, fmt.Errorf("streamable: Sharing.Bus: %w", err)
	}
	sh.stops = append(sh.stops, stop)
	if r, ok := sh.bus.(share.Reconnector); ok {
		sh.stops = append(sh.stops, r.Reconnected(sh.reconnected))
	}
	return sh, nil
}

// reconnected lets the sessions catch up with notices that may have been lost.
func (sh *sharing) reconnected() {
	for _, open := range sh.handler.sessions.All() {
		s, ok := open.(*session)
		if !ok || s.shared == nil {
			continue
		}
		s.catchUp(sh.handler.sessions.Context())
		s.setStale()
		if s.hasGet() {
			s.tellGet()
		} else {
			s.yieldGet(time.Now().UnixNano())
		}
	}
}

// stop ends the subscriptions. It may be called more than once, and on nil.
func (sh *sharing) stop() {
	if sh == nil {
		return
	}
	sh.once.Do(func() {
		for _, stop := range sh.stops {
			stop()
		}
	})
}

// notice is a message to all replicas about a session.
type notice struct {
	kind    string
	from    string // the replica that has sent it
	session string // the key in the table of sessions
	time    int64  // of the end of the session's lifetime, in seconds; of the opening of a GET, in nanoseconds
	text    string // of the client's message
}

// The kinds of notices.
const (
	noticeEnded   = "ended"   // the client has ended the session
	noticeChanged = "changed" // the client has changed what the KV keeps
	noticeMessage = "message" // the client has sent a notification about a request that is elsewhere
	noticeGet     = "get"     // the client has opened a GET
	noticeNoGet   = "no get"  // the client no longer has a GET at that replica
)

// publish sends a notice about a session. It does nothing without a bus.
func (sh *sharing) publish(n notice) {
	if sh.bus == nil {
		return
	}
	w := wire.NewWriter(nil)
	w.BeginObject()
	w.String("kind", n.kind)
	w.String("from", sh.replica)
	w.String("session", n.session)
	w.Int64("time", n.time)
	w.String("text", n.text)
	w.EndObject()
	data, err := w.End()
	if err == nil {
		ctx, cancel := context.WithTimeout(sh.handler.sessions.Context(), waits.Bus)
		defer cancel()
		err = sh.bus.Publish(ctx, subjectNotices, data)
	}
	if err != nil {
		sh.handler.log.Warn("a notice to other replicas could not be sent", "kind", n.kind, "error", err)
	}
}

// notified takes a notice. It does not wait.
func (sh *sharing) notified(data []byte) {
	o := wire.Object(data)
	at, _ := o.GetScalar("time")
	n := notice{kind: o.GetString("kind"), from: o.GetString("from"), session: o.GetString("session"), text: o.GetString("text")}
	n.time, _ = at.Int64()
	if n.from == sh.replica || len(n.session) < seal.HeadLength {
		return
	}
	s := sh.handler.known(n.session)
	if n.kind == noticeEnded {
		sh.ended.Add(nameOf(n.session), time.Unix(n.time, 0), time.Now())
	}
	if s == nil {
		return
	}
	switch n.kind {
	case noticeEnded:
		s.forget()
		s.end(runtime.ErrClosed)
	case noticeChanged:
		go s.catchUp(sh.handler.sessions.Context())
	case noticeMessage:
		s.deliver(n.text)
	case noticeGet:
		s.getElsewhere(n.time)
	case noticeNoGet:
		s.getNowhere()
	}
}

// The code below forwards messages of the client that are about a request at another replica. Answers go to the
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

// Forward implements runtime.Replicated.
func (s *session) Forward(m jsonrpc.Message) {
	if !s.onBus() {
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

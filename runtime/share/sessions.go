package share

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/record"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// defaultLifetime is the default of Sessions.Lifetime.
const defaultLifetime = 24 * time.Hour

// Sessions are the sessions of a server's replicas, each of which serves every session (section Session Management).
// A session's id carries what never changes in the session: the revision, the capabilities of both sides, and the name
// and version of the client. It is sealed, so that a client can neither read nor change it, and no store
// is needed. A replica that gets a request of a session that it does not have takes the session over.
// Requests of a session with an id that has expired, was changed, is of another user or was sealed with an
// unknown key get status 404, upon which clients initialize again; the logger gets the reason.
//
// The state that changes in a session is in a store, and replicas communicate over a Bus. Both are
// optional:
//
//   - Without a store, a replica that takes a session over has neither the log level that the client has set nor
//     its subscriptions, and only replicas that have heard of the end of a session refuse its id.
//   - Without a Bus, a client's answer, cancellation or progress is lost if it comes to another replica than
//     the one with the request, and so is a message of the server's own if the client has its GET stream
//     at another replica. A replica does not notice changes that a client makes at another one.
//
// A stream is resumed at another replica with the events in streamable.Options.Events, which must then be shared too.
type Sessions struct {
	// Keys seal the ids: the first seals, and all of them open, so that keys can be replaced. Each has
	// at least 32 random bytes. All replicas need the same keys. Without keys, nothing is shared.
	Keys [][]byte
	// Lifetime is how long a session can last. 0 means a day.
	Lifetime time.Duration
	// Bus carries messages between the replicas.
	Bus Bus
	// Store keeps the log level, the subscriptions and the end of each session for its Lifetime. It may be the one of
	// tasks.Options. See [UseOnce] for when it removes records.
	Store tasks.Store
}

// NewHandler is streamable.NewHandler for a replica of a server. The handler's Shutdown ends what it does with the Bus.
func NewHandler(server runtime.SessionServer, opts streamable.Options, sessions Sessions) (*streamable.Handler, error) {
	if server == nil || server == runtime.SessionServer((*runtime.Server)(nil)) {
		return nil, errors.New("share: NewHandler: the server is nil")
	}
	if len(sessions.Keys) == 0 && (sessions.Bus != nil || sessions.Store != nil) {
		return nil, errors.New("share: Sessions has a Bus or a Store, but no Keys")
	}
	if len(sessions.Keys) == 0 || opts.Stateless {
		return streamable.NewHandler(server, opts), nil
	}
	p, err := newReplica(server, opts, sessions)
	if err != nil {
		return nil, err
	}
	return p.handler, nil
}

func newReplica(server runtime.SessionServer, opts streamable.Options, sessions Sessions) (*replica, error) {
	ring, err := seal.NewRing(sessions.Keys...)
	if err != nil {
		return nil, fmt.Errorf("share: Sessions.Keys: %w", err)
	}
	if opts.Events == nil {
		opts.Events = streamable.NewMemoryEvents(streamable.DefaultMemoryEvents)
	}
	p := &replica{
		name:     rand.Text()[:replicaLength],
		log:      server.Logger(),
		server:   server,
		ring:     ring,
		lifetime: cmp.Or(max(sessions.Lifetime, 0), defaultLifetime),
		bus:      sessions.Bus,
		store:    sessions.Store,
		ended:    seal.NewUsed(maxEnded, maxEnded),
		events:   opts.Events,
	}
	opts.Sharing = p
	p.handler = streamable.NewHandler(server, opts)
	if p.bus != nil {
		err = p.join()
	}
	return p, err
}

// maxEnded limits the ended sessions that a replica remembers, in addition to those in the store.
const maxEnded = 1 << 16

// replicaLength is the length of the name of a replica.
const replicaLength = 12

// replica is the streamable.Sharing of a handler.
type replica struct {
	name     string
	log      *slog.Logger
	server   runtime.SessionServer
	handler  *streamable.Handler
	ring     *seal.Ring
	lifetime time.Duration
	bus      Bus         // may be nil
	store    tasks.Store // may be nil
	ended    *seal.Used  // names of sessions that their clients have ended
	events   streamable.EventStore
	leave    func() // ends the subscriptions to the bus; nil without one
}

// session is a session at this replica. It is the runtime.Outbox of the server. Its name is the id by which its handler
// knows it, and the beginning of the id that the client gets when it has initialized.
type session struct {
	*streamable.Session
	replica *replica

	ended  atomic.Bool // the client has ended the session
	closed atomic.Bool // the session is over at this replica

	expires atomic.Pointer[time.Time] // nil before the client has initialized

	state state
	get   get
}

// Outbox implements streamable.Sharing.
func (p *replica) Outbox(s *streamable.Session) runtime.Outbox {
	return &session{Session: s, replica: p}
}

// find returns the session with a key, or nil.
func (p *replica) find(key string) *session {
	if s := p.handler.Find(key); s != nil {
		return s.Outbox().(*session)
	}
	return nil
}

// Close implements runtime.Outbox.
func (s *session) Close() error {
	s.closed.Store(true)
	return s.Session.Close()
}

// logID names the session in logs.
func (s *session) logID() string { return runtime.LogID(s.SessionID()) }

// nameLength is the length of the name of a session, which is that of rand.Text.
const nameLength = 26

// nameOf returns the name of the session with a key.
func nameOf(key string) string { return key[len(key)-nameLength:] }

// purpose returns what the id of the session with a key is sealed for: its user and its name.
func purpose(key string) seal.Purpose {
	return seal.Purpose{
		Principal: key[:len(key)-nameLength],
		Request:   seal.Request("", "session of streamable", wire.Object(`{"name":"`+nameOf(key)+`"}`)),
	}
}

// maxSealed limits the content of a session's id, in bytes. The id is sent with each request, and
// servers limit the size of headers. Most clients need 300 bytes.
const maxSealed = 1 << 10

// Negotiated implements runtime.Identified. It gives the session the id that carries the handshake.
func (s *session) Negotiated(h runtime.Handshake) error {
	c := idContent{h.Revision, h.PeerInfo.GetString("name"), h.PeerInfo.GetString("version"), h.PeerCapabilities, h.Capabilities}
	content, err := record.Append(nil, 0, c.members()...)
	if err != nil {
		return err
	}
	if len(content) > maxSealed {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams,
			"invalid params: /capabilities and the name and version of /clientInfo make a session id of %d bytes; at most %d are allowed", len(content), maxSealed)
	}
	expires := time.Now().Add(s.replica.lifetime)
	sealed, err := s.replica.ring.Seal(purpose(s.Key()), expires, content)
	if err != nil {
		return fmt.Errorf("share: %w", err)
	}
	s.SetID(nameOf(s.Key()) + "." + sealed)
	s.expires.Store(&expires)
	return s.Session.Negotiated(h)
}

// idContent is the part of a handshake that the id of a session holds.
type idContent struct {
	revision, name, version string
	peer, own               wire.Object // capabilities
}

func (c *idContent) members() []record.Member {
	return []record.Member{
		record.Field("r", &c.revision), record.Field("n", &c.name), record.Field("v", &c.version), record.Field("p", &c.peer), record.Field("c", &c.own),
	}
}

// readHandshake returns the handshake that an id holds.
func readHandshake(content []byte) (runtime.Handshake, error) {
	var c idContent
	if err := record.Read(content, 0, c.members()...); err != nil {
		return runtime.Handshake{}, err
	}
	info, err := record.Append(nil, 2, record.Field("name", &c.name), record.Field("version", &c.version))
	return runtime.Handshake{Revision: c.revision, PeerInfo: wire.Object(info), PeerCapabilities: c.peer, Capabilities: c.own}, err
}

// Find implements streamable.Sharing. A request of a session that is here opens no seal: the name finds the session,
// and the ids are compared.
func (p *replica) Find(r *http.Request, id string) (*streamable.Session, error) {
	name, sealed, ok := strings.Cut(id, ".")
	if !ok || len(name) != nameLength {
		return nil, p.logRefused(id, seal.ErrForeign)
	}
	key, err := p.handler.Key(r, name)
	if err != nil {
		return nil, err
	}
	for {
		if s := p.handler.Enter(key); s != nil {
			if err := s.Outbox().(*session).checkID(id); err != nil {
				s.Leave()
				return nil, p.logRefused(id, err)
			}
			return s, nil
		}
		// The session has not begun here, or it has ended here but not for its client.
		if ok, err := p.takeOver(r, id, key, sealed); !ok {
			return nil, err
		}
	}
}

// logRefused logs why an id is not, or no longer, that of a session. It returns nil, which stands for no such session:
// the client is not told why.
func (p *replica) logRefused(id string, why error) error {
	p.log.Info("session id refused", "session", runtime.LogID(id), "reason", why)
	return nil
}

// errEnded is the reason to refuse a session that its client has ended.
var errEnded = errors.New("the client has ended the session")

// checkID returns an error if a request may not use the session with an id that has the session's name.
func (s *session) checkID(id string) error {
	switch {
	case subtle.ConstantTimeCompare([]byte(id), []byte(s.SessionID())) == 0:
		return seal.ErrForeign
	case s.ended.Load():
		return errEnded
	case !time.Now().Before(s.until()):
		_ = s.Session.Close()
		return seal.ErrExpired
	}
	return nil
}

// until returns the end of the session's lifetime, or the zero time before the client has initialized.
func (s *session) until() time.Time {
	if expires := s.expires.Load(); expires != nil {
		return *expires
	}
	return time.Time{}
}

// takeOver opens a session that another replica has begun. It returns false if there is no such session.
func (p *replica) takeOver(r *http.Request, id, key, sealed string) (bool, error) {
	opened, err := p.ring.Open(sealed, purpose(key), time.Now())
	if err != nil {
		return false, p.logRefused(id, err)
	}
	handshake, err := readHandshake(opened.Content)
	if err != nil {
		return false, fmt.Errorf("share: %w", err)
	}
	if known := p.server.Revisions(); len(known) > 0 && !slices.Contains(known, handshake.Revision) {
		return false, p.logRefused(id, fmt.Errorf("revision %s is not supported", handshake.Revision))
	}
	s, expires := &session{replica: p}, opened.Expires // not in the memory of opened
	s.expires.Store(&expires)
	now, err := p.load(r.Context(), nameOf(key))
	if err != nil {
		return false, err
	}
	if now.ended {
		return false, p.logRefused(id, errEnded)
	}
	s.state.values = now
	s.get.stale.Store(true)
	handshake.LogLevel, handshake.Subscriptions = now.level, now.subscriptions
	err = p.handler.Resume(r, key, strings.Clone(id), handshake, func(resumed *streamable.Session) runtime.Outbox {
		s.Session = resumed
		return s
	})
	if err != nil {
		return false, err
	}
	if s.Session != nil { // otherwise another request has opened it
		s.catchUp(r.Context()) // a change since load was announced before this replica had the session
		go s.findGet("")       // the request does not wait for it
	}
	return true, nil
}

// End implements streamable.Sharing. It makes all replicas refuse a session that its client has ended.
func (p *replica) End(ctx context.Context, of *streamable.Session) error {
	s := of.Outbox().(*session)
	_, err := s.change(ctx, func(values) values { return values{ended: true} })
	if err != nil && err != errEnded { // by another replica
		return err
	}
	s.ended.Store(true)
	p.ended.Add("", nameOf(s.Key()), s.until(), time.Now())
	_ = p.publish(notice{kind: noticeEnded, session: s.Key(), time: s.until().Unix()})
	return nil
}

// Lasts implements runtime.Replicated.
func (s *session) Lasts() bool { return !s.ended.Load() && time.Now().Before(s.until()) }

// The code below stores what a client changes in its session in the store, before its request is answered. Each change
// is announced after it is stored, and a replica that takes a session over reads the store again when the session is in
// its table, so none is missed in between.

// state is a session's state in the store, as far as this replica knows it.
type state struct {
	mu     sync.Mutex // held while the state is read or written, and while it is applied
	values values
}

// statePrefix begins the ids of the records with the states of sessions.
const statePrefix = "session-"

// values are what a client has changed in a session, as the State of its record.
type values struct {
	version       uint64 // of the record; 0 if there is none
	level         runtime.LogLevel
	subscriptions []string
	ended         bool
}

// errState is the answer to a request whose change of the session the store has failed to keep.
var errState = jsonrpc.Errorf(jsonrpc.CodeInternalError, "unavailable: the session's state cannot be kept; try again later")

func (v *values) members() []record.Member {
	return []record.Member{record.Field("ended", &v.ended), record.Field("level", (*string)(&v.level)), record.Field("subscriptions", &v.subscriptions)}
}

// with returns the values after a change.
func (v values) with(c runtime.Change) values {
	if c.LogLevel != "" {
		v.level = c.LogLevel
	}
	v.subscriptions = slices.DeleteFunc(slices.Clone(v.subscriptions), func(uri string) bool {
		return uri == c.Unsubscribed || uri == c.Subscribed
	})
	if c.Subscribed != "" {
		v.subscriptions = append(v.subscriptions, strings.Clone(c.Subscribed))
	}
	return v
}

// load returns the state of the session with a name.
func (p *replica) load(ctx context.Context, name string) (values, error) {
	if p.ended.Has("", name, time.Now()) {
		return values{ended: true}, nil
	}
	if p.store == nil {
		return values{}, nil
	}
	r, err := p.store.Get(ctx, statePrefix+name)
	if errors.Is(err, tasks.ErrNotFound) {
		return values{}, nil
	}
	if err != nil {
		return values{}, err
	}
	v := values{version: r.Version}
	return v, record.Read([]byte(r.State), 0, v.members()...) // a newer replica may have written more members
}

// Keep implements runtime.Replicated.
func (s *session) Keep(ctx context.Context, c runtime.Change) error {
	changed, err := s.change(ctx, func(v values) values { return v.with(c) })
	if err != nil {
		s.replica.log.Error("a change of a session could not be kept", "session", s.logID(), "error", err)
		return errState
	}
	if changed {
		_ = s.replica.publish(notice{kind: noticeChanged, session: s.Key()})
	}
	return nil
}

// change changes the session's state in the store. It returns false if there is no store.
func (s *session) change(ctx context.Context, next func(values) values) (bool, error) {
	store := s.replica.store
	if store == nil {
		return false, nil
	}
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	for {
		if err := s.refreshLocked(ctx); err != nil {
			return false, err
		}
		if s.state.values.ended {
			return false, errEnded
		}
		changed := next(s.state.values)
		data, err := record.Append(nil, 0, changed.members()...)
		if err != nil {
			return false, err
		}
		now := time.Now()
		r := &tasks.Record{ID: statePrefix + nameOf(s.Key()), Version: s.state.values.version, Created: now, Updated: now, Expires: s.until(), State: wire.Raw(data)}
		if r.Version == 0 {
			err = store.Create(ctx, r)
		} else {
			err = store.Swap(ctx, r)
		}
		if errors.Is(err, tasks.ErrConflict) || errors.Is(err, tasks.ErrNotFound) {
			continue // another replica was faster
		}
		if err == nil {
			changed.version = r.Version
			s.state.values = changed
		}
		return err == nil, err
	}
}

// catchUp applies what the client has changed at other replicas.
func (s *session) catchUp(ctx context.Context) {
	s.state.mu.Lock()
	err := s.refreshLocked(ctx)
	ended := s.state.values.ended
	s.state.mu.Unlock()
	if err != nil {
		s.replica.log.Error("changes of a session could not be loaded", "session", s.logID(), "error", err)
	}
	if ended {
		s.ended.Store(true)
		_ = s.Session.Close()
	}
}

// refreshLocked reads the session's state in the store and applies it. The lock of the state must be held.
func (s *session) refreshLocked(ctx context.Context) error {
	now, err := s.replica.load(ctx, nameOf(s.Key()))
	if err != nil || now.version == s.state.values.version && now.ended == s.state.values.ended {
		return err
	}
	s.state.values = now
	if !now.ended {
		s.Inbox().Restore(runtime.Handshake{LogLevel: now.level, Subscriptions: now.subscriptions})
	}
	return nil
}

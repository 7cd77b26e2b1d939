package web

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Refusals that concern sessions.
var (
	ErrNoSession = Refuse(http.StatusNotFound, "not found: no such session")
	// ErrOpen is returned by Open if a session with the same key is open.
	ErrOpen = Refuse(http.StatusNotFound, "not found: the session has just ended")
	// ErrClosing refuses everything that needs a new session or call during a shutdown.
	ErrClosing = &Refusal{Status: http.StatusServiceUnavailable, Reason: ReasonDraining, Code: jsonrpc.CodeServerBusy, Message: "unavailable: shutting down; try again later"}
	errTooMany = &Refusal{Status: http.StatusServiceUnavailable, Reason: ReasonSessions, Code: jsonrpc.CodeServerBusy, Message: "unavailable: too many sessions"}
	errUser    = Refuse(http.StatusForbidden, "forbidden: the user is not known")
)

// Drain says whether a handler is being shut down.
type Drain struct{ begun atomic.Bool }

// Begin begins the shutdown and waits until delay has passed or ctx has ended. Another call does not wait.
func (d *Drain) Begin(ctx context.Context, delay time.Duration) {
	if !d.begun.Swap(true) && delay > 0 {
		engine.Wait(ctx.Done(), delay, nil)
	}
}

// Close calls shutdown, which calls Begin, with grace as time limit, which begins after delay.
func (d *Drain) Close(delay, grace time.Duration, shutdown func(context.Context) error) {
	d.Begin(context.Background(), delay)
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	_ = shutdown(ctx) // the error only says that grace was not enough
}

// Begun reports whether Begin was called.
func (d *Drain) Begun() bool { return d.begun.Load() }

// Session is a session of a handler.
type Session interface {
	// Entry returns the session's entry, which Sessions alone uses.
	Entry() *Entry
	// Usage reports when the client last used the session, whether it has used it since
	// initialize, and whether it is using it now.
	Usage() (since time.Time, used, busy bool)
	// Expire makes the session refuse requests, unless the client is using it. It reports whether
	// it did. Sessions calls it with a lock held.
	Expire() bool
	// Evict ends the session after Expire.
	Evict()
	// Shutdown ends the session gracefully, as runtime.Inbox.Shutdown does.
	Shutdown(ctx context.Context)
}

// Sessions holds the sessions of a handler: it finds them by their keys, limits their number and
// ends them together. It is safe for concurrent use.
type Sessions struct {
	limits limits

	ctx     context.Context
	end     context.CancelFunc
	running sync.WaitGroup // sessions from the end of Open to Done

	mu      sync.RWMutex
	byKey   map[string]Session
	opening map[string]chan struct{} // keys for which Open runs; closed when it returns
	unnamed map[*Entry]Session       // sessions without a key
	groups  map[groupKey]*group
	closing bool
}

// NewSessions returns an empty table with these limits.
func NewSessions(limits Limits) *Sessions {
	t := &Sessions{
		limits:  limits.complete(),
		byKey:   make(map[string]Session),
		opening: make(map[string]chan struct{}),
		unnamed: make(map[*Entry]Session),
		groups:  make(map[groupKey]*group),
	}
	t.ctx, t.end = context.WithCancel(context.Background())
	return t
}

// Context returns the context of all sessions. It ends when Shutdown has ended them.
func (t *Sessions) Context() context.Context { return t.ctx }

// Len returns the number of sessions that are counted.
func (t *Sessions) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if g := t.groups[groupKey{kind: ofAll}]; g != nil {
		return g.size
	}
	return 0
}

// Find returns the open session with a key, or nil.
func (t *Sessions) Find(key string) Session {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.byKey[key]
}

// All returns the open sessions.
func (t *Sessions) All() []Session {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.AppendSeq(slices.Collect(maps.Values(t.byKey)), maps.Values(t.unnamed))
}

// Open gives a session an entry and calls open to start it. The session can be found by its key
// when Open returns. The request is the one that opens the session. A session that serves a single request, which is
// counted itself, has the key "" and the request nil.
//
// At a limit, Open evicts the least recently used session, preferring those that were never used
// after initialize. If all are in use, it evicts none. The error is that of open or a *Refusal, and
// ErrOpen if the key is taken. After an error, the table has no trace of the session.
//
// Open calls open without a lock, so open may take its time and may call Shutdown.
func (t *Sessions) Open(s Session, r *http.Request, key string, open func() error) error {
	if err := t.admit(s, t.limits.groups(r, UserOf(key)), key); err != nil {
		return err
	}
	err := open()
	t.mu.Lock()
	defer t.mu.Unlock()
	if key != "" {
		close(t.opening[key])
		delete(t.opening, key)
	}
	p := s.Entry()
	if err == nil && t.closing {
		err = ErrClosing
	}
	if err != nil {
		t.freeLocked(p)
		return err
	}
	if !p.ended {
		t.running.Add(1)
		p.running = true
	}
	if p.free {
		return nil // it has ended meanwhile
	}
	if key == "" {
		t.unnamed[p] = s
		return nil
	}
	t.byKey[key], p.key = s, key
	p.since, p.used, _ = s.Usage()
	p.queue()
	return nil
}

// admit counts a session, evicting others if necessary.
func (t *Sessions) admit(s Session, in [kinds]groupKey, key string) error {
	evicted, busy, err := t.tryAdmit(s, in, key)
	for _, other := range evicted {
		other.Evict()
	}
	if busy != nil {
		<-busy
	}
	return err
}

func (t *Sessions) tryAdmit(s Session, in [kinds]groupKey, key string) (evicted []Session, busy <-chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closing:
		return nil, nil, ErrClosing
	case key != "" && t.byKey[key] != nil:
		return nil, nil, ErrOpen
	case key != "" && t.opening[key] != nil:
		return nil, t.opening[key], ErrOpen
	}
	if evicted, err = t.makeRoomLocked(in); err != nil {
		return evicted, nil, err
	}
	if key != "" {
		t.opening[key] = make(chan struct{})
	}
	p := s.Entry()
	*p = Entry{session: s}
	for _, k := range in {
		if k.limited() {
			t.joinLocked(p, k)
		}
	}
	return evicted, nil, nil
}

// Leave frees the entry of a session that has ended. Calling it again does nothing.
func (t *Sessions) Leave(s Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.freeLocked(s.Entry())
}

func (t *Sessions) freeLocked(p *Entry) {
	if p.free {
		return
	}
	p.free = true
	t.quitLocked(p)
	delete(t.unnamed, p)
	if t.byKey[p.key] == p.session {
		delete(t.byKey, p.key)
	}
}

// Done reports that nothing runs for a session any more, which Shutdown waits for.
func (t *Sessions) Done(s Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := s.Entry()
	p.ended = true
	if p.running {
		p.running = false
		t.running.Done()
	}
}

// Idle reports that the client has stopped using a session.
func (t *Sessions) Idle(s Session) {
	p := s.Entry()
	if !p.parked.Load() {
		return // the common case: no session had to make room
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.parked.Load() && !p.free {
		p.since, p.used, _ = s.Usage()
		p.queue()
	}
}

// Closing reports whether Shutdown has been called.
func (t *Sessions) Closing() bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.closing
}

// NoSession returns the refusal for a request that names no open session.
func (t *Sessions) NoSession() *Refusal {
	if t.Closing() {
		return ErrClosing // another process may have it
	}
	return ErrNoSession
}

// Shutdown refuses new sessions, shuts down the open ones, and returns when nothing runs for any of
// them and the shutdowns of others have returned, which begin when Closing reports true. It returns the cause of ctx if
// ctx ended before, and nil otherwise. A session that is being opened does not count: Open refuses it.
func (t *Sessions) Shutdown(ctx context.Context, others ...func(context.Context)) error {
	t.mu.Lock()
	t.closing = true
	t.mu.Unlock()
	var rest sync.WaitGroup
	for _, shutdown := range others {
		rest.Go(func() { shutdown(ctx) })
	}
	for _, s := range t.All() {
		go s.Shutdown(ctx)
	}
	t.running.Wait()
	t.end()
	rest.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// User returns the user that sent a request.
type User func(r *http.Request) (string, error)

// Key returns the key of the session that the user of a request knows by an id. An error is a *Refusal.
func (u User) Key(r *http.Request, id string, log *slog.Logger) (string, error) {
	if strings.Contains(id, ":") {
		return "", ErrNoSession // otherwise part of it could pass for a user or a part of one
	}
	user, err := u.Name(r, log)
	if err != nil {
		return "", err
	}
	return Key(user, id), nil
}

// Key returns the key of the session that a user knows by an id: the user, a colon and the id, or the id alone if there
// is no user. The id of another user's session therefore gives a key without a session ("Session Hijacking" in
// basic/security_best_practices, 2025-11-25).
func Key(user, id string) string {
	if user == "" {
		return id
	}
	return user + ":" + id
}

// UserOf returns the user of the session with a key, or "" if there is none.
func UserOf(key string) string { return key[:max(strings.LastIndexByte(key, ':'), 0)] }

// Name returns the user that sent a request. An error is a *Refusal.
func (u User) Name(r *http.Request, log *slog.Logger) (string, error) {
	user, err := u(r)
	if err != nil {
		log.Warn("request refused", "reason", "the user is not known", "error", err)
		return "", errUser
	}
	return user, nil
}

// Closed reports whether a channel is closed, if nothing is ever sent on it.
func Closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

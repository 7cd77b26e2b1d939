package web

import (
	"container/list"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
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

// The reasons for which a table ends a session.
var (
	ErrIdle    = errors.New("web: the session was idle")
	ErrEvicted = errors.New("web: the session has made room for another")
)

// Options configure a table of sessions.
type Options[S any] struct {
	Limits Limits
	// Idle is how long a session may be idle. If it is 0 or less, only those that were never used end.
	Idle time.Duration
	// End ends a session because of ErrIdle or ErrEvicted.
	End func(s S, why error)
	// Shutdown ends a session gracefully, as runtime.Inbox.Shutdown does.
	Shutdown func(s S, ctx context.Context)
	// Drain is how long Shutdown waits before it begins.
	Drain time.Duration
}

// Sessions holds the sessions of a handler: it finds them by their keys, limits their number, ends those that are idle,
// and shuts all down together. A session is busy while its client uses it, from [Sessions.Enter] to [Sessions.Leave],
// and idle otherwise. It is safe for concurrent use. Its lock is held for a few steps, and for a look at the idle sessions
// when a user or an address has too many.
type Sessions[S any] struct {
	options Options[S]
	count   counter // of sessions

	ctx      context.Context
	end      context.CancelFunc
	running  sync.WaitGroup // sessions from the end of Open to Done
	draining atomic.Bool

	mu      sync.Mutex
	byKey   map[string]*Seat[S] // those that are being opened, too
	closing bool
	// order has the seats in the order in which they make room for others: first those that were never used, then those
	// that are idle, each part with those that have been so for longest at the beginning. Those that are busy come last and
	// make no room. A mark, which has no value, stands before the second and before the third part.
	order      list.List
	used, busy *list.Element // the marks
	timer      *time.Timer   // calls expire; one for all sessions, because one for each would take 160 bytes
	fires      time.Time     // when timer calls it; zero if it does not
	// full has the groups at their limits none of whose sessions makes room. Without it, each refusal would look at all
	// idle sessions, which takes 0.6 ms for 9,000.
	full map[groupKey]bool
}

// Seat is the place of a session in Sessions. Its exported fields are set before Open is called.
type Seat[S any] struct {
	Session S
	Key     string // "" for a session that serves a single request, which is counted itself
	Used    bool   // the client has used the session since initialize
	Busy    int    // requests of the client in progress

	address string        // of the client that has opened it, if that has a limit
	place   *list.Element // in the order of Sessions; nil if it is not in the table
	opening chan struct{} // closed when Open has returned; nil from then on
	since   time.Time     // when Busy became 0
	ended   bool          // Done was called
	running bool          // Shutdown waits for it
}

// NewSessions returns an empty table.
func NewSessions[S any](options Options[S]) *Sessions[S] {
	t := &Sessions[S]{
		options: options,
		count:   newCounter(options.Limits.complete()),
		byKey:   make(map[string]*Seat[S]),
		full:    make(map[groupKey]bool),
	}
	t.used, t.busy = t.order.PushBack(nil), t.order.PushBack(nil)
	t.ctx, t.end = context.WithCancel(context.Background())
	return t
}

// Context returns the context of all sessions. It ends when Shutdown has ended them.
func (t *Sessions[S]) Context() context.Context { return t.ctx }

// Len returns the number of sessions that are counted.
func (t *Sessions[S]) Len() int {
	return t.count.len()
}

// Find returns the open session with a key, or the zero value.
func (t *Sessions[S]) Find(key string) (s S) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.byKey[key]; p != nil && p.opening == nil {
		s = p.Session
	}
	return s
}

// Enter is Find for a request of the client, which keeps the session busy until Leave is called. Uses says that the client
// uses the session from now on; a request to initialize it does not.
func (t *Sessions[S]) Enter(key string, uses bool) (s S) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.byKey[key]
	if p == nil || p.opening != nil {
		return s
	}
	p.Used = p.Used || uses
	if p.Busy++; p.Busy == 1 {
		t.order.MoveToBack(p.place)
	}
	return p.Session
}

// Leave is called when a request of the client is over.
func (t *Sessions[S]) Leave(p *Seat[S]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.Busy--; p.Busy == 0 && p.place != nil {
		t.rest(p)
	}
}

// rest makes a session idle.
func (t *Sessions[S]) rest(p *Seat[S]) {
	p.since = time.Now()
	next := t.used
	if p.Used {
		next = t.busy
	}
	t.order.MoveBefore(p.place, next)
	t.hasRoom(p)
	t.wake(t.due(p))
}

// hasRoom is called when a session makes room for another, or leaves some.
func (t *Sessions[S]) hasRoom(p *Seat[S]) {
	if len(t.full) > 0 {
		for _, key := range t.groups(p) {
			delete(t.full, key)
		}
	}
}

// due returns when an idle session ends, which is sooner if it was never used; zero if it does not.
func (t *Sessions[S]) due(p *Seat[S]) time.Time {
	idle := t.options.Idle
	switch {
	case !p.Used && (idle <= 0 || idle > waits.FirstUse):
		idle = waits.FirstUse
	case idle <= 0:
		return time.Time{}
	}
	return p.since.Add(idle)
}

// wake makes the timer fire at a time or earlier.
func (t *Sessions[S]) wake(at time.Time) {
	if at.IsZero() || !t.fires.IsZero() && !at.Before(t.fires) {
		return
	}
	t.fires = at
	if t.timer == nil {
		t.timer = time.AfterFunc(time.Until(at), t.expire) // a goroutine that waits would take 3 KB
		return
	}
	t.timer.Reset(time.Until(at))
}

// expire ends the sessions that have been idle for too long. The first of each part of the order are idle for longest.
func (t *Sessions[S]) expire() {
	t.mu.Lock()
	t.fires = time.Time{}
	now := time.Now()
	var expired []*Seat[S]
	for _, e := range []*list.Element{t.order.Front(), t.used.Next()} {
		for e.Value != nil {
			p := e.Value.(*Seat[S])
			if due := t.due(p); due.IsZero() || due.After(now) {
				if soonest := now.Add(waits.Sweep); due.Before(soonest) && !due.IsZero() {
					due = soonest
				}
				t.wake(due)
				break
			}
			e = e.Next()
			t.remove(p)
			expired = append(expired, p)
		}
	}
	t.mu.Unlock()
	for _, p := range expired {
		t.options.End(p.Session, ErrIdle)
	}
}

// All returns the open sessions.
func (t *Sessions[S]) All() (open []S) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := t.order.Front(); e != nil; e = e.Next() {
		if p, ok := e.Value.(*Seat[S]); ok && p.opening == nil {
			open = append(open, p.Session)
		}
	}
	return open
}

// Open takes a seat for a session and calls open to start it. The session can be found by its key when Open returns.
// The request is the one that opens the session; nil for a session without a key.
//
// At a limit, Open evicts the first session that makes room. If all are busy, it evicts none. The error is that of
// open or a *Refusal, and ErrOpen if the key is taken. After an error, the table has no trace of the session.
//
// Open calls open without a lock, so open may take its time and may call Shutdown.
func (t *Sessions[S]) Open(p *Seat[S], r *http.Request, open func() error) error {
	p.address = t.count.addressOf(r)
	if err := t.admit(p); err != nil {
		return err
	}
	err := open()
	t.mu.Lock()
	defer t.mu.Unlock()
	close(p.opening)
	p.opening = nil
	if err == nil && t.closing {
		err = ErrClosing
	}
	if err != nil {
		t.remove(p)
		return err
	}
	if !p.ended {
		t.running.Add(1)
		p.running = true
	}
	if p.Busy == 0 && p.place != nil {
		t.rest(p)
	}
	return nil
}

// admit seats a session as a busy one, evicting others if necessary.
func (t *Sessions[S]) admit(p *Seat[S]) error {
	t.mu.Lock()
	var err error
	var evicted []*Seat[S]
	var opening <-chan struct{}
	switch other := t.byKey[p.Key]; {
	case t.closing:
		err = ErrClosing
	case other != nil:
		err, opening = ErrOpen, other.opening
	default:
		if evicted, err = t.makeRoom(p); err == nil {
			t.seat(p)
		}
	}
	t.mu.Unlock()
	for _, other := range evicted {
		t.options.End(other.Session, ErrEvicted)
	}
	if opening != nil {
		<-opening
	}
	return err
}

// groups returns the groups of a session.
func (t *Sessions[S]) groups(p *Seat[S]) [kinds]groupKey {
	return t.count.groups(UserOf(p.Key), p.address)
}

// makeRoom removes sessions for a new one, at most one for each of its groups.
func (t *Sessions[S]) makeRoom(p *Seat[S]) (leaving []*Seat[S], err error) {
	// The group of all comes last: a session that leaves another group leaves that one too.
	in := t.groups(p)
	for _, key := range slices.Backward(in[:]) {
		leaves := func(p *Seat[S]) bool { return t.groups(p)[key.kind] == key }
		if key.name == "" || t.count.counts[key] < t.count.of[key.kind] || slices.ContainsFunc(leaving, leaves) {
			continue
		}
		if t.full[key] {
			return nil, errTooMany
		}
		first := t.order.Front()
		for first != t.busy && (first == t.used || !leaves(first.Value.(*Seat[S]))) {
			first = first.Next()
		}
		if first == t.busy {
			t.full[key] = true
			return nil, errTooMany
		}
		leaving = append(leaving, first.Value.(*Seat[S]))
	}
	for _, p := range leaving {
		t.remove(p)
	}
	return leaving, nil
}

// seat puts a session into the order, and counts it.
func (t *Sessions[S]) seat(p *Seat[S]) {
	p.opening = make(chan struct{})
	if p.Key != "" {
		t.byKey[p.Key] = p
	}
	p.place = t.order.PushBack(p)
	t.count.add(1, UserOf(p.Key), p.address)
}

// Remove takes a session that has ended from the table. Calling it again does nothing.
func (t *Sessions[S]) Remove(p *Seat[S]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remove(p)
}

func (t *Sessions[S]) remove(p *Seat[S]) {
	if p.place == nil {
		return
	}
	if t.byKey[p.Key] == p {
		delete(t.byKey, p.Key)
	}
	t.order.Remove(p.place)
	p.place = nil
	t.hasRoom(p)
	t.count.add(-1, UserOf(p.Key), p.address)
}

// Done ends the wait of Shutdown for a session. It is called when nothing runs for the session any more.
func (t *Sessions[S]) Done(p *Seat[S]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p.ended = true
	if p.running {
		p.running = false
		t.running.Done()
	}
}

// Draining reports whether Shutdown or Close was called.
func (t *Sessions[S]) Draining() bool { return t.draining.Load() }

// drain begins the shutdown and waits for Options.Drain, or until ctx has ended. Only the first call waits.
func (t *Sessions[S]) drain(ctx context.Context) {
	if !t.draining.Swap(true) && t.options.Drain > 0 {
		engine.Wait(ctx.Done(), t.options.Drain, nil)
	}
}

// Closing reports whether new sessions are refused, because Shutdown was called.
func (t *Sessions[S]) Closing() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closing
}

// NoSession returns the refusal for a request that names no open session.
func (t *Sessions[S]) NoSession() *Refusal {
	if t.Closing() {
		return ErrClosing // another process may have it
	}
	return ErrNoSession
}

// Shutdown refuses new sessions, shuts down the open ones, and returns when nothing runs for any of
// them and the shutdowns of others have returned, which begin when Closing reports true. It returns the cause of ctx if
// ctx ended before, and nil otherwise. A session that is being opened does not count: Open refuses it.
func (t *Sessions[S]) Shutdown(ctx context.Context, others ...func(context.Context)) error {
	t.drain(ctx)
	t.mu.Lock()
	t.closing = true
	t.mu.Unlock()
	var rest sync.WaitGroup
	for _, shutdown := range others {
		rest.Go(func() { shutdown(ctx) })
	}
	for _, s := range t.All() {
		go t.options.Shutdown(s, ctx)
	}
	t.running.Wait()
	t.end()
	rest.Wait()
	t.mu.Lock()
	if t.timer != nil {
		t.timer.Stop()
	}
	t.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// Close waits for Options.Drain and then calls shutdown, which calls Shutdown, with grace as its time limit.
func (t *Sessions[S]) Close(grace time.Duration, shutdown func(context.Context) error) {
	t.drain(context.Background())
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	_ = shutdown(ctx) // the error only says that grace was not enough
}

// Users determines who sent a request.
type Users struct {
	Of  func(r *http.Request) (string, error) // nil means runtime.PrincipalOf
	Log *slog.Logger
}

// User returns the user that sent a request. An error is a *Refusal.
func (u *Users) User(r *http.Request) (string, error) {
	if u.Of == nil {
		return runtime.PrincipalOf(r.Context()), nil
	}
	user, err := u.Of(r)
	if err != nil {
		u.Log.Warn("request refused", "reason", "the user is not known", "error", err)
		return "", errUser
	}
	return user, nil
}

// Key returns the key of the session that the user of a request knows by an id. An error is a *Refusal.
func (u *Users) Key(r *http.Request, id string) (string, error) {
	if strings.Contains(id, ":") {
		return "", ErrNoSession // otherwise part of it could pass for a user or a part of one
	}
	user, err := u.User(r)
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

// Closed reports whether a channel is closed, if nothing is ever sent on it.
func Closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

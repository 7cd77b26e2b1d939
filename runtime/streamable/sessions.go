package streamable

import (
	"container/list"
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Refusals that concern sessions.
var (
	errNoSession = web.Refuse(http.StatusNotFound, "not found: no such session")
	// errOpen is returned by open if a session with the same key is open.
	errOpen = web.Refuse(http.StatusNotFound, "not found: the session has just ended")
	// errClosing refuses everything that needs a new session or call during a shutdown.
	errClosing = &web.Refusal{Status: http.StatusServiceUnavailable, Reason: reasonDraining, Code: jsonrpc.CodeServerBusy, Message: "unavailable: shutting down; try again later"}
	errTooMany = &web.Refusal{Status: http.StatusServiceUnavailable, Reason: reasonSessions, Code: jsonrpc.CodeServerBusy, Message: "unavailable: too many sessions"}
	errUser    = web.Refuse(http.StatusForbidden, "forbidden: the user is not known")
)

// The reasons for which a handler ends a session.
var (
	errIdle    = errors.New("streamable: the session was idle")
	errEvicted = errors.New("streamable: the session has made room for another")
)

// sessions holds the sessions of a handler: it finds them by their keys, limits their number, ends those that are idle,
// and shuts all down together. A session is busy while its client uses it, from enter to leave, and idle otherwise. It
// is safe for concurrent use. Its lock is held for a few steps, and for a look at the idle sessions when a user or an
// address has too many.
type sessions struct {
	idle  time.Duration // see Options.IdleTimeout
	count groupCounter  // of sessions

	ctx      context.Context // of all sessions; it ends when they have been shut down
	end      context.CancelFunc
	running  sync.WaitGroup // sessions from await to done
	draining atomic.Bool    // Shutdown or Close was called
	closing  atomic.Bool    // new sessions are refused, because the handler is shut down

	mu    sync.Mutex
	byKey map[string]*Session // those that are being opened, too
	// order has the sessions in the order in which they make room for others: first those that were never used, then
	// those that are idle, each part with those that have been so for longest at the beginning. Those that are busy come
	// last and make no room. A mark, which has no value, stands before the second and before the third part.
	order      list.List
	used, busy *list.Element // the marks
	timer      *time.Timer   // calls expire; one for all sessions, because one for each would take 160 bytes
	fires      time.Time     // when timer calls it; zero if it does not
	// full has the groups at their limits none of whose sessions makes room. Without it, each refusal would look at all
	// idle sessions, which takes 0.6 ms for 9,000.
	full map[groupKey]bool
}

// init makes an empty table.
func (t *sessions) init(opts *Options) {
	t.idle, t.count = opts.IdleTimeout, newGroupCounter(opts.groupLimits(opts.MaxSessions))
	t.byKey, t.full = make(map[string]*Session), make(map[groupKey]bool)
	t.used, t.busy = t.order.PushBack(nil), t.order.PushBack(nil)
	t.ctx, t.end = context.WithCancel(context.Background())
}

// find returns the open session with a key, or nil.
func (t *sessions) find(key string) *Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.findLocked(key)
}

func (t *sessions) findLocked(key string) *Session {
	if s := t.byKey[key]; s != nil && s.opening == nil {
		return s
	}
	return nil
}

// enter is find for a request of the client, which keeps the session busy until leave is called. Uses says that the
// client uses the session from now on; a request to initialize it does not.
func (t *sessions) enter(key string, uses bool) *Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.findLocked(key)
	if s != nil {
		s.used = s.used || uses
		if s.busy++; s.busy == 1 {
			t.order.MoveToBack(s.place)
		}
	}
	return s
}

// leave is called when a request of the client is over.
func (t *sessions) leave(s *Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.busy--; s.busy == 0 && s.place != nil {
		t.makeIdle(s)
	}
}

// makeIdle makes a session idle.
func (t *sessions) makeIdle(s *Session) {
	s.since = time.Now()
	next := t.used
	if s.used {
		next = t.busy
	}
	t.order.MoveBefore(s.place, next)
	t.hasRoom(s)
	t.wake(t.due(s))
}

// hasRoom is called when a session makes room for another, or leaves some.
func (t *sessions) hasRoom(s *Session) {
	if len(t.full) > 0 {
		for _, key := range t.groups(s) {
			delete(t.full, key)
		}
	}
}

// due returns when an idle session ends, which is sooner if it was never used; zero if it does not.
func (t *sessions) due(s *Session) time.Time {
	idle := t.idle
	switch {
	case !s.used && (idle <= 0 || idle > waits.FirstUse):
		idle = waits.FirstUse
	case idle <= 0:
		return time.Time{}
	}
	return s.since.Add(idle)
}

// wake makes the timer fire at a time or earlier.
func (t *sessions) wake(at time.Time) {
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
func (t *sessions) expire() {
	t.mu.Lock()
	t.fires = time.Time{}
	now := time.Now()
	var expired []*Session
	for _, e := range []*list.Element{t.order.Front(), t.used.Next()} {
		for e.Value != nil {
			s := e.Value.(*Session)
			if due := t.due(s); due.IsZero() || due.After(now) {
				if soonest := now.Add(waits.Sweep); due.Before(soonest) && !due.IsZero() {
					due = soonest
				}
				t.wake(due)
				break
			}
			e = e.Next()
			t.removeLocked(s)
			expired = append(expired, s)
		}
	}
	t.mu.Unlock()
	for _, s := range expired {
		s.end(errIdle)
	}
}

// all returns the open sessions.
func (t *sessions) all() (open []*Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := t.order.Front(); e != nil; e = e.Next() {
		if s, ok := e.Value.(*Session); ok && s.opening == nil {
			open = append(open, s)
		}
	}
	return open
}

// open takes a place for a session and calls start to start it. The session can be found by its key when open returns.
// The request is the one that opens the session; nil for a session without a key.
//
// At a limit, open evicts the first session that makes room. If all are busy, it evicts none. The error is that of
// start or a *web.Refusal, and errOpen if the key is taken. After an error, the table has no trace of the session.
//
// open calls start without a lock, so start may take its time and may shut the handler down.
func (t *sessions) open(s *Session, r *http.Request, start func() error) error {
	s.address = t.count.addressOf(r)
	if err := t.admit(s); err != nil {
		return err
	}
	err := start()
	t.mu.Lock()
	defer t.mu.Unlock()
	close(s.opening)
	s.opening = nil
	if err == nil && t.closing.Load() {
		err = errClosing
	}
	if err != nil {
		t.removeLocked(s)
		return err
	}
	t.awaitLocked(s)
	if s.busy == 0 && s.place != nil {
		t.makeIdle(s)
	}
	return nil
}

// admit adds a session to the table as a busy one. If necessary, it evicts others.
func (t *sessions) admit(s *Session) error {
	t.mu.Lock()
	var err error
	var evicted []*Session
	var opening <-chan struct{}
	switch other := t.byKey[s.key]; {
	case t.closing.Load():
		err = errClosing
	case other != nil:
		err, opening = errOpen, other.opening
	default:
		if evicted, err = t.makeRoom(s); err == nil {
			t.add(s)
		}
	}
	t.mu.Unlock()
	for _, other := range evicted {
		other.end(errEvicted)
	}
	if opening != nil {
		<-opening
	}
	return err
}

// groups returns the groups of a session.
func (t *sessions) groups(s *Session) [kinds]groupKey {
	return t.count.groups(userOf(s.key), s.address)
}

// makeRoom removes sessions for a new one, at most one for each of its groups.
func (t *sessions) makeRoom(s *Session) (leaving []*Session, err error) {
	// The group of all comes last: a session that leaves another group leaves that one too.
	in := t.groups(s)
	for _, key := range slices.Backward(in[:]) {
		leaves := func(s *Session) bool { return t.groups(s)[key.kind] == key }
		if key.name == "" || t.count.counts[key] < t.count.of[key.kind] || slices.ContainsFunc(leaving, leaves) {
			continue
		}
		if t.full[key] {
			return nil, errTooMany
		}
		first := t.order.Front()
		for first != t.busy && (first == t.used || !leaves(first.Value.(*Session))) {
			first = first.Next()
		}
		if first == t.busy {
			t.full[key] = true
			return nil, errTooMany
		}
		leaving = append(leaving, first.Value.(*Session))
	}
	for _, s := range leaving {
		t.removeLocked(s)
	}
	return leaving, nil
}

// add puts a session into the order, and counts it.
func (t *sessions) add(s *Session) {
	s.opening = make(chan struct{})
	if s.key != "" {
		t.byKey[s.key] = s
	}
	s.place = t.order.PushBack(s)
	t.count.add(1, userOf(s.key), s.address)
}

// remove takes a session that has ended from the table. Calling it again does nothing.
func (t *sessions) remove(s *Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.removeLocked(s)
}

func (t *sessions) removeLocked(s *Session) {
	if s.place == nil {
		return
	}
	if t.byKey[s.key] == s {
		delete(t.byKey, s.key)
	}
	t.order.Remove(s.place)
	s.place = nil
	t.hasRoom(s)
	t.count.add(-1, userOf(s.key), s.address)
}

// await makes a shutdown wait for a session, unless nothing runs for it any more.
func (t *sessions) await(s *Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.awaitLocked(s)
}

func (t *sessions) awaitLocked(s *Session) {
	if !s.finished {
		t.running.Add(1)
		s.awaited = true
	}
}

// done ends the wait of a shutdown for a session. It is called when nothing runs for the session any more.
func (t *sessions) done(s *Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.finished = true
	if s.awaited {
		s.awaited = false
		t.running.Done()
	}
}

// refusal returns the refusal for a request that names no open session.
func (t *sessions) refusal() *web.Refusal {
	if t.closing.Load() {
		return errClosing // another process may have it
	}
	return errNoSession
}

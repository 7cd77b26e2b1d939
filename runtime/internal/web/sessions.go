package web

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// The refusals that have to do with sessions.
var (
	ErrNoSession = Refuse(http.StatusNotFound, "not found: no such session")
	errTooMany   = &Refusal{Status: http.StatusServiceUnavailable, Code: jsonrpc.CodeServerBusy, Message: "unavailable: too many sessions"}
	ErrClosing   = &Refusal{Status: http.StatusServiceUnavailable, Code: jsonrpc.CodeServerBusy, Message: "unavailable: shutting down; try again later"}
	errUser      = Refuse(http.StatusForbidden, "forbidden: the user is not known")
)

// Session is a session of a handler.
type Session interface {
	// Shutdown ends the session as runtime.Inbox.Shutdown does.
	Shutdown(ctx context.Context)
}

// Sessions are the sessions of a handler, which are limited in number and end together.
type Sessions struct {
	max     int
	open    atomic.Int64
	serving sync.WaitGroup

	ctx context.Context
	end context.CancelCauseFunc

	mu      sync.Mutex // held while a session starts, so that Shutdown finds it
	begun   map[Session]struct{}
	closing atomic.Bool
}

// NewSessions makes a table for at most max sessions.
func NewSessions(max int) *Sessions {
	s := &Sessions{max: max, begun: make(map[Session]struct{})}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	return s
}

// Context is that of all sessions; it ends with Shutdown.
func (s *Sessions) Context() context.Context { return s.ctx }

// Open is the number of sessions that have started and not left.
func (s *Sessions) Open() int { return int(s.open.Load()) }

// Begin counts a session and calls begin, which must be quick. Shutdown waits until Done is
// called. When it returns an error, which is that of begin or a *Refusal, Leave must follow
// nevertheless, and Done must not.
func (s *Sessions) Begin(session Session, begin func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.open.Add(1)
	if s.closing.Load() {
		return ErrClosing
	}
	if n > int64(s.max) {
		return errTooMany
	}
	if err := begin(); err != nil {
		return err
	}
	s.serving.Add(1)
	s.begun[session] = struct{}{}
	return nil
}

// Done tells that nothing is done for a session any more.
func (s *Sessions) Done(session Session) {
	s.mu.Lock()
	delete(s.begun, session)
	s.mu.Unlock()
	s.serving.Done()
}

// Leave makes room for another session.
func (s *Sessions) Leave() { s.open.Add(-1) }

// Closing reports whether Shutdown has been called.
func (s *Sessions) Closing() bool { return s.closing.Load() }

// NoSession returns the refusal of a request that names no session which is open.
func (s *Sessions) NoSession() *Refusal {
	if s.Closing() {
		return ErrClosing // another process may have it
	}
	return ErrNoSession
}

// Shutdown lets no session begin, shuts down those that have begun, and waits until nothing
// is done for any of them. It returns the cause of ctx if ctx ends before.
func (s *Sessions) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closing.Store(true)
	begun := slices.Collect(maps.Keys(s.begun))
	s.mu.Unlock()
	for _, session := range begun {
		go session.Shutdown(ctx)
	}
	s.serving.Wait()
	s.end(nil)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// User tells who has sent a request; nil tells nothing.
type User func(r *http.Request) (string, error)

// Key is under what the session is found that the user of a request knows by an id: the
// user, a colon and the id, or the id alone when nothing tells users apart. Who presents
// the id of somebody else's session names another key, which is that of no session
// ("Session Hijacking" in basic/security_best_practices, 2025-11-25). An error is a *Refusal.
func (u User) Key(r *http.Request, id string, log *slog.Logger) (string, error) {
	if u == nil {
		return id, nil
	}
	if strings.Contains(id, ":") {
		return "", ErrNoSession // else part of it could be taken for the user's
	}
	user, err := u(r)
	if err != nil {
		log.Warn("request refused", "reason", "the user is not known", "error", err)
		return "", errUser
	}
	return user + ":" + id, nil
}

// Serve lets the guard check a request and has it served. The error of serve, if it is a
// *Refusal, is answered.
func Serve(w http.ResponseWriter, r *http.Request, guard Guard, log *slog.Logger, serve func(http.ResponseWriter, *http.Request) error) {
	if why := guard.Check(r); why != "" {
		log.Warn("request refused", "reason", why, "host", r.Host, "origin", r.Header.Get("Origin"))
		Refuse(http.StatusForbidden, "forbidden: "+why).WriteTo(w)
		return
	}
	if refusal, ok := errors.AsType[*Refusal](serve(w, r)); ok {
		log.Debug("request refused", "http_method", r.Method, "error", refusal)
		refusal.WriteTo(w)
	}
}

// Ticks is a ticker's channel; nil for a time not above 0.
func Ticks(d time.Duration) (ticks <-chan time.Time, stop func()) {
	if d <= 0 {
		return nil, func() {}
	}
	ticker := time.NewTicker(d)
	return ticker.C, ticker.Stop
}

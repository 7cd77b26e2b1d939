package runtime

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file opens a session's connection again after it was lost ("Unexpected Termination" in
// basic/transports/stdio, 2026-07-28; "Session Management" in basic/transports, 2025-11-25).

// notBegun is an error of a transport that may say that the server has not begun the request.
type notBegun interface {
	error
	NotBegun() bool
}

// unsentError is the error of a request that was not sent, because the connection was over.
type unsentError struct{ error }

func (e unsentError) Unwrap() error { return e.error }

// ready returns the connection, after opening it again if it is lost.
func (s *Session) ready(ctx context.Context) *link {
	l := s.now()
	select {
	case <-l.done:
	default:
		return l
	}
	if err := s.reopen(ctx, l); err != nil {
		l.peer.logger().Warn("the connection could not be opened again", "error", err)
	}
	return s.now()
}

// reopens reports whether the session opens lost connections again.
func (s *Session) reopens() bool {
	_, ok := s.now().transport.(Restarter)
	return ok && s.of.opts.Reconnect && !s.closed.Load()
}

// reopen replaces a lost connection.
func (s *Session) reopen(ctx context.Context, lost *link) error {
	if !s.reopens() {
		return ErrClosed
	}
	s.reopening.Lock()
	defer s.reopening.Unlock()
	if s.now() != lost {
		return nil // another call has done it
	}
	next, err := lost.transport.(Restarter).Restart()
	if err != nil {
		return err
	}
	l, err := s.of.dial(ctx, next, false)
	if err != nil {
		return err
	}
	if wanted := lost.era().wanted.Load(); wanted != nil {
		l.era().wanted.Store(wanted)
	}
	s.link.Store(l)
	if s.closed.Load() {
		l.close()
		return ErrClosed
	}
	l.peer.logger().Info("connection opened again", "revision", l.server.Load().revision)
	s.watch.restore(ctx, s)
	return nil
}

// again reports whether a request is to be sent on another connection. If the server may have begun it and
// it cannot be sent twice, the error is a *LostError.
func (s *Session) again(ctx context.Context, l *link, method string, params wire.Appender, err error) (bool, error) {
	_, unsent := errors.AsType[unsentError](err)
	begun, known := errors.AsType[notBegun](err)
	_, lost := errors.AsType[*LostError](err) // it may wrap the refusal of the stream of a request that was begun
	refused := !lost && (unsent || known && begun.NotBegun() && !errors.Is(err, ErrClosed))
	if !s.reopens() || ctx.Err() != nil || !refused && !errors.Is(err, ErrClosed) {
		return false, err
	}
	if !refused && !l.era().repeats(&request{method: method, params: params, row: l.server.Load().terms.bound.rows[method]}) {
		return false, &LostError{Err: err}
	}
	select {
	case <-l.done: // it is about to be closed
	case <-ctx.Done():
		return false, err
	}
	if failed := s.reopen(ctx, l); failed != nil {
		return false, prefix.Errorf("runtime: %w: %w", err, failed)
	}
	return true, nil
}

// reads reports whether a request only reads, so that it can be sent twice.
func (r row) reads() bool { return r.cacheable || r.lists }

// link is one connection of a session.
type link struct {
	peer      *peer
	transport Transport
	server    atomic.Pointer[opened]
	done      chan struct{} // closed when the connection is over
	err       error         // error of the connection; valid after done is closed
}

func (l *link) era() *clientEra { return l.peer.era.(*clientEra) }

// close ends the connection and waits until all its handlers have returned.
func (l *link) close() {
	l.peer.endContexts(ErrClosed)
	<-l.done
}

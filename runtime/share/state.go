package share

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/record"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file stores what a client changes in its session in the KV, before its request is answered. Each change is
// announced after it is stored, and a replica that takes a session over reads the KV again when the session is in its
// table, so none is missed in between.

// state is a session's state in the KV, as far as this replica knows it.
type state struct {
	mu     sync.Mutex // held while the state is read or written, and while it is applied
	values values
}

// statePrefix begins the keys of sessions in the KV.
const statePrefix = "mcp.streamable."

// values are what a client has changed in a session, as a KV keeps it.
type values struct {
	version       uint64 // of the KV; 0 if it has nothing
	level         runtime.LogLevel
	subscriptions []string
	ended         bool
}

// errState is the answer to a request whose change of the session the KV has failed to keep.
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
	if p.ended.Has(name, time.Now()) {
		return values{ended: true}, nil
	}
	if p.kv == nil {
		return values{}, nil
	}
	data, version, err := p.kv.Get(ctx, statePrefix+name)
	if errors.Is(err, ErrNotFound) {
		return values{}, nil
	}
	if err != nil {
		return values{}, err
	}
	v := values{version: version}
	return v, record.Read(data, 0, v.members()...) // a newer replica may have written more members
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

// change changes the session's state in the KV. It reports false without a KV.
func (s *session) change(ctx context.Context, next func(values) values) (bool, error) {
	kv := s.replica.kv
	if kv == nil {
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
		changed.version, err = kv.Put(ctx, statePrefix+s.name, data, s.state.values.version, time.Until(s.expires))
		if errors.Is(err, ErrConflict) {
			continue // another replica was faster
		}
		if err == nil {
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
		s.forget()
		_ = s.Session.Close()
	}
}

// refreshLocked reads the session's state in the KV and applies it. The lock of the state must be held.
func (s *session) refreshLocked(ctx context.Context) error {
	now, err := s.replica.load(ctx, s.name)
	if err != nil || now.version == s.state.values.version && now.ended == s.state.values.ended {
		return err
	}
	s.state.values = now
	if !now.ended {
		s.Inbox().Restore(runtime.Handshake{LogLevel: now.level, Subscriptions: now.subscriptions})
	}
	return nil
}

package streamable

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// keptPrefix begins the keys of sessions in the KV.
const keptPrefix = "mcp.streamable."

// keptState is what a client has changed in a session, as a KV keeps it.
type keptState struct {
	version       uint64 // of the KV; 0 if it has nothing
	level         runtime.LogLevel
	subscriptions []string
	ended         bool
}

// errKept is the answer to a request whose change of the session the KV has failed to keep.
var errKept = jsonrpc.Errorf(jsonrpc.CodeInternalError, "unavailable: the session's state cannot be kept; try again later")

func (k *keptState) encode() ([]byte, error) {
	w := wire.NewWriter(nil)
	w.BeginObject()
	w.Bool("ended", k.ended)
	w.String("level", string(k.level))
	w.Name("subscriptions")
	w.BeginArray()
	for _, uri := range k.subscriptions {
		w.Element()
		w.PutString(uri)
	}
	w.EndArray()
	w.EndObject()
	return w.End()
}

func decodeKept(data []byte, version uint64) (keptState, error) {
	k := keptState{version: version}
	r := wire.NewReader(data)
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "ended":
			k.ended = r.ReadBool()
		case "level":
			k.level = runtime.LogLevel(strings.Clone(r.ReadString()))
		case "subscriptions":
			for r.BeginArray(); r.Element(); {
				k.subscriptions = append(k.subscriptions, strings.Clone(r.ReadString()))
			}
		default:
			r.Skip() // of a newer replica
		}
	}
	r.End()
	return k, r.Err()
}

// with returns the state after a change.
func (k keptState) with(c runtime.Change) keptState {
	if c.LogLevel != "" {
		k.level = c.LogLevel
	}
	k.subscriptions = slices.DeleteFunc(slices.Clone(k.subscriptions), func(uri string) bool {
		return uri == c.Unsubscribed || uri == c.Subscribed
	})
	if c.Subscribed != "" {
		k.subscriptions = append(k.subscriptions, strings.Clone(c.Subscribed))
	}
	return k
}

// load returns the kept state of the session with a name.
func (sh *sharing) load(ctx context.Context, name string) (keptState, error) {
	if sh.ended.Has(name, time.Now()) {
		return keptState{ended: true}, nil
	}
	if sh.kv == nil {
		return keptState{}, nil
	}
	data, version, err := sh.kv.Get(ctx, keptPrefix+name)
	if errors.Is(err, share.ErrNotFound) {
		return keptState{}, nil
	}
	if err != nil {
		return keptState{}, err
	}
	return decodeKept(data, version)
}

// Keep implements runtime.Keeper.
func (s *session) Keep(ctx context.Context, c runtime.Change) error {
	if s.shared == nil {
		return nil
	}
	changed, err := s.change(ctx, func(k keptState) keptState { return k.with(c) })
	if err != nil {
		s.handler.log.Error("a change of a session could not be kept", "session", s.logID(), "error", err)
		return errKept
	}
	if changed {
		s.handler.sharing.publish(notice{kind: noticeChanged, session: s.key})
	}
	return nil
}

// keepEnd stores in the KV that the client has ended the session.
func (s *session) keepEnd(ctx context.Context) error {
	_, err := s.change(ctx, func(keptState) keptState { return keptState{ended: true} })
	if err == errEnded {
		return nil // by another replica
	}
	return err
}

// change changes the session's state in the KV. It reports false without a KV.
func (s *session) change(ctx context.Context, next func(keptState) keptState) (bool, error) {
	sh, kept := s.handler.sharing, &s.shared.kept
	if sh.kv == nil {
		return false, nil
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	for {
		if err := s.refreshLocked(ctx); err != nil {
			return false, err
		}
		if kept.ended {
			return false, errEnded
		}
		changed := next(kept.keptState)
		data, err := changed.encode()
		if err != nil {
			return false, err
		}
		changed.version, err = sh.kv.Put(ctx, keptPrefix+s.shared.name, data, kept.version, time.Until(s.shared.expires))
		if errors.Is(err, share.ErrConflict) {
			continue // another replica was faster
		}
		if err == nil {
			kept.keptState = changed
		}
		return err == nil, err
	}
}

// catchUp applies what the client has changed at other replicas.
func (s *session) catchUp(ctx context.Context) {
	s.shared.kept.mu.Lock()
	err := s.refreshLocked(ctx)
	ended := s.shared.kept.ended
	s.shared.kept.mu.Unlock()
	if err != nil {
		s.handler.log.Error("changes of a session could not be loaded", "session", s.logID(), "error", err)
	}
	if ended {
		s.forget()
		s.end(runtime.ErrClosed)
	}
}

// refreshLocked reads the session's state in the KV and applies it. The lock of kept must be held.
func (s *session) refreshLocked(ctx context.Context) error {
	kept := &s.shared.kept
	now, err := s.handler.sharing.load(ctx, s.shared.name)
	if err != nil || now.version == kept.version && now.ended == kept.ended {
		return err
	}
	kept.keptState = now
	if to, ok := s.inbox.(runtime.Restorer); ok && !now.ended {
		to.Restore(runtime.Handshake{LogLevel: now.level, Subscriptions: now.subscriptions})
	}
	return nil
}

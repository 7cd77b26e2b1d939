package streamable

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxSealed limits the content of a session's id, in bytes. The id is sent with each request, and
// servers limit the size of headers. Most clients need 300 bytes.
const maxSealed = 1 << 10

// sealPurpose separates the ids of sessions from other sealed texts.
var sealPurpose = seal.Request("", "session of streamable", "")

// shared is the part of a session that other replicas may have too. Its name is the head of the sealed id, by
// which the session is found in the table. The id itself exists only when the client has initialized.
type shared struct {
	name string

	// Guarded by the mu of the session.
	id      string // "" before the client has initialized
	expires time.Time
	ended   bool // the client has ended the session

	capabilities wire.Object // that the server has declared; "" before the handshake

	kept  kept
	asked asked
	gets  gets
}

// newSharedSession returns a session that is to be initialized, or taken over.
func (h *Handler) newSharedSession(name, key string) *session {
	s := &session{handler: h, id: name, key: key, gone: make(chan struct{}), shared: &shared{name: name}}
	s.startIdle()
	return s
}

// nameOf returns the name of a shared session with a key.
func nameOf(key string) string { return key[len(key)-seal.HeadLength:] }

// purpose returns what the id of the session with a key is sealed for: its user.
func purpose(key string) seal.Purpose {
	return seal.Purpose{Principal: key[:len(key)-seal.HeadLength], Request: sealPurpose}
}

// seal gives the session the id that carries its handshake.
func (s *session) seal(h runtime.Handshake) error {
	content, err := appendHandshake(nil, h)
	if err != nil {
		return err
	}
	if len(content) > maxSealed {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams,
			"invalid params: /capabilities and the name and version of /clientInfo make a session id of %d bytes; at most %d are allowed", len(content), maxSealed)
	}
	sh := s.handler.sharing
	expires := time.Now().Add(sh.lifetime)
	id, err := sh.ring.SealAs(s.shared.name, purpose(s.key), expires, content)
	if err != nil {
		return fmt.Errorf("streamable: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shared.id, s.shared.expires = id, expires
	return nil
}

// appendHandshake appends what an id carries.
func appendHandshake(dst []byte, h runtime.Handshake) ([]byte, error) {
	w := wire.NewWriter(dst)
	w.BeginObject()
	w.String("r", h.Revision)
	w.String("n", h.PeerInfo.GetString("name"))
	w.String("v", h.PeerInfo.GetString("version"))
	if h.PeerCapabilities != "" {
		w.Value("p", h.PeerCapabilities)
	}
	if h.Capabilities != "" {
		w.Value("c", h.Capabilities)
	}
	w.EndObject()
	return w.End()
}

// readHandshake reads what appendHandshake has appended.
func readHandshake(content []byte) (runtime.Handshake, error) {
	o := wire.Object(content)
	info := wire.NewWriter(nil)
	info.BeginObject()
	info.String("name", o.GetString("n"))
	info.String("version", o.GetString("v"))
	info.EndObject()
	text, err := info.End()
	peer, _ := o.Get("p")
	own, _ := o.Get("c")
	return runtime.Handshake{
		Revision:         o.GetString("r"),
		PeerInfo:         wire.Object(text),
		PeerCapabilities: wire.Object(peer),
		Capabilities:     wire.Object(own),
		Shared:           true,
	}, err
}

// errExpired is the reason with which a session ends at the end of its lifetime.
var errExpired = errors.New("streamable: the session has expired")

// findShared returns the session that a request names, entered. If it is not here, it is taken over.
func (h *Handler) findShared(r *http.Request, id string) (*session, error) {
	name, ok := seal.Head(id)
	if !ok {
		return nil, h.stale(id, seal.ErrForeign)
	}
	key, err := web.User(h.opts.User).Key(r, name, h.log)
	if err != nil {
		return nil, err
	}
	for {
		s := h.known(key)
		if s == nil {
			if s, err = h.takeOver(r, id, key); err == web.ErrOpen { // by another request
				continue
			} else if err != nil {
				return nil, err
			}
		}
		if err := s.mayUse(id); err != nil {
			return nil, h.stale(id, err)
		}
		if s.enter() {
			return s, nil
		}
		// It was idle or has made room for another one here, but it has not ended for its client.
		<-s.gone
		h.sessions.Leave(s)
	}
}

// stale returns the refusal for an id that is not, or no longer, that of a session. The client is not told
// why.
func (h *Handler) stale(id string, why error) error {
	h.log.Info("session id refused", "session", runtime.LogID(id), "reason", why)
	return h.sessions.NoSession()
}

// mayUse returns an error if a request may not use an open session with an id that has the session's head.
func (s *session) mayUse(id string) error {
	s.mu.Lock()
	own, expires, ended := s.shared.id, s.shared.expires, s.shared.ended
	s.mu.Unlock()
	switch {
	case subtle.ConstantTimeCompare([]byte(id), []byte(own)) == 0:
		return seal.ErrForeign
	case ended:
		return errEnded
	case !time.Now().Before(expires):
		s.end(errExpired)
		return seal.ErrExpired
	}
	return nil
}

// takeOver opens a session that another replica has begun. The error is web.ErrOpen if another request is
// doing so.
func (h *Handler) takeOver(r *http.Request, id, key string) (*session, error) {
	if h.sessions.Closing() {
		return nil, web.ErrClosing
	}
	opened, err := h.sharing.ring.Open(id, purpose(key), time.Now())
	if err != nil {
		return nil, h.stale(id, err)
	}
	handshake, err := readHandshake(opened.Content)
	if err != nil {
		return nil, fmt.Errorf("streamable: %w", err)
	}
	if !h.speaks(handshake.Revision) {
		return nil, h.stale(id, fmt.Errorf("revision %s is not supported", handshake.Revision))
	}
	s := h.newSharedSession(strings.Clone(nameOf(key)), key)
	s.used = true
	s.shared.id, s.shared.expires = strings.Clone(id), opened.Expires
	s.shared.gets.elsewhere, s.shared.gets.stale = true, true
	kept, err := h.sharing.load(r.Context(), s.shared.name)
	if err == nil && kept.ended {
		err = errEnded
	}
	if err != nil {
		s.end(runtime.ErrClosed)
		if err == errEnded {
			return nil, h.stale(id, err)
		}
		h.log.Error("a session could not be loaded", "error", err)
		return nil, web.Refuse(http.StatusServiceUnavailable, "unavailable: the session cannot be loaded")
	}
	handshake.LogLevel, handshake.Subscriptions = kept.level, kept.subscriptions
	s.negotiated, s.shared.capabilities, s.shared.kept.keptState = handshake.Revision, handshake.Capabilities, kept
	if err := h.open(s, r, handshake); err != nil {
		return nil, err
	}
	// A change between load and open was announced before this replica had the session.
	s.catchUp(r.Context())
	return s, nil
}

// forget records that the client has ended the session: no replica takes it over.
func (s *session) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared != nil {
		s.shared.ended = true
	}
}

// withdraw makes all replicas refuse a session that its client has ended.
func (s *session) withdraw(ctx context.Context) error {
	if s.shared == nil {
		return nil
	}
	if err := s.keepEnd(ctx); err != nil {
		return err
	}
	s.forget()
	sh := s.handler.sharing
	sh.ended.Add(s.shared.name, s.shared.expires, time.Now())
	sh.publish(notice{kind: noticeEnded, session: s.key, time: s.shared.expires.Unix()})
	return nil
}

// kept is a session's state in the KV, as far as this replica knows it.
type kept struct {
	mu sync.Mutex // held while the state is read or written, and while it is applied
	keptState
}

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
	r := wire.NewStringReader(string(data))
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

// Keep implements runtime.Replicated.
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
	if !now.ended {
		s.inbox.Restore(runtime.Handshake{LogLevel: now.level, Subscriptions: now.subscriptions})
	}
	return nil
}

package seal

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// MinKey is the length of the shortest key, in bytes.
const MinKey = 32

// The errors of texts that are not opened.
var (
	ErrForeign   = errors.New("not sealed with a known key, or changed since")
	ErrExpired   = errors.New("expired")
	ErrPrincipal = errors.New("sealed for another principal")
	ErrRequest   = errors.New("sealed for another request")
)

// ID is the name of a sealed text. Each text has another one.
type ID [16]byte

// Purpose is what a text is sealed for. The text is opened only for the same purpose.
type Purpose struct {
	Principal string // the authenticated user; "" if there is none
	Request   Sum    // of the request that the text belongs to, see Request
}

// Opened is a text that has been opened.
type Opened struct {
	ID      ID
	Expires time.Time
	Content []byte
}

// Ring holds keys. It seals with the first and opens with any of them. It is immutable.
type Ring struct{ keys []key }

// key is a key after the first step of HKDF.
type key struct {
	secret []byte
	name   [4]byte
}

const (
	keptVersion = 0 // of a text that is kept and not sealed
	version     = 1
	headLength  = 1 + len(key{}.name) + len(ID{})
	bindLength  = 8 + 2*sha256.Size
)

// NewRing returns a ring of keys with at least MinKey random bytes each. Without keys, it has a random
// one, so that no other ring opens what it seals.
func NewRing(keys ...[]byte) (*Ring, error) {
	if len(keys) == 0 {
		fresh := make([]byte, MinKey)
		rand.Read(fresh) // never fails
		keys = [][]byte{fresh}
	}
	r := new(Ring)
	for i, k := range keys {
		if len(k) < MinKey {
			return nil, fmt.Errorf("key %d has %d bytes; it needs at least %d", i, len(k), MinKey)
		}
		secret, err := hkdf.Extract(sha256.New, k, nil)
		if err != nil {
			return nil, err
		}
		name, err := hkdf.Expand(sha256.New, secret, "mcpgen seal: name", len(key{}.name))
		if err != nil {
			return nil, err
		}
		r.keys = append(r.keys, key{secret, [4]byte(name)})
	}
	return r, nil
}

// aead returns the cipher of the text with an id. It seals a single text, so its nonce is constant.
func (k *key) aead(id ID) (cipher.AEAD, error) {
	own, err := hkdf.Expand(sha256.New, k.secret, "mcpgen seal: text "+string(id[:]), 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(own)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

var nonce [12]byte

// Seal returns a text that opens to content, for the purpose, until it expires.
func (r *Ring) Seal(p Purpose, expires time.Time, content []byte) (string, error) {
	var id ID
	rand.Read(id[:]) // never fails
	aead, err := r.keys[0].aead(id)
	if err != nil {
		return "", err
	}
	head := append(append([]byte{version}, r.keys[0].name[:]...), id[:]...)
	principal := sha256.Sum256([]byte(p.Principal))
	plain := binary.BigEndian.AppendUint64(nil, uint64(expires.Unix()))
	plain = append(append(append(plain, principal[:]...), p.Request[:]...), content...)
	return base64.RawURLEncoding.EncodeToString(aead.Seal(head, nonce[:], plain, head)), nil
}

// Open opens a text that was sealed for the purpose and has not expired. The error is one of the errors
// of this package.
func (r *Ring) Open(text string, p Purpose, now time.Time) (*Opened, error) {
	sealed, ok := decode(text)
	if !ok || len(sealed) < headLength || sealed[0] != version {
		return nil, ErrForeign
	}
	o := &Opened{ID: ID(sealed[headLength-len(ID{}) : headLength])}
	plain, ok := r.decrypt(sealed, o.ID)
	if !ok || len(plain) < bindLength {
		return nil, ErrForeign
	}
	principal := sha256.Sum256([]byte(p.Principal))
	o.Expires = time.Unix(int64(binary.BigEndian.Uint64(plain)), 0)
	o.Content = plain[bindLength:]
	switch bound := plain[8:bindLength]; {
	case !bytes.Equal(bound[:sha256.Size], principal[:]):
		return nil, ErrPrincipal
	case !bytes.Equal(bound[sha256.Size:], p.Request[:]):
		return nil, ErrRequest
	case !now.Before(o.Expires):
		return nil, ErrExpired
	}
	return o, nil
}

// decrypt returns the plain text of the content after the head, if a key opens it.
func (r *Ring) decrypt(sealed []byte, id ID) (plain []byte, ok bool) {
	head, content := sealed[:headLength], sealed[headLength:]
	for i := range r.keys {
		k := &r.keys[i]
		if !bytes.Equal(k.name[:], head[1:1+len(k.name)]) {
			continue
		}
		aead, err := k.aead(id)
		if err != nil {
			return nil, false
		}
		if plain, err = aead.Open(nil, nonce[:], content, head); err == nil {
			return plain, true
		}
	}
	return nil, false
}

// Sum is a SHA-256 digest.
type Sum = [sha256.Size]byte

// Request returns the digest of a request: its revision, its method, and its params without the members
// called without. White space, the order of members and the spelling of strings and numbers do not
// matter, because a client may write a request anew when it repeats it.
func Request(revision, method string, params wire.Object, without ...string) Sum {
	sum, _ := wire.Raw(params.Without(without...)).Sum() // params are well-formed
	var text []byte
	for _, part := range []string{revision, method} {
		text = append(binary.AppendUvarint(text, uint64(len(part))), part...)
	}
	return sha256.Sum256(append(text, sum[:]...))
}

// Keeper keeps the states of requests that a server sends to itself, so that they need no sealing.
type Keeper struct {
	Server  any   // whose requests they are
	Refused error // for a text that neither Open nor the server's ring opens
}

// Keep returns a text for a state. No ring opens it, because the text of a sealed state begins with another version.
func (*Keeper) Keep(content []byte) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte{keptVersion}, content...))
}

// Open opens a text of Keep. It returns false for other texts, such as sealed ones of a client.
func (*Keeper) Open(text string) (content []byte, ok bool) {
	kept, ok := decode(text)
	if !ok || len(kept) == 0 || kept[0] != keptVersion {
		return nil, false
	}
	return kept[1:], true
}

// decode returns the bytes of a text, in which the decoder would skip line breaks.
func decode(text string) ([]byte, bool) {
	all, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return all, err == nil && !strings.ContainsAny(text, "\r\n")
}

type keeperKey struct{}

// WithKeeper returns the context of requests whose states are kept. They never leave the server.
func WithKeeper(ctx context.Context, k *Keeper) context.Context {
	return context.WithValue(ctx, keeperKey{}, k)
}

// KeeperOf returns the Keeper of a request that the server has sent to itself, or nil.
func KeeperOf(ctx context.Context, server any) *Keeper {
	if k, ok := ctx.Value(keeperKey{}).(*Keeper); ok && k.Server == server {
		return k
	}
	return nil
}

// Used remembers the ids of texts until they expire. Each id has an owner, whose ids take no room from those of others.
// It is safe for concurrent use.
type Used struct {
	max, each int // how many ids there can be, and how many of an owner

	mu         sync.Mutex
	owners     map[string]map[string]time.Time // to when the ids of each expire
	count      int                             // all ids
	next       int                             // the count at which expired ids are forgotten
	sweep      time.Time                       // they are not forgotten before it
	forgetting bool                            // a call of forget runs
}

// NewUsed returns a Used for max ids at a time. An owner can have at most each of them. When there are max ids, owners
// that have less than an equal part of max can add as many again.
func NewUsed(max, each int) *Used {
	return &Used{max: max, each: each, owners: make(map[string]map[string]time.Time)}
}

// Add adds an id of an owner. It reports whether the id is new. Full is true if there is no room for it, in which case
// it is not added.
func (u *Used) Add(owner, id string, expires, now time.Time) (added, full bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	until, known := u.owners[owner][id]
	if known && now.Before(until) {
		return false, false
	}
	if (u.count >= u.next || len(u.owners[owner]) >= u.each) && !u.forgetting && !now.Before(u.sweep) {
		u.forget(now)
		_, known = u.owners[owner][id]
	}
	own := u.owners[owner]
	switch {
	case known:
	case len(own) >= u.each || u.count >= 2*u.max || u.count >= u.max && (len(own)+1)*len(u.owners) > u.max:
		return false, true
	case own == nil:
		own = make(map[string]time.Time)
		u.owners[owner] = own
		fallthrough
	default:
		u.count++
	}
	own[id] = expires
	return true, false
}

// Has reports whether an id of an owner was added and has not expired.
func (u *Used) Has(owner, id string, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	until, ok := u.owners[owner][id]
	return ok && now.Before(until)
}

// portion is how many ids forget looks at before other callers have their turn. An id takes about 100 ns.
const portion = 1000

// forget removes the ids that have expired. It takes at most a hundredth of the time. The mutex must be held; it is
// unlocked now and then, so that only the caller waits for all of it.
func (u *Used) forget(now time.Time) {
	u.forgetting, u.sweep = true, now.Add(time.Duration(u.count)*10*time.Microsecond)
	looked := 0
	look := func() {
		if looked++; looked%portion == 0 {
			u.mu.Unlock()
			u.mu.Lock()
		}
	}
	for owner, own := range u.owners {
		before := len(own)
		for id, until := range own {
			if !now.Before(until) {
				delete(own, id)
				u.count--
			}
			look()
		}
		switch left := len(own); {
		case left == 0:
			delete(u.owners, owner)
		case left < min(before/4, 4*portion): // a map from which elements are deleted keeps its memory
			u.owners[owner] = make(map[string]time.Time, left)
			maps.Copy(u.owners[owner], own)
		}
		look()
	}
	u.next = min(max(2*u.count, 1<<10), u.max)
	u.forgetting = false
}

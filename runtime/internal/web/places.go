package web

import (
	"cmp"
	"container/heap"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// InitTimeout is how long a session may stay open whose client has sent nothing after initialize.
const InitTimeout = 10 * time.Second

// The limits of a handler's sessions where its options leave them zero.
const (
	DefaultMaxSessions           = 10_000
	DefaultMaxSessionsPerUser    = 1_000
	DefaultMaxSessionsPerAddress = 1_000
)

// Places are those of the open sessions of a handler: so many in all, and so many for each user
// and each address. Where there is none for another session, one makes room that nobody uses.
type Places struct {
	user    User
	address func(*http.Request) string
	limits  [kinds]int // below 0: none

	mu     sync.Mutex
	groups map[groupKey]*group // those with sessions
}

// groupKey names the sessions of a user or an address, or all.
type groupKey struct {
	kind int
	name string // "" for sessions that are not limited by their kind
}

// The kinds of groups.
const (
	ofAll = iota
	ofUser
	ofAddress
	kinds
)

// Guest is a session that has a place.
type Guest interface {
	// Rest reports since when the client has not used the session; used is false when it has
	// never done so since initialize, and busy true while it does.
	Rest() (since time.Time, used, busy bool)
	// Evict ends the session.
	Evict()
}

// Place is that of one session. The zero value is that of a session which has none.
type Place struct {
	guest  Guest
	since  time.Time // of Rest when it was asked last, at the earliest
	used   bool      // likewise
	groups [kinds]*group
	at     [kinds]int // index in each group
}

// NewPlaces returns places for so many sessions, for each user and for each address. Limits of
// users and addresses below 0 are none; a limit of 0 is the default. Address may be nil, see
// Address.
func NewPlaces(all, perUser, perAddress int, user User, address func(*http.Request) string) *Places {
	if address == nil {
		address = Address
	}
	return &Places{
		user: user, address: address,
		limits: [kinds]int{
			cmp.Or(max(all, 0), DefaultMaxSessions),
			cmp.Or(perUser, DefaultMaxSessionsPerUser),
			cmp.Or(perAddress, DefaultMaxSessionsPerAddress),
		},
		groups: make(map[groupKey]*group),
	}
}

// Address returns the address from which a request comes, of IPv6 the network of 64 bits. It is
// "" for a loopback, private or unknown address, behind which a proxy may stand for many clients.
func Address(r *http.Request) string {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	addr := at.Addr().Unmap().WithZone("")
	switch {
	case addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified():
		return ""
	case addr.Is6():
		network, _ := addr.Prefix(64)
		return network.String()
	}
	return addr.String()
}

// Enter gives a session its place; Leave must follow. The request is the one that opens the
// session, and key what User.Key has made of its id. A session that makes room is evicted: the
// one whose client has never used it, or else has not used it for longest. The error is a
// *Refusal, for a session without a place because all sessions are in use.
func (p *Places) Enter(place *Place, guest Guest, r *http.Request, key, id string) error {
	since, used, _ := guest.Rest()
	evicted, err := p.enter(place, Place{guest: guest, since: since, used: used}, p.keys(r, key, id))
	for _, guest := range evicted {
		guest.Evict()
	}
	return err
}

// keys returns the groups of a session.
func (p *Places) keys(r *http.Request, key, id string) [kinds]groupKey {
	keys := [kinds]groupKey{{ofAll, "all"}}
	if p.user != nil && p.limits[ofUser] > 0 {
		keys[ofUser] = groupKey{ofUser, strings.TrimSuffix(key, ":"+id)}
	}
	if p.limits[ofAddress] > 0 {
		keys[ofAddress] = groupKey{ofAddress, p.address(r)}
	}
	return keys
}

func (p *Places) enter(place *Place, as Place, keys [kinds]groupKey) (evicted []Guest, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	var leaving []*Place
	// All at last: who makes room in another group makes it there too.
	for _, key := range slices.Backward(keys[:]) {
		g := p.groups[key]
		makesRoom := func(other *Place) bool { return other.groups[key.kind] == g }
		if g == nil || len(g.places) < p.limits[key.kind] || slices.ContainsFunc(leaving, makesRoom) {
			continue
		}
		idle := g.idlest(now)
		if idle == nil {
			return nil, errTooMany
		}
		leaving = append(leaving, idle)
	}
	for _, idle := range leaving {
		evicted = append(evicted, idle.guest)
		p.removeLocked(idle)
	}
	*place = as
	for kind, key := range keys {
		if key.name == "" {
			continue
		}
		g := p.groups[key]
		if g == nil {
			g = &group{key: key}
			p.groups[key] = g
		}
		place.groups[kind] = g
		heap.Push(g, place)
	}
	return evicted, nil
}

// Leave takes a session's place from it, if it has one.
func (p *Places) Leave(place *Place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.removeLocked(place)
}

func (p *Places) removeLocked(place *Place) {
	for _, g := range place.groups {
		if g == nil {
			continue
		}
		heap.Remove(g, place.at[g.key.kind])
		if len(g.places) == 0 {
			delete(p.groups, g.key)
		}
	}
	*place = Place{}
}

// group is a number of sessions, a heap in the order in which they are evicted. What a place
// says of its session may be out of date, but is never too late.
type group struct {
	key    groupKey
	places []*Place
}

// idlest returns the place of the session to be evicted first; nil when all are busy.
func (g *group) idlest(now time.Time) *Place {
	for {
		first := g.places[0]
		since, used, busy := first.guest.Rest()
		if busy {
			if first.used && !first.since.Before(now) {
				return nil // and so are all after it, which are not out of date
			}
			since, used = now, true
		}
		if since.Equal(first.since) && used == first.used {
			return first
		}
		first.since, first.used = since, used
		for _, in := range first.groups {
			if in != nil {
				heap.Fix(in, first.at[in.key.kind])
			}
		}
	}
}

// Len implements heap.Interface.
func (g *group) Len() int { return len(g.places) }

// Less implements heap.Interface.
func (g *group) Less(i, j int) bool {
	a, b := g.places[i], g.places[j]
	if a.used != b.used {
		return b.used
	}
	return a.since.Before(b.since)
}

// Swap implements heap.Interface.
func (g *group) Swap(i, j int) {
	g.places[i], g.places[j] = g.places[j], g.places[i]
	g.places[i].at[g.key.kind], g.places[j].at[g.key.kind] = i, j
}

// Push implements heap.Interface.
func (g *group) Push(x any) {
	place := x.(*Place)
	place.at[g.key.kind] = len(g.places)
	g.places = append(g.places, place)
}

// Pop implements heap.Interface.
func (g *group) Pop() any {
	last := len(g.places) - 1
	place := g.places[last]
	g.places[last] = nil
	g.places = g.places[:last]
	return place
}

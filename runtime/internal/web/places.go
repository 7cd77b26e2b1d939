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

// InitTimeout is how long a session stays open if its client sends nothing after initialize.
const InitTimeout = 10 * time.Second

// The limits of a handler's sessions where its options leave them zero.
const (
	DefaultMaxSessions           = 10_000
	DefaultMaxSessionsPerUser    = 1_000
	DefaultMaxSessionsPerAddress = 1_000
)

// Places limits the open sessions of a handler: in all, for each user and for each address. At a
// limit, a new session replaces one that is not in use.
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

// Guest is a session that takes a place.
type Guest interface {
	// Rest reports when the client last used the session, whether it has used it since
	// initialize, and whether it is using it now.
	Rest() (since time.Time, used, busy bool)
	// Evict ends the session.
	Evict()
}

// Place is the place of one session. The zero value is no place.
type Place struct {
	guest  Guest
	since  time.Time // of Rest when it was asked last, at the earliest
	used   bool      // likewise
	groups [kinds]*group
	at     [kinds]int // index in each group
}

// NewPlaces returns places with limits in all, for each user and for each address. A limit of 0
// is the default. A limit below 0 is none for users and addresses, and the default for all. If
// address is nil, it is Address.
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
// session, and key is the result of User.Key for its id. At a limit, Enter evicts the session
// that its client has never used, or else the one that was last used first. If all are in use,
// Enter evicts none and returns a *Refusal.
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
	// The group of all comes last: a session that leaves another group leaves this one too.
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

// Leave frees the place of a session, if it has one.
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

package web

import (
	"cmp"
	"container/heap"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// The limits of a handler whose options leave them zero.
const (
	DefaultMaxSessions           = 10_000
	DefaultMaxSessionsPerUser    = 1_000
	DefaultMaxSessionsPerAddress = 1_000
)

// Limits limits the sessions of a handler: all of them, those of each user, and those of each
// address. Zero means the default, and a negative number for users and addresses means no limit.
type Limits struct {
	All, PerUser, PerAddress int
	Address                  func(*http.Request) string // nil means Address
}

func (l Limits) perKind() [kinds]int {
	return [kinds]int{
		ofAll:     cmp.Or(max(l.All, 0), DefaultMaxSessions),
		ofUser:    max(cmp.Or(l.PerUser, DefaultMaxSessionsPerUser), 0),
		ofAddress: max(cmp.Or(l.PerAddress, DefaultMaxSessionsPerAddress), 0),
	}
}

// Address returns the address that a request comes from, for IPv6 its network of 64 bits. It
// returns "" for a loopback, private or unknown address: a proxy there may serve many clients.
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

// groupKey identifies the sessions of a user or an address, or all sessions.
type groupKey struct {
	kind int
	name string // "" for a user or an address without a limit
}

// The kinds of groups.
const (
	ofAll = iota
	ofUser
	ofAddress
	kinds
)

func (k groupKey) limited() bool { return k.kind == ofAll || k.name != "" }

// groupsOf returns the groups of a session. A place without a key is not limited by user or address.
func (t *Sessions) groupsOf(r *http.Request, key, id string) [kinds]groupKey {
	var in [kinds]groupKey
	for kind := range in {
		in[kind].kind = kind
	}
	if key != "" && t.user != nil && t.limits[ofUser] > 0 {
		if user, ok := strings.CutSuffix(key, ":"+id); ok {
			in[ofUser].name = user
		}
	}
	if key != "" && t.limits[ofAddress] > 0 {
		in[ofAddress].name = t.address(r)
	}
	return in
}

// Place is a session's entry in Sessions. All fields except parked are guarded by the lock of Sessions.
type Place struct {
	session Session
	key     string        // "" until Open has returned, and for a session without a key
	groups  [kinds]*group // nil for groups without a limit
	index   [kinds]int    // in the heap of each group
	queued  bool          // it is in those heaps
	since   time.Time     // as Rest reported it; the session may have been used later
	used    bool          // likewise
	free    bool          // Leave was called
	ended   bool          // Done was called
	running bool          // Shutdown waits for it
	parked  atomic.Bool   // Rest reported busy, so Rested must queue it again
}

// group is a set of sessions with a limit. Its heap has those that may be evicted, in the order of
// eviction. A session that turns out to be busy leaves the heap until it rests, so that a full
// table of busy sessions costs nothing to search.
type group struct {
	key  groupKey
	size int
	idle []*Place
}

func (t *Sessions) joinLocked(p *Place, key groupKey) {
	g := t.groups[key]
	if g == nil {
		g = &group{key: key}
		t.groups[key] = g
	}
	g.size++
	p.groups[key.kind] = g
}

// quitLocked takes a place out of its groups.
func (t *Sessions) quitLocked(p *Place) {
	p.unqueue()
	for kind, g := range p.groups {
		if g == nil {
			continue
		}
		p.groups[kind] = nil
		if g.size--; g.size == 0 {
			delete(t.groups, g.key)
		}
	}
}

// queue lets the session be evicted.
func (p *Place) queue() {
	p.parked.Store(false)
	if p.queued {
		return
	}
	p.queued = true
	for _, g := range p.groups {
		if g != nil {
			heap.Push(g, p)
		}
	}
}

// unqueue keeps the session from being evicted.
func (p *Place) unqueue() {
	if !p.queued {
		return
	}
	p.queued = false
	for kind, g := range p.groups {
		if g != nil {
			heap.Remove(g, p.index[kind])
		}
	}
}

// makeRoomLocked makes room in the groups for one more session. It returns the sessions that have
// to be evicted for that, also with an error.
func (t *Sessions) makeRoomLocked(in [kinds]groupKey) (evicted []Session, err error) {
	for {
		leaving, err := t.chooseLocked(in)
		if err != nil || len(leaving) == 0 {
			return evicted, err
		}
		for _, p := range leaving {
			if p.session.Expire() { // otherwise a request has just arrived
				evicted = append(evicted, p.session)
				t.freeLocked(p)
			}
		}
	}
}

// chooseLocked chooses the sessions that leave for a new one in the groups, at most one for each.
func (t *Sessions) chooseLocked(in [kinds]groupKey) (leaving []*Place, err error) {
	// The group of all comes last: a session that leaves another group leaves that one too.
	for _, key := range slices.Backward(in[:]) {
		g := t.groups[key]
		leaves := func(p *Place) bool { return p.groups[key.kind] == g }
		if g == nil || g.size < t.limits[key.kind] || slices.ContainsFunc(leaving, leaves) {
			continue
		}
		p := g.first()
		if p == nil {
			return nil, errTooMany
		}
		leaving = append(leaving, p)
	}
	return leaving, nil
}

// first returns the place of the session to be evicted first, or nil if all are busy.
func (g *group) first() *Place {
	for len(g.idle) > 0 {
		p := g.idle[0]
		// Set before Rest is asked: a session that rests afterwards calls Rested, which waits for
		// the lock and queues the session again.
		p.parked.Store(true)
		since, used, busy := p.session.Rest()
		if busy {
			p.unqueue()
			continue
		}
		p.parked.Store(false)
		if since.Equal(p.since) && used == p.used {
			return p
		}
		p.since, p.used = since, used
		for kind, in := range p.groups {
			if in != nil {
				heap.Fix(in, p.index[kind])
			}
		}
	}
	return nil
}

// Len implements heap.Interface.
func (g *group) Len() int { return len(g.idle) }

// Less implements heap.Interface.
func (g *group) Less(i, j int) bool {
	a, b := g.idle[i], g.idle[j]
	if a.used != b.used {
		return b.used
	}
	return a.since.Before(b.since)
}

// Swap implements heap.Interface.
func (g *group) Swap(i, j int) {
	g.idle[i], g.idle[j] = g.idle[j], g.idle[i]
	g.idle[i].index[g.key.kind], g.idle[j].index[g.key.kind] = i, j
}

// Push implements heap.Interface.
func (g *group) Push(x any) {
	p := x.(*Place)
	p.index[g.key.kind] = len(g.idle)
	g.idle = append(g.idle, p)
}

// Pop implements heap.Interface.
func (g *group) Pop() any {
	last := len(g.idle) - 1
	p := g.idle[last]
	g.idle[last] = nil
	g.idle = g.idle[:last]
	return p
}

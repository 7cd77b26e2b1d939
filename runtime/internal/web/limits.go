package web

import (
	"cmp"
	"container/list"
	"errors"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/pace"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// DefaultMaxCallers is how many callers a Gate remembers unless its limits say otherwise.
const DefaultMaxCallers = 10_000

// LoadLimits are the fields of streamable.Load, whose documentation describes them.
type LoadLimits struct {
	MaxInFlight          int
	MaxInFlightPerCaller int

	Rate       float64
	Burst      int
	MaxCallers int
}

// Gate limits what the POSTs of a handler occupy: the number of those that name no session, of the JSON-RPC requests in
// flight, the rate of these, and the bytes of messages in memory at a time. A caller is a user or, without one, an
// address. Requests without either have no limit of their own. A Gate is safe for concurrent use.
type Gate struct {
	posts, inFlight counter
	pace            pace.Limit // of each caller
	maxCallers      int
	unlimited       bool // requests in flight are not counted

	maxBytes int64 // 0 means no limit
	bytes    atomic.Int64

	mu      sync.Mutex
	callers map[groupKey]*list.Element // remembered because of their rate
	recent  list.List                  // of *caller: the one that has sent nothing for longest first
}

// caller is the rate of a caller.
type caller struct {
	key     groupKey
	limiter pace.Limiter
}

// NewGate returns a gate with limits for the POSTs that name no session, the requests in flight, and the bytes: 0 means
// DefaultMaxBytes, a negative number no limit.
func NewGate(posts Limits, load LoadLimits, maxBytes int) *Gate {
	each := pace.Limit{PerSecond: load.Rate, Burst: load.Burst}
	if each.Burst <= 0 {
		each.Burst = int(min(load.Rate, 1<<31-1))
	}
	all, perCaller := max(load.MaxInFlight, 0), max(load.MaxInFlightPerCaller, 0)
	return &Gate{
		posts:     newCounter(posts.complete()),
		inFlight:  newCounter(newLimits([kinds]int{ofAll: all, ofUser: perCaller, ofAddress: perCaller}, posts.Address)),
		pace:      each,
		unlimited: all == 0 && perCaller == 0 && each.None(),
		maxBytes:  max(int64(cmp.Or(maxBytes, DefaultMaxBytes)), 0),
		callers:   make(map[groupKey]*list.Element), maxCallers: cmp.Or(max(load.MaxCallers, 0), DefaultMaxCallers),
	}
}

// counter counts things of groups, and limits the number of each group. It is safe for concurrent use.
type counter struct {
	limits

	mu     sync.Mutex
	counts map[groupKey]int // without those that are 0
}

func newCounter(l limits) counter {
	return counter{limits: l, counts: make(map[groupKey]int)}
}

// add counts n things of a user at an address, "" for none, or that they are gone if n is negative. If a limit would be
// exceeded, add counts nothing and returns the kind of that group and false. A group of which nothing is counted has room
// for any number.
func (c *counter) add(n int, user, address string) (full int, ok bool) {
	in := c.groups(user, address)
	c.mu.Lock()
	defer c.mu.Unlock()
	for kind, key := range in {
		limit, counted := c.of[kind], c.counts[key]
		if n > 0 && limit > 0 && counted > 0 && counted+n > limit {
			return kind, false
		}
	}
	for _, key := range in {
		if key.name == "" {
			continue
		}
		if c.counts[key] += n; c.counts[key] == 0 {
			delete(c.counts, key)
		}
	}
	return 0, true
}

func (c *counter) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[all]
}

// Counts returns how many POSTs that name no session and how many requests in flight are counted, and how many callers
// are remembered because of their rate.
func (g *Gate) Counts() (posts, inFlight, callers int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.posts.len(), g.inFlight.len(), len(g.callers)
}

// Admission is what a POST occupies of a gate, or an answer that is being written. The zero Admission occupies nothing.
type Admission struct {
	Gate *Gate // set before anything is counted

	user, address string // for which it is counted
	posts         int    // 1 if it is counted as a POST that names no session
	inFlight      int    // requests
	bytes         int
}

// EnterPost counts a POST that names no session. The error is a *Refusal if there are too many.
func (a *Admission) EnterPost(r *http.Request, user string) error {
	a.user, a.address = user, a.Gate.posts.address(r)
	if _, ok := a.Gate.posts.add(1, a.user, a.address); !ok {
		return errTooBusy
	}
	a.posts = 1
	return nil
}

// errTooBusy refuses a POST that names no session.
var errTooBusy = &Refusal{Status: http.StatusServiceUnavailable, Reason: ReasonRequests, Code: jsonrpc.CodeUnavailable, Message: "unavailable: too many requests in progress; try again later"}

// Leave gives back what the POST occupies.
func (a *Admission) Leave() {
	if a.posts > 0 {
		a.Gate.posts.add(-1, a.user, a.address)
	}
	if a.inFlight > 0 {
		a.addCalls(-a.inFlight)
	}
	a.LeaveBody()
	*a = Admission{Gate: a.Gate}
}

// LeaveBody gives back the bytes of the message.
func (a *Admission) LeaveBody() {
	if a.bytes > 0 {
		a.Gate.bytes.Add(-int64(a.bytes))
		a.bytes = 0
	}
}

// MethodListen is the method of requests that last as long as their clients like.
const MethodListen = "subscriptions/listen"

// requestsIn returns how many requests a text contains, and how many of them count as in flight. What is not a message
// counts as a request, because it is answered too.
func requestsIn(text *jsonrpc.Text) (n, inFlight int) {
	count := func(m *jsonrpc.Message, err error) {
		if err == nil && m.Kind != jsonrpc.Request {
			return
		}
		n++
		if m.Method != MethodListen {
			inFlight++
		}
	}
	switch {
	case !text.IsBatch:
		count(&text.Message, text.Err)
	case text.Err != nil:
		n = 1
	}
	for i := range text.Batch {
		count(&text.Batch[i].Message, text.Batch[i].Err)
	}
	return n, inFlight
}

// EnterCalls counts the requests in the text of a POST. If a limit is exceeded, it counts nothing and returns a
// *Refusal with the id of a single request. Stateless says that the requests belong to no session.
func (a *Admission) EnterCalls(r *http.Request, user string, text *jsonrpc.Text, stateless bool) (err error) {
	g := a.Gate
	if g.unlimited {
		return nil
	}
	defer func() { err = For(text.ID, err) }()
	n, inFlight := requestsIn(text)
	if n == 0 {
		return nil
	}
	code, who := codeBusy(stateless), groupKey{ofUser, user}
	if a.user = user; user == "" {
		if a.posts == 0 { // otherwise EnterPost has set it
			a.address = g.posts.address(r)
		}
		who = groupKey{ofAddress, a.address}
	}
	switch full, ok := a.addCalls(inFlight); {
	case ok:
	case full == ofAll:
		return &Refusal{Status: http.StatusServiceUnavailable, Reason: ReasonInFlight, Code: code,
			Message: "unavailable: too many requests in flight; try again later"}
	default:
		return &Refusal{Status: http.StatusTooManyRequests, Reason: ReasonCaller, Code: code,
			Message: "too many requests of this caller are in flight: wait for their results"}
	}
	if wait := g.wait(who, n); wait > 0 {
		a.addCalls(-inFlight)
		e := pace.Error(code, "requests", wait)
		return &Refusal{Status: http.StatusTooManyRequests, Reason: ReasonRate, Code: code, Message: e.Message, Data: e.Data, After: wait}
	}
	a.inFlight = inFlight
	return nil
}

// addCalls counts requests of the caller, or that they are over if n is negative.
func (a *Admission) addCalls(n int) (full int, ok bool) {
	if a.user != "" {
		return a.Gate.inFlight.add(n, a.user, "")
	}
	return a.Gate.inFlight.add(n, "", a.address)
}

// wait returns how long a caller has to wait before it may send n requests. If too many callers are remembered, a new
// one replaces one whose requests no longer count, or the one that has sent nothing for longest.
func (g *Gate) wait(key groupKey, n int) time.Duration {
	if g.pace.None() || key.name == "" {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	known := g.callers[key]
	if known != nil {
		g.recent.MoveToBack(known)
		return known.Value.(*caller).limiter.Admit(n)
	}
	for range 2 { // more than come, so that those whose requests no longer count become fewer
		front := g.recent.Front()
		if front == nil || len(g.callers) < g.maxCallers && !front.Value.(*caller).limiter.Fresh() {
			break
		}
		g.recent.Remove(front)
		delete(g.callers, front.Value.(*caller).key)
	}
	c := &caller{key: key, limiter: pace.New(g.pace)}
	g.callers[key] = g.recent.PushBack(c)
	return c.limiter.Admit(n)
}

// codeBusy returns the code of the error for a request that is refused because of load.
func codeBusy(stateless bool) int64 {
	if stateless {
		return jsonrpc.CodeUnavailable
	}
	return jsonrpc.CodeServerBusy
}

// DefaultMaxBytes is the limit of a Gate for bytes whose options leave it zero.
const DefaultMaxBytes = 256 << 20

const (
	// uncounted is the length up to which a message does not count: net/http has buffers of that length for
	// each request anyway.
	uncounted = 4 << 10
	// smallMessage is the length up to which a message may use the last quarter of the bytes, so that a few
	// clients with large messages do not shut out all others.
	smallMessage = 64 << 10
)

// ErrBytes is the error of a message for which a Gate has no room.
var ErrBytes = errors.New("web: too many bytes of messages in memory")

// fits reports whether there is room for a message of a length when used bytes count. A message that is longer than the
// limit has room when nothing else counts.
func (g *Gate) fits(used int64, length int) bool {
	room := g.maxBytes
	if length > smallMessage {
		room -= room / 4
	}
	return used == 0 || room == 0 || length <= uncounted || used+int64(length) <= room
}

// grow makes the bytes of the admission those of a message of a length. It returns false if there is no room for that;
// the admission then remains as it is.
func (a *Admission) grow(length int) bool {
	g := a.Gate
	if g.maxBytes == 0 || length <= max(uncounted, a.bytes) {
		return true
	}
	more := int64(length - a.bytes)
	if others := g.bytes.Add(more) - int64(length); !g.fits(others, length) {
		g.bytes.Add(-more)
		return false
	}
	a.bytes = length
	return true
}

// errNoRoom returns the refusal of a request for whose body there is no room.
func errNoRoom(stateless bool) *Refusal {
	return &Refusal{Status: http.StatusServiceUnavailable, Reason: ReasonBytes, Code: codeBusy(stateless),
		Message: "unavailable: the messages in progress take too much memory; try again later"}
}

// The limits and times of a handler whose options leave them zero.
const (
	DefaultMaxSessions           = 10_000
	DefaultMaxSessionsPerUser    = 1_000
	DefaultMaxSessionsPerAddress = 1_000
	DefaultKeepAlive             = 30 * time.Second
	DefaultIOTimeout             = 30 * time.Second
)

// Limits limits the sessions of a handler, or its requests that belong to no session: all of them, those of each user,
// and those of each address. Zero means the default, and a negative number for users and addresses means no limit.
type Limits struct {
	All, PerUser, PerAddress int
	Address                  func(*http.Request) string // nil means Address
}

// complete returns the limits with the defaults.
func (l Limits) complete() limits {
	return newLimits([kinds]int{
		ofAll:     cmp.Or(max(l.All, 0), DefaultMaxSessions),
		ofUser:    max(cmp.Or(l.PerUser, DefaultMaxSessionsPerUser), 0),
		ofAddress: max(cmp.Or(l.PerAddress, DefaultMaxSessionsPerAddress), 0),
	}, l.Address)
}

// limits are the limits of groups.
type limits struct {
	of      [kinds]int // 0 means no limit
	address func(*http.Request) string
}

// newLimits returns limits. Address returns the address of a request's client; nil means the function Address.
func newLimits(of [kinds]int, address func(*http.Request) string) limits {
	if address == nil {
		address = Address
	}
	return limits{of, address}
}

// groups returns the groups of a user at an address. What has no limit is no group.
func (l *limits) groups(user, address string) [kinds]groupKey {
	in := [kinds]groupKey{all, {kind: ofUser}, {kind: ofAddress}}
	if l.of[ofUser] > 0 {
		in[ofUser].name = user
	}
	if l.of[ofAddress] > 0 {
		in[ofAddress].name = address
	}
	return in
}

// addressOf returns the address of a request, or "" if it is nil or addresses have no limit.
func (l *limits) addressOf(r *http.Request) string {
	if l.of[ofAddress] == 0 || r == nil {
		return ""
	}
	return l.address(r)
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

// all is the group of all.
var all = groupKey{ofAll, "all"}

// The kinds of groups.
const (
	ofAll = iota
	ofUser
	ofAddress
	kinds
)

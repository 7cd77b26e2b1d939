package streamable

import (
	"cmp"
	"container/list"
	"errors"
	"maps"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/pace"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// The limits of options that leave them zero.
const (
	defaultMaxSessions           = 10_000 // of MaxRequests, too
	defaultMaxSessionsPerUser    = 1_000
	defaultMaxSessionsPerAddress = 1_000
	defaultMaxBytes              = 256 << 20
	defaultMaxCallers            = 10_000
)

// The reasons of refusals that a client may repeat, see runtime.Stats.
const (
	reasonInFlight = "in_flight" // Load.MaxInFlight
	reasonCaller   = "caller"    // Load.MaxInFlightPerCaller
	reasonRate     = "rate"      // Load.Rate
	reasonRequests = "requests"  // the number of POSTs that name no session
	reasonSessions = "sessions"  // the limits of sessions
	reasonSession  = "session"   // the requests of one session
	reasonBytes    = "bytes"     // the bytes of messages in memory
	reasonDraining = "draining"  // a shutdown has begun
)

// gate limits what the POSTs of a handler occupy: the number of those that name no session, of the JSON-RPC requests in
// flight, the rate of these, and the bytes of messages in memory at a time. It counts refusals. A caller is a user or,
// without one, an address. Requests without either have no limit of their own. It is safe for concurrent use.
type gate struct {
	posts, inFlight groupCounter
	pace            pace.Limit // of each caller
	maxCallers      int
	unlimited       bool // requests in flight are not counted

	maxBytes int64 // 0 means no limit
	bytes    atomic.Int64

	mu      sync.Mutex
	refused map[string]int64           // the number of refusals by their reasons
	callers map[groupKey]*list.Element // remembered because of their rate
	recent  list.List                  // of *caller: the one that has sent nothing for longest first
}

// caller is the rate of a caller.
type caller struct {
	key     groupKey
	limiter pace.Limiter
}

// newGate returns a gate with the limits of options.
func newGate(opts *Options) *gate {
	load := &opts.Load
	each := pace.Limit{PerSecond: load.Rate, Burst: load.Burst}
	if each.Burst <= 0 {
		each.Burst = int(min(load.Rate, 1<<31-1))
	}
	all, perCaller := max(load.MaxInFlight, 0), max(load.MaxInFlightPerCaller, 0)
	return &gate{
		posts:     newGroupCounter(opts.groupLimits(opts.MaxRequests)),
		inFlight:  newGroupCounter(groupLimits{[kinds]int{ofAll: all, ofUser: perCaller, ofAddress: perCaller}, opts.Address}),
		pace:      each,
		unlimited: all == 0 && perCaller == 0 && each.None(),
		maxBytes:  max(int64(cmp.Or(opts.MaxBytes, defaultMaxBytes)), 0),
		callers:   make(map[groupKey]*list.Element), maxCallers: cmp.Or(max(load.MaxCallers, 0), defaultMaxCallers),
	}
}

// groupCounter counts things of groups, and limits the number of each group. It is safe for concurrent use.
type groupCounter struct {
	groupLimits

	mu     sync.Mutex
	counts map[groupKey]int // without those that are 0
}

func newGroupCounter(l groupLimits) groupCounter {
	return groupCounter{groupLimits: l, counts: make(map[groupKey]int)}
}

// add counts n things of a user at an address, "" for none, or that they are gone if n is negative. If a limit would be
// exceeded, add counts nothing and returns the kind of that group and false. A group of which nothing is counted has room
// for any number.
func (c *groupCounter) add(n int, user, address string) (full int, ok bool) {
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

func (c *groupCounter) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[everything]
}

// refuse counts a refusal, unless the reason is "".
func (g *gate) refuse(reason string) {
	if reason == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refused == nil {
		g.refused = make(map[string]int64)
	}
	g.refused[reason]++
}

// refusals returns the number of refusals by their reasons; nil for none.
func (g *gate) refusals() map[string]int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.refused)
}

// admission is what a POST occupies of a gate, or an answer that is being written. The zero admission occupies nothing.
type admission struct {
	gate *gate // set before anything is counted

	user, address string // for which it is counted
	posts         int    // 1 if it is counted as a POST that names no session
	inFlight      int    // requests
	bytes         int
}

// enterPost counts a POST that names no session. The error is a *web.Refusal if there are too many.
func (a *admission) enterPost(r *http.Request, user string) error {
	a.user, a.address = user, a.gate.posts.address(r)
	if _, ok := a.gate.posts.add(1, a.user, a.address); !ok {
		return errTooBusy
	}
	a.posts = 1
	return nil
}

// errTooBusy refuses a POST that names no session.
var errTooBusy = &web.Refusal{Status: http.StatusServiceUnavailable, Reason: reasonRequests, Code: jsonrpc.CodeUnavailable, Message: "unavailable: too many requests in progress; try again later"}

// leave gives back what the POST occupies.
func (a *admission) leave() {
	if a.posts > 0 {
		a.gate.posts.add(-1, a.user, a.address)
	}
	if a.inFlight > 0 {
		a.addCalls(-a.inFlight)
	}
	a.leaveBody()
	*a = admission{gate: a.gate}
}

// leaveBody gives back the bytes of the message.
func (a *admission) leaveBody() {
	if a.bytes > 0 {
		a.gate.bytes.Add(-int64(a.bytes))
		a.bytes = 0
	}
}

// methodListen is the method of requests that last as long as their clients like.
const methodListen = "subscriptions/listen"

// requestsIn returns how many requests a text contains, and how many of them count as in flight. What is not a message
// counts as a request, because it is answered too.
func requestsIn(text *jsonrpc.Text) (n, inFlight int) {
	count := func(m *jsonrpc.Message, err error) {
		if err == nil && m.Kind != jsonrpc.Request {
			return
		}
		n++
		if m.Method != methodListen {
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

// enterCalls counts the requests in the text of a POST. If a limit is exceeded, it counts nothing and returns a
// *web.Refusal with the id of a single request. Stateless says that the requests belong to no session.
func (a *admission) enterCalls(r *http.Request, user string, text *jsonrpc.Text, stateless bool) (err error) {
	g := a.gate
	if g.unlimited {
		return nil
	}
	defer func() { err = web.For(text.ID, err) }()
	n, inFlight := requestsIn(text)
	if n == 0 {
		return nil
	}
	code, who := codeBusy(stateless), groupKey{ofUser, user}
	if a.user = user; user == "" {
		if a.posts == 0 { // otherwise enterPost has set it
			a.address = g.posts.address(r)
		}
		who = groupKey{ofAddress, a.address}
	}
	switch full, ok := a.addCalls(inFlight); {
	case ok:
	case full == ofAll:
		return &web.Refusal{Status: http.StatusServiceUnavailable, Reason: reasonInFlight, Code: code,
			Message: "unavailable: too many requests in flight; try again later"}
	default:
		return &web.Refusal{Status: http.StatusTooManyRequests, Reason: reasonCaller, Code: code,
			Message: "too many requests of this caller are in flight: wait for their results"}
	}
	if wait := g.wait(who, n); wait > 0 {
		a.addCalls(-inFlight)
		e := pace.Error(code, "requests", wait)
		return &web.Refusal{Status: http.StatusTooManyRequests, Reason: reasonRate, Code: code, Message: e.Message, Data: e.Data, After: wait}
	}
	a.inFlight = inFlight
	return nil
}

// addCalls counts requests of the caller, or that they are over if n is negative.
func (a *admission) addCalls(n int) (full int, ok bool) {
	if a.user != "" {
		return a.gate.inFlight.add(n, a.user, "")
	}
	return a.gate.inFlight.add(n, "", a.address)
}

// wait returns how long a caller has to wait before it may send n requests. If too many callers are remembered, a new
// one replaces one whose requests no longer count, or the one that has sent nothing for longest.
func (g *gate) wait(key groupKey, n int) time.Duration {
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

const (
	// uncounted is the length up to which a message does not count: net/http has buffers of that length for
	// each request anyway.
	uncounted = 4 << 10
	// smallMessage is the length up to which a message may use the last quarter of the bytes, so that a few
	// clients with large messages do not shut out all others.
	smallMessage = 64 << 10
)

// errBytes is the error of a message for which a gate has no room.
var errBytes = errors.New("streamable: too many bytes of messages in memory")

// fits reports whether there is room for a message of a length when used bytes count. A message that is longer than the
// limit has room when nothing else counts.
func (g *gate) fits(used int64, length int) bool {
	room := g.maxBytes
	if length > smallMessage {
		room -= room / 4
	}
	return used == 0 || room == 0 || length <= uncounted || used+int64(length) <= room
}

// grow makes the bytes of the admission those of a message of a length. The error is errBytes if there is no room for
// that; the admission then remains as it is.
func (a *admission) grow(length int) error {
	g := a.gate
	if g.maxBytes == 0 || length <= max(uncounted, a.bytes) {
		return nil
	}
	more := int64(length - a.bytes)
	if others := g.bytes.Add(more) - int64(length); !g.fits(others, length) {
		g.bytes.Add(-more)
		return errBytes
	}
	a.bytes = length
	return nil
}

// errNoRoom returns the refusal of a request for whose body there is no room.
func errNoRoom(stateless bool) *web.Refusal {
	return &web.Refusal{Status: http.StatusServiceUnavailable, Reason: reasonBytes, Code: codeBusy(stateless),
		Message: "unavailable: the messages in progress take too much memory; try again later"}
}

// groupLimits are the limits of groups.
type groupLimits struct {
	of      [kinds]int // 0 means no limit
	address func(*http.Request) string
}

// groupLimits returns the limits of sessions, or of requests that belong to none, of which there may be so many.
func (o *Options) groupLimits(all int) groupLimits {
	return groupLimits{[kinds]int{
		ofAll:     cmp.Or(max(all, 0), defaultMaxSessions),
		ofUser:    max(cmp.Or(o.MaxSessionsPerUser, defaultMaxSessionsPerUser), 0),
		ofAddress: max(cmp.Or(o.MaxSessionsPerAddress, defaultMaxSessionsPerAddress), 0),
	}, o.Address}
}

// groups returns the groups of a user at an address. What has no limit is no group.
func (l *groupLimits) groups(user, address string) [kinds]groupKey {
	in := [kinds]groupKey{everything, {kind: ofUser}, {kind: ofAddress}}
	if l.of[ofUser] > 0 {
		in[ofUser].name = user
	}
	if l.of[ofAddress] > 0 {
		in[ofAddress].name = address
	}
	return in
}

// addressOf returns the address of a request, or "" if it is nil or addresses have no limit.
func (l *groupLimits) addressOf(r *http.Request) string {
	if l.of[ofAddress] == 0 || r == nil {
		return ""
	}
	return l.address(r)
}

// addressOf returns the address that a request comes from, for IPv6 its network of 64 bits. It
// returns "" for a loopback, private or unknown address: a proxy there may serve many clients.
func addressOf(r *http.Request) string {
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

// everything is the group of all.
var everything = groupKey{ofAll, "all"}

// The kinds of groups.
const (
	ofAll = iota
	ofUser
	ofAddress
	kinds
)

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

// DefaultMaxCallers is how many callers a Load remembers unless its limits say otherwise.
const DefaultMaxCallers = 10_000

// LoadLimits are the fields of streamable.Load, whose documentation describes them.
type LoadLimits struct {
	MaxInFlight          int
	MaxInFlightPerCaller int

	Rate       float64
	Burst      int
	MaxCallers int
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

// add counts n things in each of the groups, or that they are gone if n is negative. If one of the groups would exceed
// its limit, add counts nothing and returns the kind of that group and false. A group of which nothing is counted has
// room for any number.
func (c *counter) add(n int, in ...groupKey) (full int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range in {
		limit, counted := c.of[key.kind], c.counts[key]
		if n > 0 && limit > 0 && counted > 0 && counted+n > limit {
			return key.kind, false
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

// Len returns how many things are counted.
func (c *counter) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[all]
}

// Load counts the JSON-RPC requests in flight, in sessions and without, and limits them: all of them, and
// the number and rate of those of each caller. A caller is a user or, without one, an address. Requests
// without either have no limit of their own. A Load is safe for concurrent use.
type Load struct {
	pace       pace.Limit // of each caller
	maxCallers int
	inFlight   counter

	mu      sync.Mutex
	callers map[groupKey]*list.Element // remembered because of their rate
	recent  list.List                  // of *caller: the one that has sent nothing for longest first
}

// caller is the rate of a caller.
type caller struct {
	key     groupKey
	limiter pace.Limiter
}

// NewLoad returns a Load with these limits, or nil if they limit nothing. A nil Load admits everything. Address
// returns the address of a request's client; nil means the function Address.
func NewLoad(limits LoadLimits, address func(*http.Request) string) *Load {
	each := pace.Limit{PerSecond: limits.Rate, Burst: limits.Burst}
	if each.Burst <= 0 {
		each.Burst = int(min(limits.Rate, 1<<31-1))
	}
	if limits.MaxInFlight <= 0 && limits.MaxInFlightPerCaller <= 0 && each.None() {
		return nil
	}
	perCaller := max(limits.MaxInFlightPerCaller, 0)
	return &Load{
		pace: each, maxCallers: cmp.Or(max(limits.MaxCallers, 0), DefaultMaxCallers),
		inFlight: newCounter(newLimits([kinds]int{ofAll: max(limits.MaxInFlight, 0), ofUser: perCaller, ofAddress: perCaller}, address)),
		callers:  make(map[groupKey]*list.Element),
	}
}

// MethodListen is the method of requests that last as long as their clients like.
const MethodListen = "subscriptions/listen"

// arrivals is how many requests a text contains, and how many of them count as in flight.
type arrivals struct{ All, InFlight int }

// arriving returns the number of requests in a text. What is not a message counts as a request, because it is
// answered too.
func arriving(text *jsonrpc.Text) (n arrivals) {
	count := func(m *jsonrpc.Message, err error) {
		if err == nil && m.Kind != jsonrpc.Request {
			return
		}
		n.All++
		if m.Method != MethodListen {
			n.InFlight++
		}
	}
	switch {
	case !text.IsBatch:
		count(&text.Message, text.Err)
	case text.Err != nil:
		n.All = 1
	}
	for i := range text.Batch {
		count(&text.Batch[i].Message, text.Batch[i].Err)
	}
	return n
}

// Admission stands for requests that Load counts until Leave is called.
type Admission struct {
	load   *Load
	in     [2]groupKey // all requests, and those of the caller
	places int
	left   atomic.Bool
}

// Enter counts the requests in a text. If a limit is exceeded, it counts nothing and returns a *Refusal with the id
// of a single request. Stateless says that the requests belong to no session.
func (l *Load) Enter(r *http.Request, user string, text *jsonrpc.Text, stateless bool) (*Admission, error) {
	if l == nil {
		return nil, nil
	}
	a, err := l.enter(r, user, arriving(text), codeBusy(stateless))
	return a, For(text.ID, err)
}

// enter counts requests that have arrived together. The code is that of a refusal.
func (l *Load) enter(r *http.Request, user string, n arrivals, code int64) (*Admission, error) {
	if n.All == 0 {
		return nil, nil
	}
	key := groupKey{ofUser, user}
	if user == "" {
		key = groupKey{ofAddress, l.inFlight.address(r)}
	}
	a := &Admission{load: l, in: [2]groupKey{all, key}, places: n.InFlight}
	switch full, ok := l.inFlight.add(a.places, a.in[:]...); {
	case ok:
	case full == ofAll:
		return nil, &Refusal{Status: http.StatusServiceUnavailable, Reason: ReasonInFlight, Code: code,
			Message: "unavailable: too many requests in flight; try again later"}
	default:
		return nil, &Refusal{Status: http.StatusTooManyRequests, Reason: ReasonCaller, Code: code,
			Message: "too many requests of this caller are in flight: wait for their results"}
	}
	if wait := l.wait(key, n.All); wait > 0 {
		a.Leave()
		e := pace.Error(code, "requests", wait)
		return nil, &Refusal{Status: http.StatusTooManyRequests, Reason: ReasonRate, Code: code, Message: e.Message, Data: e.Data, After: wait}
	}
	return a, nil
}

// wait returns how long a caller has to wait before it may send n requests. If too many callers are remembered, a new
// one replaces one whose requests no longer count, or the one that has sent nothing for longest.
func (l *Load) wait(key groupKey, n int) time.Duration {
	if l.pace.None() || key.name == "" {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.callers[key]
	if known != nil {
		l.recent.MoveToBack(known)
		return known.Value.(*caller).limiter.Admit(n)
	}
	for range 2 { // more than come, so that those whose requests no longer count become fewer
		front := l.recent.Front()
		if front == nil || len(l.callers) < l.maxCallers && !front.Value.(*caller).limiter.Fresh() {
			break
		}
		l.recent.Remove(front)
		delete(l.callers, front.Value.(*caller).key)
	}
	c := &caller{key: key, limiter: pace.New(l.pace)}
	l.callers[key] = l.recent.PushBack(c)
	return c.limiter.Admit(n)
}

// Leave reports that the requests are over. Further calls, and calls on a nil Admission, do nothing.
func (a *Admission) Leave() {
	if a != nil && !a.left.Swap(true) {
		a.load.inFlight.add(-a.places, a.in[:]...)
	}
}

// InFlight returns the number of requests in flight.
func (l *Load) InFlight() int { return l.inFlight.Len() }

// Callers returns the number of callers that are remembered because of their rate.
func (l *Load) Callers() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.callers)
}

// codeBusy returns the code of the error for a request that is refused because of load.
func codeBusy(stateless bool) int64 {
	if stateless {
		return jsonrpc.CodeUnavailable
	}
	return jsonrpc.CodeServerBusy
}

// errTooBusy refuses a request beyond a limit of Requests.
var errTooBusy = &Refusal{Status: http.StatusServiceUnavailable, Reason: ReasonRequests, Code: jsonrpc.CodeUnavailable, Message: "unavailable: too many requests in progress; try again later"}

// Requests counts the requests in progress that belong to no session, and limits their number: all of
// them, those of each user and those of each address. It is safe for concurrent use.
type Requests struct{ counter }

// NewRequests returns a count with these limits.
func NewRequests(limits Limits) *Requests { return &Requests{newCounter(limits.complete())} }

// Counted is a request that was counted.
type Counted [kinds]groupKey

// Enter counts a request of a user. The error is a *Refusal if there are too many.
func (q *Requests) Enter(r *http.Request, user string) (Counted, error) {
	in := q.groups(r, user)
	if _, ok := q.add(1, in[:]...); !ok {
		return in, errTooBusy
	}
	return in, nil
}

// Leave reports that a request is over.
func (q *Requests) Leave(in Counted) { q.add(-1, in[:]...) }

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

// groups returns the groups of a user's request. It belongs to none that has no limit. If the request is nil, it belongs
// to no address.
func (l *limits) groups(r *http.Request, user string) [kinds]groupKey {
	in := [kinds]groupKey{all, {kind: ofUser}, {kind: ofAddress}}
	if l.of[ofUser] > 0 {
		in[ofUser].name = user
	}
	if l.of[ofAddress] > 0 && r != nil {
		in[ofAddress].name = l.address(r)
	}
	return in
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

// DefaultMaxBytes is the limit of a Budget whose options leave it zero.
const DefaultMaxBytes = 256 << 20

const (
	// uncounted is the length up to which a message does not count: net/http has buffers of that length for
	// each request anyway.
	uncounted = 4 << 10
	// smallMessage is the length up to which a message may use the last quarter of a budget, so that a few
	// clients with large messages do not shut out all others.
	smallMessage = 64 << 10
)

// ErrBudget is the error of a message for which a Budget has no room.
var ErrBudget = errors.New("web: too many bytes of messages in memory")

// Budget limits the bytes of the messages that a handler has in memory at a time: bodies of requests until
// they are handled, and messages that are being written until their clients have read them. A message that is
// longer than the limit has room when nothing else counts. A nil Budget has no limit. A Budget is safe for
// concurrent use.
type Budget struct {
	limit int64
	used  atomic.Int64
}

// NewBudget returns a Budget with a limit in bytes. 0 means DefaultMaxBytes, a negative number no limit.
func NewBudget(limit int) *Budget {
	if limit < 0 {
		return nil
	}
	return &Budget{limit: int64(cmp.Or(limit, DefaultMaxBytes))}
}

// room returns the limit for a message of a length.
func (b *Budget) room(length int) int64 {
	if length > smallMessage {
		return b.limit - b.limit/4
	}
	return b.limit
}

// fits reports whether there is room now for a message of a length, as a client has announced it.
func (b *Budget) fits(length int) bool {
	if b == nil || length <= uncounted {
		return true
	}
	used := b.used.Load()
	return used == 0 || used+int64(length) <= b.room(length)
}

// Hold is the share of a message in a Budget. The zero Hold is empty.
type Hold struct {
	budget *Budget
	bytes  int
}

// grow makes the hold that of a message of a length. It returns false if there is no room for that; the hold
// then remains as it is.
func (h *Hold) grow(b *Budget, length int) bool {
	if b == nil || length <= uncounted || length <= h.bytes {
		return true
	}
	more := int64(length - h.bytes)
	if used := b.used.Add(more); used > b.room(length) && used > int64(length) {
		b.used.Add(-more)
		return false
	}
	*h = Hold{b, length}
	return true
}

// Release gives the share back.
func (h *Hold) Release() {
	if h.bytes > 0 {
		h.budget.used.Add(-int64(h.bytes))
	}
	*h = Hold{}
}

// errNoRoom returns the refusal of a request for whose body there is no room.
func errNoRoom(stateless bool) *Refusal {
	return &Refusal{Status: http.StatusServiceUnavailable, Reason: ReasonBytes, Code: codeBusy(stateless),
		Message: "unavailable: the messages in progress take too much memory; try again later"}
}

package web

import (
	"cmp"
	"container/list"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/pace"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// DefaultMaxCallers is how many callers a Load remembers unless its limits say otherwise.
const DefaultMaxCallers = 10_000

// LoadLimits limits the JSON-RPC requests that a handler serves. Zero means no limit.
type LoadLimits struct {
	InFlight, PerCaller int        // requests at a time
	Pace                pace.Limit // of each caller
	MaxCallers          int        // 0 means DefaultMaxCallers
	Address             func(*http.Request) string
}

// Load counts the JSON-RPC requests in flight, in sessions and without, and limits them: all of them, and
// the number and rate of those of each caller. A caller is a user or, without one, an address. Requests
// without either have no limit of their own. A Load is safe for concurrent use.
type Load struct {
	limits LoadLimits

	mu       sync.Mutex
	inFlight int
	callers  map[groupKey]*caller
	resting  list.List // of *caller: those without a request in flight, longest idle first
}

// caller is what is known about a caller. An idle caller is remembered because of its rate.
type caller struct {
	key      groupKey
	inFlight int
	limiter  pace.Limiter
	rests    *list.Element // nil while a request is in flight
}

// NewLoad returns a Load with these limits, or nil if they limit nothing. A nil Load admits everything.
func NewLoad(limits LoadLimits) *Load {
	if limits.InFlight <= 0 && limits.PerCaller <= 0 && limits.Pace.None() {
		return nil
	}
	limits.MaxCallers = cmp.Or(max(limits.MaxCallers, 0), DefaultMaxCallers)
	if limits.Address == nil {
		limits.Address = Address
	}
	return &Load{limits: limits, callers: make(map[groupKey]*caller)}
}

// Arriving is how many requests a text contains, and how many of them count as in flight.
type Arriving struct{ All, InFlight int }

// Admission stands for requests that Load counts until Leave is called.
type Admission struct {
	load   *Load
	caller *caller // nil for a request without a user and an address
	places int
	left   atomic.Bool
}

// Enter counts requests that have arrived together. If a limit is exceeded, it counts nothing and
// returns a *Refusal with the code, which depends on the revision.
func (l *Load) Enter(r *http.Request, user string, n Arriving, code int64) (*Admission, error) {
	if l == nil || n.All == 0 {
		return nil, nil
	}
	key := groupKey{ofUser, user}
	if user == "" {
		key = groupKey{ofAddress, l.limits.Address(r)}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limits.InFlight > 0 && n.InFlight > 0 && l.inFlight > 0 && l.inFlight+n.InFlight > l.limits.InFlight {
		return nil, &Refusal{Status: http.StatusServiceUnavailable, Reason: ReasonInFlight, Code: code,
			Message: "unavailable: too many requests in flight; try again later"}
	}
	var c *caller
	if key.limited() {
		c = l.callerLocked(key)
		if refusal := l.refuseLocked(c, n, code); refusal != nil {
			l.restLocked(c)
			return nil, refusal
		}
		c.inFlight += n.InFlight
		l.restLocked(c)
	}
	l.inFlight += n.InFlight
	return &Admission{load: l, caller: c, places: n.InFlight}, nil
}

// refuseLocked returns the refusal of requests beyond a limit of the caller, or nil.
func (l *Load) refuseLocked(c *caller, n Arriving, code int64) *Refusal {
	if l.limits.PerCaller > 0 && n.InFlight > 0 && c.inFlight > 0 && c.inFlight+n.InFlight > l.limits.PerCaller {
		return &Refusal{Status: http.StatusTooManyRequests, Reason: ReasonCaller, Code: code,
			Message: "too many requests of this caller are in flight: wait for their results"}
	}
	if wait := c.limiter.Admit(n.All); wait > 0 {
		e := pace.Error(code, "requests", wait)
		return &Refusal{Status: http.StatusTooManyRequests, Reason: ReasonRate, Code: code, Message: e.Message, Data: e.Data, After: wait}
	}
	return nil
}

// callerLocked returns the caller with a key. If too many are remembered, a new one replaces an idle one:
// one whose requests no longer count, or the one that has been idle for longest.
func (l *Load) callerLocked(key groupKey) *caller {
	if c := l.callers[key]; c != nil {
		return c
	}
	for range 2 { // more than come, so that those whose requests no longer count become fewer
		front := l.resting.Front()
		if front == nil {
			break
		}
		c := front.Value.(*caller)
		if len(l.callers) < l.limits.MaxCallers && !c.limiter.Fresh() {
			break
		}
		l.resting.Remove(front)
		delete(l.callers, c.key)
	}
	c := &caller{key: key, limiter: pace.New(l.limits.Pace)}
	l.callers[key] = c
	return c
}

// restLocked puts a caller into the right place after a change of its requests in flight.
func (l *Load) restLocked(c *caller) {
	if c.rests != nil {
		l.resting.Remove(c.rests)
		c.rests = nil
	}
	switch {
	case c.inFlight > 0:
	case l.limits.Pace.None():
		delete(l.callers, c.key)
	default:
		c.rests = l.resting.PushBack(c)
	}
}

// Leave reports that the requests are over. Further calls, and calls on a nil Admission, do nothing.
func (a *Admission) Leave() {
	if a == nil || a.left.Swap(true) {
		return
	}
	a.load.mu.Lock()
	defer a.load.mu.Unlock()
	a.load.inFlight -= a.places
	if a.caller != nil && a.places > 0 {
		a.caller.inFlight -= a.places
		a.load.restLocked(a.caller)
	}
}

// InFlight returns the number of requests in flight.
func (l *Load) InFlight() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inFlight
}

// Callers returns the number of callers that are remembered.
func (l *Load) Callers() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.callers)
}

// CodeBusy returns the code of the error for a request that is refused because of load.
func CodeBusy(stateless bool) int64 {
	if stateless {
		return jsonrpc.CodeUnavailable
	}
	return jsonrpc.CodeServerBusy
}

// errTooBusy refuses a request beyond a limit of Requests.
var errTooBusy = &Refusal{Status: http.StatusServiceUnavailable, Reason: ReasonRequests, Code: jsonrpc.CodeUnavailable, Message: "unavailable: too many requests in progress; try again later"}

// Requests counts the requests in progress that belong to no session, and limits their number: all of
// them, those of each user and those of each address. It is safe for concurrent use.
type Requests struct {
	user    User
	address func(*http.Request) string
	limits  [kinds]int // 0 means no limit

	mu     sync.Mutex
	counts map[groupKey]int // without those that are 0
}

// NewRequests returns a count with these limits.
func NewRequests(limits Limits, user User) *Requests {
	q := &Requests{user: user, address: limits.Address, limits: limits.perKind(), counts: make(map[groupKey]int)}
	if q.address == nil {
		q.address = Address
	}
	return q
}

// Counted is a request that was counted.
type Counted [kinds]groupKey

// Enter counts a request. The error is a *Refusal if there are too many or the user is not known.
func (q *Requests) Enter(r *http.Request, log *slog.Logger) (in Counted, err error) {
	for kind := range in {
		in[kind].kind = kind
	}
	if in[ofUser].name, err = q.user.Name(r, log); err != nil {
		return in, err
	}
	if q.limits[ofAddress] > 0 {
		in[ofAddress].name = q.address(r)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for kind, key := range in {
		if limit := q.limits[kind]; limit > 0 && key.limited() && q.counts[key] >= limit {
			return in, errTooBusy
		}
	}
	for _, key := range in {
		if key.limited() {
			q.counts[key]++
		}
	}
	return in, nil
}

// Leave reports that a request is over.
func (q *Requests) Leave(in Counted) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, key := range in {
		switch n := q.counts[key]; {
		case n > 1:
			q.counts[key] = n - 1
		case n == 1:
			delete(q.counts, key)
		}
	}
}

// User returns the user that the request comes from, or "" if there is no function to tell.
func (in Counted) User() string { return in[ofUser].name }

// Len returns the number of requests in progress.
func (q *Requests) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.counts[groupKey{kind: ofAll}]
}

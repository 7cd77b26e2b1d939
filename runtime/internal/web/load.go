package web

import (
	"cmp"
	"container/list"
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

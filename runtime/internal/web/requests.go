package web

import (
	"log/slog"
	"net/http"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

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

package web

import (
	"cmp"
	"errors"
	"net/http"
	"sync/atomic"
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

// errNoRoom returns the refusal of a request for whose body there is no room. The code depends on the revision.
func errNoRoom(code int64) *Refusal {
	return &Refusal{Status: http.StatusServiceUnavailable, Reason: ReasonBytes, Code: code,
		Message: "unavailable: the messages in progress take too much memory; try again later"}
}

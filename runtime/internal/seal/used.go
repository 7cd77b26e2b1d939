package seal

import (
	"sync"
	"time"
)

// Used remembers the ids of texts until they expire. It is safe for concurrent use.
type Used struct {
	max int

	mu    sync.Mutex
	ids   map[string]time.Time // to when they expire
	sweep time.Time            // nothing expires before it
}

// NewUsed returns a Used for at most max ids at a time.
func NewUsed(max int) *Used { return &Used{max: max, ids: make(map[string]time.Time)} }

// Add adds an id. It reports whether the id is new. Full is true if there is no room for it, in which case
// it is not added.
func (u *Used) Add(id string, expires, now time.Time) (added, full bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if until, ok := u.ids[id]; ok && now.Before(until) {
		return false, false
	}
	if len(u.ids) >= u.max && !now.Before(u.sweep) {
		u.forget(now)
	}
	if len(u.ids) >= u.max {
		return false, true
	}
	if len(u.ids) == 0 || expires.Before(u.sweep) {
		u.sweep = expires
	}
	u.ids[id] = expires
	return true, false
}

// Has reports whether an id was added and has not expired.
func (u *Used) Has(id string, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	until, ok := u.ids[id]
	return ok && now.Before(until)
}

// forget removes the ids that have expired.
func (u *Used) forget(now time.Time) {
	u.sweep = time.Time{}
	for id, expires := range u.ids {
		switch {
		case !now.Before(expires):
			delete(u.ids, id)
		case u.sweep.IsZero() || expires.Before(u.sweep):
			u.sweep = expires
		}
	}
}

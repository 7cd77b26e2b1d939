package natsmcp

import (
	"maps"
	"strconv"
	"sync"
	"time"
)

// leases holds the tasks that are working, as the messages of the stream have it.
type leases struct {
	mu      sync.Mutex
	working map[string]lease // by the id of the task
}

// lease is a task that is working. Its times are nanoseconds since 1970.
type lease struct{ due, expires int64 }

// nanoseconds returns the nanoseconds since 1970, and 0 for times before, such as the zero time.
func nanoseconds(t time.Time) int64 {
	if t.Unix() < 0 {
		return 0
	}
	return t.UnixNano()
}

// set changes a task. Due is "" if there is no work.
func (l *leases) set(id, due string, expires int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from, err := strconv.ParseInt(due, 10, 64)
	if err != nil {
		delete(l.working, id)
		return
	}
	if l.working == nil {
		l.working = map[string]lease{}
	}
	l.working[id] = lease{from, expires}
}

// due returns the tasks whose work waits for a process.
func (l *leases) due(now time.Time) (ids []string) {
	at := nanoseconds(now)
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, w := range l.working {
		if w.due <= at && at < w.expires {
			ids = append(ids, id)
		}
	}
	return ids
}

// forget forgets the tasks whose lifetime has ended, for which there is no message.
func (l *leases) forget(now time.Time) {
	at := nanoseconds(now)
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.working, func(_ string, w lease) bool { return w.expires <= at })
}

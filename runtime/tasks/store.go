package tasks

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// The errors of a Store. Other errors are reported to the client as internal errors.
var (
	ErrNotFound = errors.New("tasks: no such task")
	ErrConflict = errors.New("tasks: the task was changed meanwhile")
	ErrFull     = errors.New("tasks: the store is full")
	ErrTooLarge = errors.New("tasks: the task is too large for the store")
)

// Store keeps tasks of the extension. What Create and Swap have stored survives as long as the store
// promises: in the store of [NewMemory] as long as the process, in others longer. Processes that serve the
// same clients must share a store that is consistent: all processes find a change before Create or Swap
// returns. A store keeps no memory of the records that it is given, and is safe for concurrent use. Package
// storetest checks all of this.
//
// An id may be any text, because Get and Watch are called with those that clients send. The ids of tasks
// consist of letters and digits.
type Store interface {
	// Create stores a task that does not exist, and sets r.Version. The error is ErrConflict if it exists,
	// ErrFull if there is no room, and ErrTooLarge if there can never be room for it.
	Create(ctx context.Context, r *Record) error
	// Get returns a task, which the caller may change. The error is ErrNotFound for an unknown task.
	Get(ctx context.Context, id string) (*Record, error)
	// Swap replaces a task whose version is still r.Version, and sets r.Version to the new one. The
	// error is ErrConflict for another version, ErrNotFound for an unknown task, and ErrTooLarge for one
	// that cannot be stored. After any other error, the task may have been replaced.
	Swap(ctx context.Context, r *Record) error
	// Watch returns a channel that receives a value after the task has changed, and may receive one
	// for several changes or for none. The caller calls stop.
	Watch(ctx context.Context, id string) (changes <-chan struct{}, stop func(), err error)
	// Due returns the ids of the tasks for which [Record.Due] returns true. It may miss changes that
	// another process has just made.
	Due(ctx context.Context, now time.Time) ([]string, error)
	// Expire removes the tasks whose lifetime has ended, unless the store does that itself soon.
	Expire(ctx context.Context, now time.Time) error
}

// DefaultMaxRecords is the default limit of a store in memory.
const DefaultMaxRecords = 10_000

// Limits of a store in memory that follow from how many tasks it keeps.
const (
	bytesPerRecord = 16 << 10 // the room for each task, on average
	minBytes       = 16 << 20
	minOwnerBytes  = 4 << 20
	minOwnerCount  = 100
)

// Memory is a Store in memory. Tasks in it end with the process.
type Memory struct {
	all, owner room // the limits of all tasks and of the tasks of an owner

	mu       sync.Mutex
	records  map[string]*Record
	used     room
	owners   map[string]room // what each owner uses
	watchers Watchers
}

// room is a number of tasks and of the bytes in them.
type room struct{ tasks, bytes int }

// within reports whether r exceeds no part of limit.
func (r room) within(limit room) bool { return r.tasks <= limit.tasks && r.bytes <= limit.bytes }

func (r room) plus(tasks, bytes int) room { return room{r.tasks + tasks, r.bytes + bytes} }

// NewMemory returns an empty store for up to limit tasks, which may have 16 KiB each on average; 0 means
// DefaultMaxRecords. An owner has at most a tenth of that, though at least 100 tasks and 4 MiB, so that one
// caller leaves room for the others. Tasks without an owner share the room of all.
func NewMemory(limit int) *Memory {
	if limit <= 0 {
		limit = DefaultMaxRecords
	}
	all := room{limit, max(limit*bytesPerRecord, minBytes)}
	return &Memory{
		all:     all,
		owner:   room{max(all.tasks/10, minOwnerCount), max(all.bytes/10, minOwnerBytes)},
		records: map[string]*Record{},
		owners:  map[string]room{},
	}
}

// Create implements Store. If there is no room, it drops the tasks whose lifetime has ended.
func (m *Memory) Create(_ context.Context, r *Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records[r.ID] != nil {
		return ErrConflict
	}
	size := r.size()
	if size > m.limit(r.Owner).bytes {
		return ErrTooLarge
	}
	if !m.fits(r.Owner, 1, size) {
		return ErrFull
	}
	r.Version = 1
	m.use(r.Owner, 1, size)
	m.records[r.ID] = r.clone()
	return nil
}

// limit returns the limits that hold for the tasks of an owner.
func (m *Memory) limit(owner string) room {
	if owner == "" {
		return m.all
	}
	return m.owner
}

// fits reports whether there is room for more of an owner, if need be after it has dropped the tasks whose
// lifetime has ended.
func (m *Memory) fits(owner string, tasks, bytes int) bool {
	fits := func() bool {
		return m.used.plus(tasks, bytes).within(m.all) && m.owners[owner].plus(tasks, bytes).within(m.limit(owner))
	}
	if fits() {
		return true
	}
	m.expire(time.Now())
	return fits()
}

// use counts what an owner uses more.
func (m *Memory) use(owner string, tasks, bytes int) {
	m.used = m.used.plus(tasks, bytes)
	if used := m.owners[owner].plus(tasks, bytes); used.tasks > 0 {
		m.owners[owner] = used
	} else {
		delete(m.owners, owner)
	}
}

// Get implements Store.
func (m *Memory) Get(_ context.Context, id string) (*Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[id]
	if r == nil {
		return nil, ErrNotFound
	}
	return r.clone(), nil
}

// Swap implements Store.
func (m *Memory) Swap(_ context.Context, r *Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	have := m.records[r.ID]
	switch {
	case have == nil:
		return ErrNotFound
	case have.Version != r.Version:
		return ErrConflict
	}
	more := r.size() - have.size()
	if more > 0 && !m.fits(have.Owner, 0, more) {
		return ErrTooLarge
	}
	if m.records[r.ID] == nil {
		return ErrNotFound // it made room for itself
	}
	r.Version++
	m.use(have.Owner, 0, more)
	m.records[r.ID] = r.clone()
	m.watchers.Changed(r.ID)
	return nil
}

// Watch implements Store.
func (m *Memory) Watch(_ context.Context, id string) (<-chan struct{}, func(), error) {
	changes, stop := m.watchers.Watch(id)
	return changes, stop, nil
}

// Due implements Store.
func (m *Memory) Due(_ context.Context, now time.Time) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var due []string
	for id, r := range m.records {
		if r.Due(now) {
			due = append(due, id)
		}
	}
	slices.Sort(due)
	return due, nil
}

// Expire implements Store.
func (m *Memory) Expire(_ context.Context, now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire(now)
	return nil
}

func (m *Memory) expire(now time.Time) {
	for id, r := range m.records {
		if !now.Before(r.Expires) {
			delete(m.records, id)
			m.use(r.Owner, -1, -r.size())
		}
	}
}

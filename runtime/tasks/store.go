package tasks

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Record is a task of the extension as a [Store] keeps it. Its texts do not share the memory of
// messages.
type Record struct {
	ID      string
	Version uint64 // grows with each change; the store sets it
	Owner   string // the principal that created the task; "" for none

	Method string
	Params wire.Raw // of the request, with the terms in _meta that it was sent under

	Status                    string // of the definition TaskStatus
	Message                   string // or ""
	Created, Updated, Expires time.Time
	Poll                      time.Duration

	// The lease of the process that does the work. Another process may take the work over when it ends.
	Holder  string
	Leased  time.Time // the end of the lease; zero if nobody does the work
	Attempt int       // how often the work was begun anew

	Cancelled bool         // the client wants no outcome
	Questions wire.Members // requests to the client without an answer, by key
	Answers   wire.Members // all answers so far, by key
	State     wire.Raw     // the requestState of the last round; "" for none

	Result wire.Object // if Status is completed
	Error  wire.Object // if Status is failed
}

// ended reports whether the status of the task is final.
func (r *Record) ended() bool { return status(r.Status).terminal() }

// The errors of a Store. Others are reported to the client as internal errors.
var (
	ErrNotFound = errors.New("tasks: no such task")
	ErrConflict = errors.New("tasks: the task was changed meanwhile")
	ErrFull     = errors.New("tasks: the store is full")
)

// Store keeps tasks of the extension. What Create and Swap have stored survives as long as the store
// promises: that of [NewMemory] as long as the process, others beyond it. Stores of several processes
// that serve the same clients must share what they keep, with the consistency of one store: a task that
// one of them has created is found by all. It is safe for concurrent use.
type Store interface {
	// Create stores a task that does not exist. The error is ErrFull if there is no room.
	Create(ctx context.Context, r *Record) error
	// Get returns a task, which the caller may change. The error is ErrNotFound for an unknown task.
	Get(ctx context.Context, id string) (*Record, error)
	// Swap replaces a task whose version is still r.Version, and sets r.Version to the new one. The
	// error is ErrConflict for another version, and ErrNotFound for an unknown task.
	Swap(ctx context.Context, r *Record) error
	// Watch returns a channel that receives a value after the task has changed, and may receive one
	// for several changes or for none. The caller calls stop.
	Watch(ctx context.Context, id string) (changes <-chan struct{}, stop func(), err error)
	// Due returns the ids of tasks that are working and whose lease has ended.
	Due(ctx context.Context, now time.Time) ([]string, error)
	// Expire removes the tasks whose lifetime has ended.
	Expire(ctx context.Context, now time.Time) error
}

// DefaultMaxRecords is the default limit of a store in memory.
const DefaultMaxRecords = 10_000

// Memory is a Store in memory. Tasks in it end with the process.
type Memory struct {
	max int

	mu       sync.Mutex
	records  map[string]*Record
	watchers map[string][]chan struct{}
}

// NewMemory returns an empty store for up to max tasks; 0 means DefaultMaxRecords.
func NewMemory(max int) *Memory {
	if max <= 0 {
		max = DefaultMaxRecords
	}
	return &Memory{max: max, records: map[string]*Record{}, watchers: map[string][]chan struct{}{}}
}

// Create implements Store. If there is no room, it drops the tasks whose lifetime has ended.
func (m *Memory) Create(_ context.Context, r *Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.records) >= m.max {
		m.expire(time.Now())
	}
	switch {
	case m.records[r.ID] != nil:
		return ErrConflict
	case len(m.records) >= m.max:
		return ErrFull
	}
	r.Version = 1
	m.records[r.ID] = r.clone()
	return nil
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
	r.Version++
	m.records[r.ID] = r.clone()
	for _, w := range m.watchers[r.ID] {
		select {
		case w <- struct{}{}:
		default: // it holds a value already
		}
	}
	return nil
}

// Watch implements Store.
func (m *Memory) Watch(_ context.Context, id string) (<-chan struct{}, func(), error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := make(chan struct{}, 1)
	m.watchers[id] = append(m.watchers[id], w)
	return w, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.watchers[id] = slices.DeleteFunc(m.watchers[id], func(other chan struct{}) bool { return other == w })
		if len(m.watchers[id]) == 0 {
			delete(m.watchers, id)
		}
	}, nil
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
	maps.DeleteFunc(m.records, func(_ string, r *Record) bool { return !now.Before(r.Expires) })
}

// Due reports whether the work of the task waits for a process.
func (r *Record) Due(now time.Time) bool {
	return status(r.Status) == working && !now.Before(r.Leased) && now.Before(r.Expires)
}

// clone returns a copy that the caller may change.
func (r *Record) clone() *Record {
	c := *r
	c.Questions, c.Answers = slices.Clone(r.Questions), slices.Clone(r.Answers)
	return &c
}

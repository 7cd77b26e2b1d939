package client

import (
	"bytes"
	"context"
	"sync"
)

// Store keeps tokens and registrations under keys, for any number of servers and authorization servers.
// Values hold secrets. All methods may be called concurrently.
type Store interface {
	// Get returns the value of a key, or nil if there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	// CompareAndSwap sets the value of a key to new if it is still old, and reports whether it was.
	// Old and new may be nil, which means no value.
	CompareAndSwap(ctx context.Context, key string, old, new []byte) (bool, error)
	// Lock acquires the lock of a key, which is exclusive within this process and among all others
	// that use the same storage. The lock is held until unlock is called; Get and CompareAndSwap do
	// not need it. It keeps two programs from using a refresh token twice, which authorization servers
	// treat as theft (OAuth 2.1, section 4.3.1).
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

// Memory is a Store that lasts as long as the program. Its zero value is empty and ready for use.
type Memory struct {
	mu     sync.Mutex
	values map[string][]byte
	locks  map[string]chan struct{} // of one element, which is there while the lock is held
}

// Get implements Store.
func (m *Memory) Get(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return bytes.Clone(m.values[key]), nil
}

// CompareAndSwap implements Store.
func (m *Memory) CompareAndSwap(_ context.Context, key string, old, new []byte) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	have, ok := m.values[key]
	if ok != (old != nil) || !bytes.Equal(have, old) {
		return false, nil
	}
	if new == nil {
		delete(m.values, key)
		return true, nil
	}
	if m.values == nil {
		m.values = make(map[string][]byte)
	}
	m.values[key] = bytes.Clone(new)
	return true, nil
}

// Lock implements Store.
func (m *Memory) Lock(ctx context.Context, key string) (func(), error) {
	m.mu.Lock()
	lock := m.locks[key]
	if lock == nil {
		if m.locks == nil {
			m.locks = make(map[string]chan struct{})
		}
		lock = make(chan struct{}, 1)
		m.locks[key] = lock
	}
	m.mu.Unlock()
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

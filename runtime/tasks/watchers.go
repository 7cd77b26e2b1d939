package tasks

import (
	"slices"
	"sync"
)

// Watchers holds the channels of [Store.Watch] for implementations of Store. The zero value has none. It
// is safe for concurrent use.
type Watchers struct {
	mu sync.Mutex
	of map[string][]chan struct{} // by the id of the task
}

// Watch returns a channel that receives a value after Changed was called with the id. The caller calls
// stop.
func (w *Watchers) Watch(id string) (changes <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[string][]chan struct{}{}
	}
	w.of[id] = append(w.of[id], c)
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.of[id] = slices.DeleteFunc(w.of[id], func(other chan struct{}) bool { return other == c })
		if len(w.of[id]) == 0 {
			delete(w.of, id)
		}
	}
}

// Changed tells the watchers of a task that it has changed. It does not wait for them.
func (w *Watchers) Changed(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.of[id] {
		select {
		case c <- struct{}{}:
		default: // it holds a value already
		}
	}
}

package tasks

import (
	"slices"
	"sync"
)

// Watchers holds the functions of [Store.Watch] for implementations of Store. The zero value has none. It
// is safe for concurrent use.
type Watchers struct {
	mu sync.Mutex
	of map[string][]*func() // by the id of the task
}

// Watch makes Changed call a function when it is called with the id. The caller calls stop.
func (w *Watchers) Watch(id string, changed func()) (stop func()) {
	own := &changed
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[string][]*func(){}
	}
	w.of[id] = append(w.of[id], own)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.of[id] = slices.DeleteFunc(w.of[id], func(other *func()) bool { return other == own })
		if len(w.of[id]) == 0 {
			delete(w.of, id)
		}
	}
}

// Changed calls the functions that watch a task.
func (w *Watchers) Changed(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, changed := range w.of[id] {
		(*changed)()
	}
}

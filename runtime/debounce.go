package runtime

import (
	"sync"
	"time"
)

// Debounced calls a function some time after it was asked to, once for all that asked
// meanwhile: a hundred changes of a list in a row are announced by one list_changed.
// Make it with Debounce. It is safe for concurrent use.
type Debounced struct {
	wait time.Duration
	f    func()

	mu      sync.Mutex
	timer   *time.Timer // not nil: a call is due
	calling bool        // a call is under way
	asked   bool        // during that call
	stopped bool
}

// Debounce makes a Debounced of f. Calls of f, in goroutines of their own, begin at
// least wait after the one before has ended.
func Debounce(wait time.Duration, f func()) *Debounced {
	return &Debounced{wait: wait, f: f}
}

// Trigger asks for a call. It begins wait from now or, when a call is under way, wait
// after that one: it may have been too early to know why there is to be another.
func (d *Debounced) Trigger() {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.calling:
		d.asked = true
	case d.timer == nil && !d.stopped:
		d.timer = time.AfterFunc(d.wait, d.call)
	}
}

// Stop drops the call that is due, if there is one, and all later ones. It does not wait
// for a call that has begun.
func (d *Debounced) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = true
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}

func (d *Debounced) call() {
	if !d.begin() {
		return
	}
	defer d.end()
	d.f()
}

// begin reports whether the call that is due is to be made.
func (d *Debounced) begin() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer = nil
	d.calling = !d.stopped
	return d.calling
}

func (d *Debounced) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calling = false
	if d.asked && !d.stopped {
		d.timer = time.AfterFunc(d.wait, d.call)
	}
	d.asked = false
}

package runtime

import (
	"sync"
	"time"
)

// Debounced calls a function some time after it is triggered, once for all triggers meanwhile: a hundred
// changes of a list in a row are announced by one list_changed. Create it with Debounce. It is safe for
// concurrent use.
type Debounced struct {
	wait time.Duration
	f    func()

	mu      sync.Mutex
	timer   *time.Timer // not nil: a call is due
	calling bool        // a call is under way
	asked   bool        // Trigger was called during that call
	stopped bool
}

// Debounce returns a Debounced that calls f, each time in a new goroutine and at least wait after the last
// call has ended.
func Debounce(wait time.Duration, f func()) *Debounced {
	return &Debounced{wait: wait, f: f}
}

// Trigger asks for a call. The call begins after wait or, if one is under way, wait after its end, because
// that one may not have seen the latest change.
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

// begin reports whether the call that is due is made.
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

package web

import (
	"math"
	"sync"
	"time"
)

// Alarm tells somebody that what he does takes long, which it rarely does. So it is cheap to start
// and to stop: its timer is left to find out that there is nothing to tell, or serves who has the
// alarm next.
type Alarm struct {
	mu    sync.Mutex
	timer *time.Timer
	rings time.Time // when the timer does; zero when it does not run
	due   time.Time // zero when the alarm is not in use
	tell  Sleeper
	pool  *sync.Pool
}

// Sleeper is told by an Alarm.
type Sleeper interface {
	// Ring is called when the time is over. What it returns is the time until it is called again;
	// 0 is never. Stop does not return while it is running.
	Ring() time.Duration
}

// Alarms are alarms. The zero value is ready for use.
type Alarms struct{ pool sync.Pool }

// Start starts an alarm, which must be stopped.
func (all *Alarms) Start(d time.Duration, tell Sleeper) *Alarm {
	a, ok := all.pool.Get().(*Alarm)
	if !ok {
		a = &Alarm{pool: &all.pool}
		a.timer = time.AfterFunc(math.MaxInt64, a.ring)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tell = tell
	a.setLocked(d)
	return a
}

func (a *Alarm) setLocked(d time.Duration) {
	a.due = time.Now().Add(d)
	if a.rings.IsZero() || a.rings.After(a.due) {
		a.rings = a.due
		a.timer.Reset(d)
	}
}

func (a *Alarm) ring() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rings = time.Time{}
	if a.due.IsZero() {
		return
	}
	left := time.Until(a.due)
	if left <= 0 {
		left = a.tell.Ring()
	}
	if a.due = (time.Time{}); left > 0 {
		a.setLocked(left)
	}
}

// Stop ends the use of the alarm.
func (a *Alarm) Stop() {
	a.mu.Lock()
	a.due, a.tell = time.Time{}, nil
	a.mu.Unlock()
	a.pool.Put(a)
}

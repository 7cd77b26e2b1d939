package web

import (
	"testing"
	"testing/synctest"
	"time"
)

// sleeper notes when it is told, and wants to be told again after a time.
type sleeper struct {
	start time.Time
	again time.Duration
	told  []time.Duration
}

func (s *sleeper) Ring() time.Duration {
	s.told = append(s.told, time.Since(s.start))
	return s.again
}

// TestAlarm holds that an alarm rings at its time and not after it has been stopped, whatever the
// one before it was set to.
func TestAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all Alarms
		for _, c := range []struct {
			after, again, stop time.Duration
			want               []time.Duration
		}{
			{after: 10, stop: 5},
			{after: 10, stop: 30, want: []time.Duration{10}},
			{after: 100, stop: 5}, // the next ones are set while it would still ring
			{after: 10, stop: 15, want: []time.Duration{10}},
			{after: 10, again: 10, stop: 35, want: []time.Duration{10, 20, 30}},
			{after: 10, stop: 2},
			{after: 10, stop: 12, want: []time.Duration{10}},
		} {
			s := &sleeper{start: time.Now(), again: c.again}
			a := all.Start(c.after, s)
			time.Sleep(c.stop)
			synctest.Wait()
			a.Stop()
			got := len(s.told)
			for i := range s.told {
				if i >= len(c.want) || s.told[i] != c.want[i] {
					t.Errorf("%+v: told after %v", c, s.told)
				}
			}
			if got != len(c.want) {
				t.Errorf("%+v: told %d times", c, got)
			}
			if c.stop > 2 {
				time.Sleep(time.Nanosecond)
			}
			if len(s.told) > got {
				t.Errorf("%+v: told after it was stopped", c)
			}
		}
		time.Sleep(time.Second)
	})
}

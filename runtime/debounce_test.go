package runtime_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
)

func TestDebounce(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name     string
		takes    time.Duration   // a call
		triggers []time.Duration // when
		stop     time.Duration   // when; 0: not
		want     []time.Duration // when calls begin
	}{
		{name: "never"},
		{name: "once", triggers: []time.Duration{5 * ms}, want: []time.Duration{15 * ms}},
		{name: "many at once", triggers: []time.Duration{0, 0, 0, 5 * ms, 9 * ms}, want: []time.Duration{10 * ms}},
		{name: "again", triggers: []time.Duration{0, 11 * ms, 12 * ms}, want: []time.Duration{10 * ms, 21 * ms}},
		{name: "while it is called", takes: 5 * ms, triggers: []time.Duration{0, 12 * ms}, want: []time.Duration{10 * ms, 25 * ms}},
		{name: "while a slow one is called", takes: 50 * ms, triggers: []time.Duration{0, 12 * ms, 30 * ms, 75 * ms}, want: []time.Duration{10 * ms, 70 * ms, 130 * ms}},
		{name: "stopped before", triggers: []time.Duration{5 * ms}, stop: 4 * ms},
		{name: "stopped when due", triggers: []time.Duration{0, 12 * ms}, stop: 15 * ms, want: []time.Duration{10 * ms}},
		{name: "stopped while it waits for another", takes: 50 * ms, triggers: []time.Duration{0, 12 * ms}, stop: 40 * ms, want: []time.Duration{10 * ms}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var got []time.Duration
				d := runtime.Debounce(10*ms, func() {
					got = append(got, time.Since(start))
					time.Sleep(c.takes)
				})
				if c.stop > 0 {
					time.AfterFunc(c.stop, d.Stop)
				}
				for _, at := range c.triggers {
					time.Sleep(time.Until(start.Add(at)))
					d.Trigger()
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

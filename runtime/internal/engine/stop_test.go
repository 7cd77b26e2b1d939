package engine

import (
	"io"
	"testing"
)

// TestStopAtStart stops a Reader while it starts, as a shutdown does.
func TestStopAtStart(t *testing.T) {
	r := &Reader{Ended: func(error) {}, Buffered: func() int { return 0 }, Waiting: func() bool { return false }}
	r.Receive = func() (Step, error) { return Step{}, io.EOF }
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		r.Stop()
	}()
	r.Start()
	<-stopped
}

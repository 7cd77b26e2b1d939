package engine

import (
	"errors"
	goruntime "runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// source is a Reader of steps that come through a channel.
type source struct {
	Reader
	Pending
	steps       chan func() Step
	interrupted chan struct{}
	closed      chan struct{}
	ended       atomic.Int32
}

func newSource() *source {
	s := &source{steps: make(chan func() Step, 100), interrupted: make(chan struct{}, 1), closed: make(chan struct{})}
	s.Reader.Receive = func() (Step, error) {
		select {
		case step := <-s.steps:
			return step(), nil
		default:
		}
		select {
		case step := <-s.steps:
			return step(), nil
		case <-s.interrupted:
			return Step{}, ErrInterrupted
		case <-s.closed:
			return Step{}, errors.New("closed")
		}
	}
	s.Reader.Ended = func(error) { s.ended.Add(1) }
	s.Reader.Waiting = s.Pending.Waiting
	s.Reader.Buffered = func() int { return len(s.steps) }
	s.Reader.Interrupt = func() { s.interrupted <- struct{}{} }
	return s
}

func request(f func()) func() Step { return func() Step { return Step{Serve: f} } }

func (s *source) answer(w *Waiter) {
	s.steps <- func() Step {
		step, _ := s.Pending.Take(wire.ScalarOf(w.ID), Answer{Result: "{}"})
		return step
	}
}

// TestReaderServes checks that a request holds up the next one for a short time only, whatever its
// handler does.
func TestReaderServes(t *testing.T) {
	for name, c := range map[string]struct {
		handler func()
		after   time.Duration // when the next request is served
	}{
		"quick":  {func() {}, 0},
		"slow":   {func() { time.Sleep(time.Hour) }, waits.Turn},
		"goexit": {goruntime.Goexit, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSource()
				s.Start()
				for range 3 {
					start := time.Now()
					served := make(chan struct{})
					s.steps <- request(c.handler)
					synctest.Wait() // it is read before there is another
					s.steps <- request(func() { close(served) })
					<-served
					if time.Since(start) != c.after {
						t.Errorf("the next request was served after %v, want %v", time.Since(start), c.after)
					}
				}
				synctest.Wait()
				close(s.closed)
				synctest.Wait()
				if s.Stop() == nil || s.ended.Load() == 0 {
					t.Error("nobody has read the end")
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestReaderBuffered checks that requests that are there already are served at the same time.
func TestReaderBuffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSource()
		start := time.Now()
		var after []time.Duration
		done := make(chan struct{}, 10)
		for range 10 {
			s.steps <- request(func() {
				time.Sleep(time.Second)
				done <- struct{}{}
			})
		}
		s.Start()
		for range 10 {
			<-done
			after = append(after, time.Since(start))
		}
		if slices.Max(after) > time.Second+waits.Turn {
			t.Errorf("served after %v", after)
		}
		close(s.closed)
	})
}

// TestReaderAwaits checks who reads for a call, and that messages between calls are read soon.
func TestReaderAwaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSource()
		s.Start()
		call := func(wait time.Duration) (read bool) {
			w := begin(t, &s.Pending, Options{})
			time.AfterFunc(wait, func() { s.answer(w) })
			if r, ok := s.Await(w); ok {
				if r.Result != "{}" {
					t.Error(r)
				}
				return true
			}
			if r, err := w.Await(t.Context(), nil); r.Result != "{}" || err != nil {
				t.Error(r, err)
			}
			return false
		}
		if call(0) {
			t.Error("a call reads while a goroutine does")
		}
		synctest.Wait()
		for range 3 {
			if !call(0) {
				t.Error("a call after another does not read")
			}
		}
		if call(time.Second) {
			t.Error("a call that takes long reads its answer")
		}
		synctest.Wait()
		call(0)

		// Nobody reads now, until the timer fires.
		start, served := time.Now(), make(chan time.Duration)
		s.steps <- request(func() { served <- time.Since(start) })
		if after := <-served; after != waits.Turn {
			t.Errorf("a request between calls was served after %v", after)
		}
		synctest.Wait()
		call(0)
		s.Resume()
		start = time.Now()
		s.steps <- request(func() { served <- time.Since(start) })
		if after := <-served; after != 0 {
			t.Errorf("a request after Resume was served after %v", after)
		}
		call(0)
		if s.Stop() != nil {
			t.Error("a goroutine reads after a call")
		}
		time.Sleep(time.Second)
		close(s.closed)
		synctest.Wait()
		if s.ended.Load() != 0 {
			t.Error("a goroutine reads after Stop")
		}
	})
}

package engine

import (
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// ErrInterrupted is returned by Receive of a [Reader] after Interrupt.
var ErrInterrupted = errors.New("runtime: interrupted")

// Reader reads the messages of a connection and decides which goroutine does so.
//
// The plain way is one goroutine that reads, one for each request, and a caller that waits on a
// channel. Each message then wakes a goroutine, and often a processor, which takes longer than all
// else that is done for a quick call. So a goroutine that has read a request serves it itself,
// unless more input is there already, and a caller that would only wait reads the answer itself.
// Neither may hold up what comes next: while one of them has the turn to read, a timer runs, and
// when it fires another goroutine takes over. A Reader whose source cannot be asked for its input
// reads in the plain way. Over stdio this halves the time of a call.
type Reader struct {
	// Receive reads a message and handles it, except for the step that it returns. The error
	// ErrInterrupted is ignored, any other ends the reading.
	Receive func() (Step, error)
	// Ended is called with that error, perhaps more than once.
	Ended func(error)
	// Waiting reports whether a caller waits for an answer.
	Waiting func() bool
	// Buffered reports whether Receive has a message without waiting; nil if that is not known.
	Buffered func() bool
	// Interrupt makes the Receive that waits, or else the next one, return ErrInterrupted; nil if
	// nothing can. It needs Buffered.
	Interrupt func()

	mu      sync.Mutex
	holder  holder
	turn    uint64 // counts the changes of holder
	stopped bool
	timer   *time.Timer // nil before the first use
}

// Step is what is left to do for a message, in any goroutine. The zero Step is nothing.
type Step struct {
	Serve    func() // serves the request; nil if the message is none
	Answered *Call  // gets the Reply; nil if the message is no answer that a caller waits for
	Reply    Reply
}

// Do does what is left to do; it does not wait for a request to be served.
func (s *Step) Do() {
	if s.Answered != nil {
		s.Answered.reply <- s.Reply
	}
	if s.Serve != nil {
		go s.Serve()
	}
}

// holder is who has the turn to read.
type holder uint8

const (
	reading holder = iota // a goroutine that does nothing else
	serving               // a goroutine that serves the request it has read
	calling               // a caller that waits for its answer
	nobody                // until the next call, or the timer
)

// Start starts a goroutine that reads.
func (r *Reader) Start() { go r.read() }

// Stop ends the passing of turns. It reports whether a goroutine reads, which will find the end of
// the source.
func (r *Reader) Stop() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	if r.timer != nil {
		r.timer.Stop()
	}
	return r.holder != nobody
}

func (r *Reader) read() {
	for {
		step, err := r.Receive()
		switch {
		case err == ErrInterrupted:
		case err != nil:
			r.Ended(err)
			return
		case step.Serve != nil:
			if !r.serve(step.Serve) {
				return
			}
		case step.Answered != nil:
			rests := r.rest() // first, because the caller that wakes may make the next call at once
			step.Do()
			if rests {
				return
			}
		}
	}
}

// serve serves a request. It returns false if another goroutine reads now.
func (r *Reader) serve(f func()) bool {
	if r.Buffered == nil || r.Buffered() {
		go r.read()
		f()
		return false
	}
	turn := r.lend(serving)
	if turn == 0 {
		go r.read()
		f()
		return false
	}
	returned := false
	defer func() {
		if !returned && r.regain(turn) { // f has called runtime.Goexit
			go r.read()
		}
	}()
	f()
	returned = true
	return r.regain(turn)
}

// rest leaves the turn to the next caller, if none waits and nothing is there to be read.
func (r *Reader) rest() bool {
	if r.Interrupt == nil || r.Waiting() || r.Buffered() {
		return false
	}
	turn := r.lend(nobody)
	if turn == 0 {
		return false
	}
	return !r.Waiting() || !r.regain(turn) // a caller that began to wait before lend does not read
}

// Await reads until the call has its reply, if nobody else reads. It returns false when the caller has
// to wait for the reply, because another goroutine reads.
func (r *Reader) Await(c *Call) (reply Reply, ok bool) {
	if !r.take() {
		return Reply{}, false
	}
	for {
		select {
		case reply = <-c.reply: // it may have come before
			return reply, r.passOn()
		default:
		}
		step, err := r.Receive()
		if err != nil {
			go r.readOn(err)
			return Reply{}, false
		}
		if step.Answered == c {
			return step.Reply, r.passOn()
		}
		step.Do()
	}
}

// passOn is called by a caller that has its answer. It returns true.
func (r *Reader) passOn() bool {
	if !r.rest() {
		go r.readOn(ErrInterrupted)
	}
	return true
}

// readOn reads on after an error of Receive.
func (r *Reader) readOn(err error) {
	r.mu.Lock()
	r.pass(reading)
	r.mu.Unlock()
	if err != ErrInterrupted {
		r.Ended(err)
		return
	}
	r.read()
}

// take takes the turn for a caller, or else makes sure that a goroutine reads.
func (r *Reader) take() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.holder != nobody || r.stopped {
		r.resume()
		return false
	}
	r.pass(calling)
	r.timer.Reset(waits.Turn)
	return true
}

// Resume makes sure that a goroutine reads, for a caller that does not read itself.
func (r *Reader) Resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.resume()
}

func (r *Reader) resume() {
	if !r.stopped && (r.holder == nobody || r.holder == serving) {
		r.pass(reading)
		go r.read()
	}
}

// lend gives up the turn until regain, or until the timer fires. After Stop it does nothing and
// returns 0, so that the end of the source is read.
func (r *Reader) lend(to holder) (turn uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.stopped:
		return 0
	case r.timer == nil:
		r.timer = time.AfterFunc(waits.Turn, r.overdue)
	default:
		r.timer.Reset(waits.Turn)
	}
	r.pass(to)
	return r.turn
}

// regain takes the turn back. It returns false if it has been passed on.
func (r *Reader) regain(turn uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turn != turn {
		return false
	}
	r.pass(reading)
	return true
}

// overdue is called when whoever has the turn has had it for long.
func (r *Reader) overdue() {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.stopped:
	case r.holder == calling:
		r.Interrupt()
	default:
		r.resume()
	}
}

// pass changes the holder.
func (r *Reader) pass(to holder) {
	r.holder = to
	r.turn++
}

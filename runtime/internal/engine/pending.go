package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ErrExpired is the error of a request that was not answered in time.
var ErrExpired = errors.New("engine: no answer in time")

// Pending holds the requests sent to the peer that wait for answers. It gives them ids, hands
// answers and progress to them, and fails them when the connection ends. The zero value is ready
// for use.
type Pending struct {
	mu       sync.Mutex
	last     int64     // the last id
	closed   error     // what Begin returns after Close
	inFlight *inFlight // nil before the first request, which most sessions of a server never send
}

// inFlight is the part of Pending that requests need.
type inFlight struct {
	waits    map[int64]*Waiter // nil after Close
	followed map[int64]*Feed   // feeds that get progress even after the answer; nil before the first
	spare    *Waiter           // one that is done, for the next request; nil for none

	// One timer is shared by all requests. It is not stopped when a request is answered, so most requests do
	// not touch it. It takes 160 bytes, where a goroutine that waits would take 3 KB.
	timer *time.Timer // nil before the first use
	fires time.Time   // zero if the timer does not run
}

// Answer is the answer to a request: a result or an error.
type Answer struct {
	Result wire.Raw
	Err    error
}

// Waiter is a request that waits for its answer.
type Waiter struct {
	ID int64

	reply  chan Answer // has room for the one reply
	accept func(Answer) Answer
	feed   *Feed         // nil if the caller does not want progress
	quiet  time.Duration // see Patience
	due    time.Time     // when the request expires; zero means never
	end    time.Time     // the latest that progress moves due to; zero means that there is none
}

// Options are the options of a request. The zero value is ready to use.
type Options struct {
	// Accept, if not nil, returns the reply that the caller gets. The goroutine that reads calls it
	// before it reads the next message.
	Accept func(Answer) Answer
	// Feed, if not nil, gets the reports of progress until the request is answered, or, with Follow, until Unfollow
	// is called.
	Feed   *Feed
	Follow bool
}

// StartAt makes the next id n+1.
func (p *Pending) StartAt(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = n
}

// Begin registers a request under a new id. Call Done when the reply is received, or after GiveUp.
func (p *Pending) Begin(o Options) (*Waiter, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != nil {
		return nil, p.closed
	}
	p.last++
	if p.inFlight == nil {
		p.inFlight = &inFlight{waits: make(map[int64]*Waiter)}
	}
	w := p.inFlight.spare
	if p.inFlight.spare = nil; w == nil {
		w = &Waiter{reply: make(chan Answer, 1)}
	}
	w.ID, w.accept, w.feed = p.last, o.Accept, o.Feed
	p.inFlight.waits[w.ID] = w
	if o.Follow {
		if p.inFlight.followed == nil {
			p.inFlight.followed = make(map[int64]*Feed)
		}
		p.inFlight.followed[w.ID] = o.Feed
	}
	return w, nil
}

// Limit limits the wait for w. After it, w gets a reply with ErrExpired.
func (p *Pending) Limit(w *Waiter, limit Patience) {
	if limit.Quiet == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != nil {
		return
	}
	now := time.Now()
	w.quiet, w.due = limit.Quiet, now.Add(limit.Quiet)
	if limit.Total > 0 {
		w.end = now.Add(limit.Total)
	}
	if p.inFlight.fires.IsZero() || w.due.Before(p.inFlight.fires) {
		p.fireAt(w.due)
	}
}

func (p *Pending) fireAt(t time.Time) {
	p.inFlight.fires = t
	if p.inFlight.timer == nil {
		p.inFlight.timer = time.AfterFunc(time.Until(t), p.expire)
	} else {
		p.inFlight.timer.Reset(time.Until(t))
	}
}

// expire fails the requests that have expired.
func (p *Pending) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.inFlight.fires = time.Time{}
	var next time.Time
	for id, w := range p.inFlight.waits {
		switch {
		case w.due.IsZero():
		case !w.due.After(now):
			delete(p.inFlight.waits, id)
			w.reply <- Answer{Err: ErrExpired}
		case next.IsZero() || w.due.Before(next):
			next = w.due
		}
	}
	if !next.IsZero() {
		p.fireAt(next)
	}
}

// Waiting reports whether a request waits for its answer.
func (p *Pending) Waiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inFlight != nil && len(p.inFlight.waits) > 0
}

// Take removes the request with the id and returns the step that passes the reply r to its caller. It
// returns false if no request with the id is waiting.
func (p *Pending) Take(id wire.Scalar, r Answer) (Step, bool) {
	n, ok := id.Int64()
	if !ok {
		return Step{}, false
	}
	w := p.remove(n)
	if w == nil {
		return Step{}, false
	}
	if w.accept != nil {
		r = w.accept(r)
	}
	return Step{Answered: w, Reply: r}, true
}

// remove removes the request with the id and returns it, or nil if none is waiting.
func (p *Pending) remove(id int64) *Waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inFlight == nil {
		return nil
	}
	w := p.inFlight.waits[id]
	delete(p.inFlight.waits, id)
	return w
}

// Resolve passes the reply to the request with the id. It returns false if none is waiting.
func (p *Pending) Resolve(id wire.Scalar, r Answer) bool {
	step, ok := p.Take(id, r)
	step.Do()
	return ok
}

// GiveUp removes a request whose caller stops waiting. If it returns false, the request has a reply,
// which w.Reply delivers.
func (p *Pending) GiveUp(w *Waiter) bool {
	return p.remove(w.ID) != nil
}

// Done keeps the memory of w for the next request, so that a caller with one request at a time
// allocates none.
func (p *Pending) Done(w *Waiter) {
	*w = Waiter{reply: w.reply}
	p.mu.Lock()
	p.inFlight.spare = w
	p.mu.Unlock()
}

// Close fails all current and later requests with err. It is called when no further answer can arrive.
func (p *Pending) Close(err error) {
	p.mu.Lock()
	p.closed = err
	var waits map[int64]*Waiter
	if p.inFlight != nil {
		waits, p.inFlight.waits = p.inFlight.waits, nil
		if p.inFlight.timer != nil {
			p.inFlight.timer.Stop()
		}
	}
	p.mu.Unlock()
	for _, w := range waits {
		w.reply <- Answer{Err: err}
	}
}

// Report passes a report of progress to the request with the id. Wanted is false if the request is
// unknown or has not asked for progress. Grows is false if the report was dropped because its value
// does not grow.
func (p *Pending) Report(id int64, r Report) (wanted, grows bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inFlight == nil {
		return false, true
	}
	w, feed := p.inFlight.waits[id], p.inFlight.followed[id]
	if w != nil && w.feed != nil {
		feed = w.feed
	}
	if feed == nil {
		return false, true
	}
	grows = feed.put(r)
	if grows && w != nil && w.quiet > 0 {
		if w.due = time.Now().Add(w.quiet); !w.end.IsZero() && w.due.After(w.end) {
			w.due = w.end
		}
	}
	return true, grows
}

// Unfollow ends the reports to f.
func (p *Pending) Unfollow(f *Feed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inFlight == nil {
		return
	}
	for id, g := range p.inFlight.followed {
		if g == f {
			delete(p.inFlight.followed, id)
		}
	}
}

// Reply returns the channel of the reply.
func (w *Waiter) Reply() <-chan Answer { return w.reply }

// Patience is how long a request waits for its answer.
type Patience struct {
	Quiet time.Duration // limit without progress; 0 means none
	Total time.Duration // limit with progress; 0 means none
}

// Await waits for the reply. The error is that of ctx; the request is then still pending. Await calls report, if it is
// not nil, for each report of progress.
func (w *Waiter) Await(ctx context.Context, report func(Report)) (Answer, error) {
	var reports <-chan Report
	if report != nil {
		reports = w.feed.Reports()
	}
	for {
		select {
		case r := <-w.reply:
			for len(reports) > 0 {
				report(<-reports)
			}
			return r, nil
		case r := <-reports:
			report(r)
		case <-ctx.Done():
			return Answer{}, ctx.Err()
		}
	}
}

// Report is a report of progress.
type Report struct {
	Progress float64
	Total    *float64
	Message  string
	Params   wire.Raw
}

// maxReports limits the reports that wait for a slow receiver. Beyond it, the oldest report is
// dropped, because a newer one replaces it.
const maxReports = 16

// Feed is a queue of the reports for one request. [Pending] adds reports under its lock; receiving
// needs no lock.
type Feed struct {
	reports chan Report
	last    float64
	started bool // last is set
}

// NewFeed returns an empty feed.
func NewFeed() *Feed { return &Feed{reports: make(chan Report, maxReports)} }

// Reports returns the channel of the reports, or nil if f is nil.
func (f *Feed) Reports() <-chan Report {
	if f == nil {
		return nil
	}
	return f.reports
}

// put adds a report. It returns false and drops the report if its value does not grow.
func (f *Feed) put(r Report) bool {
	if f.started && r.Progress <= f.last {
		return false
	}
	f.last, f.started = r.Progress, true
	for {
		select {
		case f.reports <- r:
			return true
		default:
		}
		select {
		case <-f.reports:
		default:
		}
	}
}

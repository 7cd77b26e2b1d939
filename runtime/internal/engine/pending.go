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
	mu     sync.Mutex
	last   int64 // the last id
	closed error // what Begin returns after Close
	sent   *sent // nil before the first request, which most sessions of a server never send
}

// sent is the part of Pending that requests need.
type sent struct {
	waits    map[int64]*Call // nil after Close
	followed map[int64]*Feed // feeds that get progress even after the answer; nil before the first
	spare    *Call           // one that is done, for the next request; nil for none

	// One timer is shared by all requests that wait without progress. It is not stopped when a
	// request is answered, so most requests do not touch it.
	timer *time.Timer // nil before the first use
	fires time.Time   // zero if the timer does not run
}

// Reply is the answer to a request: a result or an error.
type Reply struct {
	Result wire.Raw
	Err    error
}

// Call is a request that waits for its answer.
type Call struct {
	ID int64

	reply  chan Reply // has room for the one reply
	accept func(Reply) Reply
	feed   *Feed     // nil if the caller does not want progress
	due    time.Time // when the request expires; zero means never, and is used with a feed
}

// Options are the options of a request. The zero value is ready to use.
type Options struct {
	// Accept, if not nil, returns the reply that the caller gets. The goroutine that reads calls it
	// before it reads the next message.
	Accept func(Reply) Reply
	// Progress means that the caller wants reports of progress while it waits.
	Progress bool
	// Follow, if not nil, gets the reports too, until Unfollow is called.
	Follow *Feed
}

// StartAt makes the next id n+1.
func (p *Pending) StartAt(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = n
}

// Begin registers a request under a new id. Call Done when the reply is received, or after GiveUp.
func (p *Pending) Begin(t Options) (*Call, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != nil {
		return nil, p.closed
	}
	p.last++
	if p.sent == nil {
		p.sent = &sent{waits: make(map[int64]*Call)}
	}
	c := p.sent.spare
	if p.sent.spare = nil; c == nil {
		c = &Call{reply: make(chan Reply, 1)}
	}
	c.ID, c.accept = p.last, t.Accept
	if t.Progress {
		c.feed = NewFeed()
	}
	p.sent.waits[c.ID] = c
	if t.Follow != nil {
		if p.sent.followed == nil {
			p.sent.followed = make(map[int64]*Feed)
		}
		p.sent.followed[c.ID] = t.Follow
	}
	return c, nil
}

// Limit limits the wait for c, unless the caller wants progress; then Await does.
func (p *Pending) Limit(c *Call, limit Patience) {
	if limit.Quiet == 0 || c.feed != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != nil {
		return
	}
	c.due = time.Now().Add(limit.Quiet)
	if p.sent.fires.IsZero() || c.due.Before(p.sent.fires) {
		p.fireAt(c.due)
	}
}

func (p *Pending) fireAt(t time.Time) {
	p.sent.fires = t
	if p.sent.timer == nil {
		p.sent.timer = time.AfterFunc(time.Until(t), p.expire)
	} else {
		p.sent.timer.Reset(time.Until(t))
	}
}

// expire fails the requests that have expired.
func (p *Pending) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.sent.fires = time.Time{}
	var next time.Time
	for id, c := range p.sent.waits {
		switch {
		case c.due.IsZero():
		case !c.due.After(now):
			delete(p.sent.waits, id)
			c.reply <- Reply{Err: ErrExpired}
		case next.IsZero() || c.due.Before(next):
			next = c.due
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
	return p.sent != nil && len(p.sent.waits) > 0
}

// Take removes the request with the id and returns the step that passes the reply r to its caller. It
// returns false if no request with the id is waiting.
func (p *Pending) Take(id wire.Scalar, r Reply) (Step, bool) {
	n, ok := id.Int64()
	if !ok {
		return Step{}, false
	}
	c := p.remove(n)
	if c == nil {
		return Step{}, false
	}
	if c.accept != nil {
		r = c.accept(r)
	}
	return Step{Answered: c, Reply: r}, true
}

// remove removes the request with the id and returns it, or nil if none is waiting.
func (p *Pending) remove(id int64) *Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sent == nil {
		return nil
	}
	c := p.sent.waits[id]
	delete(p.sent.waits, id)
	return c
}

// Resolve passes the reply to the request with the id. It returns false if none is waiting.
func (p *Pending) Resolve(id wire.Scalar, r Reply) bool {
	step, ok := p.Take(id, r)
	step.Do()
	return ok
}

// GiveUp removes a request whose caller stops waiting. If it returns false, the request has a reply,
// which c.Reply delivers.
func (p *Pending) GiveUp(c *Call) bool {
	return p.remove(c.ID) != nil
}

// Done keeps the memory of c for the next request, so that a caller with one request at a time
// allocates none.
func (p *Pending) Done(c *Call) {
	*c = Call{reply: c.reply}
	p.mu.Lock()
	p.sent.spare = c
	p.mu.Unlock()
}

// Close fails all current and later requests with err. It is called when no further answer can arrive.
func (p *Pending) Close(err error) {
	p.mu.Lock()
	p.closed = err
	var waits map[int64]*Call
	if p.sent != nil {
		waits, p.sent.waits = p.sent.waits, nil
		if p.sent.timer != nil {
			p.sent.timer.Stop()
		}
	}
	p.mu.Unlock()
	for _, c := range waits {
		c.reply <- Reply{Err: err}
	}
}

// Report passes a report of progress to the request with the id. Wanted is false if the request is
// unknown or has not asked for progress. Grows is false if the report was dropped because its value
// does not grow.
func (p *Pending) Report(id int64, r Report) (wanted, grows bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	grows = true
	if p.sent == nil {
		return false, grows
	}
	if c := p.sent.waits[id]; c != nil && c.feed != nil {
		wanted, grows = true, c.feed.put(r)
	}
	if f := p.sent.followed[id]; f != nil {
		wanted, grows = true, f.put(r)
	}
	return wanted, grows
}

// Unfollow ends the reports to f.
func (p *Pending) Unfollow(f *Feed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sent == nil {
		return
	}
	for id, g := range p.sent.followed {
		if g == f {
			delete(p.sent.followed, id)
		}
	}
}

// Reply returns the channel of the reply.
func (c *Call) Reply() <-chan Reply { return c.reply }

// Patience is how long a request waits for its answer.
type Patience struct {
	Quiet time.Duration // limit without progress; 0 means none
	Total time.Duration // limit with progress; 0 means none
}

// left returns how long the next report may take, given how long the request has waited.
func (p Patience) left(passed time.Duration) time.Duration {
	if p.Total == 0 {
		return p.Quiet
	}
	return min(p.Quiet, max(p.Total-passed, 0))
}

// Await waits for the reply. The error is that of ctx, or ErrExpired if a request with progress is not
// answered within limit. After an error the request is still pending. Await calls report for each
// report of progress.
func (c *Call) Await(ctx context.Context, limit Patience, report func(Report)) (Reply, error) {
	if c.feed == nil {
		select {
		case r := <-c.reply:
			return r, nil
		case <-ctx.Done():
			return Reply{}, ctx.Err()
		}
	}
	var expired <-chan time.Time
	var timer *time.Timer
	start := time.Now()
	if limit.Quiet > 0 {
		timer = time.NewTimer(limit.Quiet)
		defer timer.Stop()
		expired = timer.C
	}
	reports := c.feed.Reports()
	for {
		select {
		case r := <-c.reply:
			for len(reports) > 0 {
				report(<-reports)
			}
			return r, nil
		case r := <-reports:
			if timer != nil {
				timer.Reset(limit.left(time.Since(start)))
			}
			report(r)
		case <-ctx.Done():
			return Reply{}, ctx.Err()
		case <-expired:
			if len(reports) == 0 || limit.left(time.Since(start)) == 0 {
				return Reply{}, ErrExpired
			}
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

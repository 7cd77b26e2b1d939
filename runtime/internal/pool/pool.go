// Package pool holds the sessions with a server that a proxy or a bridge has opened for its clients.
package pool

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Options configure a Pool of sessions of a type S, for requests of senders that a K describes.
type Options[K comparable, S any] struct {
	// Open opens a session. When it is over, it calls Gone of its entry, once.
	Open func(key K, e *Entry[K, S]) (S, error)
	// End ends a session. It may return before the session is over.
	End func(S)
	// Alone means that each request has a session to itself, which any sender may use before and after. Otherwise, all
	// requests of equal senders share one, but for those with an exclusive session.
	Alone bool
	// Shares, unless it is nil, reports whether a session needs no exclusive use.
	Shares func(S) bool
	// Owner, unless it is nil, returns the context of the connection to which the sessions of a sender belong, or nil.
	// They are not counted, and last until Drop.
	Owner func(key K) context.Context
	// Most limits the sessions, those that are being opened or closed included. A principal can have a quarter of them.
	Most int
	// MaxIdle limits the sessions that are kept unused; 0 means no limit. Idle is for how long.
	MaxIdle int
	Idle    time.Duration
}

// Pool holds sessions. It is safe for concurrent use.
type Pool[K comparable, S any] struct {
	o Options[K, S]

	mu      sync.Mutex
	all     []*Entry[K, S] // open, being opened or being closed, the oldest first
	idle    []*Entry[K, S] // unused, the one that was used last at the end
	counted int            // those without an owner
	owned   map[string]int // those of each principal
	closed  bool
	running sync.WaitGroup // all
}

// Entry is the place of a session in a pool. The lock of the pool guards what changes after the session is open.
type Entry[K comparable, S any] struct {
	Session S
	Reused  bool // the session was not opened for the request that has it alone

	pool      *Pool[K, S]
	key       K
	principal string // that is charged for it; "" for none
	owner     context.Context
	opened    chan struct{} // closed when isOpen or err is set
	isOpen    bool
	err       error
	gone      chan struct{} // closed when isOver is set
	isOver    bool
	users     int         // requests that use it
	exclusive bool        // one of them does not share it with others like it
	ends      bool        // it takes no further request, but counts until it is over: a process may take a while to end
	timer     *time.Timer // ends it while it is unused; nil otherwise
}

// ErrBusy is the error for a request for which there is no session.
var ErrBusy = error(jsonrpc.Errorf(jsonrpc.CodeUnavailable, "unavailable: all sessions with the server that requests like this one may have are in use; try again later"))

// New returns an empty pool.
func New[K comparable, S any](o Options[K, S]) *Pool[K, S] {
	return &Pool[K, S]{o: o, owned: make(map[string]int)}
}

// Take returns a session for a request of a sender, which must be released. At the limit, it ends the session that is
// unused for the longest time and waits for its end; requests that have sessions alone do not wait. If all are in use,
// the error is ErrBusy, and after Close it is runtime.ErrClosed.
func (p *Pool[K, S]) Take(ctx context.Context, key K, principal string, exclusive bool) (*Entry[K, S], error) {
	for {
		e, wait, fresh, err := p.find(key, principal, exclusive)
		switch {
		case err != nil:
			return nil, err
		case wait == nil:
			return e, nil
		case fresh && p.o.Alone:
			p.begin(e)
			return e, e.err
		case fresh:
			go p.begin(e) // other requests may wait for it, too
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if e.err != nil {
			return nil, e.err
		}
	}
}

// find returns a session. If wait is not nil, the session is being opened or ended, and the caller waits for that. If
// fresh is true, the caller opens it.
func (p *Pool[K, S]) find(key K, principal string, exclusive bool) (e *Entry[K, S], wait <-chan struct{}, fresh bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, false, runtime.ErrClosed
	}
	if p.o.Alone {
		if last := len(p.idle) - 1; last >= 0 && !p.exceeds(principal) {
			e = p.idle[last]
			p.use(e, exclusive)
			p.charge(e, principal)
			e.Reused = true
			return e, nil, false, nil
		}
	} else {
		var opening *Entry[K, S]
		for _, e := range p.all {
			switch {
			case e.key != key || e.ends:
			case !e.isOpen:
				opening = e
			case !exclusive || !e.exclusive:
				p.use(e, exclusive)
				return e, nil, false, nil
			}
		}
		if opening != nil {
			return opening, opening.opened, false, nil
		}
	}
	e = &Entry[K, S]{pool: p, key: key, opened: make(chan struct{}), gone: make(chan struct{})}
	if p.o.Owner != nil {
		e.owner = p.o.Owner(key)
	}
	if e.owner == nil {
		if ending, ok := p.makeRoom(principal); !ok {
			return nil, nil, false, ErrBusy
		} else if ending != nil {
			return ending, ending.gone, false, nil
		}
		p.counted++
		p.charge(e, principal)
	}
	if p.o.Alone {
		e.users = 1
	}
	p.all = append(p.all, e)
	p.running.Add(1)
	return e, e.opened, true, nil
}

// begin opens a session.
func (p *Pool[K, S]) begin(e *Entry[K, S]) {
	err := errors.New("pool: Open has panicked")
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch {
		case err != nil:
			p.remove(e)
		case e.isOver || p.closed || e.owner != nil && e.owner.Err() != nil:
			err = runtime.ErrClosed
			p.finish(e)
		default:
			if e.isOpen = true; e.users == 0 {
				p.keep(e) // another session may have become free for the request meanwhile
			}
		}
		e.err = err
		close(e.opened)
	}()
	e.Session, err = p.o.Open(e.key, e)
}

// exceeds reports whether a principal has as many sessions as it can have.
func (p *Pool[K, S]) exceeds(principal string) bool {
	return principal != "" && p.owned[principal] >= max(p.o.Most/4, 1)
}

// makeRoom makes room for a session of a principal, which may be "". It returns false if no session can make room. If
// it returns a session, the caller waits for the end of that one and tries again.
func (p *Pool[K, S]) makeRoom(principal string) (ending *Entry[K, S], ok bool) {
	own := p.exceeds(principal)
	if !own && p.counted < p.o.Most {
		return nil, true
	}
	if p.o.Alone {
		return nil, false
	}
	may := func(e *Entry[K, S]) bool { return e.owner == nil && (!own || e.principal == principal) }
	if i := slices.IndexFunc(p.all, func(e *Entry[K, S]) bool { return e.ends && may(e) }); i >= 0 {
		return p.all[i], true
	}
	i := slices.IndexFunc(p.idle, may)
	if i < 0 {
		return nil, false
	}
	ending = p.idle[i]
	p.finish(ending)
	return ending, true
}

// charge counts a session as that of a principal; "" stands for none.
func (p *Pool[K, S]) charge(e *Entry[K, S], principal string) {
	if p.owned[e.principal]--; e.principal == "" || p.owned[e.principal] == 0 {
		delete(p.owned, e.principal)
	}
	if e.principal = principal; principal != "" {
		p.owned[principal]++
	}
}

// use counts a request that uses a session.
func (p *Pool[K, S]) use(e *Entry[K, S], exclusive bool) {
	p.wake(e)
	e.users++
	e.exclusive = e.exclusive || exclusive && !(p.o.Shares != nil && p.o.Shares(e.Session))
}

// wake takes a session out of the unused ones.
func (p *Pool[K, S]) wake(e *Entry[K, S]) {
	if e.timer != nil {
		e.timer.Stop()
		e.timer = nil
		p.idle = slices.DeleteFunc(p.idle, func(other *Entry[K, S]) bool { return other == e })
	}
}

// keep keeps an unused session for a while, or ends it at once if it takes no further request.
func (p *Pool[K, S]) keep(e *Entry[K, S]) {
	switch {
	case e.isOver || e.owner != nil:
	case e.ends || p.closed || p.o.MaxIdle > 0 && len(p.idle) >= p.o.MaxIdle:
		p.finish(e)
	default:
		p.idle = append(p.idle, e)
		// A process or a session of a server is not kept for clients that do not come back. A timer takes
		// 160 bytes, a goroutine that waits 3 KB.
		e.timer = time.AfterFunc(p.o.Idle, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if e.users == 0 && !e.ends {
				p.finish(e)
			}
		})
	}
}

// Release gives a session back. Exclusive is as for Take.
func (e *Entry[K, S]) Release(exclusive bool) {
	p := e.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if exclusive {
		e.exclusive = false
	}
	if p.o.Alone {
		p.charge(e, "")
	}
	if e.users--; e.users == 0 {
		p.keep(e)
	}
}

// Retire makes sure that a session gets no further request.
func (e *Entry[K, S]) Retire() {
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	e.pool.retire(e)
}

func (p *Pool[K, S]) retire(e *Entry[K, S]) {
	e.ends = true
	p.wake(e)
}

// finish ends a session.
func (p *Pool[K, S]) finish(e *Entry[K, S]) {
	p.retire(e)
	go p.o.End(e.Session)
}

// Gone is called when a session is over, even before Open has returned it.
func (e *Entry[K, S]) Gone() {
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	e.pool.remove(e)
}

// remove removes a session, unless that has been done.
func (p *Pool[K, S]) remove(e *Entry[K, S]) {
	if e.isOver {
		return
	}
	e.isOver = true
	p.retire(e)
	p.charge(e, "")
	if e.owner == nil {
		p.counted--
	}
	p.all = slices.DeleteFunc(p.all, func(other *Entry[K, S]) bool { return other == e })
	close(e.gone)
	p.running.Done()
}

// Drop ends the sessions of senders, and returns when End has returned for each of them.
func (p *Pool[K, S]) Drop(of func(key K) bool) { p.end(of, p.o.End) }

// Close ends all sessions by a function, and returns when they are over. No further ones are opened.
func (p *Pool[K, S]) Close(end func(S)) {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.end(func(K) bool { return true }, end)
	p.running.Wait()
}

func (p *Pool[K, S]) end(of func(key K) bool, end func(S)) {
	var all sync.WaitGroup
	p.mu.Lock()
	for _, e := range p.all {
		if e.isOpen && of(e.key) {
			p.retire(e)
			all.Go(func() { end(e.Session) })
		}
	}
	p.mu.Unlock()
	all.Wait()
}

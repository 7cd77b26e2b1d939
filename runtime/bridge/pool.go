package bridge

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// pool holds the sessions with the server that requests without a session share.
type pool struct {
	bridge  *Bridge
	running sync.WaitGroup // goroutines that open a session or wait for its end

	mu     sync.Mutex
	ctx    context.Context // of the opening of sessions; nil before the first one
	cancel context.CancelFunc
	closed bool
	groups map[client]*group
}

// group holds the sessions for the requests of equal clients. Most have a single one.
type group struct {
	links   []*link // all requests but those that may ask the client use the first one
	opening *opening
}

// opening is an attempt to open a session, for which several requests may wait.
type opening struct {
	done chan struct{} // closed at the end
	err  error         // valid after that
}

// pooled is the part of a link that belongs to the pool. All fields but gone are guarded by pool.mu.
type pooled struct {
	gone      chan struct{} // closed when the session is over
	users     int           // requests that use the link
	exclusive bool          // one of them may ask the client, so that no other one may
	ends      bool          // it takes no further request; it counts until it is over, because a process may take a while to end
	idle      *time.Timer   // ends an unused session; nil while it is used
	since     time.Time     // when it became unused
}

var errNoRoom = jsonrpc.Errorf(jsonrpc.CodeUnavailable, "unavailable: all sessions with the server that requests like this one may have are in use; try again later")

// take returns a session for a request of a client, which must be released. If exclusive, no other request that
// may ask the client has the same session, unless the server has no sessions and thus asks within its
// results.
func (p *pool) take(ctx context.Context, of client, exclusive bool) (*link, error) {
	for {
		l, o, err := p.find(of, exclusive)
		if l != nil || err != nil {
			return l, err
		}
		select {
		case <-o.done:
			if o.err != nil {
				return nil, o.err
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// find returns a session, or the attempt to open one.
func (p *pool) find(of client, exclusive bool) (*link, *opening, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, runtime.ErrClosed
	}
	g := p.groups[of]
	if g == nil {
		g = new(group)
	}
	if l := g.free(exclusive); l != nil {
		l.users++
		l.exclusive = l.exclusive || exclusive && !l.stateless
		if l.idle != nil {
			l.idle.Stop()
			l.idle = nil
		}
		return l, nil, nil
	}
	if g.opening != nil {
		return nil, g.opening, nil
	}
	if of.conn == nil {
		switch ending, ok := p.makeRoom(of.principal); {
		case !ok:
			return nil, nil, errNoRoom
		case ending != nil:
			return nil, &opening{done: ending.gone}, nil
		}
	}
	if p.groups == nil {
		p.groups = make(map[client]*group)
		p.ctx, p.cancel = context.WithCancel(context.Background())
	}
	p.groups[of] = g
	g.opening = &opening{done: make(chan struct{})}
	p.running.Add(1)
	go p.begin(of, g)
	return nil, g.opening, nil
}

// free returns a session of the group that a request can use, or nil.
func (g *group) free(exclusive bool) *link {
	for _, l := range g.links {
		if !l.ends && (!exclusive || l.stateless || !l.exclusive) {
			return l
		}
	}
	return nil
}

// makeRoom makes room for a session of a principal, if it has one: at a limit, it ends a session. It returns false if
// all are in use. The caller waits for the end of the session that it returns, and tries again.
func (p *pool) makeRoom(principal string) (ending *link, ok bool) {
	most := p.bridge.opts.MaxSessions
	if principal != "" {
		own := func(of client) bool { return of.principal == principal }
		if ending, ok = p.makeRoomIn(own, max(most/4, 1)); ending != nil || !ok {
			return ending, ok
		}
	}
	return p.makeRoomIn(func(client) bool { return true }, most)
}

// makeRoomIn is makeRoom for the sessions of some clients. It ends the one that is unused for the longest time.
func (p *pool) makeRoomIn(of func(client) bool, most int) (ending *link, ok bool) {
	var oldest *link
	open := 0
	for client, g := range p.groups {
		if client.conn != nil || !of(client) {
			continue
		}
		if g.opening != nil {
			open++
		}
		open += len(g.links)
		for _, l := range g.links {
			if l.ends {
				ending = l
			}
			if l.idle != nil && (oldest == nil || l.since.Before(oldest.since)) {
				oldest = l
			}
		}
	}
	switch {
	case open < most:
		return nil, true
	case ending == nil && oldest != nil:
		p.retire(oldest)
		go oldest.close()
		ending = oldest
	}
	return ending, ending != nil
}

// begin opens a session and waits for its end.
func (p *pool) begin(of client, g *group) {
	defer p.running.Done()
	ctx := p.ctx
	if of.conn != nil {
		ctx = of.conn.ctx
	}
	l, err := p.bridge.connect(ctx, of, nil)
	p.mu.Lock()
	o := g.opening
	g.opening = nil
	if err == nil && (p.closed || ctx.Err() != nil) {
		err = runtime.ErrClosed
		defer l.close()
	}
	if o.err = err; err != nil {
		p.forget(of, g)
		close(o.done)
		p.mu.Unlock()
		return
	}
	g.links = append(g.links, l)
	p.keep(l) // another session may have become free for the request meanwhile
	close(o.done)
	p.mu.Unlock()
	_ = l.wait() // the requests that need the session report why it has ended
	p.mu.Lock()
	p.remove(l)
	p.mu.Unlock()
	close(l.gone)
}

// drop makes sure that a session gets no further request.
func (p *pool) drop(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retire(l)
}

// retire is drop. The mutex must be held.
func (p *pool) retire(l *link) {
	l.ends = true
	if l.idle != nil {
		l.idle.Stop()
		l.idle = nil
	}
}

// remove removes a session, unless that has been done.
func (p *pool) remove(l *link) {
	g := p.groups[l.of]
	if g == nil {
		return
	}
	if i := slices.Index(g.links, l); i >= 0 {
		g.links = slices.Delete(g.links, i, i+1)
		if l.idle != nil {
			l.idle.Stop()
		}
		p.forget(l.of, g)
	}
}

// forget removes a group without sessions.
func (p *pool) forget(of client, g *group) {
	if len(g.links) == 0 && g.opening == nil && p.groups[of] == g {
		delete(p.groups, of)
	}
}

// release gives a session back.
func (l *link) release() {
	p := &l.bridge.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.users--; l.users == 0 {
		p.keep(l)
	}
}

// keep keeps an unused session for a while, or ends it at once if it takes no further request. The session of a
// connection ends with the connection.
func (p *pool) keep(l *link) {
	switch {
	case l.of.conn != nil || p.closed:
		return
	case l.ends:
		go l.close()
		return
	}
	l.since = time.Now()
	// A process or a session of a server is not kept for clients that do not come back. A timer takes
	// 160 bytes, a goroutine that waits 3 KB.
	l.idle = time.AfterFunc(p.bridge.opts.IdleTimeout, func() {
		p.mu.Lock()
		unused := l.users == 0
		if unused {
			p.retire(l)
		}
		p.mu.Unlock()
		if unused {
			l.close()
		}
	})
}

// finish is release for a request that may have asked the client.
func (l *link) finish() {
	p := &l.bridge.pool
	p.mu.Lock()
	l.exclusive = false
	p.mu.Unlock()
	l.release()
}

// leave ends the sessions of a connection.
func (p *pool) leave(f *clientConn) {
	p.end(func(of client) bool { return of.conn == f })
}

// close ends all sessions, and allows no further ones.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	if p.cancel != nil {
		p.cancel()
	}
	p.mu.Unlock()
	p.end(func(client) bool { return true })
	p.running.Wait()
}

// end ends the sessions of clients.
func (p *pool) end(of func(client) bool) {
	var links []*link
	p.mu.Lock()
	for client, g := range p.groups {
		if of(client) {
			links = append(links, g.links...)
		}
	}
	for _, l := range links {
		p.remove(l)
	}
	p.mu.Unlock()
	var all sync.WaitGroup
	for _, l := range links {
		all.Go(l.close)
	}
	all.Wait()
}

package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Follow calls work with a context made from ctx and returns its error. When ctx is one
// of [WithProgress], the progress of the first request that work makes with its context is
// reported until work returns, and not just until the request is answered, after which
// what a task does goes on ("Task Progress Notifications" in basic/utilities/tasks). The
// other requests that work makes do not ask for progress. Work then runs in a goroutine of
// its own, and the reports in the one that calls Follow.
func Follow(ctx context.Context, work func(ctx context.Context) error) error {
	report, ok := ctx.Value(progressKey{}).(func(Progress))
	if !ok {
		return work(ctx)
	}
	f := &followed{news: news{progress: make(chan Progress, maxNews)}}
	defer f.end()
	done := make(chan error, 1)
	var panicked string
	go func() {
		err := errors.New("runtime: the function given to Follow did not return")
		defer func() {
			if v := recover(); v != nil {
				panicked = fmt.Sprintf("%v\n\n%s", v, debug.Stack())
			}
			done <- err
		}()
		err = work(context.WithValue(ctx, progressKey{}, f))
	}()
	for {
		select {
		case p := <-f.progress:
			report(p)
		case err := <-done:
			if panicked != "" {
				panic(panicked) // where that of a handler is recovered
			}
			for len(f.progress) > 0 {
				report(<-f.progress)
			}
			return err
		}
	}
}

// followed is a request whose progress is reported beyond its answer. Its news are
// guarded by the mu of the peer.
type followed struct {
	news
	taken atomic.Bool // by the first request
	peer  *peer       // nil before there is one
	id    int64       // of the request
}

// follow has the progress of a request given to f. Under p.mu.
func (p *peer) follow(f *followed, id int64) {
	if p.followed == nil {
		p.followed = make(map[int64]*followed)
	}
	f.peer, f.id = p, id
	p.followed[id] = f
}

// end is called when nobody makes requests with f any more.
func (f *followed) end() {
	if f.peer == nil {
		return
	}
	f.peer.mu.Lock()
	defer f.peer.mu.Unlock()
	delete(f.peer.followed, f.id)
}

package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// ErrUnresponsive is the error of a session that was closed because the peer did not
// answer pings, see KeepAlive in the options.
var ErrUnresponsive = errors.New("runtime: the peer does not answer pings")

// startKeepingAlive starts the goroutine of keepAlive.
func (p *peer) startKeepingAlive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limits.KeepAlive <= 0 || p.unheard != nil || !p.enterLocked() {
		return
	}
	over := make(chan struct{})
	p.over = over
	go func() {
		defer p.leave()
		p.keepAlive(over)
	}()
}

// keepAlive is the goroutine that pings the peer while it says nothing, and ends the
// session when too many pings in a row have failed (basic/utilities/ping). It ends when
// the session does.
func (p *peer) keepAlive(over <-chan struct{}) {
	ticker := time.NewTicker(p.limits.KeepAlive)
	defer ticker.Stop()
	for failed := 0; failed < p.limits.KeepAliveFailures; {
		select {
		case <-ticker.C:
		case <-over:
			return
		}
		if p.heard.Swap(false) || p.answersPing() {
			failed = 0
			continue
		}
		failed++
		p.log.Warn("ping failed", "failures", failed)
	}
	p.giveUp(ErrUnresponsive)
}

// answersPing reports whether the peer says anything until the next ping is due. The
// ping has a goroutine of its own, because nothing may interrupt the sending to a peer
// that does not read.
func (p *peer) answersPing() bool {
	ctx, cancel := context.WithTimeout(p.ctx, p.limits.KeepAlive)
	defer cancel()
	answered := make(chan bool, 1)
	if !p.spawn(func() {
		_, err := p.exchange(ctx, &request{method: methodPing})
		_, refused := errors.AsType[*jsonrpc.Error](err)
		answered <- err == nil || refused
	}) {
		return true
	}
	select {
	case ok := <-answered:
		return ok || p.heard.Swap(false)
	case <-ctx.Done():
		return p.heard.Swap(false)
	}
}

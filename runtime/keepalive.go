package runtime

import (
	"context"
	"errors"
	"time"
)

// ErrUnresponsive is the error of a session that has ended because the peer did not answer pings,
// see KeepAlive in [Limits].
var ErrUnresponsive = errors.New("runtime: the peer does not answer pings")

// keepAlive starts a goroutine that pings the peer while it is silent, and ends the session when too
// many pings in a row have failed (basic/utilities/ping).
func (p *peer) keepAlive() {
	every := p.limits.KeepAlive
	if every <= 0 {
		return
	}
	over := p.life.Background().Done()
	p.life.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for failed := 0; failed < p.limits.KeepAliveFailures; {
			select {
			case <-ticker.C:
			case <-over:
				return
			}
			if p.heard.Swap(false) || p.answersPing(every) {
				failed = 0
				continue
			}
			failed++
			p.logger().Warn("ping failed", "failures", failed)
		}
		p.giveUp(ErrUnresponsive)
	})
}

// answersPing reports whether the peer sends anything before the next ping is due. The ping has its own
// goroutine, because sending to a peer that does not read may be impossible to interrupt.
func (p *peer) answersPing(limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(p.life.Context(), limit)
	defer cancel()
	answered := make(chan bool, 1)
	if !p.life.Go(func() {
		_, err := p.exchange(ctx, &request{method: methodPing})
		_, refused := asError(err)
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

package runtime

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// ErrUnresponsive is the error of a session that has ended because the peer did not answer pings,
// see KeepAlive in [Limits].
var ErrUnresponsive = errors.New("runtime: the peer does not answer pings")

// silence tells how long the peer has sent nothing.
type silence struct {
	began time.Time
	heard atomic.Int64 // when the last message came, as time.Duration since began
}

// newSilence returns nil if silence does not matter.
func newSilence(l *limits) *silence {
	if l.KeepAlive <= 0 {
		return nil
	}
	return &silence{began: time.Now()}
}

// end is called when a message comes.
func (s *silence) end() {
	if s != nil {
		s.heard.Store(int64(time.Since(s.began)))
	}
}

// lasts returns how long the peer has been silent.
func (s *silence) lasts() time.Duration {
	return time.Since(s.began) - time.Duration(s.heard.Load())
}

// keepAlive starts a goroutine that pings the peer when it has been silent for a while, and ends the session
// when too many pings in a row have failed (basic/utilities/ping).
func (p *peer) keepAlive() {
	if p.silence == nil {
		return
	}
	every := p.limits.KeepAlive
	over := p.life.Background().Done()
	p.life.Go(func() {
		timer := time.NewTimer(every)
		defer timer.Stop()
		for failed := 0; failed < p.limits.KeepAliveFailures; {
			select {
			case <-timer.C:
			case <-over:
				return
			}
			quiet := p.silence.lasts()
			if pinged := time.Now(); quiet >= every {
				if !p.answersPing(every) {
					failed++
					p.logger().Warn("ping failed", "failures", failed)
					timer.Reset(every - time.Since(pinged))
					continue
				}
				quiet = p.silence.lasts()
			}
			failed = 0
			timer.Reset(every - quiet)
		}
		p.giveUp(ErrUnresponsive)
	})
}

// answersPing reports whether the peer sends anything within limit after a ping. The ping has its own
// goroutine, because sending to a peer that does not read may be impossible to interrupt.
func (p *peer) answersPing(limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(p.life.Context(), limit)
	defer cancel()
	heard := p.silence.heard.Load()
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
		return ok || p.silence.heard.Load() != heard
	case <-ctx.Done():
		return p.silence.heard.Load() != heard
	}
}

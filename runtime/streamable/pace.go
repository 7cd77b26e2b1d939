package streamable

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

const (
	// minWait is the least wait before a stream is asked for again.
	minWait = 100 * time.Millisecond
	// maxQuietWait bounds the growth of the waits while the server answers with streams that
	// bring nothing: there may be news any time.
	maxQuietWait = 5 * time.Second
	// maxFailureWait bounds the growth of the waits while the server refuses or is not reached.
	maxFailureWait = 30 * time.Second
	// maxToldWait bounds the waits that a server asks for.
	maxToldWait = 5 * time.Minute
	// jitter is the part of a wait by which it is longer at random, so that clients that have
	// lost their streams together do not come back together.
	jitter = 10
)

// pace decides how long to wait before a request is repeated: as long as the server has said,
// within bounds, and longer each time that the last requests brought nothing.
type pace struct {
	base     time.Duration // what the server said last with retry, or the default
	after    time.Duration // what the server said with Retry-After in its last answer; 0 for nothing
	quiet    int           // streams in a row that brought nothing
	failures int           // requests in a row that failed
}

// told takes a server's retry field.
func (p *pace) told(d time.Duration) { p.base = d }

// streamed takes note of a stream that has ended. News tells that it brought something.
func (p *pace) streamed(news bool) {
	p.failures, p.after = 0, 0
	if p.quiet++; news {
		p.quiet = 0
	}
}

// failed takes note of a request that got no stream.
func (p *pace) failed(err error) {
	p.failures++
	p.after = 0
	if e, ok := errors.AsType[*StatusError](err); ok {
		p.after = e.RetryAfter
	}
}

// wait is how long to wait now.
func (p *pace) wait() time.Duration {
	base := min(max(p.base, minWait), maxToldWait)
	d, most := base, time.Duration(0)
	switch {
	case p.failures > 0:
		most = maxFailureWait
	case p.quiet > 1:
		most = maxQuietWait
	}
	// The first stream that brings nothing is what a server makes of every call that it lets
	// the client ask for again: no reason to be slow.
	if most > 0 {
		d = max(base, min(base<<min(p.failures+max(p.quiet-1, 0), 12), most))
		d = max(base, d/2+rand.N(d/2+1))
	}
	d = max(d, min(p.after, maxToldWait))
	return d + rand.N(d/jitter+1)
}

// repeatable reports whether a request that was refused so may succeed later.
func repeatable(failure *web.StatusError) bool {
	switch failure.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return failure.Status/100 == 5
}

package streamable

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// jitter is the fraction by which waits are longer at random, so that clients that lost their
// connections together do not come back together.
const jitter = 10

// retry determines the waits before a request is repeated. A wait is as long as the server asks for,
// within limits, and grows while the requests bring nothing.
type retry struct {
	base     time.Duration // the server's last retry field, or the default
	after    time.Duration // Retry-After of the last response, or 0
	quiet    int           // consecutive streams without a message
	failures int           // consecutive requests without a stream
}

// streamed records a stream that has ended, and whether it carried a message.
func (r *retry) streamed(news bool) {
	r.failures, r.after = 0, 0
	if r.quiet++; news {
		r.quiet = 0
	}
}

// failed records a request that got no stream.
func (r *retry) failed(err error) {
	r.failures++
	r.after = 0
	if e, ok := errors.AsType[*StatusError](err); ok {
		r.after = e.RetryAfter
	}
}

// wait returns the duration of the next wait.
func (r *retry) wait() time.Duration {
	base := min(max(r.base, waits.RetryFirst), waits.RetryTold)
	d, most := base, time.Duration(0)
	switch {
	case r.failures > 0:
		most = waits.RetryFailed
	case r.quiet > 1:
		// The first stream without a message does not make the wait longer, because a server that
		// lets clients poll ends the stream of every call once.
		most = waits.RetryQuiet
	}
	if most > 0 {
		d = max(base, min(base<<min(r.failures+max(r.quiet-1, 0), 12), most))
		d = max(base, d/2+rand.N(d/2+1))
	}
	d = max(d, min(r.after, waits.RetryTold))
	return d + rand.N(d/jitter+1)
}

// repeatable reports whether a request that was refused may succeed later.
func repeatable(failure *StatusError) bool {
	switch failure.Status {
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return failure.Unavailable()
}

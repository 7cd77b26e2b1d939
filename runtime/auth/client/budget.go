package client

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// budget limits what a server, or an authorization server, makes the client do by refusing its tokens. Login
// renews it.
type budget struct {
	visits []time.Time // when the user was last sent to the authorization server
	tried  attempt     // since the server accepted a token
	closed error       // why no grant may be obtained; nil if one may
	until  time.Time   // when closed ends; zero if only Login ends it
}

// attempt is the last way in which a token was obtained because the server has refused one. Each of them is
// worth a try; then another token like it would be refused, too.
type attempt int

const (
	triedNothing attempt = iota
	triedRefresh
	triedFlow
)

// maxVisits limits how often the user is sent to the authorization server within waits.Visits: to log in, and
// for the scopes of two more operations.
const maxVisits = 3

// open returns the error of an authorization that would only be repeated by asking again.
func (b *budget) open(now time.Time) error {
	if !b.until.IsZero() && !now.Before(b.until) {
		b.closed, b.until = nil, time.Time{}
	}
	return b.closed
}

// close notes why an authorization has failed. A user is not asked again before Login.
func (b *budget) close(err error, now time.Time) {
	if _, ok := errors.AsType[*stopped](err); ok {
		b.closed, b.until = err, time.Time{}
	} else if refusal, ok := errors.AsType[*OAuthError](err); ok && refusal.Status/100 == 4 {
		b.closed, b.until = err, now.Add(waits.LoginRefused)
	}
}

// mayVisit returns an error if the user was sent to the authorization server too often.
func (b *budget) mayVisit(n need, now time.Time) error {
	b.visits = slices.DeleteFunc(b.visits, func(at time.Time) bool { return now.Sub(at) >= waits.Visits })
	if len(b.visits) >= maxVisits {
		return fmt.Errorf("%w, and the user was asked %d times within %v: only a new login asks again before that time is over", n.refusal(), maxVisits, waits.Visits)
	}
	return nil
}

package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

func logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}

// common is what all sessions of a server or client share.
type common struct {
	log     *slog.Logger
	limits  limits
	buffers buffers
	layers  layers
	sender  Sender // nil without middleware for messages sent

	lenient  Lenience
	deviated func(context.Context, *Deviations) // nil for none
}

func newCommon(l *slog.Logger, middleware []Middleware, lim limits) *common {
	around := layers(slices.Clone(middleware))
	return &common{
		log:    logger(l),
		limits: lim.orDefaults(),
		layers: around,
		sender: around.sender(),
	}
}

// limits are a session's share of ServerOptions and ClientOptions.
type limits struct {
	message    int           // bytes
	concurrent int           // requests
	grace      time.Duration // not above 0: none
	quiet      time.Duration // of a request of this side; not above 0: for ever
	total      time.Duration // of a request of this side; not above 0: for ever
	ping       time.Duration // between pings; not above 0: none
	failures   int           // of pings in a row that end the session
}

// orDefaults puts the defaults in where the options leave something zero.
func (l limits) orDefaults() limits {
	return limits{
		message:    cmp.Or(max(l.message, 0), DefaultMaxMessage),
		concurrent: cmp.Or(max(l.concurrent, 0), DefaultMaxConcurrent),
		grace:      cmp.Or(l.grace, DefaultGrace),
		quiet:      cmp.Or(l.quiet, DefaultTimeout),
		total:      cmp.Or(l.total, DefaultMaxTimeout),
		ping:       l.ping,
		failures:   cmp.Or(max(l.failures, 0), DefaultKeepAliveFailures),
	}
}

// patience is how long the answer to a request is waited for.
type patience struct {
	quiet time.Duration // without progress; 0 is for ever
	total time.Duration // with progress; 0 is for ever
}

// patience is that with a method, when the caller has not said by a deadline how long
// it waits. Where a person is asked or the end of a task waited for, nobody can say how
// long that takes, nor is there progress; these methods have all the time there is.
func (l *limits) patience(ctx context.Context, method string) patience {
	if _, ok := ctx.Deadline(); ok {
		return patience{}
	}
	has := patience{max(l.quiet, 0), max(l.total, 0)}
	switch method {
	case methodElicit, methodSample, methodTaskResult:
		has.quiet = has.total
	}
	if has.total > 0 && (has.quiet == 0 || has.quiet > has.total) {
		has.quiet = has.total
	}
	return has
}

// left is how long the next progress may take when so much time has passed.
func (l patience) left(passed time.Duration) time.Duration {
	if l.total == 0 {
		return l.quiet
	}
	return min(l.quiet, max(l.total-passed, 0))
}

// spent is the error of a request that was not answered in time.
func (l patience) spent(method string) error {
	return &TimeoutError{Method: method, Quiet: l.quiet, Total: l.total}
}

// bindAll checks the bindings of one side and sorts them, newest revision first.
func bindAll(side Direction, bindings []Binding, around layers) ([]*bound, error) {
	if len(bindings) == 0 {
		return nil, errors.New("runtime: no binding")
	}
	var all []*bound
	for _, b := range bindings {
		switch {
		case b.Revision == "":
			return nil, errors.New("runtime: a binding without a revision")
		case b.Direction != side:
			return nil, fmt.Errorf("runtime: the binding of %s is for messages %s, not %s", b.Revision, b.Direction, side)
		}
		all = append(all, bind(b, around))
	}
	slices.SortFunc(all, func(a, b *bound) int { return cmp.Compare(b.Revision, a.Revision) })
	for i := range all[1:] {
		if all[i].Revision == all[i+1].Revision {
			return nil, fmt.Errorf("runtime: two bindings of %s", all[i].Revision)
		}
	}
	return all, nil
}

func revisions(bindings []*bound) []string {
	names := make([]string, len(bindings))
	for i, b := range bindings {
		names[i] = b.Revision
	}
	return names
}

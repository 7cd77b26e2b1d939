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

func newCommon(log *slog.Logger, middleware []Middleware, l Limits, grace time.Duration) *common {
	around := layers(slices.Clone(middleware))
	return &common{
		log:    logger(log),
		limits: limits{l.withDefaults(), cmp.Or(grace, DefaultGrace)},
		layers: around,
		sender: around.sender(),
	}
}

// limits are Limits with the defaults put in.
type limits struct {
	Limits
	grace time.Duration // not above 0: none
}

// withDefaults replaces the zero values.
func (l Limits) withDefaults() Limits {
	l.MaxMessage = cmp.Or(max(l.MaxMessage, 0), DefaultMaxMessage)
	l.MaxConcurrent = cmp.Or(max(l.MaxConcurrent, 0), DefaultMaxConcurrent)
	l.Timeout = cmp.Or(l.Timeout, DefaultTimeout)
	l.MaxTimeout = cmp.Or(l.MaxTimeout, DefaultMaxTimeout)
	l.KeepAliveFailures = cmp.Or(max(l.KeepAliveFailures, 0), DefaultKeepAliveFailures)
	return l
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
	has := patience{max(l.Timeout, 0), max(l.MaxTimeout, 0)}
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

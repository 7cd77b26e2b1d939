package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Progress reports the progress of the request, if the peer has sent a progress token; otherwise it does
// nothing. Total may be nil and message "". Revision 2024-11-05 has no message, so it is left out there.
//
// A value that is not greater than the last one is not sent, as the protocol requires, and the error says so. A
// value after the answer or the cancellation is not sent either; the error is [ErrNotRequested]. Both are
// logged as warnings, for handlers that ignore the error; a value after the cancellation is not.
func (c *Call) Progress(ctx context.Context, progress float64, total *float64, message string) error {
	token, ok := c.ProgressToken()
	if !ok {
		return nil
	}
	if _, err := c.peer.maySend(jsonrpc.Notification, methodProgress, nil); err != nil {
		return nil // the revision has none
	}
	if c.peer.Revision < revisionProgressMessage && c.peer.Around == nil {
		message = ""
	}
	c.reporting.Lock()
	defer c.reporting.Unlock()
	if !c.hold() {
		if _, cancelled := errors.AsType[*CancelledError](context.Cause(&c.context)); !cancelled {
			c.conn.logger().Warn("progress after the answer was dropped", "method", c.m.Method, "id", c.id, "progress", progress)
		}
		return errAnswered
	}
	defer c.unhold()
	switch {
	case c.context.Err() != nil:
		return errAnswered
	case c.reported && progress <= c.progress:
		if !c.fell {
			c.fell = true
			c.conn.logger().Warn("progress that does not grow was dropped; further ones of the request are not logged", "method", c.m.Method, "id", c.id, "progress", progress, "last", c.progress)
		}
		return fmt.Errorf("runtime: the progress %v is not greater than the last one, %v", progress, c.progress)
	}
	params := &progressParams{token, progress, total, message}
	if err := c.caller().Notify(ctx, methodProgress, params); err != nil {
		return err
	}
	c.progress, c.reported = progress, true
	return nil
}

// ProgressToken returns the token under which the peer wants reports of progress. It returns false if
// the peer wants none.
func (c *Call) ProgressToken() (wire.Scalar, bool) {
	token := progressToken(c.Meta())
	return token, !token.IsZero()
}

// progressToken returns the token in a _meta, or the zero Scalar.
func progressToken(meta wire.Object) wire.Scalar {
	token, _ := meta.GetScalar("progressToken")
	if !token.Is(wire.KindString | wire.KindInteger) {
		return wire.Scalar{}
	}
	return token
}

// progressParams are the params of notifications/progress.
type progressParams struct {
	token    wire.Scalar
	progress float64
	total    *float64
	message  string
}

// AppendJSON appends the params object.
func (p *progressParams) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.ObjectWriter(dst)
	w.Value("progressToken", &p.token)
	w.Float64("progress", p.progress)
	w.Float64Pointer("total", p.total)
	if p.message != "" {
		w.String("message", p.message)
	}
	return w.Close()
}

// Progress is a report of the progress of a request.
type Progress struct {
	Progress float64  // grows from one report to the next
	Total    *float64 // what Progress will be at the end; nil if unknown
	Message  string   // for people; "" if there is none
	Params   wire.Raw // of the notification as it was received
}

type progressKey struct{}

// WithProgress returns a context for requests whose progress is reported. A request with that context,
// or with one derived from it, carries its id as progress token, which replaces a token in its params.
// Report is called in the goroutine that makes the request, and not after the request has returned.
// Reports that do not grow are dropped, and so are the oldest ones if report is slow. Each report renews
// the timeout of the request, see [Limits] ("Progress flow" in basic/utilities/progress, "Timeouts" in
// basic/lifecycle). A handler for notifications/progress gets only reports that arrive after the
// answer; [Follow] passes those to report as well.
func WithProgress(ctx context.Context, report func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// Follow calls work with a context derived from ctx and returns its error. If ctx comes from
// [WithProgress], the progress of the first request that work makes is reported until work returns, not
// only until the request is answered. It is meant for tasks, which continue after the answer ("Task
// Progress Notifications" in basic/utilities/tasks). The other requests of work carry no progress token.
// Work then runs in another goroutine, and report is called in the one that calls Follow.
func Follow(ctx context.Context, work func(ctx context.Context) error) error {
	report, ok := ctx.Value(progressKey{}).(func(Progress))
	if !ok {
		return work(ctx)
	}
	f := &follower{feed: engine.NewFeed()}
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
	reports := f.feed.Reports()
	for {
		select {
		case r := <-reports:
			report(Progress(r))
		case err := <-done:
			if panicked != "" {
				panic(panicked) // the goroutine of a handler recovers panics
			}
			for len(reports) > 0 {
				report(Progress(<-reports))
			}
			return err
		}
	}
}

// follower is the value of the context that Follow makes.
type follower struct {
	feed *engine.Feed
	conn atomic.Pointer[conn] // that of the first request; nil before it
}

func (f *follower) end() {
	if cn := f.conn.Load(); cn != nil {
		cn.pending.Unfollow(f.feed)
	}
}

// reporterOf returns the receiver of the progress of a request that is made with ctx, or the feed if [Follow] receives
// it.
func reporterOf(ctx context.Context, cn *conn) (report func(engine.Report), follow *engine.Feed) {
	switch v := ctx.Value(progressKey{}).(type) {
	case func(Progress):
		return func(r engine.Report) { v(Progress(r)) }, nil
	case *follower:
		if v.conn.CompareAndSwap(nil, cn) {
			return nil, v.feed
		}
	}
	return nil, nil
}

// takeProgress passes a progress notification to the request with its token. It returns false if there
// is none.
func (cn inbox) takeProgress(params wire.Raw) bool {
	o := wire.Object(params)
	token, _ := o.GetScalar("progressToken")
	id, ok := token.Int64()
	if !ok {
		return false
	}
	value, _ := o.GetScalar("progress")
	progress, ok := value.Float64()
	if !ok {
		return false
	}
	report := engine.Report{Progress: progress, Message: strings.Clone(o.GetString("message")), Params: params}
	if value, _ := o.GetScalar("total"); !value.IsZero() {
		if total, ok := value.Float64(); ok {
			report.Total = &total
		}
	}
	wanted, grows := cn.pending.Report(id, report)
	if !grows {
		cn.debug("progress that does not grow dropped", slog.Float64("progress", progress))
	}
	return wanted
}

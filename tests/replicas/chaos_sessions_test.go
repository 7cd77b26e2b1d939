package replicas

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
)

// inSession is a client of revision 2025-11-25. It calls tools, answers questions, follows the progress of calls,
// and has subscribed to a resource, all in one session, which may not be lost.
func (c *chaos) inSession(n int) {
	var u updates
	s := c.connect(c.t.Context(), u.handlers().Bind(mcp20251125.Revision, mcp20251125.Methods))
	if s == nil {
		return
	}
	defer s.Close()
	if !c.subscribe(s) {
		return
	}
	call := func(ctx context.Context, tool, as string) (string, error) { return callTool(ctx, s, tool, as) }
	for i := 0; !c.isOver() && !c.t.Failed(); i++ {
		name := fmt.Sprintf("S%d.%d", n, i)
		switch i % 3 {
		case 0:
			c.repeat("S call", name, "count", call, "counted")
		case 1:
			c.repeat("S question", name, "confirm", call, "answer: accept")
		case 2:
			c.repeat("S stream", name, "steps", func(ctx context.Context, tool, as string) (string, error) {
				return followed(ctx, call, tool, as)
			}, "arrived")
		}
		c.done.Add(1)
	}
	c.hear(&u)
}

// errGap reports that a stream was not resumed where it was.
var errGap = errors.New("the progress of a call has gaps or repetitions")

// followed calls a tool and checks its progress, of which nothing may be missing or come twice if there is an
// answer.
func followed(ctx context.Context, call func(ctx context.Context, tool, as string) (string, error), tool, as string) (string, error) {
	var last, wrong atomic.Int64
	ctx = runtime.WithProgress(ctx, func(p runtime.Progress) {
		if last.Add(1) != int64(p.Progress) {
			wrong.Add(1)
		}
	})
	said, err := call(ctx, tool, as)
	if err == nil && (last.Load() != stepsTaken || wrong.Load() > 0) {
		return "", fmt.Errorf("%w: %d reports, %d of them out of order", errGap, last.Load(), wrong.Load())
	}
	return said, err
}

package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestUnlogged checks that a server without a logger warns on slog.Default, which may be set later. The
// warnings are about calls of a handler that have no effect, and about a refused state.
func TestUnlogged(t *testing.T) {
	asked := 0
	var last float64
	var after func() error
	s := side{
		"drifts": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			asked++
			if _, err := ask(ctx, fmt.Sprintf("question %d?", asked)); err != nil {
				return nil, err
			}
			return said("done")
		},
		"confirm": confirming["confirm"],
		"falls": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			c := runtime.CallOf(ctx)
			for _, progress := range []float64{5, 3, 2, 5, 6} {
				if err := c.Progress(ctx, progress, nil, ""); (err == nil) != (progress == 6 || last == 0) {
					return nil, fmt.Errorf("progress %v: %v", progress, err)
				}
				last = progress
			}
			return said("done")
		},
		"late": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			after = func() error { return runtime.CallOf(ctx).Progress(context.Background(), 1, nil, "") }
			return said("done")
		},
		"steady": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			c := runtime.CallOf(ctx)
			for _, progress := range []float64{1, 2} {
				if err := c.Progress(ctx, progress, nil, ""); err != nil {
					return nil, err
				}
			}
			return said("done")
		},
	}
	for _, test := range []struct {
		name, tool, want string
		after            func(c *client, first wire.Object)
	}{
		{"questions that drift", "drifts", `level=WARN msg="the handler asks another question than before`, func(c *client, first wire.Object) {
			c.round("tools/call", `"name":"drifts"`, first)
		}},
		{"a state that is refused", "confirm", `level=WARN msg="requestState refused"`, func(c *client, first wire.Object) {
			first, _ = first.With("requestState", `"x"`)
			c.round("tools/call", `"name":"confirm"`, first)
		}},
		{"progress that falls", "falls", `level=WARN msg="progress that does not grow was dropped; further ones of the request are not logged" method=tools/call id=1 progress=3 last=5`, nil},
		{"progress after the answer", "late", `level=WARN msg="progress after the answer was dropped" method=tools/call id=1 progress=1`, func(*client, wire.Object) {
			if err := after(); !errors.Is(err, runtime.ErrNotRequested) {
				t.Errorf("progress after the answer: %v", err)
			}
		}},
		{"progress that grows", "steady", "", nil},
	} {
		alone(t, test.name, s, runtime.ServerOptions{}, nil, func(t *testing.T, conn *conn) {
			var logged testkit.Buffer
			defer slog.SetDefault(slog.Default())
			slog.SetDefault(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
			c := &client{conn: conn, meta: metaAll + `,"progressToken":7`, answers: func(string) string { return `{"action":"accept"}` }}
			c.id++
			c.send(request(fmt.Sprint(c.id), "tools/call", `"name":"`+test.tool+`"`, c.meta))
			all := c.replies()
			answer := wire.Object(all[len(all)-1])
			result, _ := answer.Get("result")
			if test.after != nil {
				test.after(c, wire.Object(result))
			}
			got := logged.String()
			if !strings.Contains(got, test.want) || strings.Count(got, "\n") != min(len(test.want), 1) {
				t.Errorf("logged %q, want one line with %q", got, test.want)
			}
		})
	}
}

// TestLogRequestsUnlogged checks that middleware without a logger logs to slog.Default, which may be set later.
func TestLogRequestsUnlogged(t *testing.T) {
	alone(t, "a request", side{"echo": tools["echo"]}, runtime.ServerOptions{Receiving: []runtime.Middleware{runtime.LogRequests(nil, slog.LevelInfo)}}, nil, func(t *testing.T, c *conn) {
		var logged testkit.Buffer
		defer slog.SetDefault(slog.Default())
		slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
		c.answers([]string{call("1", "echo")}, result("1", ""))
		if got := logged.String(); !strings.Contains(got, "level=INFO") || !strings.Contains(got, "method=tools/call") {
			t.Errorf("logged %q", got)
		}
	})
}

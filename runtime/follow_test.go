package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// lasting is a tool that reports 1 before its answer and, each a second later, 2, 2 and 3.
func lasting(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
	c := runtime.CallOf(ctx)
	_, ok := c.Detach(ctx, runtime.Detached{}, func(ctx context.Context) {
		for _, n := range []float64{2, 2, 3} {
			time.Sleep(time.Second)
			_ = runtime.CallOf(ctx).Progress(ctx, n, nil, "")
		}
	})
	if !ok {
		return nil, errors.New("not detached")
	}
	return wire.Raw(`{}`), c.Progress(ctx, 1, nil, "")
}

func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var unwanted []string
		s := newServer(t, tools.with(side{"lasting": lasting}), runtime.ServerOptions{}, r06)
		c := newClient(side{"notifications/progress": func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
			params := wire.Raw(message.Object())
			unwanted = append(unwanted, string(params))
			return nil, nil
		}}, r06)
		session, end := connect(t, s, c)
		defer end()
		var got []float64
		ctx := runtime.WithProgress(t.Context(), func(p runtime.Progress) { got = append(got, p.Progress) })
		tool := func(ctx context.Context, name string) error {
			return session.Call(ctx, "tools/call", &toolParams{Name: name}, nil)
		}
		for _, row := range []struct {
			linger   time.Duration // that work takes beyond its requests
			want     string
			unwanted int
		}{
			{0, "[1]", 2}, // the others go to the handler
			{2500 * time.Millisecond, "[1 2]", 1},
			{time.Minute, "[1 2 3]", 0},
		} {
			got, unwanted = nil, nil
			failed := errors.New("failed")
			err := runtime.Follow(ctx, func(ctx context.Context) error {
				if err := tool(ctx, "lasting"); err != nil {
					return err
				}
				if err := tool(ctx, "lasting"); err != nil { // does not ask for progress
					return err
				}
				time.Sleep(row.linger)
				return failed
			})
			time.Sleep(time.Minute)
			synctest.Wait()
			if err != failed || fmt.Sprint(got) != row.want || len(unwanted) != row.unwanted {
				t.Errorf("%v: got %v, %v and %q, want %s", row.linger, err, got, unwanted, row.want)
			}
		}

		// Without anybody to report to, work is just called.
		if err := runtime.Follow(t.Context(), func(ctx context.Context) error { return tool(ctx, "echo") }); err != nil {
			t.Error(err)
		}
	})
}

// TestFollowTimeout has the progress of a request that is not answered renew its timeout.
func TestFollowTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, side{"slow": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			for n := range 10 {
				time.Sleep(40 * time.Second)
				_ = runtime.CallOf(ctx).Progress(ctx, float64(n), nil, "")
			}
			return wire.Raw(`{}`), nil
		}}, runtime.ServerOptions{}, r06)
		session, end := connect(t, s, newClient(nil, r06))
		defer end()
		reports := 0
		ctx := runtime.WithProgress(t.Context(), func(runtime.Progress) { reports++ })
		err := runtime.Follow(ctx, func(ctx context.Context) error {
			return session.Call(ctx, "tools/call", &toolParams{Name: "slow"}, nil)
		})
		if err != nil || reports != 10 {
			t.Errorf("%v, %d reports", err, reports)
		}
	})
}

func TestFollowPanic(t *testing.T) {
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "boom") {
			t.Errorf("recovered %s", got)
		}
	}()
	ctx := runtime.WithProgress(t.Context(), func(runtime.Progress) {})
	_ = runtime.Follow(ctx, func(context.Context) error { panic("boom") })
}

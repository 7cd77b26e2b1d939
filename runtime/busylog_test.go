package runtime_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// slowLog is a slog.Handler that blocks when it is told of too many requests.
type slowLog struct {
	slog.Handler
	reached, proceed chan struct{}
}

func (h slowLog) Enabled(context.Context, slog.Level) bool { return true }

func (h slowLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "too many requests in flight" {
		close(h.reached)
		<-h.proceed
	}
	return nil
}

// TestBusySlowLog checks that requests are answered while the log of a refusal is slow.
func TestBusySlowLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := slowLog{slog.DiscardHandler, make(chan struct{}), make(chan struct{})}
		release := make(chan struct{})
		s := side{"wait": func(context.Context, *runtime.Message) (wire.Appender, error) {
			<-release
			return wire.Raw(`{}`), nil
		}}
		c := open(t.Context(), t, newServer(t, s, runtime.ServerOptions{Logger: slog.New(log), Limits: runtime.Limits{MaxConcurrent: 1}}, r11), r11)
		c.send(toolCall("1", "wait", "{}"), toolCall("2", "wait", "{}"))
		<-log.reached
		close(release)
		time.Sleep(time.Millisecond)
		c.mu.Lock()
		answers := len(c.lines)
		c.mu.Unlock()
		if answers != 1 {
			t.Errorf("%d answers while the log is slow, want 1", answers)
		}
		close(log.proceed)
		c.answers(nil, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"busy: 1 requests in flight"}}`)
		if err := c.hangUp(); err != nil {
			t.Error(err)
		}
	})
}

package runtime

import (
	"context"
	"log/slog"
	goruntime "runtime"
	"time"
)

// sessionLog logs what happens in a session, with the transport's name of it. A logger of
// slog.Logger.With would hold that for each session, formatted.
type sessionLog struct {
	to   *slog.Logger
	peer *peer
}

func (l sessionLog) Debug(text string, args ...any) { l.write(slog.LevelDebug, text, args) }
func (l sessionLog) Info(text string, args ...any)  { l.write(slog.LevelInfo, text, args) }
func (l sessionLog) Warn(text string, args ...any)  { l.write(slog.LevelWarn, text, args) }
func (l sessionLog) Error(text string, args ...any) { l.write(slog.LevelError, text, args) }

func (l sessionLog) write(level slog.Level, text string, args []any) {
	ctx := context.Background()
	if !l.to.Enabled(ctx, level) {
		return
	}
	var at [1]uintptr
	goruntime.Callers(3, at[:]) // whoever called Debug or another
	r := slog.NewRecord(time.Now(), level, text, at[0])
	if id := l.peer.sessionID(); id != "" {
		r.Add("session", id)
	}
	r.Add(args...)
	_ = l.to.Handler().Handle(ctx, r)
}

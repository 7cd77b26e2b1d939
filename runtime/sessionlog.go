package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	goruntime "runtime"
	"time"
)

// LogID returns the name that a session has in logs and traces: 12 digits of a digest of its id,
// which is a secret, because whoever knows it may use the session. LogID of "" is "".
func LogID(session string) string {
	if session == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:6])
}

// sessionLog logs what happens in a session, with the LogID of its id. A logger of
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
	if id := LogID(l.peer.sessionID()); id != "" {
		r.Add("session", id)
	}
	r.Add(args...)
	_ = l.to.Handler().Handle(ctx, r)
}

// maxGarbage is how many texts that are no messages are logged one by one.
const maxGarbage = 16

// logGarbage logs that something received is no message. Of many it logs fewer and fewer. A
// client logs the beginning of the text: it may be what a server has printed by mistake.
// Reading goroutine.
func (p *peer) logGarbage(what string, err error, text string) {
	p.garbage++
	if p.garbage > maxGarbage && p.garbage&(p.garbage-1) != 0 {
		return
	}
	attrs := []any{"error", err, "count", p.garbage}
	if _, answered := p.lifecycle.unknownID(); !answered && text != "" {
		attrs = append(attrs, "text", text[:min(len(text), 200)])
	}
	p.log.write(slog.LevelWarn, what, attrs)
}

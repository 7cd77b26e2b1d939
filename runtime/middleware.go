package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// LogRequests returns middleware that logs every request and notification, after it is handled as Receiving, and
// after it is sent as Sending. The records have the given level. Failures are logged at least as warnings, except
// for error answers and cancellations. A nil logger means slog.Default(). The attributes of a record are:
//
//	method    of the message
//	id        of the request; not for notifications
//	revision  the negotiated revision, once there is one
//	session   LogID of the session's id, when it has one
//	duration  until the handler returned or the answer came
//	code      of the JSON-RPC error that is the answer
//	error     the error
func LogRequests(l *slog.Logger, level slog.Level) Middleware {
	r := requestLog{logs.Or(l, level), level}
	return r.around
}

type requestLog struct {
	log   *slog.Logger
	level slog.Level
}

var errPanicked = errors.New("runtime: the handler panicked")

// around wraps the handlers of received messages, or the way of those that are sent.
func (r requestLog) around(next Handler) Handler {
	return func(ctx context.Context, m *Message) (result wire.Appender, err error) {
		start := time.Now()
		err = errPanicked // unless next returns
		defer func() {
			e := entry{what(m), m.Method, m.ID(), m.Revision(), m.SessionID(), start, err}
			if _, cancelled := errors.AsType[*CancelledError](context.Cause(ctx)); cancelled && err != nil && !m.Sent() {
				e.err = context.Cause(ctx)
			}
			r.write(ctx, e)
		}()
		return next(ctx, m)
	}
}

// what returns the text of the record of a message.
func what(m *Message) string {
	if m.Sent() {
		return m.Kind.String() + " sent"
	}
	return m.Kind.String() + " handled"
}

// entry is the content of a record.
type entry struct {
	text     string
	method   string
	id       wire.Scalar
	revision string
	session  string
	start    time.Time
	err      error
}

func (r requestLog) write(ctx context.Context, e entry) {
	level := r.level
	answered, isAnswer := errors.AsType[*jsonrpc.Error](e.err)
	_, asked := errors.AsType[*QuestionsError](e.err)
	if e.err != nil && !isAnswer && !asked && !errors.Is(e.err, context.Canceled) {
		level = max(level, slog.LevelWarn)
	}
	if !r.log.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 7)
	attrs = append(attrs, slog.String("method", e.method))
	if !e.id.IsZero() {
		attrs = append(attrs, loggedID(e.id))
	}
	if e.revision != "" {
		attrs = append(attrs, slog.String("revision", e.revision))
	}
	if e.session != "" {
		attrs = append(attrs, slog.String("session", LogID(e.session)))
	}
	attrs = append(attrs, slog.Duration("duration", time.Since(e.start)))
	if isAnswer {
		attrs = append(attrs, slog.Int64("code", answered.Code))
	}
	if e.err != nil {
		attrs = append(attrs, slog.Any("error", e.err))
	}
	r.log.LogAttrs(ctx, level, e.text, attrs...)
}

// loggedID returns the attribute of a record for the id of a request. That of an integer needs no memory.
func loggedID(id wire.Scalar) slog.Attr {
	if n, ok := id.Int64(); ok {
		return slog.Int64("id", n)
	}
	return slog.Any("id", id)
}

// LogID returns the name of a session in logs and traces: 12 digits of a digest of its id. The id itself
// is secret, because a client that knows it can use the session. LogID("") is "".
func LogID(session string) string {
	if session == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:6])
}

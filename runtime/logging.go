package runtime

import (
	"context"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// LogLevel is the severity of a log message. It converts from and to the LoggingLevel of a generated
// package.
type LogLevel string

// The log levels, from the least severe to the most ("Log levels" in
// server/utilities/logging of every revision).
const (
	LogDebug     LogLevel = "debug"
	LogInfo      LogLevel = "info"
	LogNotice    LogLevel = "notice"
	LogWarning   LogLevel = "warning"
	LogError     LogLevel = "error"
	LogCritical  LogLevel = "critical"
	LogAlert     LogLevel = "alert"
	LogEmergency LogLevel = "emergency"
)

var logLevels = []LogLevel{LogDebug, LogInfo, LogNotice, LogWarning, LogError, LogCritical, LogAlert, LogEmergency}

// severity grows with the level; it is -1 for an unknown level.
func (l LogLevel) severity() int { return slices.Index(logLevels, l) }

// Below reports whether messages of level l are less severe than those of the other level. An unknown level
// is below every other one.
func (l LogLevel) Below(other LogLevel) bool { return l.severity() < other.severity() }

// Log sends a log message to the client, if [Call.Logs] reports true for the level. Logger names the
// origin of the message and may be "". Data is any JSON; nil is null. A Notify with
// notifications/message obeys the same level.
func (c *Call) Log(ctx context.Context, level LogLevel, logger string, data wire.Appender) error {
	if !c.Logs(level) {
		return nil
	}
	return c.Notify(ctx, methodMessage, logParams{level, logger, data})
}

// Logs reports whether the client gets log messages of the level. It gets none if the revision has no log
// messages or the server has not declared the capability. A client that has not set a level with
// logging/setLevel gets all levels; for a stateless request, it gets those that the request asks for, and
// none if the request asks for none ("Per-request log level" in server/utilities/logging, 2026-07-28).
func (c *Call) Logs(level LogLevel) bool { return c.conn.mayLog(c.terms, level) }

// Log sends a log message that belongs to no request, see [Call.Log].
func (s *ServerSession) Log(ctx context.Context, level LogLevel, logger string, data wire.Appender) error {
	if !s.conn.mayLog(s.terms, level) {
		return nil
	}
	return s.Notify(ctx, methodMessage, logParams{level, logger, data})
}

// mayLog reports whether a message of the level is to be sent, before its data is encoded.
func (p *conn) mayLog(t *terms, level LogLevel) bool {
	_, err := t.sending(jsonrpc.Notification, methodMessage)
	return err == nil && p.wantsLevel(t, level)
}

// wantsLevel reports whether the peer wants messages of the level. An unknown level counts as the most
// severe one.
func (p *conn) wantsLevel(t *terms, level LogLevel) bool {
	severity := level.severity()
	if severity < 0 {
		severity = len(logLevels) - 1
	}
	return p.logs(t, severity)
}

// wantsMessage is wantsLevel for the text of a notifications/message.
func (p *conn) wantsMessage(t *terms, text []byte) bool {
	if p.logs(t, 0) {
		return true
	}
	params, _ := wire.Object(text).Get("params")
	return p.wantsLevel(t, LogLevel(wire.Object(params).GetString("level")))
}

// setLogLevel applies the params of logging/setLevel.
func (c *Call) setLogLevel(params wire.Object) error {
	if c.terms.stateless() {
		return MethodNotFound(methodSetLevel) // each request asks for its own level
	}
	level := LogLevel(params.GetString("level"))
	severity := level.severity()
	if severity < 0 {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /level: not a log level: %.50q", level)
	}
	return c.conn.keepLogLevel(&c.context, severity)
}

// setAcceptedLevel is setLogLevel for params that a handler has accepted. A level that is not known has no
// effect.
func (c *Call) setAcceptedLevel(params wire.Object) error {
	if c.terms.stateless() || LogLevel(params.GetString("level")).severity() < 0 {
		return nil
	}
	return c.setLogLevel(params)
}

// logParams are the params of notifications/message.
type logParams struct {
	level  LogLevel
	logger string
	data   wire.Appender // nil is null
}

// AppendJSON appends the params object.
func (l logParams) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := wire.AppendString(append(dst, `{"level":`...), string(l.level))
	if err != nil {
		return dst, wire.In(err, "level")
	}
	if l.logger != "" {
		if dst, err = wire.AppendString(append(dst, `,"logger":`...), l.logger); err != nil {
			return dst, wire.In(err, "logger")
		}
	}
	dst = append(dst, `,"data":`...)
	if l.data == nil {
		return append(dst, "null}"...), nil
	}
	if dst, err = l.data.AppendJSON(dst); err != nil {
		return dst, wire.In(err, "data")
	}
	return append(dst, '}'), nil
}

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
func (c *Call) Logs(level LogLevel) bool {
	return sender{conn: c.conn, peer: c.peer}.mayLog(level)
}

// Log sends a log message that belongs to no request, see [Call.Log].
func (s *ServerSession) Log(ctx context.Context, level LogLevel, logger string, data wire.Appender) error {
	if !s.sender().mayLog(level) {
		return nil
	}
	return s.Notify(ctx, methodMessage, logParams{level, logger, data})
}

// setLogLevel sets the level that the client has asked for with logging/setLevel. A request without a session asks
// for its own level, so that s is nil.
func (s *ServerSession) setLogLevel(ctx context.Context, level LogLevel) error {
	if s == nil {
		return MethodNotFound(methodSetLevel)
	}
	severity := level.severity()
	if severity < 0 {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /level: not a log level: %.50q", level)
	}
	if err := s.conn.keep(ctx, Change{LogLevel: logLevels[severity]}); err != nil {
		return err
	}
	s.conn.logLevel.Store(int32(severity))
	return nil
}

// mayLog reports whether a message of the level is to be sent, before its data is encoded.
func (s sender) mayLog(level LogLevel) bool {
	_, err := s.peer.maySend(jsonrpc.Notification, methodMessage, nil)
	return err == nil && s.logs(level)
}

// logs reports whether the peer wants log messages of a level. A client that has not set one gets all messages. An
// unknown level counts as the most severe one.
func (s *sender) logs(level LogLevel) bool {
	severity := level.severity()
	if severity < 0 {
		severity = len(logLevels) - 1
	}
	if s.peer.serving() {
		return severity >= s.peer.severity
	}
	return severity >= int(s.conn.logLevel.Load())
}

// logParams are the params of notifications/message.
type logParams struct {
	level  LogLevel
	logger string
	data   wire.Appender // nil is null
}

// AppendJSON appends the params object.
func (l logParams) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.ObjectWriter(dst)
	w.String("level", string(l.level))
	if l.logger != "" {
		w.String("logger", l.logger)
	}
	if l.data == nil {
		w.NullIf("data", true)
	} else {
		w.Value("data", l.data)
	}
	return w.Close()
}

package runtime

import (
	"context"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// LogLevel is the severity of a log message, in the protocol's words. It converts from
// and to the LoggingLevel of a generated package.
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

// severity grows with the level; -1 is that of a level not known.
func (l LogLevel) severity() int { return slices.Index(logLevels, l) }

// Log sends a log message to the client, unless the client has asked, with
// logging/setLevel, for more severe ones only; as long as it has not asked, all are
// sent. Where the revision has no such messages, or the server has not declared that it
// sends some, none is. Logger names where the message comes from and may be "". Data is
// any JSON. An ordinary Notify with notifications/message is held to the same level.
func (c *Call) Log(ctx context.Context, level LogLevel, logger string, data wire.Appender) error {
	if !c.Logs(level) {
		return nil
	}
	return c.Notify(ctx, methodMessage, logParams{level, logger, data})
}

// Logs reports whether Log would send a message of that level.
func (c *Call) Logs(level LogLevel) bool {
	return c.peer.mayLog(c.terms, level)
}

// Log sends a log message that belongs to no request, as Call.Log does one that does.
func (s *ServerSession) Log(ctx context.Context, level LogLevel, logger string, data wire.Appender) error {
	if !s.peer.mayLog(s.terms, level) {
		return nil
	}
	return s.Notify(ctx, methodMessage, logParams{level, logger, data})
}

// mayLog reports whether a message of the level is to be sent, before its data is encoded.
func (p *peer) mayLog(t *terms, level LogLevel) bool {
	_, err := t.sending(jsonrpc.Notification, methodMessage)
	return err == nil && p.logs(level)
}

// logs reports whether the peer wants messages of the level. One that is not known is
// not held back.
func (p *peer) logs(level LogLevel) bool {
	least := p.logLevel.Load()
	if least == 0 {
		return true
	}
	severity := level.severity()
	return severity < 0 || severity >= int(least)
}

// wantsMessage is logs for the encoded text of a notifications/message.
func (p *peer) wantsMessage(text []byte) bool {
	if p.logLevel.Load() == 0 {
		return true
	}
	params, _ := wire.Object(text).Get("params")
	return p.logs(LogLevel(stringMember(wire.Object(params), "level")))
}

// setLogLevel does what the params of a logging/setLevel ask for.
func (c *Call) setLogLevel(params wire.Raw) error {
	level := stringMember(wire.Object(params), "level")
	severity := LogLevel(level).severity()
	if severity < 0 {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /level: not a log level: %.50q", level)
	}
	if c.peer.logLevel.Swap(int32(severity)) != int32(severity) {
		c.peer.tellTransport(c.terms)
	}
	return nil
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

package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Call is the request or notification that a handler handles. It belongs to a message, not to a
// session, so that handlers also work in revisions without sessions.
//
// A Call is a [Caller]. What it sends belongs to the request: a transport with several streams
// sends it on the stream of the request, or on no particular stream after the answer. A Call is
// safe for concurrent use.
type Call struct {
	context callContext
	cancel  context.CancelCauseFunc // nil for a notification, which cannot be cancelled

	conn   *conn
	peer   *peer
	id     wire.Scalar // zero for a notification
	m      Message
	params wire.Raw    // as they were received
	reply  Reply       // nil if the answer goes where messages without a request go
	unbind func() bool // ends the effect of Incoming.ContextCancels; nil without it

	key       wire.Scalar // the canonical id of a request that is among the requests of the connection
	index     int         // there, under the lock of conn.requests
	abandoned bool        // it was answered in place of its handler; written under the lock of conn.requests

	inline bool // handled before the next message is read
	remote bool // it has come over HTTP

	reporting sync.Mutex // held while progress is sent, so that it is sent in its order
	reported  bool       // progress is the last value that was sent
	fell      bool       // a value that does not grow was logged
	progress  float64

	mu   sync.Mutex
	over atomic.Bool // set under mu
	// sending counts the messages that are being sent and must come before the answer: those that belong to the
	// request, and cancellations, because the answer may end the stream that they go to. A call that is over does not
	// add to it.
	sending sync.WaitGroup

	// Of a stateless message that this side serves, see statelessCall:
	row      *Method                   // of the method; nil in a session and for a detached call
	cache    atomic.Pointer[CacheHint] // set by Cache
	asking   atomic.Pointer[rounds]
	listener *ServerSession // of subscriptions/listen; otherwise nil

	detached atomic.Pointer[detachment] // nil unless it goes on after its answer
}

type callKey struct{}

// callContext is the context of a handler.
type callContext struct {
	context.Context
	call   *Call
	values context.Context // of the message; nil for none
}

// Value returns the call for the package's own key. The values of the message take precedence over
// those of the session.
func (c *callContext) Value(key any) any {
	if _, ok := key.(callKey); ok {
		return c.call
	}
	if c.values != nil {
		if v := c.values.Value(key); v != nil {
			return v
		}
	}
	return c.Context.Value(key)
}

// CallOf returns the call of the handler that ctx, or the context it was derived from, was passed to.
// It returns nil outside of handlers.
func CallOf(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}

// newCall returns the call of a message, whose params are "" or an object. Its context is derived from ctx.
func (cn *conn) newCall(ctx context.Context, p *peer, m *jsonrpc.Message) *Call {
	c := &Call{conn: cn, peer: p, id: m.ID, params: m.Params, m: Message{Kind: m.Kind, Method: m.Method}}
	if c.params != "" {
		c.m.Params = &c.params
	}
	c.m.call, c.context = c, callContext{Context: ctx, call: c}
	return c
}

// Revision returns the revision under which the message is handled, or "" before it is negotiated.
func (c *Call) Revision() string { return c.peer.Revision }

// Method returns the method of the message.
func (c *Call) Method() string { return c.m.Method }

// Known reports whether the method is in the method table of the revision. A peer may send other
// methods too.
func (c *Call) Known() bool {
	return c.peer.Revision == "" || c.peer.row(c.m.Method).Kind != 0
}

// ID returns the id of the request; zero for a notification.
func (c *Call) ID() wire.Scalar { return c.id }

// SessionID returns the transport's name of the session, or "" if it has none.
func (c *Call) SessionID() string {
	if c.peer.stateless {
		return ""
	}
	return c.conn.sessionID()
}

// Lasts reports whether the session may go on at another server after it has ended here, see [Replicated].
func (c *Call) Lasts() bool {
	t, ok := c.conn.transport.(Replicated)
	return ok && !c.peer.stateless && t.Lasts()
}

// Session returns the server's session that the call belongs to. It returns nil on a client's side,
// in a handler of initialize and for a stateless request, except for one that listens for notifications.
// All calls of a session return the same value, so it can be the key of a map with data of sessions, which
// context.AfterFunc of its Context can delete.
func (c *Call) Session() *ServerSession {
	ss := c.conn.serverSide
	switch {
	case c.row != nil:
		return c.listener
	case c.peer.stateless || ss == nil || !ss.inAudience.Load():
		return nil
	}
	return &ss.session
}

// Stateless reports whether the message belongs to no session, so that everything known about the peer
// comes from the message itself.
func (c *Call) Stateless() bool { return c.peer.stateless }

// PeerInfo returns the Implementation object with which the peer introduced itself.
func (c *Call) PeerInfo() wire.Object { return c.peer.info }

// PeerCapabilities returns the capabilities that the peer declared.
func (c *Call) PeerCapabilities() wire.Object { return c.peer.capabilities }

// Declared reports whether this side has declared the capability at a dotted path, such as
// "tasks.requests.tools.call". It returns true if that is not known.
func (c *Call) Declared(capability string) bool {
	declared := c.peer.declared
	if c.peer.serving() {
		declared = c.peer.offered().capabilities
	}
	return declared == "" || Declares(declared, capability)
}

// Extension reports whether the peer has declared an extension: in this request, if it is stateless,
// and otherwise for the session.
func (c *Call) Extension(name string) bool { return declaresExtension(c.peer.capabilities, name) }

// Server returns the server that handles a stateless request, and nil on a client's side and in sessions.
func (c *Call) Server() *Server { return c.peer.server }

// Params returns the params of the message as they were received, and the client's answers in earlier
// rounds of a stateless request.
func (c *Call) Params() wire.Raw { return c.params }

// Meta returns the _meta object of the params, or "" if there is none.
func (c *Call) Meta() wire.Object {
	meta, ok := wire.Object(c.params).Get("_meta")
	if !ok || meta.Kind() != wire.KindObject {
		return ""
	}
	return wire.Object(meta)
}

// errInline is the error of a request by a handler of initialize. Its answer could not be read before
// the handler returns.
var errInline = errors.New("runtime: a handler of initialize cannot wait for an answer of the peer")

// Call implements [Caller]. A handler of initialize cannot use it.
func (c *Call) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	if c.inline && !c.over.Load() {
		return errInline
	}
	return c.caller().Call(ctx, method, params, result)
}

// Notify implements [Caller].
func (c *Call) Notify(ctx context.Context, method string, params wire.Appender) error {
	return c.caller().Notify(ctx, method, params)
}

func (c *Call) caller() sender {
	s := sender{conn: c.conn, peer: c.peer, to: c.Reply(), call: c}
	if d := c.detachment(); d != nil {
		s.send = d.send
	}
	return s
}

// Reply returns where the call sends its messages. It returns nil after the answer, and if the transport
// sends all messages in one way. It is for code that knows the transport.
func (c *Call) Reply() Reply {
	if c.over.Load() {
		return nil
	}
	if d := c.detachment(); d != nil && d.how.Reply != nil {
		return d.how.Reply()
	}
	return c.reply
}

// cancelled reports whether the peer has cancelled the request, for which nothing more is sent then. It returns
// false for a detached call, which is not cancelled with a request, and for nil.
func (c *Call) cancelled() bool {
	if c == nil || c.context.Err() == nil || c.detachment() != nil {
		return false
	}
	_, is := errors.AsType[*CancelledError](context.Cause(&c.context))
	return is
}

// hold delays the answer until unhold is called. It returns false if the call is over, and for nil.
func (c *Call) hold() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over.Load() {
		return false
	}
	c.sending.Add(1)
	return true
}

// unhold ends what hold has begun.
func (c *Call) unhold() { c.sending.Done() }

// Detached configures a call that continues after the answer to its request, see [Call.Detach]. Each
// field may be nil. The functions are called concurrently.
type Detached struct {
	// Around wraps the way of the messages that the call sends.
	Around Middleware
	// Reply returns where a message is sent, after it has passed Around; nil means where messages without a
	// request go.
	Reply func() Reply
}

// detachment connects a call with the detached one that continues it. Both have one.
type detachment struct {
	call     *Call         // the detached one
	how      Detached      // of the detached call
	send     Handler       // of its messages; nil for that of the peer
	answered chan struct{} // closed when the first call is over
}

// Detach runs f after the answer to the request, in a goroutine that belongs to the session. A handler
// calls it before it returns. The context of f has the values of ctx and a Call of its own ([CallOf]),
// which sends to the Reply that how.Reply returns and reports progress until f returns; the Call of a
// stateless request can send nothing after the answer. The context ends when cancel is called, when
// the session stops reading from the peer, and, with context.Canceled, when the request is not
// answered. If ok is false, the session is ending and f is not run. F must not panic.
func (c *Call) Detach(ctx context.Context, how Detached, f func(ctx context.Context)) (cancel context.CancelCauseFunc, ok bool) {
	cn := c.conn
	d := cn.newCall(context.WithoutCancel(ctx), c.peer, &jsonrpc.Message{Kind: c.m.Kind, ID: c.id, Method: c.m.Method, Params: c.params})
	d.context.Context, d.cancel = context.WithCancelCause(d.context.Context)
	own := &detachment{call: d, how: how}
	if how.Around != nil {
		own.send = how.Around(func(ctx context.Context, m *Message) (wire.Appender, error) {
			m.sent.to = d.Reply()
			return sender{peer: c.peer}.handler()(ctx, m)
		})
	}
	d.detached.Store(own)
	if !c.key.IsZero() && !c.over.Load() {
		first := &detachment{call: d, answered: make(chan struct{})}
		if c.detached.CompareAndSwap(nil, first) {
			own.answered = first.answered
		}
	}
	// A goroutine that waits for the end of the session would take 3 KB.
	release := context.AfterFunc(cn.life.Background(), func() { d.cancel(ErrClosed) })
	ok = cn.life.Go(func() {
		defer d.cancel(nil)
		defer release()
		defer d.finished()
		if own.answered != nil {
			<-own.answered
		}
		f(&d.context)
	})
	if !ok {
		release()
		d.cancel(ErrClosed)
	}
	return d.cancel, ok
}

// finished ends a call, when the messages that come before its answer are sent.
func (c *Call) finished() {
	c.mu.Lock()
	c.over.Store(true)
	c.mu.Unlock()
	c.sending.Wait()
}

// detachment returns what makes c a detached call, or nil for other calls.
func (c *Call) detachment() *detachment {
	if d := c.detached.Load(); d != nil && d.call == c {
		return d
	}
	return nil
}

// SessionValue returns the session's value for key. It calls made to create the value on first use. The value
// lives as long as the session. The context of made ends when the session stops reading from the peer.
// Its Call does not belong to a message, so the value may keep it, whereas c would retain the memory of
// its request. Made must be quick and must not use the session. A stateless request has no session, so
// each call of SessionValue makes a value, with the context of the request.
func (c *Call) SessionValue(key any, made func(ctx context.Context) any) any {
	if c.peer.serving() {
		return made(&c.context)
	}
	ctx := c.conn.life.Background()
	return c.conn.life.Value(key, func() any {
		session := c.conn.newCall(ctx, c.peer, &jsonrpc.Message{})
		session.over.Store(true)
		return made(&session.context)
	})
}

// The code below decides which notifications the handler of a stateless request may send, and until when. A
// client knows only its own requests, so a notification must belong to a request for whose answer the
// client waits ("Receiving Messages" in basic/transports/stdio, 2026-07-28).

// statelessCall is the Call of a stateless request that this side serves. It has a row; see [Call].
type statelessCall struct{ *Call }

// scoped returns an error if a notification cannot belong to the request. Those for which a server must
// declare a part of a capability, such as tools.listChanged, are for listeners.
func (c *Call) scoped(method string, r *Method) error {
	listeners := method == methodCancelled || method == methodAck || strings.Contains(r.need(), ".")
	switch {
	case listeners || c.id.IsZero():
		return fmt.Errorf("%w: %.100s", ErrNotRequested, method)
	case c.row == nil: // a detached call
		return errAnswered
	}
	return nil
}

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

// Progress reports the progress of the request, if the peer has sent a progress token; otherwise it does
// nothing. Total may be nil and message "". Revision 2024-11-05 has no message, so it is left out there.
//
// A value that is not greater than the last one is not sent, as the protocol requires, and the error says so. A
// value after the answer or the cancellation is not sent either; the error is [ErrNotRequested]. Both are
// logged as warnings, for handlers that ignore the error; a value after the cancellation is not.
func (c *Call) Progress(ctx context.Context, progress float64, total *float64, message string) error {
	token, ok := c.ProgressToken()
	if !ok {
		return nil
	}
	if _, err := c.peer.maySend(jsonrpc.Notification, methodProgress, nil); err != nil {
		return nil // the revision has none
	}
	if c.peer.Revision < revisionProgressMessage && c.peer.Around == nil {
		message = ""
	}
	c.reporting.Lock()
	defer c.reporting.Unlock()
	if !c.hold() {
		if _, cancelled := errors.AsType[*CancelledError](context.Cause(&c.context)); !cancelled {
			c.conn.logger().Warn("progress after the answer was dropped", "method", c.m.Method, "id", c.id, "progress", progress)
		}
		return errAnswered
	}
	defer c.unhold()
	switch {
	case c.context.Err() != nil:
		return errAnswered
	case c.reported && progress <= c.progress:
		if !c.fell {
			c.fell = true
			c.conn.logger().Warn("progress that does not grow was dropped; further ones of the request are not logged", "method", c.m.Method, "id", c.id, "progress", progress, "last", c.progress)
		}
		return fmt.Errorf("runtime: the progress %v is not greater than the last one, %v", progress, c.progress)
	}
	params := &progressParams{token, progress, total, message}
	if err := c.caller().Notify(ctx, methodProgress, params); err != nil {
		return err
	}
	c.progress, c.reported = progress, true
	return nil
}

// ProgressToken returns the token under which the peer wants reports of progress. It returns false if
// the peer wants none.
func (c *Call) ProgressToken() (wire.Scalar, bool) {
	token := progressToken(c.Meta())
	return token, !token.IsZero()
}

// progressToken returns the token in a _meta, or the zero Scalar.
func progressToken(meta wire.Object) wire.Scalar {
	token, _ := meta.GetScalar("progressToken")
	if !token.Is(wire.KindString | wire.KindInteger) {
		return wire.Scalar{}
	}
	return token
}

// progressParams are the params of notifications/progress.
type progressParams struct {
	token    wire.Scalar
	progress float64
	total    *float64
	message  string
}

// AppendJSON appends the params object.
func (p *progressParams) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.ObjectWriter(dst)
	w.Value("progressToken", &p.token)
	w.Float64("progress", p.progress)
	w.Float64Pointer("total", p.total)
	if p.message != "" {
		w.String("message", p.message)
	}
	return w.Close()
}

// Progress is a report of the progress of a request.
type Progress struct {
	Progress float64  // grows from one report to the next
	Total    *float64 // what Progress will be at the end; nil if unknown
	Message  string   // for people; "" if there is none
	Params   wire.Raw // of the notification as it was received
}

type progressKey struct{}

// WithProgress returns a context for requests whose progress is reported. A request with that context,
// or with one derived from it, carries its id as progress token, which replaces a token in its params.
// Report is called in the goroutine that makes the request, and not after the request has returned.
// Reports that do not grow are dropped, and so are the oldest ones if report is slow. Each report renews
// the timeout of the request, see [Limits] ("Progress flow" in basic/utilities/progress, "Timeouts" in
// basic/lifecycle). A handler for notifications/progress gets only reports that arrive after the
// answer; [Follow] passes those to report as well.
func WithProgress(ctx context.Context, report func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// Follow calls work with a context derived from ctx and returns its error. If ctx comes from
// [WithProgress], the progress of the first request that work makes is reported until work returns, not
// only until the request is answered. It is meant for tasks, which continue after the answer ("Task
// Progress Notifications" in basic/utilities/tasks). The other requests of work carry no progress token.
// Work then runs in another goroutine, and report is called in the one that calls Follow.
func Follow(ctx context.Context, work func(ctx context.Context) error) error {
	report, ok := ctx.Value(progressKey{}).(func(Progress))
	if !ok {
		return work(ctx)
	}
	f := &follower{feed: engine.NewFeed()}
	defer f.end()
	done := make(chan error, 1)
	var panicked string
	go func() {
		err := errors.New("runtime: the function given to Follow did not return")
		defer func() {
			if v := recover(); v != nil {
				panicked = fmt.Sprintf("%v\n\n%s", v, debug.Stack())
			}
			done <- err
		}()
		err = work(context.WithValue(ctx, progressKey{}, f))
	}()
	reports := f.feed.Reports()
	for {
		select {
		case r := <-reports:
			report(Progress(r))
		case err := <-done:
			if panicked != "" {
				panic(panicked) // the goroutine of a handler recovers panics
			}
			for len(reports) > 0 {
				report(Progress(<-reports))
			}
			return err
		}
	}
}

// follower is the value of the context that Follow makes.
type follower struct {
	feed *engine.Feed
	conn atomic.Pointer[conn] // that of the first request; nil before it
}

func (f *follower) end() {
	if cn := f.conn.Load(); cn != nil {
		cn.pending.Unfollow(f.feed)
	}
}

// reporterOf returns the receiver of the progress of a request that is made with ctx, or the feed if [Follow] receives
// it.
func reporterOf(ctx context.Context, cn *conn) (report func(engine.Report), follow *engine.Feed) {
	switch v := ctx.Value(progressKey{}).(type) {
	case func(Progress):
		return func(r engine.Report) { v(Progress(r)) }, nil
	case *follower:
		if v.conn.CompareAndSwap(nil, cn) {
			return nil, v.feed
		}
	}
	return nil, nil
}

// takeProgress passes a progress notification to the request with its token. It returns false if there
// is none.
func (cn inbox) takeProgress(params wire.Raw) bool {
	o := wire.Object(params)
	token, _ := o.GetScalar("progressToken")
	id, ok := token.Int64()
	if !ok {
		return false
	}
	value, _ := o.GetScalar("progress")
	progress, ok := value.Float64()
	if !ok {
		return false
	}
	report := engine.Report{Progress: progress, Message: strings.Clone(o.GetString("message")), Params: params}
	if value, _ := o.GetScalar("total"); !value.IsZero() {
		if total, ok := value.Float64(); ok {
			report.Total = &total
		}
	}
	wanted, grows := cn.pending.Report(id, report)
	if !grows {
		cn.debug("progress that does not grow dropped", slog.Float64("progress", progress))
	}
	return wanted
}

package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// inbox is the Inbox of a connection. It takes messages in their order of arrival: it registers and cancels requests,
// and passes answers on. What can be done in any order it leaves to its caller.
type inbox struct{ *conn }

// Accept implements Inbox.
func (cn inbox) Accept(in Incoming) (run func()) {
	if !cn.manyPeers {
		cn.taking.Lock()
		defer cn.taking.Unlock()
	}
	if cn.life.Stopped() {
		return unanswered
	}
	step := cn.take(&in)
	run = step.Serve
	step.Serve = nil
	step.Do()
	return run
}

// Restore implements Inbox.
func (cn inbox) Restore(h Handshake) {
	if cn.serverSide != nil {
		cn.serverSide.restore(h)
	}
}

// Listens implements Inbox.
func (cn inbox) Listens(missed bool) {
	if cn.serverSide == nil || cn.serverSide.session.peer == nil {
		return
	}
	cn.serverSide.joinAudience()
	if missed {
		cn.serverSide.server.audience.missed(&cn.serverSide.session)
	}
}

// Lose implements Inbox.
func (cn inbox) Lose(id wire.Scalar, err error) {
	cn.pending.Resolve(id, engine.Answer{Err: err})
}

// Read makes the session read from a transport by itself, so that a call need not wake another goroutine. The Start of
// package stdio calls it in place of Accept and End.
func (cn inbox) Read(from engine.Source[Incoming]) {
	r := &engine.Reader{Ended: cn.end, Waiting: cn.pending.Waiting, Buffered: from.Buffered, Interrupt: from.Interrupt}
	r.Receive = func() (step engine.Step, err error) {
		in, err := from.Receive(cn.life.Context(), cn.limits.MaxMessage)
		if err == nil {
			step = cn.take(&in)
		}
		return step, err
	}
	cn.reader.Store(r)
	r.Start()
}

// tooLong refuses a message that is longer than the session allows.
func (cn inbox) tooLong(in *Incoming) {
	err := jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", cn.limits.MaxMessage)
	if !in.Answers.IsZero() {
		cn.noAnswer(in, unwrapped(err))
		return
	}
	cn.logBad("message refused", err, "")
	cn.refuse(wire.Scalar{}, err, in.Reply)
}

// take handles a message or a batch, except for the part that is left to the step that it returns.
// Unless there are many peers, only one goroutine calls it at a time.
func (cn inbox) take(in *Incoming) (step engine.Step) {
	if cn.limits.KeepAlive > 0 {
		cn.heard.Store(int64(time.Since(started)))
	}
	if len(in.Text) > cn.limits.MaxMessage {
		cn.tooLong(in)
		return step
	}
	if !in.Answers.IsZero() {
		return cn.takeAnswer(in)
	}
	m := in.Content()
	switch {
	case m.IsBatch:
		step.Serve, _ = cn.takeBatch(in)
	case m.Err != nil:
		cn.malformed(&m.Message, m.Err, in.Text, in.Reply)
	case m.Kind == jsonrpc.Request:
		step.Serve = cn.takeRequest(&m.Message, in)
	case m.Kind == jsonrpc.Notification:
		step.Serve = cn.takeNotification(&m.Message, in)
	default:
		step = cn.takeResponse(&m.Message, in)
	}
	return step
}

// takeRequest makes a request ready to be served. It returns the function that serves it, or nil if it is
// answered.
func (cn inbox) takeRequest(m *jsonrpc.Message, in *Incoming) (serve func()) {
	a, err := cn.side.admit(*m, in.Header)
	if err != nil {
		cn.refuseRequest(m, in, notAllowed, err)
		return nil
	}
	c := cn.received(m, a, in)
	if len(c.params) > maxToken || m.Method == methodListen {
		if err := c.shorten(); err != nil {
			cn.refuseRequest(m, in, notAllowed, err)
			return nil
		}
	}
	if verdict, err := cn.requests.begin(cn.life.Context(), c); err != nil {
		cn.refuseRequest(m, in, verdict, err)
		return nil
	}
	if a.inline {
		var served sync.WaitGroup
		served.Go(c.serve) // the goroutine that reads would not survive a runtime.Goexit
		served.Wait()
		if cn.life.Stopped() {
			return unanswered
		}
		return nil
	}
	if in.ContextCancels {
		c.unbind = context.AfterFunc(in.Context, c.disconnected) // a goroutine that waits would take 3 KB
	}
	return c.serve
}

// refuseRequest answers a request that is not begun with an error.
func (cn inbox) refuseRequest(m *jsonrpc.Message, in *Incoming, why verdict, err error) {
	cn.debug("request refused", slog.String("method", m.Method), loggedID(m.ID), slog.Any("error", err))
	if why == busy {
		cn.logger().Warn("too many requests in flight", "method", m.Method, "id", m.ID)
	}
	_, batch := in.Reply.(*batched)
	switch {
	case why == busy && in.Reply == nil:
		cn.refuseLater(m.ID.Clone(), err)
	case why == duplicate && (in.Reply == nil || batch):
		// Without an id, because the peer would take it for the answer to the first request, which shares the channel.
		cn.refuse(wire.Scalar{}, err, in.Reply)
	default:
		cn.refuse(m.ID, err, in.Reply)
	}
}

// maxToken limits the length of a progress token, in bytes. Each report of progress repeats it.
const maxToken = 1 << 10

// shorten returns an error if the progress token is too long. It copies what a long-lived request keeps, so that the
// text of its message can be released.
func (c request) shorten() error {
	if token, _ := c.Meta().Get("progressToken"); len(token) > maxToken {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /_meta/progressToken: longer than %d bytes", maxToken)
	}
	if c.row != nil && c.m.Method == methodListen {
		return statelessCall(c).shrink()
	}
	return nil
}

// unanswered is the function of Accept for a request that gets no answer.
func unanswered() {}

// refuseLater refuses a request in another goroutine, so that a peer that does not read answers does not keep this
// side from reading, and from noticing that the peer has closed its output.
func (cn inbox) refuseLater(id wire.Scalar, err error) {
	if !cn.queue.Add(cn.life.Context(), 0, func() { cn.refuse(id, err, nil) }) {
		cn.giveUp(errUnread)
	}
}

// takeNotification queues a notification for its handler. If it has no order among others, the handler is called
// by the function that takeNotification returns, which is nil otherwise.
func (cn inbox) takeNotification(m *jsonrpc.Message, in *Incoming) (handle func()) {
	if m.Method == methodCancelled && !cn.requests.cancel(m.Params) {
		cn.forward(m, in)
	}
	admitted, err := cn.side.admit(*m, in.Header)
	if err != nil {
		cn.debug("notification ignored", slog.String("method", m.Method), slog.Any("error", err))
		return nil
	}
	if m.Method == methodProgress && cn.takeProgress(m.Params) || cn.side.consumes(*m) {
		return nil
	}
	if m.Method == methodProgress && !cn.forward(m, in) && in.Forwarded {
		return nil // the server that received it first has a handler for it
	}
	c := cn.received(m, admitted, in)
	if cn.manyPeers {
		return c.serveNotification
	}
	if !cn.queue.Add(cn.life.Context(), len(m.Params), c.serveNotification) {
		cn.logger().Warn("notification dropped: too many are waiting", "method", m.Method)
	}
	return nil
}

// takeAnswer takes a text that must be the answer to a request of this side. If it is not, the call
// that waits for the answer fails with an error that quotes the text.
func (cn inbox) takeAnswer(in *Incoming) (step engine.Step) {
	var why error
	m := in.Content()
	if m.IsBatch {
		if step.Serve, why = cn.takeBatch(in); why != nil {
			why = unwrapped(why)
		} else {
			why = errors.New("the batch has no answer to it")
		}
	} else if m.Err != nil {
		why = unwrapped(m.Err)
	} else if m.Kind != jsonrpc.Response {
		unasked := *in
		unasked.Answers = wire.Scalar{}
		step = cn.take(&unasked) // it is handled although it is not the answer
		why = fmt.Errorf("it is a %s, %.100q", m.Kind, m.Method)
	} else if m.ID.IsZero() {
		why = prefix.Errorf("it is an error without an id: %w", m.Error)
	} else if step = cn.takeResponse(&m.Message, in); m.ID.Canonical() == in.Answers.Canonical() {
		return step
	} else {
		why = fmt.Errorf("it answers the request with id %.100s", m.ID.String())
	}
	cn.noAnswer(in, why)
	return step
}

// noAnswer fails the call whose answer a text should have been.
func (cn inbox) noAnswer(in *Incoming, why error) {
	err := prefix.Errorf("runtime: the response holds no answer to request %s: %w; received %.200q", in.Answers.String(), why, in.Text)
	if cn.pending.Resolve(in.Answers, engine.Answer{Err: err}) {
		cn.logger().Warn("bad response", "error", err)
	}
}

// takeResponse returns the step that hands a response to its caller.
func (cn inbox) takeResponse(m *jsonrpc.Message, in *Incoming) engine.Step {
	r := engine.Answer{Result: m.Result}
	if m.Error != nil {
		r.Err = m.Error
	}
	step, ok := cn.pending.Take(m.ID, r)
	switch {
	case ok:
	case m.ID.IsZero() && m.Error != nil:
		cn.logger().Warn("the peer could not read a message", "error", m.Error)
	case cn.forward(m, in):
	default:
		cn.debug("response to no request in flight dropped")
	}
	return step
}

// forward passes a message about a request that is not in flight here to a transport that knows other
// servers with the session. It returns false if there is none.
func (cn inbox) forward(m *jsonrpc.Message, in *Incoming) bool {
	f, ok := cn.transport.(Replicated)
	if ok = ok && !in.Forwarded; ok {
		f.Forward(*m)
	}
	return ok
}

// malformed answers a text that is not a valid message. The error for a bad response has no id,
// because the peer could confuse the id of the response with that of its own request. The call that
// waits for the response fails. An object of unknown kind is a bad response if a call waits for one with its id.
func (cn inbox) malformed(m *jsonrpc.Message, err error, text string, to Reply) {
	cn.logBad("bad message", err, text)
	id := m.ID
	if cn.serverSide == nil && m.Method == "" {
		id = wire.Scalar{}
	}
	bad := engine.Answer{Err: prefix.Errorf("runtime: bad response: %w", unwrapped(err))}
	if m.Kind == jsonrpc.Response || m.Kind == 0 {
		if cn.pending.Resolve(m.ID, bad) || m.Kind == jsonrpc.Response {
			id = wire.Scalar{}
		}
	}
	cn.refuse(id, err, to)
}

// maxBad is up to how many bad texts of a session each is logged. Beyond that, a text is logged when
// their number is a power of two.
const maxBad = 16

// logBad logs that a text is not a message. A client also logs the beginning of the text, which a
// server may have printed by mistake.
func (cn inbox) logBad(event string, err error, text string) {
	count := cn.bad.Add(1)
	if count > maxBad && count&(count-1) != 0 {
		return
	}
	attrs := []any{"error", err, "count", count}
	if cn.serverSide == nil && text != "" {
		attrs = append(attrs, "text", text[:min(len(text), 200)])
	}
	cn.logger().Warn(event, attrs...)
}

// refuse answers a request with an error. A zero id means that the id is unknown. A client does not answer text that
// is not a message, such as a line of the server's log, because the server does not expect answers to it.
func (cn inbox) refuse(id wire.Scalar, err error, to Reply) {
	if cn.silent() {
		return
	}
	if id.IsZero() {
		if cn.serverSide == nil {
			skip(to)
			return
		}
		id = cn.unknownID()
	}
	buf := cn.buffers.get()
	defer cn.buffers.put(buf)
	cn.send(cn.life.Context(), buf, to, Outgoing{Kind: jsonrpc.Response, ID: id, Err: cn.encodeError(buf, id, err),
		Refused: true, NotBegun: errors.Is(err, errNotBegun) || errors.Is(err, errNotBegunStateless)})
}

// unknownID returns the id in a server's error answer to a request whose id is unknown. JSON-RPC requires null, which
// no schema of the protocol allows. It is zero in revisions whose schema allows an absent id.
func (cn inbox) unknownID() wire.Scalar {
	maybeStateless := cn.peer.Revision == "" && cn.serverSide.stateless
	if maybeStateless || cn.peer.Revision >= revisionNoID {
		return wire.Scalar{}
	}
	return wire.NullScalar()
}

// silent reports whether this side answers no requests: a client without a session gets none ("Sending
// Messages" in basic/transports/stdio, 2026-07-28).
func (cn inbox) silent() bool { return cn.serverSide == nil && cn.peer.stateless }

// takeBatch takes the messages of an array. It returns the function that waits for the requests in it, or nil.
// If the batch is not allowed, it sends an error and returns it.
func (cn inbox) takeBatch(in *Incoming) (run func(), err error) {
	items, err := in.Content().Batch, in.Content().Err
	if err == nil && cn.peer.Revision != revisionBatches {
		err = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: no batches in this revision or before initialize")
	}
	if err != nil {
		cn.logBad("batch refused", err, in.Text)
		cn.refuse(wire.Scalar{}, err, in.Reply)
		return nil, err
	}
	b := &batch{conn: cn.conn, to: in.Reply, left: 1}
	for i := range items {
		if items[i].Err != nil || items[i].Kind == jsonrpc.Request {
			b.left++
		}
	}
	var serving sync.WaitGroup
	for i := range items {
		item := *in
		item.Text, item.Answers, item.Reply = "", wire.Scalar{}, &batched{b}
		item.content = items[i]
		step := cn.take(&item)
		if step.Serve != nil {
			serving.Go(step.Serve) // at once, because those that follow may wait for its end
			step.Serve, run = nil, serving.Wait
		}
		step.Do()
	}
	b.add(nil)
	return run, nil
}

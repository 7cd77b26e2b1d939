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

func (p inbox) Accept(in Incoming) (run func()) {
	if !p.many {
		p.taking.Lock()
		defer p.taking.Unlock()
	}
	if p.life.Stopped() {
		return unanswered
	}
	step := p.take(&in)
	run = step.Serve
	step.Serve = nil
	step.Do()
	return run
}

func (p inbox) Restore(h Handshake) {
	if p.server != nil {
		p.server.restore(h)
	}
}

func (p inbox) Listens(missed bool) {
	if p.server == nil || p.server.session.peer == nil {
		return
	}
	p.server.announce()
	if missed {
		p.server.of.audience.missed(&p.server.session)
	}
}

func (p inbox) Lose(id wire.Scalar, err error) {
	p.pending.Resolve(id, engine.Answer{Err: err})
}

// Read makes the session read from a transport by itself, so that a call need not wake another goroutine. The Start of
// package stdio calls it in place of Accept and End.
func (p inbox) Read(from engine.Source[Incoming]) {
	r := &engine.Reader{Ended: p.end, Waiting: p.pending.Waiting, Buffered: from.Buffered, Interrupt: from.Interrupt}
	r.Receive = func() (step engine.Step, err error) {
		in, err := from.Receive(p.life.Context(), p.limits.MaxMessage)
		if err == nil {
			step = p.take(&in)
		}
		return step, err
	}
	p.reader.Store(r)
	r.Start()
}

// tooLong refuses a message that is longer than the session allows.
func (p inbox) tooLong(in *Incoming) {
	err := jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", p.limits.MaxMessage)
	if !in.Answers.IsZero() {
		p.noAnswer(in, unwrapped(err))
		return
	}
	p.logBad("message refused", err, "")
	p.refuse(wire.Scalar{}, err, in.Reply)
}

// take handles a message or a batch, except for the part that is left to the step that it returns.
// Unless there are many peers, only one goroutine calls it at a time.
func (p inbox) take(in *Incoming) (step engine.Step) {
	if p.limits.KeepAlive > 0 {
		p.heard.Store(int64(time.Since(started)))
	}
	if len(in.Text) > p.limits.MaxMessage {
		p.tooLong(in)
		return step
	}
	if !in.Answers.IsZero() {
		return p.takeAnswer(in)
	}
	m := in.Content()
	switch {
	case m.IsBatch:
		step.Serve, _ = p.takeBatch(in)
	case m.Err != nil:
		p.malformed(&m.Message, m.Err, in.Text, in.Reply)
	case m.Kind == jsonrpc.Request:
		step.Serve = p.takeRequest(&m.Message, in)
	case m.Kind == jsonrpc.Notification:
		step.Serve = p.takeNotification(&m.Message, in)
	default:
		step = p.takeResponse(&m.Message, in)
	}
	return step
}

// takeRequest makes a request ready to be served. It returns the function that serves it, or nil if it is
// answered.
func (p inbox) takeRequest(m *jsonrpc.Message, in *Incoming) (serve func()) {
	var c request
	verdict := shutDown
	a, err := p.side.admit(*m, in.Header)
	if err == nil {
		c = p.received(m, a, in)
		if len(c.params) > maxToken || m.Method == methodListen {
			err = c.shorten()
		}
	}
	if err == nil {
		verdict, err = p.requests.begin(p.life.Context(), c)
	}
	switch {
	case err != nil:
	case a.inline:
		var served sync.WaitGroup
		served.Go(c.serve) // the goroutine that reads would not survive a runtime.Goexit
		served.Wait()
		if p.life.Stopped() {
			return unanswered
		}
		return nil
	default:
		if in.ContextCancels {
			c.unbind = context.AfterFunc(in.Context, c.disconnected) // a goroutine that waits would take 3 KB
		}
		return c.serve
	}
	p.debug("request refused", slog.String("method", m.Method), loggedID(m.ID), slog.Any("error", err))
	if verdict == busy {
		p.logger().Warn("too many requests in flight", "method", m.Method, "id", m.ID)
	}
	_, batch := in.Reply.(*batched)
	switch {
	case verdict == busy && in.Reply == nil:
		p.refuseLater(m.ID.Clone(), err)
	case verdict == duplicate && (in.Reply == nil || batch):
		// Without an id, because the peer would take it for the answer to the first request, which shares the channel.
		p.refuse(wire.Scalar{}, err, in.Reply)
	default:
		p.refuse(m.ID, err, in.Reply)
	}
	return nil
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
func (p inbox) refuseLater(id wire.Scalar, err error) {
	if !p.queue.Add(p.life.Context(), 0, func() { p.refuse(id, err, nil) }) {
		p.giveUp(errUnread)
	}
}

// takeNotification queues a notification for its handler. If it has no order among others, the handler is called
// by the function that takeNotification returns, which is nil otherwise.
func (p inbox) takeNotification(m *jsonrpc.Message, in *Incoming) (handle func()) {
	if m.Method == methodCancelled && !p.requests.cancel(m.Params) {
		p.forward(m, in)
	}
	admitted, err := p.side.admit(*m, in.Header)
	if err != nil {
		p.debug("notification ignored", slog.String("method", m.Method), slog.Any("error", err))
		return nil
	}
	if m.Method == methodProgress && p.takeProgress(m.Params) || p.side.notified(*m) {
		return nil
	}
	if m.Method == methodProgress && !p.forward(m, in) && in.Forwarded {
		return nil // the server that received it first has a handler for it
	}
	c := p.received(m, admitted, in)
	if p.many {
		return c.notified
	}
	if !p.queue.Add(p.life.Context(), len(m.Params), c.notified) {
		p.logger().Warn("notification dropped: too many are waiting", "method", m.Method)
	}
	return nil
}

// takeAnswer takes a text that must be the answer to a request of this side. If it is not, the call
// that waits for the answer fails with an error that quotes the text.
func (p inbox) takeAnswer(in *Incoming) (step engine.Step) {
	var why error
	m := in.Content()
	if m.IsBatch {
		if step.Serve, why = p.takeBatch(in); why != nil {
			why = unwrapped(why)
		} else {
			why = errors.New("the batch has no answer to it")
		}
	} else if m.Err != nil {
		why = unwrapped(m.Err)
	} else if m.Kind != jsonrpc.Response {
		unasked := *in
		unasked.Answers = wire.Scalar{}
		step = p.take(&unasked) // it is handled although it is not the answer
		why = fmt.Errorf("it is a %s, %.100q", m.Kind, m.Method)
	} else if m.ID.IsZero() {
		why = prefix.Errorf("it is an error without an id: %w", m.Error)
	} else if step = p.takeResponse(&m.Message, in); m.ID.Canonical() == in.Answers.Canonical() {
		return step
	} else {
		why = fmt.Errorf("it answers the request with id %.100s", m.ID.String())
	}
	p.noAnswer(in, why)
	return step
}

// noAnswer fails the call whose answer a text should have been.
func (p inbox) noAnswer(in *Incoming, why error) {
	err := prefix.Errorf("runtime: the response holds no answer to request %s: %w; received %.200q", in.Answers.String(), why, in.Text)
	if p.pending.Resolve(in.Answers, engine.Answer{Err: err}) {
		p.logger().Warn("bad response", "error", err)
	}
}

// takeResponse returns the step that hands a response to its caller.
func (p inbox) takeResponse(m *jsonrpc.Message, in *Incoming) engine.Step {
	r := engine.Answer{Result: m.Result}
	if m.Error != nil {
		r.Err = m.Error
	}
	step, ok := p.pending.Take(m.ID, r)
	switch {
	case ok:
	case m.ID.IsZero() && m.Error != nil:
		p.logger().Warn("the peer could not read a message", "error", m.Error)
	case p.forward(m, in):
	default:
		p.debug("response to no request in flight dropped")
	}
	return step
}

// forward passes a message about a request that is not in flight here to a transport that knows other
// servers with the session. It returns false if there is none.
func (p inbox) forward(m *jsonrpc.Message, in *Incoming) bool {
	f, ok := p.transport.(Replicated)
	if ok = ok && !in.Forwarded; ok {
		f.Forward(*m)
	}
	return ok
}

// malformed answers a text that is not a valid message. The error for a bad response has no id,
// because the peer could confuse the id of the response with that of its own request. The call that
// waits for the response fails. An object of unknown kind is a bad response if a call waits for one with its id.
func (p inbox) malformed(m *jsonrpc.Message, err error, text string, to Reply) {
	p.logBad("bad message", err, text)
	id := m.ID
	if p.server == nil && m.Method == "" {
		id = wire.Scalar{}
	}
	bad := engine.Answer{Err: prefix.Errorf("runtime: bad response: %w", unwrapped(err))}
	if m.Kind == jsonrpc.Response || m.Kind == 0 {
		if p.pending.Resolve(m.ID, bad) || m.Kind == jsonrpc.Response {
			id = wire.Scalar{}
		}
	}
	p.refuse(id, err, to)
}

// maxBad is up to how many bad texts of a session each is logged. Beyond that, a text is logged when
// their number is a power of two.
const maxBad = 16

// logBad logs that a text is not a message. A client also logs the beginning of the text, which a
// server may have printed by mistake.
func (p inbox) logBad(event string, err error, text string) {
	count := p.bad.Add(1)
	if count > maxBad && count&(count-1) != 0 {
		return
	}
	attrs := []any{"error", err, "count", count}
	if p.server == nil && text != "" {
		attrs = append(attrs, "text", text[:min(len(text), 200)])
	}
	p.logger().Warn(event, attrs...)
}

// refuse answers a request with an error. A zero id means that the id is unknown. A client does not answer text that
// is not a message, such as a line of the server's log, because the server does not expect answers to it.
func (p inbox) refuse(id wire.Scalar, err error, to Reply) {
	if p.silent() {
		return
	}
	if id.IsZero() {
		if p.server == nil {
			skip(to)
			return
		}
		id = p.unknownID()
	}
	buf := p.buffers.get()
	defer p.buffers.put(buf)
	p.send(p.life.Context(), buf, to, Outgoing{Kind: jsonrpc.Response, ID: id, Err: p.encodeError(buf, id, err),
		Refused: true, NotBegun: errors.Is(err, errNotBegun) || errors.Is(err, errNotBegunStateless)})
}

// unknownID returns the id in a server's error answer to a request whose id is unknown. JSON-RPC requires null, which
// no schema of the protocol allows. It is zero in revisions whose schema allows an absent id.
func (p inbox) unknownID() wire.Scalar {
	maybeStateless := p.peer.Revision == "" && p.server.stateless
	if maybeStateless || p.peer.Revision >= revisionNoID {
		return wire.Scalar{}
	}
	return wire.NullScalar()
}

// silent reports whether this side answers no requests: a client without a session gets none ("Sending
// Messages" in basic/transports/stdio, 2026-07-28).
func (p inbox) silent() bool { return p.server == nil && p.peer.stateless }

// takeBatch takes the messages of an array. It returns the function that waits for the requests in it, or nil.
// If the batch is not allowed, it sends an error and returns it.
func (p inbox) takeBatch(in *Incoming) (run func(), err error) {
	items, err := in.Content().Batch, in.Content().Err
	if err == nil && p.peer.Revision != revisionBatches {
		err = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: no batches in this revision or before initialize")
	}
	if err != nil {
		p.logBad("batch refused", err, in.Text)
		p.refuse(wire.Scalar{}, err, in.Reply)
		return nil, err
	}
	b := &batch{conn: p.conn, to: in.Reply, left: 1}
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
		step := p.take(&item)
		if step.Serve != nil {
			serving.Go(step.Serve) // at once, because those that follow may wait for its end
			step.Serve, run = nil, serving.Wait
		}
		step.Do()
	}
	b.add(nil)
	return run, nil
}

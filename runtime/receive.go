package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// receive reads and takes a message. It is Receive of engine.Reader.
func (p *conn) receive() (engine.Step, error) {
	in, err := p.source.transport.Receive(p.life.Context(), p.limits.MaxMessage)
	switch {
	case err == nil:
		return p.take(&in), nil
	case p.received(&in, err):
		return engine.Step{}, nil
	}
	return engine.Step{}, err
}

// received handles an error of Receive. It returns false if the error ends the session.
func (p *conn) received(in *Incoming, err error) bool {
	if lost, ok := errors.AsType[*AnswerError](err); ok {
		p.pending.Resolve(lost.ID, engine.Reply{Err: lost.Err})
		return true
	}
	refusal, ok := asError(err)
	if ok {
		p.logBad("message refused", refusal, "")
		p.refuse(wire.Scalar{}, refusal, in.Reply)
	}
	return ok
}

// take handles a message or a batch, except for the part that is left to the step that it returns.
// Unless there are many peers, only one goroutine calls it at a time.
func (p *conn) take(in *Incoming) engine.Step {
	p.silence.end()
	if !in.Answers.IsZero() {
		return p.takeAnswer(in)
	}
	switch m := in.Content(); {
	case m.IsBatch:
		run, _ := p.takeBatch(in)
		return engine.Step{Serve: run}
	case m.Err != nil:
		p.malformed(&m.Message, m.Err, in.Text, in.Reply)
		return engine.Step{}
	default:
		return p.takeMessage(&m.Message, in, in.Reply)
	}
}

// unanswered is the function of Accept for a request that gets no answer.
func unanswered() {}

// takeMessage is take for a parsed message, which may be part of a batch.
func (p *conn) takeMessage(m *jsonrpc.Message, in *Incoming, to Reply) (step engine.Step) {
	switch m.Kind {
	case jsonrpc.Request:
		step.Serve = p.takeRequest(m, in, to)
	case jsonrpc.Notification:
		step.Serve = p.takeNotification(m, in)
	case jsonrpc.Response:
		step = p.takeResponse(m, in)
	}
	return step
}

// takeAnswer takes a text that must be the answer to a request of this side. If it is not, the call
// that waits for the answer fails with an error that quotes the text.
func (p *conn) takeAnswer(in *Incoming) (step engine.Step) {
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
		step = p.takeMessage(&m.Message, in, in.Reply) // it is handled although it is not the answer
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
func (p *conn) noAnswer(in *Incoming, why error) {
	err := prefix.Errorf("runtime: the response holds no answer to request %s: %w; received %.200q", in.Answers.String(), why, in.Text)
	if p.pending.Resolve(in.Answers, engine.Reply{Err: err}) {
		p.logger().Warn("bad response", "error", err)
	}
}

// takeResponse returns the step that hands a response to its caller.
func (p *conn) takeResponse(m *jsonrpc.Message, in *Incoming) engine.Step {
	r := engine.Reply{Result: m.Result}
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
func (p *conn) forward(m *jsonrpc.Message, in *Incoming) bool {
	f, ok := p.transport.(Replicated)
	if ok = ok && !in.Forwarded; ok {
		f.Forward(*m)
	}
	return ok
}

// malformed answers a text that is not a valid message. The error for a bad response has no id,
// because the peer could confuse the id of the response with that of its own request. The call that
// waits for the response fails.
func (p *conn) malformed(m *jsonrpc.Message, err error, text string, to Reply) {
	p.logBad("bad message", err, text)
	id := m.ID
	if _, answered := p.unknownID(); !answered && m.Method == "" {
		id = wire.Scalar{}
	}
	if m.Kind == jsonrpc.Response {
		p.pending.Resolve(m.ID, engine.Reply{Err: prefix.Errorf("runtime: bad response: %w", unwrapped(err))})
		id = wire.Scalar{}
	}
	p.refuse(id, err, to)
}

// asError returns the *jsonrpc.Error that err is or wraps.
func asError(err error) (*jsonrpc.Error, bool) { return errors.AsType[*jsonrpc.Error](err) }

// unwrapped converts an error of this side's parser to an ordinary error. Callers interpret a
// *jsonrpc.Error as the answer of the peer.
func unwrapped(err error) error {
	if e, ok := asError(err); ok {
		return errors.New(e.Message)
	}
	return err
}

// maxBad is up to how many bad texts of a session each is logged. Beyond that, a text is logged when
// their number is a power of two.
const maxBad = 16

// logBad logs that a text is not a message. A client also logs the beginning of the text, which a
// server may have printed by mistake.
func (p *conn) logBad(event string, err error, text string) {
	count := p.bad.Add(1)
	if count > maxBad && count&(count-1) != 0 {
		return
	}
	attrs := []any{"error", err, "count", count}
	if _, answered := p.unknownID(); !answered && text != "" {
		attrs = append(attrs, "text", text[:min(len(text), 200)])
	}
	p.logger().Warn(event, attrs...)
}

// inbox is the Inbox of a connection.
type inbox struct{ conn *conn }

func (i inbox) Accept(in Incoming) (run func()) {
	p := i.conn
	if !p.many {
		p.taking.Lock()
		defer p.taking.Unlock()
	}
	if p.life.Stopped() {
		return unanswered
	}
	if len(in.Text) > p.limits.MaxMessage {
		err := jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", p.limits.MaxMessage)
		if !in.Answers.IsZero() {
			p.noAnswer(&in, unwrapped(err))
			return nil
		}
		p.received(&in, err)
		return nil
	}
	step := p.take(&in)
	run = step.Serve
	step.Serve = nil
	step.Do()
	return run
}

func (i inbox) Restore(h Handshake) {
	if i.conn.server != nil {
		i.conn.server.restore(h)
	}
}

func (i inbox) Lose(answer *AnswerError) {
	i.conn.pending.Resolve(answer.ID, engine.Reply{Err: answer.Err})
}

func (i inbox) End(why error) { i.conn.end(why) }

func (i inbox) Shutdown(ctx context.Context) {
	i.conn.drain(ctx, nil)
	i.conn.end(ErrClosed)
}

// batch collects the answers to the requests of one incoming batch. When the last one is ready, it
// sends them as one array, in the order in which they became ready.
type batch struct {
	conn *conn
	to   Reply

	mu   sync.Mutex
	left int    // number of missing answers, plus one until all messages are taken
	text []byte // the array so far, "[" and no "]"

	abandoned bool // a handler does not return, see Outgoing
}

// batched is the Reply of one message in a batch.
type batched struct{ *batch }

// takeBatch takes the messages of an array. It returns the function that serves the requests in it, or nil.
// If the batch is not allowed, it sends an error and returns it.
func (p *conn) takeBatch(in *Incoming) (run func(), err error) {
	items, err := in.Content().Batch, in.Content().Err
	if err == nil && !p.batches() {
		err = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: no batches in this revision or before initialize")
	}
	if err != nil {
		p.logBad("batch refused", err, in.Text)
		p.refuse(wire.Scalar{}, err, in.Reply)
		return nil, err
	}
	b := &batch{conn: p, to: in.Reply, left: 1}
	for i := range items {
		if items[i].Err != nil || items[i].Kind == jsonrpc.Request {
			b.left++
		}
	}
	var serves []func()
	for i := range items {
		m, to := &items[i].Message, &batched{b}
		if err := items[i].Err; err != nil {
			p.malformed(m, err, "", to)
			continue
		}
		step := p.takeMessage(m, in, to)
		if step.Serve != nil {
			serves = append(serves, step.Serve)
			step.Serve = nil
		}
		step.Do()
	}
	b.add(nil)
	if len(serves) == 0 {
		return nil, nil
	}
	return func() {
		var all sync.WaitGroup
		for _, serve := range serves[1:] {
			all.Go(serve)
		}
		serves[0]()
		all.Wait()
	}, nil
}

// Send implements Reply.
func (b *batched) Send(ctx context.Context, m Outgoing) error {
	if m.Kind == jsonrpc.Response {
		b.mu.Lock()
		b.abandoned = b.abandoned || m.Abandoned
		b.mu.Unlock()
		b.add(m.Text)
		return nil
	}
	return b.conn.send(ctx, &m.Text, b.to, m)
}

// Unwrap returns the Reply of the whole batch.
func (b *batched) Unwrap() Reply { return b.to }

// skip records that a message gets no answer, for a batch that waits for it.
func skip(to Reply) {
	if b, ok := to.(*batched); ok {
		b.add(nil)
	}
}

// add adds a copy of an answer. Text is nil if there is none.
func (b *batch) add(text []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if text != nil {
		sep := byte(',')
		if b.text == nil {
			sep = '['
		}
		b.text = append(append(b.text, sep), text...)
	}
	if b.left--; b.left == 0 && b.text != nil {
		b.text = append(b.text, ']')
		b.conn.send(b.conn.life.Context(), &b.text, b.to, Outgoing{Kind: jsonrpc.Response, Abandoned: b.abandoned})
	}
}

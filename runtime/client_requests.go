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
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The members of an InputRequiredResult and of the request that answers it ("InputRequiredResult" in
// basic/patterns/mrtr, 2026-07-28).
const (
	memberInputRequests  = "inputRequests"
	memberInputResponses = "inputResponses"
	memberRequestState   = "requestState"
)

// memberResources is the member of a SubscriptionFilter with the URIs of resources. The other members are
// named after the lists that change, such as toolsListChanged.
const memberResources = "resourceSubscriptions"

// maxLosses is how often a request is sent again because its answer was lost.
const maxLosses = 3

// resultType returns an error for a result that is not complete, unless the revision or an extension defines
// its type. An absent type means that it is complete ("Responses" in basic, 2026-07-28).
func (e *clientSide) resultType(m *Message, result wire.Raw) error {
	kind, ok := wire.NewStringReader(string(result)).PeekRaw("resultType")
	name, text := kind.Str()
	switch {
	case !ok || text && name == resultComplete:
		return nil
	case text && name == resultInputRequired && m.sent.row.Asks:
		if e.rounds < 0 {
			return nil
		}
		return questions(m.Method, wire.Object(result))
	case text && (slices.Contains(m.sent.row.ResultTypes, name) || m.sent.peer.protocol.Forwards || m.sent.peer.extended(m.Method, name)):
		return nil
	}
	return fmt.Errorf("runtime: result of %s: unknown resultType %.100s", m.Method, kind)
}

func questions(method string, result wire.Object) error {
	asked, _ := result.Get(memberInputRequests)
	state, _ := result.Get(memberRequestState)
	if state == "null" {
		state = ""
	}
	if asked.Kind() != wire.KindObject {
		asked = ""
	}
	if asked == "" && state == "" {
		return fmt.Errorf("runtime: result of %s: an InputRequiredResult has neither %s nor %s", method, memberInputRequests, memberRequestState)
	}
	return &QuestionsError{Method: method, Questions: wire.Object(asked), State: state}
}

// ask implements side.
func (e *clientSide) ask(ctx context.Context, m *Message) (wire.Appender, error) {
	if m.sent.peer.asking() {
		return e.askRounds(ctx, m)
	}
	return e.askOnce(ctx, m)
}

// askOnce sends a request, and again if its answer was lost and the request can be sent twice. A revision says so
// of its lists ("Major changes" in changelog, 2026-07-28), and a server of its tools.
func (e *clientSide) askOnce(ctx context.Context, m *Message) (wire.Appender, error) {
	pause := waits.RetryFirst
	for losses := 0; ; losses++ {
		result, err := e.conn.transmit(ctx, m)
		lost, ok := errors.AsType[*LostError](err)
		if !ok || losses == maxLosses || !e.repeats(m.Method, m.Params, m.sent.row) {
			return result, err
		}
		e.conn.debug("request sent again", slog.String("method", m.Method), slog.Any("error", lost))
		if sleep(ctx, pause) != nil {
			return nil, err
		}
		pause *= 2
	}
}

// repeats reports whether a request can be sent twice.
func (e *clientSide) repeats(method string, params wire.Appender, r *row) bool {
	if r.reads() || method != methodCallTool {
		return r.reads()
	}
	_, tool := e.tools.of((&Message{Params: params}).Object())
	return tool != nil && tool.repeatable
}

// askRounds is ask for a revision without sessions: it answers the server's questions and repeats the
// request with the answers, until the result is complete ("Client Requirements" in basic/patterns/mrtr,
// 2026-07-28).
func (e *clientSide) askRounds(ctx context.Context, m *Message) (result wire.Appender, err error) {
	if c := e.cache; c != nil {
		text, l := c.begin(ctx, m)
		if text != "" {
			m.sent.answer = text
			return text, nil
		}
		m.sent.lookup = l
		defer func() { l.failed(err) }()
	}
	start := time.Now()
	if result, err = e.askOnce(ctx, m); err == nil {
		return result, nil
	}
	limit := e.conn.limits.patience(ctx, m.Method).Total
	timeout := &TimeoutError{Method: m.Method, Quiet: limit, Total: limit}
	ctx, stop := limited(ctx, limit, time.Since(start), timeout)
	defer stop()
	if result, err = e.askAgain(ctx, m, err); err != nil && context.Cause(ctx) == timeout {
		return nil, timeout
	}
	return result, err
}

// limited returns a context that ends with the error why when a call has taken as long as limit, of which a
// part has passed. It has no deadline, so that each request of the call keeps its own limit. If limit is 0, the
// call has none.
func limited(ctx context.Context, limit, passed time.Duration, why error) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	// A timer takes 160 bytes, where a goroutine that waits would take 3 KB.
	timer := time.AfterFunc(limit-passed, func() { cancel(why) })
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}

// sendLimit is a context that ends with engine.ErrExpired when a send has waited for the peer as long as limit. It
// allocates nothing more before the first call of Done, which a send to a peer that reads need not make.
type sendLimit struct {
	parent context.Context
	limit  time.Duration

	mu    sync.Mutex
	begun context.Context // nil before the first call of Done
	stop  context.CancelFunc
}

// now returns the context that decides, and lets the time begin if wait is true.
func (l *sendLimit) now(wait bool) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.begun != nil:
		return l.begun
	case !wait:
		return l.parent
	}
	l.begun, l.stop = limited(l.parent, l.limit, 0, engine.ErrExpired)
	return l.begun
}

func (l *sendLimit) Deadline() (time.Time, bool) { return l.parent.Deadline() }
func (l *sendLimit) Done() <-chan struct{}       { return l.now(true).Done() }
func (l *sendLimit) Err() error                  { return l.now(false).Err() }
func (l *sendLimit) Value(key any) any           { return l.now(false).Value(key) }

// end is called when the send has returned.
func (l *sendLimit) end() {
	if l.mu.Lock(); l.stop != nil {
		l.stop()
	}
	l.mu.Unlock()
}

// askAgain makes the further requests of askRounds, of which the first has returned an error.
func (e *clientSide) askAgain(ctx context.Context, m *Message, err error) (result wire.Appender, _ error) {
	p, first := e.conn, m
	pause := waits.RetryFirst
	relisted := false
	for round := 0; err != nil; round++ {
		if refused, ok := asError(err); ok && refused.Code == jsonrpc.CodeHeaderMismatch && m.Method == methodCallTool && !relisted {
			if relisted = true; e.relist(ctx, m.sent.peer) == nil {
				result, err = e.askOnce(ctx, m)
			}
		}
		asked, ok := errors.AsType[*QuestionsError](err)
		switch {
		case !ok:
			return result, err
		case round == p.rounds:
			return nil, prefix.Errorf("runtime: %s is not complete after %d rounds: %w", m.Method, round, err)
		case asked.Questions.Len() == 0: // the server does not say when it wants to be asked again
			if err := sleep(ctx, pause); err != nil {
				return nil, err
			}
			pause *= 2
		}
		answers, failed := e.answers(ctx, m, asked)
		if failed != nil {
			return nil, failed
		}
		m = first.With(&repeated{first.Params, answers, asked.State})
		m.sent.lookup = nil
		result, err = e.askOnce(ctx, m)
	}
	return result, nil
}

// complete implements side.
func (e *clientSide) complete(ctx context.Context, m *Message, text wire.Raw) (wire.Raw, error) {
	if m.sent.peer.asking() {
		if err := e.resultType(m, text); err != nil {
			return "", err
		}
		if m.Method == methodListTools {
			text = e.readTools(ctx, text)
		}
	}
	if err := e.tools.pass(e.conn, m, text); err != nil {
		return "", err
	}
	m.sent.lookup.keep(text)
	return text, nil
}

// sleep waits for d.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// answers returns the answers to a server's questions by their keys. The handlers of the questions run at
// the same time.
func (e *clientSide) answers(ctx context.Context, m *Message, asked *QuestionsError) (wire.Members, error) {
	if n := asked.Questions.Len(); n > e.limits.MaxConcurrent {
		return nil, fmt.Errorf("runtime: the server asks %d questions at once for %s; allowed are %d", n, m.Method, e.limits.MaxConcurrent)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// A context has one parent, and the answers end with the connection, too. A goroutine that waits would take 3 KB.
	defer context.AfterFunc(e.life.Context(), func() { cancel(context.Cause(e.life.Context())) })()
	answers := asked.Questions.Members()
	var running sync.WaitGroup
	for i := range answers {
		running.Add(1)
		if !e.life.Go(func() {
			defer running.Done()
			err := error(errInternal) // unless the handler returns
			defer func() {
				if err != nil {
					cancel(prefix.Errorf("runtime: %s: the question %.100q of the server is not answered: %w", m.Method, answers[i].Name, err))
				}
			}()
			answers[i].Value, err = e.answerQuestion(ctx, m.sent.peer, wire.Object(answers[i].Value))
		}) {
			running.Done()
			cancel(ErrClosed)
		}
	}
	running.Wait()
	return answers, context.Cause(ctx)
}

// answerQuestion calls the handler that would answer the question if it were a request.
func (e *clientSide) answerQuestion(ctx context.Context, t *peer, question wire.Object) (answer wire.Raw, err error) {
	method := question.GetString("method")
	params, _ := question.Get("params")
	if params.Kind() != wire.KindObject {
		params = ""
	}
	r := t.protocol.row(method)
	if !r.Within {
		return "", MethodNotFound(method)
	}
	if need, ok := t.undeclared(r, wire.Object(params)); ok {
		return "", &CapabilityError{Method: method, Capability: need, Own: true}
	}
	c := &Call{conn: e.conn, peer: t}
	c.m.receive(jsonrpc.Request, method, params, c)
	c.context = callContext{Context: ctx, call: c}
	defer c.over.Store(true)
	returned := false
	defer func() {
		if !returned {
			e.logFailure("handler panicked", "method", method, "panic", recover(), "stack", string(debug.Stack()))
			err = errInternal
		}
	}()
	result, err := t.handle(&c.context, &c.m)
	returned = true
	switch {
	case err != nil:
		return "", err
	case result == nil:
		return "", errors.New("runtime: the handler returned no result")
	}
	text, err := wire.MarshalString(result)
	return wire.Raw(text), err
}

// AnswerQuestion returns the answer to a question of a server that is not in a result, but in the state of a task. It
// answers as the client that c belongs to answers those in results; if c belongs to none, other does.
func AnswerQuestion(ctx context.Context, c Caller, question wire.Object, other Handler) (wire.Raw, error) {
	of, _ := c.(sender)
	if session, ok := c.(interface{ sender() sender }); ok {
		of = session.sender()
	}
	if of.conn != nil {
		if e, ok := of.conn.side.(*clientSide); ok {
			return e.answerQuestion(ctx, of.peer, question)
		}
	}
	params, _ := question.Get("params")
	result, err := other(ctx, NewMessage(jsonrpc.Request, question.GetString("method"), ParamsOf(params)))
	if err != nil {
		return "", err
	}
	text, err := wire.MarshalString(result)
	return wire.Raw(text), err
}

// undeclared returns a capability that a request with these params needs and this side has not declared.
func (p *peer) undeclared(r *row, params wire.Object) (capability string, ok bool) {
	if !p.ours.has(r.need) {
		return p.protocol.needs[r.need], true
	}
	for _, f := range r.refined {
		if !p.ours.has(f.need) && f.asked(params) {
			return f.capability, true
		}
	}
	return "", false
}

// repeated is the params of a request that is repeated with answers. It has no state if the server has
// given none in its last result.
type repeated struct {
	params  wire.Appender // of the first request
	answers wire.Members
	state   wire.Raw
}

// AppendJSON appends the params object.
func (r *repeated) AppendJSON(dst []byte) ([]byte, error) {
	params := wire.Object("{}")
	if r.params != nil {
		text, err := wire.MarshalString(r.params)
		if err != nil {
			return dst, err
		}
		params = wire.Object(text)
	}
	w := wire.ObjectWriter(dst)
	w.Members(params.Without(memberInputResponses, memberRequestState).Members())
	if len(r.answers) > 0 {
		w.Name(memberInputResponses)
		w.BeginObject()
		w.Members(r.answers)
		w.EndObject()
	}
	if r.state != "" {
		w.Value(memberRequestState, r.state)
	}
	return w.Close()
}

// relist asks for all pages of the server's tools, so that the transport learns which arguments of tools it
// repeats in headers ("Client Behavior" in basic/transports/streamable-http, 2026-07-28). All pages together
// have the time limit of one request.
func (e *clientSide) relist(ctx context.Context, t *peer) error {
	r, err := t.sending(jsonrpc.Request, methodListTools)
	if err != nil {
		return err
	}
	limit := e.limits.patience(ctx, methodListTools).Quiet
	ctx, stop := limited(ctx, limit, 0, &TimeoutError{Method: methodListTools, Quiet: limit})
	defer stop()
	for _, err := range Pages(func(cursor *string) (none struct{}, next *string, err error) {
		var params wire.Appender
		if cursor != nil {
			text, err := wire.AppendString([]byte(`{"cursor":`), *cursor)
			if err != nil {
				return none, nil, err
			}
			params = wire.Object(append(text, '}'))
		}
		var page wire.Object
		s := sender{conn: e.conn, peer: t}
		m := s.message(jsonrpc.Request, methodListTools, params)
		m.sent.into, m.sent.row = &page, r
		if err := s.do(ctx, m, e.transmit); err != nil {
			return none, nil, err
		}
		return none, new(page.GetString("nextCursor")), nil
	}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// ToolReader is a client's Transport that has to know the definitions of the tools it calls.
type ToolReader interface {
	// ReadTool is called for each definition in a result of tools/list of a revision without sessions.
	// If it returns an error, the transport cannot call the tool, and the client leaves it out of the
	// list. It is called concurrently.
	ReadTool(tool wire.Object) error
}

// readTools passes the tools in a result to the transport. It returns the result without those that the
// transport cannot call, and reports them ("Schema Extension" in basic/transports/streamable-http, 2026-07-28).
func (e *clientSide) readTools(ctx context.Context, result wire.Raw) wire.Raw {
	reader, ok := e.transport.(ToolReader)
	if !ok {
		return result
	}
	list, _ := wire.Object(result).Get("tools")
	if list.Kind() != wire.KindArray {
		return result
	}
	var out []wire.Deviation
	tools := list.Elements()
	kept := tools[:0]
	for i, tool := range tools {
		if tool.Kind() == wire.KindObject {
			if err := reader.ReadTool(wire.Object(tool)); err != nil {
				out = append(out, wire.Deviation{
					Pointer: fmt.Sprintf("/tools/%d", i),
					Problem: fmt.Sprintf("the tool %.100q cannot be called: %s; left out", wire.Object(tool).GetString("name"), prefix.Cut(err)),
					LeftOut: true,
				})
				continue
			}
		}
		kept = append(kept, tool)
	}
	if len(out) == 0 {
		return result
	}
	e.report(ctx, &Deviations{Method: methodListTools, All: out})
	with, err := wire.Object(result).With("tools", wire.ArrayOf(kept))
	if err != nil {
		return result // it is well-formed, so that With does not fail
	}
	return wire.Raw(with)
}

const (
	// maxListed and maxListedBytes limit what a session keeps about tools. Beyond them, all is forgotten.
	maxListed      = 10_000
	maxListedBytes = 16 << 20
)

// listed is what a session knows about the tools that its server has listed. The zero value knows none.
type listed struct {
	mu    sync.Mutex
	tools map[string]*listedTool // by name; those with nothing to know are left out
	bytes int                    // of the schemas
}

// listedTool is a tool that a server has listed.
type listedTool struct {
	repeatable bool     // the server says that it only reads, or that calling it again changes nothing more
	schema     wire.Raw // of its output; "" if there is none or outputs are not checked
	compile    sync.Once
	check      func(content wire.Raw) error // nil if the schema cannot be used; valid after compile
}

// pass learns from a result of tools/list, and checks one of tools/call.
func (o *listed) pass(p *conn, m *Message, result wire.Raw) error {
	switch {
	case m.Method == methodListTools:
		o.learn(wire.Object(result), p.output != nil)
	case m.Method == methodCallTool && p.output != nil:
		return o.checkResult(p, m, wire.Object(result))
	}
	return nil
}

func (o *listed) learn(result wire.Object, outputs bool) {
	list, _ := result.Get("tools")
	if list.Kind() != wire.KindArray {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, tool := range list.Elements() {
		if tool.Kind() != wire.KindObject {
			continue
		}
		name := wire.Object(tool).GetString("name")
		if old := o.tools[name]; old != nil {
			o.bytes -= len(old.schema)
			delete(o.tools, name)
		}
		schema, _ := wire.Object(tool).Get("outputSchema")
		if !outputs || schema.Kind() != wire.KindObject {
			schema = ""
		}
		repeatable := isRepeatable(wire.Object(tool))
		if schema == "" && !repeatable {
			continue
		}
		if o.tools == nil || len(o.tools) >= maxListed || o.bytes+len(schema) > maxListedBytes {
			o.tools, o.bytes = make(map[string]*listedTool), 0
		}
		o.tools[strings.Clone(name)] = &listedTool{repeatable: repeatable, schema: schema.Clone()}
		o.bytes += len(schema)
	}
}

// isRepeatable reports whether the definition of a tool says that a call that is sent twice has the effects of
// one ("ToolAnnotations" in the schema of revisions from 2025-03-26 on).
func isRepeatable(tool wire.Object) bool {
	hints, _ := tool.Get("annotations")
	reads, _ := wire.Object(hints).Get("readOnlyHint")
	idempotent, _ := wire.Object(hints).Get("idempotentHint")
	return reads == "true" || idempotent == "true"
}

// forget is called when the list has changed.
func (o *listed) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tools, o.bytes = nil, 0
}

// of returns what is known about the tool that a request calls, or nil.
func (o *listed) of(params wire.Object) (name string, tool *listedTool) {
	name = params.GetString("name")
	o.mu.Lock()
	defer o.mu.Unlock()
	return name, o.tools[name]
}

// checkResult checks the structured content of a tool that has not failed. A result without any content is
// not that of the tool but says, for example, that the call runs as a task.
func (o *listed) checkResult(p *conn, m *Message, result wire.Object) error {
	name, tool := o.of(m.Object())
	if tool == nil || tool.schema == "" {
		return nil
	}
	failed, _ := result.Get("isError")
	_, unstructured := result.Get("content")
	content, structured := result.Get("structuredContent")
	if failed == "true" || !unstructured && !structured {
		return nil
	}
	tool.compile.Do(func() {
		var err error
		if tool.check, err = p.output(tool.schema); err != nil {
			tool.check = nil
			p.logger().Warn("the output of a tool is not checked: its schema cannot be used", "tool", fmt.Sprintf("%.100s", name), "error", err)
		}
	})
	if tool.check == nil {
		return nil
	}
	err := errors.New("it has none")
	if structured {
		err = tool.check(content)
	}
	if err != nil {
		err = prefix.Errorf("runtime: result of %s: the structured content of tool %.100q does not match its output schema: %w", m.Method, name, err)
	}
	return err
}

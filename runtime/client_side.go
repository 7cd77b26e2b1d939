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
	"time"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// clientSide is one connection of a session, and the client's side of it. It is a session of the protocol, or carries
// requests that have their revision and capabilities. Which of them it is depends on the server.
type clientSide struct {
	*conn
	client *Client
	origin Remote // opens another connection: its transport, or the one whose Fallback that is; nil if neither is a Remote
	server atomic.Pointer[peer]
	done   chan struct{} // closed when the connection is over
	err    error         // error of the connection; valid after done is closed

	tools     knownTools
	listeners listeners
	cache     *resultCache // nil for none
	guessed   bool         // the server was silent to server/discover, which does not show that it has no other revisions
}

// sender returns what sends messages to the server.
func (cs *clientSide) sender() sender { return sender{conn: cs.conn, peer: cs.server.Load()} }

// close ends the connection and waits until all its handlers have returned.
func (cs *clientSide) close() {
	cs.giveUp(ErrClosed)
	<-cs.done
}

// admit implements side.
func (cs *clientSide) admit(m jsonrpc.Message, _ headers.Header) (admission, error) {
	switch {
	case cs.peer.Revision == "":
		return admitPing(&m, cs.client.bindings)
	case cs.peer.stateless && m.Kind == jsonrpc.Request:
		return admission{}, fmt.Errorf("runtime: revision %s has no requests of servers", cs.peer.Revision)
	}
	return cs.peer.admit(&m)
}

// consumes implements side.
func (cs *clientSide) consumes(m jsonrpc.Message) bool {
	if cs.cache != nil {
		cs.cache.invalidate(cs.peer, &m)
	}
	switch m.Method {
	case methodToolsChanged:
		cs.tools.forget()
	case methodCancelled:
		return cs.endSubscription(m.Params)
	}
	return cs.listeners.take(&m)
}

// endSubscription ends the subscription whose request the server cancels, as if it had answered: over stdio, a
// server may send nothing else at the end of one (basic/patterns/cancellation, 2026-07-28). It returns false
// for other requests, which the server must not cancel.
func (cs *clientSide) endSubscription(params wire.Raw) bool {
	id, _ := wire.Object(params).GetScalar("requestId")
	id = id.Canonical()
	return cs.listeners.has(id) && cs.pending.Resolve(id, engine.Answer{Result: wire.Raw(emptyResult)})
}

// ask implements side. In a revision without sessions, the result may be one that is kept.
func (cs *clientSide) ask(ctx context.Context, m *Message) (result wire.Appender, err error) {
	if c := cs.cache; c != nil && m.sent.peer.asking() {
		text, found := c.begin(ctx, m)
		if text != "" {
			m.sent.answer = text
			return text, nil
		}
		m.sent.lookup = found
		defer func() { found.failed(err) }()
	}
	start := time.Now()
	if result, err = cs.transmit(ctx, m); err == nil {
		return result, nil
	}
	limit := cs.limits.patience(ctx, m.Method).Total
	timeout := &TimeoutError{Method: m.Method, Quiet: limit, Total: limit}
	ctx, stop := limited(ctx, limit, time.Since(start), timeout)
	defer stop()
	if result, err = cs.askAgain(ctx, m, err); err != nil && context.Cause(ctx) == timeout {
		return nil, timeout
	}
	return result, err
}

// askAgain sends a request again that has failed with err, until there is nothing to be done about its error:
//   - if the answer was lost and the request can be sent twice. A revision says so of its lists ("Major changes" in
//     changelog, 2026-07-28), and a server of its tools;
//   - if the server has asked questions, with the answers ("Client Requirements" in basic/patterns/mrtr, 2026-07-28);
//   - if the headers of a call do not repeat its arguments as they must, after reading the list of tools.
func (cs *clientSide) askAgain(ctx context.Context, m *Message, err error) (result wire.Appender, _ error) {
	first, pause := m, waits.RetryFirst
	losses, round, relisted := 0, 0, false
	for err != nil {
		lost, isLost := errors.AsType[*LostError](err)
		asked, asks := errors.AsType[*QuestionsError](err)
		refused, isRefused := asError(err)
		waiting := isLost
		switch {
		case isLost && losses < maxLosses && cs.mayRepeat(m.Method, m.Params, m.sent.row):
			losses++
			cs.debug("request sent again", slog.String("method", m.Method), slog.Any("error", lost))
		case isRefused && refused.Code == jsonrpc.CodeHeaderMismatch && m.Method == methodCallTool && m.sent.peer.asking() && !relisted:
			if relisted = true; cs.relist(ctx, m.sent.peer) != nil {
				return nil, err
			}
		case !asks:
			return nil, err
		case round == cs.client.opts.MaxRounds:
			return nil, prefix.Errorf("runtime: %s is not complete after %d rounds: %w", m.Method, round, err)
		default:
			answers, failed := cs.answers(ctx, m, asked)
			if failed != nil {
				return nil, failed
			}
			params, failed := withAnswers(first.Params, answers, asked.State)
			if failed != nil {
				return nil, failed
			}
			m = first.With(params)
			m.sent.lookup = nil
			waiting = asked.Questions.Len() == 0 // the server does not say when it wants to be asked again
			losses, round = 0, round+1
		}
		if waiting {
			if failed := sleep(ctx, pause); failed != nil {
				return nil, failed
			}
			pause *= 2
		}
		result, err = cs.transmit(ctx, m)
	}
	return result, nil
}

// maxLosses is how often a request is sent again because its answer was lost.
const maxLosses = 3

// mayRepeat reports whether a request can be sent twice.
func (cs *clientSide) mayRepeat(method string, params wire.Appender, r *Method) bool {
	if r.reads() || method != methodCallTool {
		return r.reads()
	}
	_, tool := cs.tools.of((&Message{Params: params}).Object())
	return tool != nil && tool.repeatable
}

// withAnswers returns the params with which a request is repeated: the first ones, the answers to the server's
// questions, and the state of its last result, or "" if that had none.
func withAnswers(first wire.Appender, answers wire.Members, state wire.Raw) (wire.Object, error) {
	text, err := TextOf(first)
	if err != nil {
		return "", err
	}
	params := wire.Object(text).Without(memberInputResponses, memberRequestState).Members()
	if len(answers) > 0 {
		given, err := wire.NewObject(answers...)
		if err != nil {
			return "", err
		}
		params.Set(memberInputResponses, wire.Raw(given))
	}
	if state != "" {
		params.Set(memberRequestState, state)
	}
	return wire.NewObject(params...)
}

// complete implements side.
func (cs *clientSide) complete(ctx context.Context, m *Message, text wire.Raw) (wire.Raw, error) {
	if m.sent.peer.asking() {
		if err := cs.resultType(m, text); err != nil {
			return "", err
		}
	}
	switch {
	case m.Method == methodListTools:
		text = cs.readTools(ctx, m, text)
	case m.Method == methodCallTool && cs.client.opts.CheckOutput != nil:
		if err := cs.checkOutput(m, wire.Object(text)); err != nil {
			return "", err
		}
	}
	m.sent.lookup.keep(text)
	return text, nil
}

// resultType returns an error for a result that is not complete, unless the revision or an extension defines
// its type. An absent type means that it is complete ("Responses" in basic, 2026-07-28).
func (cs *clientSide) resultType(m *Message, result wire.Raw) error {
	kind, ok := result.Reader().PeekRaw("resultType")
	name, text := kind.Str()
	switch {
	case !ok || text && name == resultComplete:
		return nil
	case text && name == resultInputRequired && m.sent.row.Asks:
		if cs.client.opts.MaxRounds < 0 {
			return nil
		}
		return questions(m.Method, wire.Object(result))
	case text && (slices.Contains(m.sent.row.ResultTypes, name) || m.sent.peer.Forwards || m.sent.peer.extended(m.Method, name)):
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

// answers returns the answers to a server's questions by their keys. The handlers of the questions run at
// the same time.
func (cs *clientSide) answers(ctx context.Context, m *Message, asked *QuestionsError) (wire.Members, error) {
	if n := asked.Questions.Len(); n > cs.limits.MaxConcurrent {
		return nil, fmt.Errorf("runtime: the server asks %d questions at once for %s; allowed are %d", n, m.Method, cs.limits.MaxConcurrent)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// A context has one parent, and the answers end with the connection, too. A goroutine that waits would take 3 KB.
	defer context.AfterFunc(cs.life.Context(), func() { cancel(context.Cause(cs.life.Context())) })()
	answers := asked.Questions.Members()
	var running sync.WaitGroup
	for i := range answers {
		running.Add(1)
		if !cs.life.Go(func() {
			defer running.Done()
			err := error(errInternal) // unless the handler returns
			defer func() {
				if err != nil {
					cancel(prefix.Errorf("runtime: %s: the question %.100q of the server is not answered: %w", m.Method, answers[i].Name, err))
				}
			}()
			answers[i].Value, err = cs.answerQuestion(ctx, m.sent.peer, wire.Object(answers[i].Value))
		}) {
			running.Done()
			cancel(ErrClosed)
		}
	}
	running.Wait()
	return answers, context.Cause(ctx)
}

// answerQuestion calls the handler that would answer the question if it were a request.
func (cs *clientSide) answerQuestion(ctx context.Context, p *peer, question wire.Object) (answer wire.Raw, err error) {
	method := question.GetString("method")
	params, _ := question.Get("params")
	if params.Kind() != wire.KindObject {
		params = ""
	}
	r := p.row(method)
	if !r.Within {
		return "", MethodNotFound(method)
	}
	if need := p.lacking(p.ours, r, wire.Object(params)); need != "" {
		return "", &CapabilityError{Method: method, Capability: need, Own: true}
	}
	c := cs.newCall(ctx, p, &jsonrpc.Message{Kind: jsonrpc.Request, Method: method, Params: params})
	defer c.over.Store(true)
	returned := false
	defer func() {
		if !returned {
			cs.logFailure("handler panicked", "method", method, "panic", recover(), "stack", string(debug.Stack()))
			err = errInternal
		}
	}()
	result, err := p.serve(&c.context, &c.m)
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
	result, err := other(ctx, &Message{Kind: jsonrpc.Request, Method: question.GetString("method"), Params: ParamsOf(params)})
	if err != nil {
		return "", err
	}
	text, err := wire.MarshalString(result)
	return wire.Raw(text), err
}

// toolReader is a client's Transport that has to know the definitions of the tools it calls.
type toolReader interface {
	// ReadTool is called for each definition in a result of tools/list of a revision without sessions.
	// If it returns an error, the transport cannot call the tool, and the client leaves it out of the
	// list. It is called concurrently.
	ReadTool(tool wire.Object) error
}

// readTools passes the tools in a result of tools/list to the transport, and learns from them. It returns the result
// without those that the transport cannot call, and reports them ("Schema Extension" in
// basic/transports/streamable-http, 2026-07-28).
func (cs *clientSide) readTools(ctx context.Context, m *Message, result wire.Raw) wire.Raw {
	list, _ := wire.Object(result).Get("tools")
	if list.Kind() != wire.KindArray {
		return result
	}
	reader, reads := cs.transport.(toolReader)
	reads = reads && m.sent.peer.asking()
	var out []wire.Deviation
	tools := list.Elements()
	kept := tools[:0]
	for i, tool := range tools {
		if tool.Kind() == wire.KindObject {
			name := wire.Object(tool).GetString("name")
			if reads {
				if err := reader.ReadTool(wire.Object(tool)); err != nil {
					out = append(out, wire.Deviation{
						Pointer: fmt.Sprintf("/tools/%d", i),
						Problem: fmt.Sprintf("the tool %.100q cannot be called: %s; left out", name, prefix.Cut(err)),
						LeftOut: true,
					})
					continue
				}
			}
			cs.tools.learn(name, wire.Object(tool), cs.client.opts.CheckOutput != nil)
		}
		kept = append(kept, tool)
	}
	if len(out) == 0 {
		return result
	}
	cs.report(ctx, &Deviations{Method: methodListTools, All: out})
	with, err := wire.Object(result).With("tools", wire.ArrayOf(kept))
	if err != nil {
		return result // it is well-formed, so that With does not fail
	}
	return wire.Raw(with)
}

// knownTools is what a session knows about the tools that its server has listed. The zero value knows none.
type knownTools struct {
	mu    sync.Mutex
	tools map[string]*knownTool // by name; those with nothing to know are left out
	bytes int                   // of the schemas
}

// knownTool is a tool that a server has listed.
type knownTool struct {
	repeatable bool     // the server says that it only reads, or that calling it again changes nothing more
	schema     wire.Raw // of its output; "" if there is none or outputs are not checked
	compile    sync.Once
	check      func(content wire.Raw) error // nil if the schema cannot be used; valid after compile
}

const (
	// maxListed and maxListedBytes limit what a session keeps about tools. Beyond them, all is forgotten.
	maxListed      = 10_000
	maxListedBytes = 16 << 20
)

// learn remembers what there is to know about a tool.
func (o *knownTools) learn(name string, tool wire.Object, outputs bool) {
	schema, _ := tool.Get("outputSchema")
	if !outputs || schema.Kind() != wire.KindObject {
		schema = ""
	}
	repeatable := isRepeatable(tool)
	o.mu.Lock()
	defer o.mu.Unlock()
	if old := o.tools[name]; old != nil {
		o.bytes -= len(old.schema)
		delete(o.tools, name)
	}
	if schema == "" && !repeatable {
		return
	}
	if o.tools == nil || len(o.tools) >= maxListed || o.bytes+len(schema) > maxListedBytes {
		o.tools, o.bytes = make(map[string]*knownTool), 0
	}
	o.tools[strings.Clone(name)] = &knownTool{repeatable: repeatable, schema: schema.Clone()}
	o.bytes += len(schema)
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
func (o *knownTools) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tools, o.bytes = nil, 0
}

// of returns what is known about the tool that a request calls, or nil.
func (o *knownTools) of(params wire.Object) (name string, tool *knownTool) {
	name = params.GetString("name")
	o.mu.Lock()
	defer o.mu.Unlock()
	return name, o.tools[name]
}

// relist asks for all pages of the server's tools, so that the transport learns which arguments of tools it
// repeats in headers ("Client Behavior" in basic/transports/streamable-http, 2026-07-28). All pages together
// have the time limit of one request.
func (cs *clientSide) relist(ctx context.Context, p *peer) error {
	r, err := p.maySend(jsonrpc.Request, methodListTools, nil)
	if err != nil {
		return err
	}
	limit := cs.limits.patience(ctx, methodListTools).Quiet
	ctx, stop := limited(ctx, limit, 0, &TimeoutError{Method: methodListTools, Quiet: limit})
	defer stop()
	for _, err := range All(func(cursor *string) (none []struct{}, next *string, err error) {
		var params wire.Appender
		if cursor != nil {
			params = stringParam("cursor", *cursor)
		}
		var page wire.Object
		s := sender{conn: cs.conn, peer: p}
		m := s.message(jsonrpc.Request, methodListTools, params)
		m.sent.into, m.sent.row = &page, r
		if err := s.do(ctx, m, cs.transmit); err != nil {
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

// checkOutput checks the structured content of a tool that has not failed. A result without any content is
// not that of the tool but says, for example, that the call runs as a task.
func (cs *clientSide) checkOutput(m *Message, result wire.Object) error {
	name, tool := cs.tools.of(m.Object())
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
		if tool.check, err = cs.client.opts.CheckOutput(tool.schema); err != nil {
			tool.check = nil
			cs.logger().Warn("the output of a tool is not checked: its schema cannot be used", "tool", fmt.Sprintf("%.100s", name), "error", err)
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

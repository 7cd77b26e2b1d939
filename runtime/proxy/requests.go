package proxy

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// request is a request of the client, until it is answered.
type request struct {
	id       wire.Scalar   // canonical
	reply    runtime.Reply // nil if all messages go to the client in one way
	token    wire.Scalar   // canonical, of its progress; zero if there is none
	finished chan struct{} // closed when the client has its answer, or gets none
	revision string        // of a request without a session; otherwise ""
	lists    bool          // it lists tools
}

// maxToken limits the progress tokens that are remembered, in bytes. Package runtime refuses longer ones.
const maxToken = 1 << 10

// newRequests returns the requests among the messages in a text, without their revisions if sessionOnly. They share no
// memory with the text, because they may last as long as their client likes. MaxAnswers limits the answers to a batch, in
// bytes.
func newRequests(reply runtime.Reply, messages []jsonrpc.Message, sessionOnly bool, maxAnswers int) (all []*request) {
	for _, m := range messages {
		if m.Kind != jsonrpc.Request {
			continue
		}
		r := &request{id: m.ID.Canonical().Clone(), reply: reply, finished: make(chan struct{}), lists: m.Method == "tools/list"}
		if !sessionOnly {
			r.revision = strings.Clone(revisionOf(m))
		}
		if reply != nil {
			meta, _ := wire.Object(m.Params).Get("_meta")
			if token := nameIn(wire.Object(meta), "progressToken"); len(token.String()) <= maxToken {
				r.token = token.Clone()
			}
		}
		all = append(all, r)
	}
	if reply != nil && len(all) > 1 {
		batch := &batchReply{Reply: reply, missing: len(all), limit: maxAnswers}
		for _, r := range all {
			r.reply = batch
		}
	}
	return all
}

// batchReply is the Reply of the requests in a batch. It keeps their answers until none is missing, because an answer
// is the last message of a Reply, and a server may answer one by one. An answer that would make them too long becomes an
// error.
type batchReply struct {
	runtime.Reply
	limit   int // of the length of all answers
	mu      sync.Mutex
	length  int // of the answers
	missing int // requests that are not finished
	answers []runtime.Outgoing
}

// Unwrap returns the Reply of the batch.
func (b *batchReply) Unwrap() runtime.Reply { return b.Reply }

// Send keeps an answer, and sends other messages.
func (b *batchReply) Send(ctx context.Context, m runtime.Outgoing) error {
	messages := read(&runtime.Incoming{Text: string(m.Text)})
	responses := slices.DeleteFunc(messages, func(m jsonrpc.Message) bool { return m.Kind != jsonrpc.Response })
	if len(responses) == 0 {
		return b.Reply.Send(ctx, m)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.length+len(m.Text) <= b.limit {
		b.length += len(m.Text)
		m.Text = bytes.Clone(m.Text)
		b.answers = append(b.answers, m)
		return nil
	}
	tooLong := jsonrpc.Errorf(jsonrpc.CodeInternalError, "proxy: the answers to the batch are longer than %d bytes", b.limit)
	for _, r := range responses {
		b.answers = append(b.answers, errorMessage(r.ID.Clone(), tooLong))
	}
	return nil
}

// finish says that a request is answered or gets no answer. It returns the answers to the batch if none is missing. If
// the server has sent them as one text, they are that text.
func (b *batchReply) finish() (all runtime.Outgoing, complete bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.missing--; b.missing > 0 || len(b.answers) == 0 {
		return runtime.Outgoing{}, false
	}
	if len(b.answers) == 1 {
		return b.answers[0], true
	}
	text := []byte{'['}
	for _, m := range b.answers {
		part := bytes.TrimSpace(m.Text)
		if jsonrpc.IsBatch(string(part)) {
			part = part[1 : len(part)-1]
		}
		text = append(wire.AppendComma(text), part...)
	}
	return runtime.Outgoing{Text: append(text, ']'), Kind: jsonrpc.Response}, true
}

// requests holds the requests of the client that have no answer. The zero value is ready to
// use.
type requests struct {
	mu       sync.Mutex
	byID     map[wire.Scalar]*request // by canonical id
	inTurn   []*request               // in the order in which they came
	active   sync.WaitGroup           // requests that are not finished
	refusing bool                     // because the program ends
	closed   bool
}

// maxRequests limits the requests of a session that have no answer. It is as many as streamable.Options.MaxRequests
// allows by default. A client that reads nothing keeps the proxy from reading the server, so no request gets an answer,
// but the proxy reads on.
const maxRequests = 10_000

var (
	// errNotBegun refuses requests while the program ends.
	errNotBegun = jsonrpc.Errorf(jsonrpc.CodeServerBusy, "the server shuts down; the request was not begun")
	// errBusy refuses requests beyond maxRequests.
	errBusy = jsonrpc.Errorf(jsonrpc.CodeServerBusy, "too many requests in flight; the request was not begun")
)

// add adds the requests in a text, which must be finished later. The error is runtime.ErrClosed after close,
// errNotBegun after stop, and errBusy if too many wait. It is another *jsonrpc.Error if one of them has a response of
// its own and the id of one in flight: the server would not say which of the two its answer is for. If all answers go
// to the client in one way, the server decides what the second request gets, and the proxy does not wait for an answer
// to it.
func (q *requests) add(all []*request) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.refusing:
		return errNotBegun
	case q.closed:
		return runtime.ErrClosed
	case len(q.inTurn) >= maxRequests:
		return errBusy
	}
	if q.byID == nil {
		q.byID = make(map[wire.Scalar]*request)
	}
	for i, r := range all {
		switch {
		case q.byID[r.id] == nil:
			q.byID[r.id] = r
		case r.reply != nil:
			for _, earlier := range all[:i] {
				delete(q.byID, earlier.id)
			}
			return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: id %.100s is that of a request in flight", r.id.String())
		default:
			close(r.finished)
		}
	}
	for _, r := range all {
		if q.byID[r.id] == r {
			q.inTurn = append(q.inTurn, r)
			q.active.Add(1)
		}
	}
	return nil
}

// find returns the request with an id, or nil.
func (q *requests) find(id wire.Scalar) *request {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.byID[id.Canonical()]
}

// remove removes and returns the request with an id, which the caller must finish, or returns nil. If only is not nil,
// it removes no other request than that.
func (q *requests) remove(id wire.Scalar, only *request) *request {
	id = id.Canonical()
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.byID[id]
	if r == nil || only != nil && r != only {
		return nil
	}
	delete(q.byID, id)
	q.inTurn = slices.DeleteFunc(q.inTurn, func(other *request) bool { return other == r })
	return r
}

// finish ends the wait for the answer to a request.
func (q *requests) finish(r *request) {
	close(r.finished)
	q.active.Done()
}

// stop makes add refuse requests, and returns a channel that is closed when all are finished.
func (q *requests) stop() (idle <-chan struct{}) {
	q.mu.Lock()
	q.refusing = true
	q.mu.Unlock()
	finished := make(chan struct{})
	go func() {
		q.active.Wait()
		close(finished)
	}()
	return finished
}

// reply returns the Reply for a message of the server that is not an answer: that of the request
// whose progress it reports, or else that of the newest request. It is nil if there is none.
func (q *requests) reply(m jsonrpc.Message) runtime.Reply {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.inTurn) == 0 {
		return nil
	}
	if m.Method == "notifications/progress" {
		token := nameIn(wire.Object(m.Params), "progressToken")
		for _, r := range q.inTurn {
			if r.token == token && !token.IsZero() {
				return r.reply
			}
		}
	}
	return q.inTurn[len(q.inTurn)-1].reply
}

// close removes and returns all requests, to be finished. No more are added.
func (q *requests) close() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.inTurn
	q.byID, q.inTurn, q.closed = nil, nil, true
	return all
}

// read returns the messages in a text, as far as they can be read. A text that is not a message has
// one of unknown kind.
func read(in *runtime.Incoming) []jsonrpc.Message {
	text := in.Content()
	if text.IsBatch {
		messages := make([]jsonrpc.Message, len(text.Batch))
		for i := range messages {
			messages[i] = answerable(text.Batch[i].Message)
		}
		return messages
	}
	return []jsonrpc.Message{answerable(text.Message)}
}

// answerable returns a message, of unknown kind if it is a request without an id, which neither side can answer.
func answerable(m jsonrpc.Message) jsonrpc.Message {
	if m.Kind == jsonrpc.Request && m.ID.IsZero() {
		m.Kind = 0
	}
	return m
}

// nameParams are the members of params that HTTP requests without a session repeat in the header Mcp-Name, by
// method ("Standard Request Headers" in basic/transports/streamable-http, 2026-07-28).
var nameParams = map[string]string{methodCallTool: "name", "prompts/get": "name", "resources/read": "uri"}

// metaRevision is the member of _meta with the revision of a message without a session.
const metaRevision = "io.modelcontextprotocol/protocolVersion"

// revisionOf returns the revision that a message carries, or "" for a message of a session.
func revisionOf(m jsonrpc.Message) string {
	if !runtime.CarriesRevision(m.Params) {
		return ""
	}
	meta, _ := wire.Object(m.Params).Get("_meta")
	return wire.Object(meta).GetString(metaRevision)
}

// outgoing returns a text with what its transport needs to know about it, which shares no memory with the text:
// transports keep it until a request is answered. A batch counts as a request if it has one, and otherwise as its
// last message. Revision is that of a message without a session.
func outgoing(text string, messages []jsonrpc.Message, revision string) runtime.Outgoing {
	out := runtime.Outgoing{Text: []byte(text), Revision: revision}
	if revision != "" && len(messages) == 1 {
		out.NameParam = nameParams[messages[0].Method]
		if failed := messages[0].Error; failed != nil {
			out.Err = failed
		}
	}
	for _, m := range messages {
		out.Kind, out.ID, out.Method = m.Kind, m.ID.Clone(), strings.Clone(m.Method)
		if m.Kind == jsonrpc.Request {
			break
		}
	}
	return out
}

// refusal returns the answer to the requests in a text that are not forwarded. The error for a request whose id is in
// flight has no id, because the client would take it for the answer to the other request. It has the id if it is the
// whole response to a POST.
func (q *requests) refusal(in runtime.Incoming, messages []jsonrpc.Message, why error) runtime.Outgoing {
	batch := jsonrpc.IsBatch(in.Text)
	id := func(m jsonrpc.Message) wire.Scalar {
		if (batch || in.Reply == nil) && q.find(m.ID) != nil {
			return wire.Scalar{}
		}
		return m.ID
	}
	if !batch {
		return refusal(id(messages[0]), why)
	}
	var out runtime.Outgoing
	all := []byte{'['}
	for _, m := range messages {
		if m.Kind != jsonrpc.Request {
			continue
		}
		out = refusal(id(m), why)
		all = append(wire.AppendComma(all), out.Text...)
	}
	out.Text, out.ID = append(all, ']'), wire.Scalar{}
	return out
}

// refusal returns the answer to a request that is not forwarded.
func refusal(id wire.Scalar, why error) runtime.Outgoing {
	refused, _ := errors.AsType[*jsonrpc.Error](why)
	out := errorMessage(id, refused)
	out.Refused = true
	return out
}

// errorMessage returns an error response.
func errorMessage(id wire.Scalar, e *jsonrpc.Error) runtime.Outgoing {
	text, err := e.Answer(id).AppendJSON(nil)
	if err != nil {
		text = []byte(`{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error"}}`)
	}
	return runtime.Outgoing{Text: text, Kind: jsonrpc.Response, ID: id, Err: e}
}

// cancelled returns the id of the request that a notification cancels, or zero.
func cancelled(m jsonrpc.Message) wire.Scalar { return nameIn(wire.Object(m.Params), "requestId") }

// nameIn returns the id or token in a member of an object, in its canonical form, or zero.
func nameIn(o wire.Object, member string) wire.Scalar {
	s, _ := o.GetScalar(member)
	if !s.Is(wire.KindString | wire.KindNumber) {
		return wire.Scalar{}
	}
	return s.Canonical()
}

// learn reads the definitions of the tools in a result of tools/list.
func (p *Proxy) learn(list wire.Raw) {
	all, _ := wire.Object(list).Get("tools")
	for _, tool := range all.Elements() {
		_ = p.tools.Read(wire.Object(tool)) // the server checks its own tools
	}
}

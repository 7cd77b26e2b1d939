package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	methodCancelled = "notifications/cancelled"
	methodCallTool  = "tools/call"
)

// session forwards between one client and one server.
type session struct {
	proxy  *Proxy
	client runtime.Outbox
	server runtime.Transport
	ended  func(error)

	ctx    context.Context // ends with the session
	cancel context.CancelFunc
	over   sync.Once

	requests requests // of the client

	mu      sync.Mutex
	opening wire.Scalar // id of the client's initialize, until it is answered
	sending int         // the number of messages that are being sent to the client
	unread  *time.Timer // ends the session of a client that sends no more; nil before. It runs while sending is not 0

	entry       *entry // by which requests without a session use it; nil for the session of a client
	sessionOnly bool   // there are no messages without a session
}

// end ends the session. It does not wait for that.
func (s *session) end(err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, runtime.ErrClosed) {
		err = nil
	}
	s.over.Do(func() {
		go func() {
			s.cancel()
			for _, r := range s.requests.close() {
				s.requests.finish(r)
			}
			s.client.Close()
			if failed := s.server.Close(); err == nil {
				err = failed
			}
			s.ended(err)
		}()
	})
}

// reply sends a message to the client. If to is nil, the message belongs to no request.
func (s *session) reply(to runtime.Reply, m runtime.Outgoing) error {
	if to == nil {
		to = s.client
	}
	s.sends(1)
	defer s.sends(-1)
	return to.Send(s.ctx, m)
}

// finish ends the wait for the answer to a request. The last request of a batch sends the answers to all of them.
func (s *session) finish(r *request) {
	if batch, ok := r.reply.(*batchReply); ok {
		if all, complete := batch.finish(); complete {
			if err := s.reply(batch.Reply, all); err != nil {
				s.log("the answers to a batch could not be sent to the client", err)
			}
		}
	}
	s.requests.finish(r)
}

// sends adds n to the messages that are being sent to the client. If the client sends no more, and none of them
// is begun or done for a while, the session ends, because such a client reads nothing either.
func (s *session) sends(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sending += n
	switch {
	case s.unread == nil:
	case s.sending == 0:
		s.unread.Stop()
	default:
		s.unread.Reset(waits.Unread)
	}
}

func (s *session) log(what string, err error) {
	if s.ctx.Err() == nil {
		s.proxy.opts.Logger.Warn("proxy: "+what, "error", err)
	}
}

// Restore implements runtime.Inbox for both sides. No other server has the session.
func (*session) Restore(runtime.Handshake) {}

// Listens implements runtime.Inbox for both sides.
func (*session) Listens(bool) {}

// tooLong returns the error for a text that is too long to be forwarded, or nil. A batch of too many messages is too
// long, because even a message of two bytes takes hundreds of bytes when it is read.
func (s *session) tooLong(text string) error {
	if most := s.proxy.opts.MaxMessage; len(text) > most {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", most)
	}
	if !jsonrpc.IsBatch(text) {
		return nil
	}
	r, n := wire.NewStringReader(text), 0
	for r.BeginArray(); r.Element(); r.Skip() {
		if n++; n > jsonrpc.MaxBatch {
			return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a batch of more than %d messages", jsonrpc.MaxBatch)
		}
	}
	return nil
}

// fromClient is the inbox for what the client sends.
type fromClient struct{ *session }

// Accept forwards a message to the server. The function that it returns waits until every
// request in the message is answered.
func (s fromClient) Accept(in runtime.Incoming) (run func()) {
	run, taken := s.take(in)
	if !taken {
		return func() {} // it gets no answer
	}
	return run
}

// take is Accept that returns false if the session with the server is over.
func (s fromClient) take(in runtime.Incoming) (run func(), taken bool) {
	if err := s.tooLong(in.Text); err != nil {
		if err := s.reply(in.Reply, refusal(wire.Scalar{}, err)); err != nil {
			s.log("a message could not be refused", err)
		}
		return nil, true
	}
	messages := read(&in)
	requests := newRequests(in.Reply, messages, s.sessionOnly, s.proxy.opts.MaxMessage)
	if len(requests) > 0 {
		err := s.checkRequests(&in, messages)
		if err == nil {
			err = s.requests.add(requests)
		}
		switch {
		case err == runtime.ErrClosed:
			return nil, false
		case err != nil:
			s.refuse(in, messages, err)
			return nil, true
		}
	}
	for _, m := range messages {
		if m.Kind == jsonrpc.Request && m.Method == "initialize" {
			s.mu.Lock()
			s.opening = m.ID.Canonical().Clone()
			s.mu.Unlock()
		}
	}
	ctx, stop := s.ctx, func() bool { return true }
	if len(requests) > 0 && in.ContextCancels {
		// A goroutine that waits for the end of each request would take 3 KB.
		ctx, stop = in.Context, context.AfterFunc(in.Context, func() { s.disconnected(requests) })
	}
	err := s.server.Send(ctx, outgoing(in.Text, messages, s.revision(requests, messages)))
	if err != nil && ctx.Err() == nil && !errors.Is(err, runtime.ErrClosed) {
		s.log("a message could not be sent to the server", err)
		for _, m := range messages {
			if m.Kind == jsonrpc.Request {
				fromServer(s).Lose(m.ID, err)
			}
		}
	}
	for _, m := range messages {
		if m.Method == methodCancelled {
			if r := s.requests.remove(cancelled(m), nil); r != nil {
				s.finish(r)
			}
		}
	}
	if len(requests) == 0 {
		return nil, true
	}
	return func() {
		for _, r := range requests {
			<-r.finished
		}
		stop()
	}, true
}

// revision returns the revision of a message without a session, or "" for others. A cancellation has that of
// its request.
func (s fromClient) revision(requests []*request, messages []jsonrpc.Message) string {
	switch {
	case s.sessionOnly || len(messages) != 1:
		return ""
	case len(requests) == 1:
		return requests[0].revision
	case messages[0].Method == methodCancelled:
		if of := s.requests.find(cancelled(messages[0])); of != nil {
			return of.revision
		}
	}
	return revisionOf(messages[0])
}

// disconnected cancels the requests of a client that has closed the connection, which is how a client without a
// session cancels over HTTP ("Cancellation" in basic/transports/streamable-http, 2026-07-28).
func (s fromClient) disconnected(requests []*request) {
	for _, r := range requests {
		if s.requests.remove(r.id, r) == nil {
			continue // it is answered
		}
		if s.entry != nil {
			s.entry.Retire() // another client must not get a late answer
		}
		quoted, err := wire.MarshalString(r.id)
		if err != nil {
			continue // an id that was read can always be written
		}
		out := runtime.Outgoing{
			Text: []byte(`{"jsonrpc":"2.0","method":"` + methodCancelled + `","params":{"requestId":` + quoted + `,"reason":"the client has closed the connection"}}`),
			Kind: jsonrpc.Notification, Method: methodCancelled, Revision: r.revision,
		}
		ctx, cancel := context.WithTimeout(s.ctx, waits.Unread)
		if err := s.server.Send(ctx, out); err != nil {
			s.log("a cancellation could not be sent to the server", err)
		}
		cancel()
		s.finish(r)
	}
}

// Lose implements runtime.Inbox. Transports call it only for requests that are sent to a server
// over HTTP.
func (fromClient) Lose(wire.Scalar, error) {}

// End ends the session. If the client may still read, the requests in flight are answered
// first.
func (s fromClient) End(why error) {
	if !errors.Is(why, io.EOF) {
		s.end(why)
		return
	}
	s.mu.Lock()
	if s.unread == nil {
		s.unread = time.AfterFunc(waits.Unread, func() { s.end(nil) })
	}
	s.mu.Unlock()
	s.sends(0)
	go func() { // End must not wait
		bound, cancel := context.WithTimeout(context.Background(), s.proxy.Grace())
		defer cancel()
		s.Shutdown(bound)
	}()
}

// Shutdown refuses new requests and ends the session when those in flight are answered or
// ctx ends.
func (s fromClient) Shutdown(ctx context.Context) {
	select {
	case <-s.requests.stop():
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	s.end(nil)
}

// checkRequests returns the error for a message of a session over HTTP with a request that its headers contradict, or
// nil.
func (s fromClient) checkRequests(in *runtime.Incoming, messages []jsonrpc.Message) error {
	if in.Header == nil || s.sessionOnly || s.entry != nil { // stateless has checked the message
		return nil
	}
	for _, m := range messages {
		switch {
		case m.Kind != jsonrpc.Request:
		case m.Method == "":
			return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the method cannot be read, or a member occurs twice")
		case !runtime.CarriesRevision(m.Params):
		case jsonrpc.IsBatch(in.Text):
			return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a request without a session cannot be one of several")
		default:
			if err := s.proxy.checkHeaders(in, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkHeaders returns an error for a message without a session that a server could read in another way than the proxy
// if it ignores the case of names, and for a request whose HTTP headers do not repeat it as they must. A guard in
// front of the proxy may read only the headers, and the server gets those of the proxy.
func (p *Proxy) checkHeaders(in *runtime.Incoming, m jsonrpc.Message) error {
	params := wire.Object(m.Params)
	meta, _ := params.Get("_meta")
	arguments, _ := params.Get("arguments")
	name, named := nameParams[m.Method]
	for _, read := range []struct {
		of    wire.Object
		names []string
	}{
		{wire.Object(in.Text), []string{"jsonrpc", "id", "method", "params", "result", "error"}},
		{params, []string{"_meta", "arguments", name}},
		{wire.Object(meta), []string{metaRevision}},
	} {
		if found, name := headers.Folded(read.of, read.names...); found != "" {
			return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the member %.100q differs from %q in case alone", found, name)
		}
	}
	if m.Kind != jsonrpc.Request {
		return nil
	}
	repeated := headers.Standard{Revision: revisionOf(m), Method: m.Method, Name: params.GetString(name), Named: named}
	err := repeated.Check(in.Header)
	if err == nil && m.Method == methodCallTool {
		table := p.tools.Table(repeated.Name)
		err = cmp.Or(table.Check(in.Header, wire.Object(arguments)), table.CheckCase(wire.Object(arguments)))
	}
	if err != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeHeaderMismatch, Message: err.Error()}
	}
	return nil
}

// refuse answers the requests in a text with an error.
func (s fromClient) refuse(in runtime.Incoming, messages []jsonrpc.Message, why error) {
	out := s.requests.refusal(in, messages, why)
	out.NotBegun = why == errNotBegun
	if err := s.reply(in.Reply, out); err != nil {
		s.log("a request could not be refused", err)
	}
}

// fromServer is the inbox for what the server sends.
type fromServer struct{ *session }

// Accept forwards a message to the client: an answer and progress on the stream of their request,
// and everything else on the stream of the newest request, because a client may not listen to any
// other. It returns nil.
func (s fromServer) Accept(in runtime.Incoming) (serve func()) {
	if err := s.tooLong(in.Text); err != nil {
		s.log("a message of the server is lost", err)
		for _, m := range read(&in) {
			if m.Kind == jsonrpc.Response {
				s.Lose(m.ID, err)
			}
		}
		s.Lose(in.Answers, err)
		return nil
	}
	messages := read(&in)
	var to runtime.Reply
	var finished []*request
	revision := ""
	for _, m := range messages {
		switch {
		case m.Kind == jsonrpc.Response:
			s.negotiated(m)
			if r := s.requests.remove(m.ID, nil); r != nil {
				to, revision = r.reply, r.revision
				if r.lists && r.revision != "" {
					s.proxy.learn(m.Result)
				}
				finished = append(finished, r)
			}
		case to == nil:
			to = s.requests.reply(m)
		}
	}
	out := outgoing(in.Text, messages, revision)
	err := s.reply(to, out)
	if err != nil && to != nil && len(finished) == 0 && s.entry == nil {
		err = s.client.Send(s.ctx, out) // the connection of that stream is lost
	}
	if err != nil {
		s.log("a message could not be sent to the client", err)
	}
	for _, r := range finished {
		s.finish(r)
	}
	if !in.Answers.IsZero() && s.requests.find(in.Answers) != nil {
		s.Lose(in.Answers, errors.New("the response does not answer the request"))
	}
	return nil
}

// Lose answers a request with an error, because the server's answer cannot come.
func (s fromServer) Lose(id wire.Scalar, err error) {
	r := s.requests.remove(id, nil)
	if r == nil {
		return
	}
	failure := jsonrpc.Errorf(jsonrpc.CodeInternalError, "proxy: no answer from the server: %.500s", err)
	if err := s.reply(r.reply, errorMessage(id, failure)); err != nil {
		s.log("an error could not be sent to the client", err)
	}
	s.finish(r)
}

// End ends the session.
func (s fromServer) End(why error) {
	if why != nil && !errors.Is(why, io.EOF) && !errors.Is(why, runtime.ErrClosed) {
		why = fmt.Errorf("proxy: server: %w", why)
	}
	s.end(why)
}

// Shutdown ends the session.
func (s fromServer) Shutdown(context.Context) { s.end(nil) }

// negotiated tells both transports the revision in the answer to initialize.
func (s fromServer) negotiated(m jsonrpc.Message) {
	s.mu.Lock()
	is := s.opening == m.ID.Canonical() && !m.ID.IsZero()
	if is {
		s.opening = wire.Scalar{}
	}
	s.mu.Unlock()
	if !is || m.Result == "" {
		return
	}
	agreed := runtime.Handshake{Revision: strings.Clone(wire.Object(m.Result).GetString("protocolVersion"))}
	for _, t := range []any{s.server, s.client} {
		if n, ok := t.(runtime.Identified); ok {
			if err := n.Negotiated(agreed); err != nil {
				s.end(err)
			}
		}
	}
}

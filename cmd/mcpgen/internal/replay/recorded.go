// Package replay plays the requests of a recorded session against a server, and compares the results
// with the recorded ones.
package replay

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Session is a recorded session, or all requests without a session that a recording has.
type Session struct {
	// Revision is the protocol revision of the messages.
	Revision string
	// Capabilities is the ClientCapabilities object of the client.
	Capabilities wire.Object
	// Requests are in the order of the recording.
	Requests []*Request
	// Answers are the results with which the client answered the server, by method and in their order.
	Answers map[string][]wire.Raw
	// Skipped counts requests that are not played, by reason.
	Skipped map[string]int
}

// Request is a request of a client, with its answer.
type Request struct {
	Line   int // of the recording
	Method string
	Params wire.Raw
	// Result is what the server answered, or Error the error object.
	Result, Error wire.Raw
}

// Reasons for which requests are not played.
const (
	reasonUnanswered = "has no answer in the recording"
	reasonRevision   = "names no revision"
	reasonTask       = "is about a task, whose id differs each time"
	reasonListen     = "is a subscription"
)

// own are the requests that the client of a replay sends by itself.
var own = []string{"initialize", "server/discover", "ping"}

const methodListen = "subscriptions/listen"

// Members of _meta with which a request without a session says what initialize says of a session.
const (
	metaRevision     = "io.modelcontextprotocol/protocolVersion"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// call names a request that waits for its answer.
type call struct {
	session string
	from    recording.Side
	id      string
}

// reader reads the sessions of a recording.
type reader struct {
	sessions []*Session
	of       map[string]*Session    // by the name of the session or, without one, by the revision
	open     map[call]*Request      // requests without an answer
	asked    map[string]wire.Object // the questions of the last result that asks, by the name of the session
}

// Read returns the sessions of a recording of mcpgen proxy, or of plain messages.
func Read(r io.Reader) ([]*Session, error) {
	decoded, err := recording.Decode(r)
	if err != nil {
		return nil, err
	}
	entries, err := recording.NewReader(decoded)
	if err != nil {
		return nil, err
	}
	in := &reader{of: map[string]*Session{}, open: map[call]*Request{}, asked: map[string]wire.Object{}}
	for {
		e, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return in.finish(), nil
		}
		if err != nil {
			return nil, err
		}
		var text wire.Raw
		if e.Text == "" || wire.UnmarshalString(e.Text, &text) != nil {
			continue
		}
		if text.Kind() != wire.KindArray {
			in.message(e, object(text))
			continue
		}
		for _, element := range text.Elements() {
			in.message(e, object(element))
		}
	}
}

func (in *reader) message(e recording.Entry, m wire.Object) {
	id, ok := m.Get("id")
	if !ok {
		return
	}
	if method := m.GetString("method"); method != "" {
		from := e.From
		if from == recording.Unknown {
			from = sender(method)
		}
		params, _ := m.Get("params")
		in.open[call{e.Session, from, string(id)}] = &Request{Line: e.Line, Method: method, Params: params}
		return
	}
	for _, asker := range []recording.Side{recording.Client, recording.Server} {
		c := call{e.Session, asker, string(id)}
		request := in.open[c]
		if request == nil || e.From == asker {
			continue
		}
		delete(in.open, c)
		request.Result, _ = m.Get("result")
		request.Error, _ = m.Get("error")
		in.answered(c, request)
		return
	}
}

// sender returns the side that sends a request, in a recording that does not say it.
func sender(method string) recording.Side {
	if slices.Contains([]string{"elicitation/create", "sampling/createMessage", "roots/list"}, method) {
		return recording.Server
	}
	return recording.Client
}

// answered adds a request with its answer to its session.
func (in *reader) answered(c call, r *Request) {
	params := object(r.Params)
	meta := member(params, "_meta")
	revision := meta.GetString(metaRevision)
	s := in.session(c.session, revision)
	if c.from == recording.Server {
		if r.Result != "" {
			s.Answers[r.Method] = append(s.Answers[r.Method], r.Result)
		}
		return
	}
	if revision != "" {
		s.Revision, s.Capabilities = revision, member(meta, metaCapabilities)
	}
	result := object(r.Result)
	switch {
	case r.Method == "initialize":
		s.Revision, s.Capabilities = result.GetString("protocolVersion"), member(params, "capabilities")
		return
	case slices.Contains(own, r.Method):
		return
	case result.GetString("resultType") == "input_required":
		in.asked[c.session] = member(result, "inputRequests")
		return // the client of a replay answers, and repeats the request
	}
	for key, answer := range member(params, "inputResponses").All() {
		method := member(in.asked[c.session], key).GetString("method")
		s.Answers[method] = append(s.Answers[method], answer)
	}
	s.Requests = append(s.Requests, r)
}

// session returns the session of a message. Requests without a session are those of one revision.
func (in *reader) session(name, revision string) *Session {
	if revision != "" {
		name = "revision " + revision
	}
	s := in.of[name]
	if s == nil {
		s = &Session{Answers: map[string][]wire.Raw{}, Skipped: map[string]int{}}
		in.of[name] = s
		in.sessions = append(in.sessions, s)
	}
	return s
}

// finish returns the sessions, without the requests that cannot be played.
func (in *reader) finish() []*Session {
	for c, r := range in.open {
		if c.from == recording.Client && !slices.Contains(own, r.Method) {
			reason := reasonUnanswered
			if r.Method == methodListen {
				reason = reasonListen
			}
			revision := member(object(r.Params), "_meta").GetString(metaRevision)
			in.session(c.session, revision).Skipped[r.Method+" "+reason]++
		}
	}
	for _, s := range in.sessions {
		s.Requests = slices.DeleteFunc(s.Requests, func(r *Request) bool {
			reason := s.unplayable(r)
			if reason != "" {
				s.Skipped[r.Method+" "+reason]++
			}
			return reason != ""
		})
	}
	return slices.DeleteFunc(in.sessions, func(s *Session) bool { return len(s.Requests) == 0 && len(s.Skipped) == 0 })
}

// unplayable returns the reason for which a request is not played, or "".
func (s *Session) unplayable(r *Request) string {
	_, task := object(r.Params).Get("task")
	switch {
	case s.Revision == "":
		return reasonRevision
	case r.Method == methodListen:
		return reasonListen
	case task || strings.HasPrefix(r.Method, "tasks/"):
		return reasonTask
	}
	return ""
}

// object returns a value as an object, which is empty if the value is none.
func object(raw wire.Raw) wire.Object {
	if raw.Kind() != wire.KindObject {
		return "{}"
	}
	return wire.Object(raw)
}

// member returns the object that is a member of an object, or an empty one.
func member(o wire.Object, name string) wire.Object {
	if o == "" {
		return "{}"
	}
	raw, _ := o.Get(name)
	return object(raw)
}

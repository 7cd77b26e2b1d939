// Package replay plays the requests of a recorded session against a server, and compares the results
// with the recorded ones.
package replay

import (
	"io"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Session is a recorded session, or all requests without a session that a recording has.
type Session struct {
	// Revision is the protocol revision of the messages.
	Revision string
	// Capabilities is the ClientCapabilities object of the client.
	Capabilities wire.Object
	// Requests are in the order of the recording.
	Requests []*recording.Exchange
	// Answers are the results with which the client answered the server, by method and in their order.
	Answers map[string][]wire.Raw
	// Skipped counts the requests that are not played, by reason.
	Skipped map[string]int
}

// Reasons for which requests are not played.
const (
	reasonUnanswered = "has no answer in the recording"
	reasonRevision   = "names no revision"
	reasonUnknown    = "is not a request of the revision"
	reasonTask       = "is about a task, whose id differs each time"
	reasonListen     = "is a subscription"
	reasonRedacted   = "has a secret that the recording leaves out"
)

// own are the requests that the client of a replay sends by itself.
var own = []string{"initialize", "server/discover", "ping"}

const methodListen = "subscriptions/listen"

// Members of _meta with which a request without a session carries what initialize carries for a session.
const (
	metaRevision     = "io.modelcontextprotocol/protocolVersion"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// reader sorts the requests of a recording by session.
type reader struct {
	sessions []*Session
	of       map[string]*Session    // by the name of the session or, without one, by the revision
	asked    map[string]wire.Object // the questions of the last result that asks, by the name of the session
}

// Read returns the sessions of a recording of mcpgen proxy, or of plain messages.
func Read(r io.Reader) ([]*Session, error) {
	exchanges, err := recording.Exchanges(r)
	if err != nil {
		return nil, err
	}
	in := &reader{of: map[string]*Session{}, asked: map[string]wire.Object{}}
	for _, x := range exchanges {
		in.add(x)
	}
	for _, s := range in.sessions {
		s.Requests = slices.DeleteFunc(s.Requests, func(r *recording.Exchange) bool {
			reason := s.unplayable(r)
			if reason != "" {
				s.Skipped[r.Method+" "+reason]++
			}
			return reason != ""
		})
	}
	return slices.DeleteFunc(in.sessions, func(s *Session) bool { return len(s.Requests) == 0 && len(s.Skipped) == 0 }), nil
}

// add adds a request with its answer to its session.
func (in *reader) add(x *recording.Exchange) {
	params, result := object(x.Params), object(x.Result)
	meta := member(params, "_meta")
	revision := meta.GetString(metaRevision)
	s := in.session(x.Session, revision)
	if x.From == recording.Server {
		if x.Result != "" {
			s.Answers[x.Method] = append(s.Answers[x.Method], x.Result)
		}
		return
	}
	if revision != "" {
		s.Revision, s.Capabilities = revision, member(meta, metaCapabilities)
	}
	switch {
	case x.Method == "initialize":
		if x.Result != "" {
			s.Revision, s.Capabilities = result.GetString("protocolVersion"), member(params, "capabilities")
		}
		return
	case slices.Contains(own, x.Method):
		return
	case result.GetString("resultType") == "input_required":
		in.asked[x.Session] = member(result, "inputRequests")
		return // the client of a replay answers, and repeats the request
	}
	for key, answer := range member(params, "inputResponses").All() {
		method := member(in.asked[x.Session], key).GetString("method")
		s.Answers[method] = append(s.Answers[method], answer)
	}
	s.Requests = append(s.Requests, x)
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

// unplayable returns the reason for which a request is not played, or "".
func (s *Session) unplayable(r *recording.Exchange) string {
	_, task := object(r.Params).Get("task")
	switch {
	case r.Method == methodListen:
		return reasonListen
	case r.Result == "" && r.Error == "":
		return reasonUnanswered
	case s.Revision == "":
		return reasonRevision
	case task || strings.HasPrefix(r.Method, "tasks/"):
		return reasonTask
	case !s.has(r.Method):
		return reasonUnknown
	case strings.Contains(string(r.Params), recording.RedactedPrefix):
		return reasonRedacted
	}
	return ""
}

// has reports whether the session's revision has a request. An unknown revision is an error of Binding.
func (s *Session) has(method string) bool {
	r, ok := generated.Lookup(s.Revision)
	return !ok || slices.ContainsFunc(r.Methods, func(m runtime.Method) bool { return m.Name == method && m.Kind == jsonrpc.Request })
}

// object returns a value as an object, or an empty one if it is not an object.
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

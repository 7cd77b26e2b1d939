package audit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of basic/transports over HTTP.

// httpState is the state of a session over HTTP.
type httpState struct {
	given  string // the digest of the session id
	ended  bool   // by DELETE
	lost   bool   // the server has answered 404
	events map[string]event
	homes  map[uint64]int // maps the hash of each response in an event to its exchange
	// eventBytes is the approximate memory of events and homes.
	eventBytes int
	sse        bool // the session uses HTTP+SSE, which defines no headers
}

// event is a server-sent event with an id.
type event struct {
	hash uint64
	home int // the exchange of the event's stream
}

// maxEventBytes limits the memory of a session's event ids. eventBytes is the size of an event
// besides its id.
const (
	maxEventBytes = 16 << 20
	eventBytes    = 64
)

// exchange is an HTTP request with its response. It shares no memory with the entries.
type exchange struct {
	number   int
	home     int // the exchange of the stream that this one resumes, or number
	session  *Session
	method   string
	named    bool // the request names a session
	resumes  bool
	version  string // the session id of the response
	fresh    bool   // the session has no known id
	begins   bool   // the request contains initialize
	requests []wire.Scalar
	spoken   bool // the request contains a message
	stream   bool
	events   int
	done     bool // the response has come
	told     bool // a message after the response was reported

	stateless bool
	listens   bool   // the request is subscriptions/listen
	unnamed   bool   // the _meta of the request lacks a member about the peer
	mismatch  string // the header that does not agree with the message, or ""
}

// said records a message from the body of a request or from the response stream.
func (x *exchange) said(c *check, m jsonrpc.Message) {
	switch {
	case c.from == Client:
		x.spoken = true
		if m.Kind == jsonrpc.Request {
			x.requests = append(x.requests, keptID(m.ID))
			x.begins = x.begins || m.Method == "initialize"
			x.listens = x.listens || m.Method == methodListen
		}
	case m.Kind == jsonrpc.Response:
		x.requests = slices.DeleteFunc(x.requests, func(id wire.Scalar) bool { return id == m.ID.Canonical() })
		if x.method == "GET" && !x.resumes && !x.session.http.sse {
			c.breaks("http-get-response", "", "the stream of a GET that resumes nothing has a response")
		}
		x.done = x.method == "POST" && len(x.requests) == 0
	case x.done && x.stream && !x.told:
		x.told = true
		c.breaks("http-stream-after-response", "", "the stream has a message after the response")
	}
}

// http checks an entry of an HTTP exchange.
func (r *Recording) http(e recording.Entry) []Finding {
	if e.Kind == recording.Request {
		x := r.begin(e)
		findings := x.request(e)
		if x.stateless {
			findings = append(findings, x.repeated(e)...)
		}
		if e.Text != "" || e.Unread != "" {
			findings = append(findings, r.onStream(x, e)...)
		}
		x.session.http.lost = x.session.http.lost && !x.begins
		return findings
	}
	x := r.exchanges[e.Exchange]
	if x == nil {
		return nil
	}
	switch e.Kind {
	case recording.Response:
		findings := x.response(r, e)
		// The body of an error response need not be a message, nor need the answer to a POST of
		// HTTP+SSE.
		isMessage := media(e.Header["Content-Type"]) == "application/json" && !x.session.http.sse &&
			(e.Status/100 == 2 || strings.Contains(e.Text, `"jsonrpc"`))
		if e.Text != "" && isMessage || e.Unread != "" {
			findings = append(findings, r.onStream(x, e)...)
		}
		if e.Status >= 400 {
			x.drop()
			if x.begins && x.fresh { // the client may open another session, over HTTP+SSE for example
				r.forget(x.session)
			}
		}
		if !x.stream {
			r.finish(x)
		}
		return findings
	case recording.Event:
		return r.event(x, e)
	case recording.End:
		defer r.finish(x)
		if e.From == Client && x.stateless {
			x.cancel()
			return nil
		}
		if i := slices.IndexFunc(x.requests, x.awaited); i >= 0 && e.From != Client && !x.begins && x.method == "POST" && !x.session.since("2025-11-25") {
			return x.finding(e, Server, "http-stream-closed", "the stream ends before the response to the request %s", x.requests[i])
		}
	}
	return nil
}

// onStream checks the message of an entry of an exchange.
func (r *Recording) onStream(x *exchange, e recording.Entry) []Finding {
	s := x.session
	s.crossing, s.replay = true, x.resumes
	defer func() { s.crossing, s.replay = false, false }()
	return r.message(s, x, e)
}

func (r *Recording) finish(x *exchange) { delete(r.exchanges, x.number) }

// finding returns a finding about an entry as a whole.
func (x *exchange) finding(e recording.Entry, from Side, rule Rule, format string, args ...any) []Finding {
	s := x.session
	s.line = e.Line
	c := &check{s: s, from: from}
	c.breaks(rule, "", format, args...)
	findings := c.done()
	for i := range findings {
		findings[i].Number = s.number + 1
	}
	return findings
}

// begin finds the session of a request.
func (r *Recording) begin(e recording.Entry) *exchange {
	x := &exchange{number: e.Exchange, method: strings.Clone(e.Method), version: strings.Clone(e.Header["Mcp-Protocol-Version"])}
	x.named, x.resumes = e.Header["Mcp-Session-Id"] != "", e.Header["Last-Event-Id"] != ""
	key := strings.Clone(cmp.Or(e.Header["Mcp-Session-Id"], e.Session))
	starts := opens(e.Text)
	revision, isStateless := statelessRevision(e)
	x.stateless = isStateless && !starts
	switch known, byPath := r.bySession[key], r.bySession["path "+e.Path]; {
	case x.stateless:
		x.session = r.stateless(revision)
	case key != "" && known != nil:
		x.session = known
	case byPath != nil:
		x.session = byPath
	case key == "" && !starts && known != nil: // the server keeps no sessions
		x.session = known
	case key == "" && !starts && len(r.order) == 1 && e.Method != "GET": // no other session is possible
		x.session = r.bySession[r.order[0]]
	default:
		x.session, x.fresh = r.newSession(key), true
		x.session.shared = key == "" && known != nil
		if revision, ok := generated.Lookup(x.version); ok && r.opts.Revision == nil {
			x.session.speak(revision)
		}
		if key != "" || starts {
			r.remember(key, x.session)
		}
	}
	x.home = x.number
	if last, ok := x.session.http.events[e.Header["Last-Event-Id"]]; ok {
		x.home = last.home
	}
	r.exchanges[x.number] = x
	if r.oldest = append(r.oldest, x.number); len(r.oldest) > maxOpen {
		delete(r.exchanges, r.oldest[0])
		r.oldest = r.oldest[1:]
	}
	return x
}

// named returns the session of an entry that names one without HTTP.
func (r *Recording) named(key string) *Session {
	s := r.bySession[key]
	if s == nil {
		key = strings.Clone(key)
		s = r.newSession(key)
		r.remember(key, s)
	}
	return s
}

func (r *Recording) remember(key string, s *Session) {
	if r.bySession[key] == nil {
		if len(r.order) >= maxSessions {
			delete(r.bySession, r.order[0])
			r.order = r.order[1:]
		}
		r.order = append(r.order, key)
	}
	r.bySession[key] = s
}

// forget removes a session without an id, so that the next request without one is not of it.
func (r *Recording) forget(s *Session) {
	if r.bySession[""] == s {
		delete(r.bySession, "")
		r.order = slices.DeleteFunc(r.order, func(key string) bool { return key == "" })
	}
}

// request checks the headers of a request.
func (x *exchange) request(e recording.Entry) (findings []Finding) {
	s, h := x.session, e.Header
	bad := func(rule Rule, format string, args ...any) {
		findings = append(findings, x.finding(e, Client, rule, format, args...)...)
	}
	if strings.Contains(e.Path, "access_token=") {
		bad("http-token-in-query", "the URL contains an access token")
	}
	if s.http.sse || s.revision.ID < "2025-03-26" {
		return findings
	}
	switch e.Method {
	case "POST":
		if !accepts(h["Accept"], "application/json") || !accepts(h["Accept"], "text/event-stream") {
			bad("http-accept", "the Accept header of a POST must list application/json and text/event-stream, got %q", h["Accept"])
		}
		if kind := media(h["Content-Type"]); kind != "application/json" {
			bad("http-request-type", "the Content-Type of a POST must be application/json, got %q", h["Content-Type"])
		}
	case "GET":
		if !accepts(h["Accept"], "text/event-stream") {
			bad("http-accept", "the Accept header of a GET must list text/event-stream, got %q", h["Accept"])
		}
		if e.Text != "" {
			bad("http-method", "a message was sent by GET")
		}
	case "DELETE", "OPTIONS", "HEAD":
	default:
		bad("http-method", "the transport has no method %s", e.Method)
	}
	if s.http.lost && !opens(e.Text) && e.Method != "DELETE" {
		bad("http-session-lost", "the client continues a session to which the server answered 404")
	}
	version := s.negotiatedVersion()
	if version == "" || opens(e.Text) || e.Method == "OPTIONS" || e.Method == "HEAD" {
		return findings
	}
	if s.http.given != "" && h["Mcp-Session-Id"] == "" {
		bad("http-session-missing", "missing header Mcp-Session-Id")
	}
	if version >= "2025-06-18" && x.version != version {
		if x.version == "" {
			bad("http-protocol-version", "missing header MCP-Protocol-Version; the negotiated version is %s", version)
		} else {
			bad("http-protocol-version-other", "the header MCP-Protocol-Version is %q, but the negotiated version is %s", x.version, version)
		}
	}
	return findings
}

// accepts reports whether an Accept header includes a media type, directly or by a wildcard.
func accepts(header, kind string) bool {
	main, _, _ := strings.Cut(kind, "/")
	for part := range strings.SplitSeq(header, ",") {
		if m := media(part); m == kind || m == "*/*" || m == main+"/*" {
			return true
		}
	}
	return false
}

func media(value string) string {
	kind, _, _ := strings.Cut(value, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// response checks the status and headers of a response.
func (x *exchange) response(r *Recording, e recording.Entry) (findings []Finding) {
	s := x.session
	bad := func(rule Rule, format string, args ...any) {
		findings = append(findings, x.finding(e, Server, rule, format, args...)...)
	}
	good := e.Status/100 == 2
	kind := media(e.Header["Content-Type"])
	x.stream = kind == "text/event-stream"
	if id := strings.Clone(e.Header["Mcp-Session-Id"]); id != "" && x.begins && good {
		if s.http.given = id; strings.HasSuffix(id, recording.Invalid) {
			bad("http-session-id", "the session id contains characters that are not visible ASCII")
		}
		r.forget(s)
		s.name = id
		r.remember(id, s)
	}
	if x.stateless {
		findings = append(findings, x.status(e)...)
	}
	switch {
	case e.Status == 401 && e.Header["Www-Authenticate"] == "":
		bad("http-authenticate", "a 401 without the header WWW-Authenticate")
	case good && s.http.given != "" && !x.named && !x.begins && x.method == "POST" && !s.http.sse:
		bad("http-session-accepted", "the request has no session id, but the status is %d", e.Status)
	case e.Status == 404 && x.named && !x.begins:
		s.http.lost = true
	case good && x.method == "DELETE":
		s.http.ended = true
	case good && s.http.ended && !x.begins:
		bad("http-session-ended", "the session was ended by DELETE, but the status is %d", e.Status)
	}
	if s.http.sse || s.revision.ID < "2025-03-26" {
		return findings
	}
	if _, ok := generated.Lookup(x.version); good && x.version != "" && !ok && !x.stateless && s.since("2025-06-18") {
		bad("http-protocol-version-accepted", "the request has the invalid protocol version %q, but the status is %d", x.version, e.Status)
	}
	switch {
	case !good:
	case x.method == "GET" && !x.stream:
		bad("http-content-type", "the response to a GET must be text/event-stream, got the Content-Type %q", e.Header["Content-Type"])
	case x.method == "POST" && len(x.requests) > 0 && !x.stream && kind != "application/json":
		bad("http-content-type", "the response to a request must be application/json or text/event-stream, got the Content-Type %q", e.Header["Content-Type"])
	case x.method == "POST" && x.spoken && len(x.requests) == 0 && (e.Status != 202 || strings.TrimSpace(e.Text) != ""):
		bad("http-accepted", "notifications and responses must be answered with 202 and no body, got the status %d and %d bytes", e.Status, len(e.Text))
	}
	return findings
}

// drop forgets the requests of a refused exchange.
func (x *exchange) drop() {
	for _, id := range x.requests {
		for _, r := range x.session.open.byID[id] {
			if r.by == Client {
				x.session.open.remove(r)
				break
			}
		}
	}
	x.requests = nil
}

// cancel marks the requests of an exchange as cancelled, which the client has done by ending it
// ("Cancellation" in basic/patterns, 2026-07-28).
func (x *exchange) cancel() {
	for _, id := range x.requests {
		for _, r := range x.session.open.byID[id] {
			if r.by == Client && r.exchange == x.number {
				r.cancelled, r.cancel = true, x.session.now
			}
		}
	}
	x.requests = nil
}

// awaited reports whether the client has not cancelled the request with an id.
func (x *exchange) awaited(id wire.Scalar) bool {
	return !slices.ContainsFunc(x.session.open.byID[id], func(r *request) bool { return r.by == Client && r.cancelled })
}

// event checks an event of a stream.
func (r *Recording) event(x *exchange, e recording.Entry) []Finding {
	s := x.session
	x.events++
	if e.EventType == "endpoint" {
		_, digest, _ := strings.Cut(e.Text, "=")
		s.http.sse, s.name = true, strings.Clone(cmp.Or(digest, e.Text))
		r.remember("path "+e.Text, s)
		return nil
	}
	var findings []Finding
	// A GET without a session and a version belongs to HTTP+SSE.
	if x.method == "GET" && x.events == 1 && x.fresh && !s.whole && x.version == "" && !x.named {
		findings = x.finding(e, Server, "sse-endpoint", "the first event must be endpoint, got %q", e.EventType)
	}
	if e.Text == "" && e.Unread == "" {
		if e.EventID != "" {
			s.http.reserve(e.EventID)
			s.http.events[strings.Clone(e.EventID)] = event{home: x.home}
		}
		return findings
	}
	if e.EventType != "" && e.EventType != "message" {
		return findings
	}
	misplaced := x.misplaced(e)
	findings = append(findings, misplaced...)
	if e.EventID != "" {
		s.http.reserve(e.EventID)
		before, again := s.http.events[e.EventID]
		now := event{hash(e.Text), x.home}
		s.http.events[strings.Clone(e.EventID)] = now
		if strings.Contains(e.Text, `"result"`) {
			s.http.homes[now.hash] = x.home
		}
		if again && !x.resumes {
			findings = append(findings, x.finding(e, Server, "http-event-id", "another event has the same id %q", cut(e.EventID, 80))...)
		}
		if again && before.hash == now.hash {
			if len(misplaced) == 0 && x.home != x.number && before.home != x.home {
				findings = append(findings, x.finding(e, Server, "http-replay", "the event %q is replayed, but was sent on another stream than the resumed one", cut(e.EventID, 80))...)
			}
			s.again(e.Text)
			return findings
		}
	}
	return append(findings, r.onStream(x, e)...)
}

// reserve makes room for the id of an event. It forgets all events once they take too much
// memory.
func (h *httpState) reserve(id string) {
	size := len(id) + eventBytes
	if h.events == nil || h.eventBytes+size > maxEventBytes {
		h.events, h.homes, h.eventBytes = map[string]event{}, map[uint64]int{}, 0
	}
	h.eventBytes += size
}

// misplaced reports a replayed response that was sent on another stream than the resumed one.
func (x *exchange) misplaced(e recording.Entry) []Finding {
	if !x.resumes || x.home == x.number {
		return nil
	}
	if home, ok := x.session.http.homes[hash(e.Text)]; ok && home != x.home {
		return x.finding(e, Server, "http-replay", "a response is replayed that was sent on another stream than the resumed one")
	}
	return nil
}

// again remembers that a request was sent again, so that it may be answered again.
func (s *Session) again(src string) {
	if m, err := jsonrpc.Parse(src); err == nil && m.Kind == jsonrpc.Request {
		s.replayed.add(m.ID.Canonical())
	}
}

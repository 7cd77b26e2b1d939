package proxy

import (
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"mime"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/generated"
)

// The headers of basic/transports that tell sessions apart.
const (
	headerSession  = "Mcp-Session-Id"
	headerRevision = "Mcp-Protocol-Version"
)

// maxSessions is how many sessions are followed at once; one more and the oldest is
// forgotten, so that clients that never end theirs do not fill the memory.
const maxSessions = 10000

// sessions are those of an HTTP server, by the session id or by the URI to which the
// client of a server with an SSE stream is told to post.
type sessions struct {
	tap  *Tap
	opts audit.Options

	mu    sync.Mutex
	byKey map[string]*session
	order []string
}

type exchangeKey struct{}

// exchange is one request and its response.
type exchange struct {
	session *session
	known   bool        // it is in the table
	header  http.Header // of the request, where the protocol says what is in it
}

// HTTP returns a handler that hands requests on to the server of a URL, whose path they
// keep, and gives back the responses. What goes wrong with that is logged.
func (t *Tap) HTTP(target *url.URL, opts audit.Options, logger *log.Logger) http.Handler {
	opts.Unordered = true
	all := &sessions{tap: t, opts: opts, byKey: map[string]*session{}}
	server := &url.URL{Scheme: target.Scheme, Host: target.Host}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true // the client has not asked for it
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(server)
			x := all.of(r.In)
			r.Out = r.Out.WithContext(context.WithValue(r.Out.Context(), exchangeKey{}, x))
			if r.Out.Body != nil && r.Out.Method == http.MethodPost {
				r.Out.Body = &tee{ReadCloser: r.Out.Body, length: r.Out.ContentLength, into: &document{tap: t, session: x.session, from: audit.Client, header: x.header}}
			}
		},
		ModifyResponse: func(r *http.Response) error {
			x, _ := r.Request.Context().Value(exchangeKey{}).(*exchange)
			if x == nil {
				return nil
			}
			if id := r.Header.Get(headerSession); id != "" && !x.known {
				x.session.rename(id)
				all.add(id, x.session)
			}
			if r.Header.Get("Content-Encoding") != "" {
				t.enqueue(queued{session: x.session, from: audit.Server, unread: compressed})
				return nil
			}
			switch kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind {
			case "application/json":
				r.Body = &tee{ReadCloser: r.Body, length: r.ContentLength, into: &document{tap: t, session: x.session, from: audit.Server}}
			case "text/event-stream":
				r.Body = &tee{ReadCloser: r.Body, length: -1, into: &events{tap: t, session: x.session, announce: func(endpoint string) { all.announce(r.Request.URL, endpoint, x) }}}
			default:
				if r.Request.Method == http.MethodPost && r.StatusCode == http.StatusOK {
					t.enqueue(queued{session: x.session, from: audit.Server, unread: foreign, broken: fmt.Sprintf("the Content-Type of a response is %q", r.Header.Get("Content-Type"))})
				}
			}
			return nil
		},
		Transport:     transport,
		FlushInterval: -1,
		ErrorLog:      logger,
	}
}

// of returns the session that a request belongs to. Without one known it is a new one:
// that of initialize, or of a server that keeps none.
func (s *sessions) of(r *http.Request) *exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.byKey[r.Header.Get(headerSession)]; found != nil {
		return &exchange{found, true, r.Header}
	}
	// HTTP with SSE has no headers of its own.
	if found := s.byKey[r.URL.RequestURI()]; found != nil {
		return &exchange{found, true, nil}
	}
	opts := s.opts
	if revision, ok := generated.Lookup(r.Header.Get(headerRevision)); ok && opts.Revision == nil {
		opts.Revision = &revision
	}
	return &exchange{newSession(r.Header.Get(headerSession), opts), false, nil}
}

func (s *sessions) add(key string, one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.order) == maxSessions {
		delete(s.byKey, s.order[0])
		s.order = s.order[1:]
	}
	s.byKey[key] = one
	s.order = append(s.order, key)
}

// announce remembers where the messages of an SSE stream's client will go.
func (s *sessions) announce(stream *url.URL, endpoint string, x *exchange) {
	uri, err := stream.Parse(endpoint)
	if err != nil {
		return
	}
	x.session.rename(uri.RequestURI())
	s.add(uri.RequestURI(), x.session)
}

// tee is a body whose bytes go into a writer too, which is closed after the last one.
type tee struct {
	io.ReadCloser
	length int64 // -1: not known
	into   io.WriteCloser
	read   int64
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.read += int64(n)
	t.into.Write(p[:n])
	if err != nil || t.read == t.length {
		t.into.Close()
	}
	return n, err
}

// document is a body that is a message, or a batch.
type document struct {
	tap     *Tap
	session *session
	from    audit.Side
	header  http.Header
	text    text
	closed  bool
}

func (d *document) Write(p []byte) (int, error) {
	d.text.add(p)
	return len(p), nil
}

func (d *document) Close() error {
	if d.closed {
		return nil
	}
	d.closed = true
	q := d.text.take(queued{session: d.session, from: d.from, header: d.header})
	// The error of a request that never reached the server's protocol need not be a message.
	if q.unread != "" || d.from == audit.Client || strings.Contains(q.text, `"jsonrpc"`) {
		d.tap.enqueue(q)
	}
	return nil
}

// events is a body of server-sent events, whose data are messages.
type events struct {
	tap      *Tap
	session  *session
	announce func(endpoint string)

	line     []byte
	over     bool
	data     []string
	kind, id string
	afterCR  bool
}

func (e *events) Write(p []byte) (int, error) {
	for _, c := range p {
		if c == '\n' && e.afterCR {
			e.afterCR = false
			continue
		}
		e.afterCR = c == '\r'
		if c == '\n' || c == '\r' {
			e.field(string(e.line))
			e.line = e.line[:0]
			continue
		}
		if len(e.line) == maxMessage {
			e.over = true
			continue
		}
		e.line = append(e.line, c)
	}
	return len(p), nil
}

// Close forgets an event that was cut off.
func (e *events) Close() error { return nil }

// field takes a line of an event; the empty one ends it.
func (e *events) field(line string) {
	if line == "" {
		e.dispatch()
		e.data, e.kind, e.id, e.over = nil, "", "", false
		return
	}
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "data":
		e.data = append(e.data, value)
	case "event":
		e.kind = value
	case "id":
		e.id = value
	}
}

func (e *events) dispatch() {
	data := strings.Join(e.data, "\n")
	switch {
	case e.over:
		e.tap.enqueue(queued{session: e.session, from: audit.Server, unread: tooLong})
	case data == "":
	case e.kind == "endpoint":
		e.announce(data)
	case (e.kind == "" || e.kind == "message") && !e.session.replayed(e.id):
		e.tap.enqueue(queued{session: e.session, from: audit.Server, text: data})
	}
}

// replayed reports whether an event with the id came before, as it does when a client
// resumes a stream that broke off.
func (s *session) replayed(id string) bool {
	if id == "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.events[id]; ok {
		return true
	}
	const most = 100_000
	if len(s.events) == most {
		for _, old := range slices.Collect(maps.Keys(s.events))[:most/2] {
			delete(s.events, old)
		}
	}
	s.events[id] = struct{}{}
	return false
}

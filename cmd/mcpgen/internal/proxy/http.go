package proxy

import (
	"context"
	"io"
	"log"
	"mime"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
)

type exchangeKey struct{}

// exchange is a request and its response.
type exchange struct {
	number  int
	session string // the digest of the session id
	request *document
}

// Upstream is a server over HTTP.
type Upstream struct {
	URL *url.URL
	// Header is added to each request, in place of the client's headers of the same names. It is not
	// recorded.
	Header http.Header
	// Transport sends the requests; nil is NewTransport.
	Transport http.RoundTripper
}

// NewTransport returns a transport that leaves bodies as they are.
func NewTransport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true // the client did not ask for compression
	return transport
}

// HTTP returns a handler that forwards requests to a server, with the URL's path, and returns the
// responses. It logs failures.
func (t *Tap) HTTP(to Upstream, logger *log.Logger) http.Handler {
	server := &url.URL{Scheme: to.URL.Scheme, Host: to.URL.Host}
	transport := to.Transport
	if transport == nil {
		transport = NewTransport()
	}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(server)
			x := t.exchange(r.In)
			for name, values := range to.Header {
				r.Out.Header[name] = values
			}
			r.Out = r.Out.WithContext(context.WithValue(r.Out.Context(), exchangeKey{}, x))
			if r.In.Header.Get("Content-Encoding") != "" {
				x.request.entry.Unread = compressed
			}
			if x.request.entry.Unread != "" || r.Out.Body == nil || r.Out.Body == http.NoBody {
				x.request.Close()
				return
			}
			r.Out.Body = &tee{ReadCloser: r.Out.Body, length: r.Out.ContentLength, into: x.request}
		},
		ModifyResponse: func(r *http.Response) error {
			if x, _ := r.Request.Context().Value(exchangeKey{}).(*exchange); x != nil {
				x.request.Close() // the response may come before the end of the request
				t.response(x, r)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if x, _ := r.Context().Value(exchangeKey{}).(*exchange); x != nil && r.Context().Err() != nil {
				x.request.Close()
				t.add(recording.Entry{Kind: recording.End, From: audit.Client, Transport: recording.HTTP, Session: x.session, Exchange: x.number})
			}
			logger.Printf("http: proxy error: %v", err)
			w.WriteHeader(http.StatusBadGateway)
		},
		Transport:     transport,
		FlushInterval: -1,
		ErrorLog:      logger,
	}
}

// exchange starts an exchange.
func (t *Tap) exchange(r *http.Request) *exchange {
	x := &exchange{number: int(t.exchanges.Add(1)), session: t.redactor.Digest(r.Header.Get("Mcp-Session-Id"))}
	x.request = &document{tap: t, entry: recording.Entry{
		Kind: recording.Request, From: audit.Client, Transport: recording.HTTP, Session: x.session, Exchange: x.number,
		Method: r.Method, Path: t.redactor.Path(r.URL), Header: t.redactor.Header(r.Header),
	}}
	return x
}

// response arranges that a response is checked while it is forwarded.
func (t *Tap) response(x *exchange, r *http.Response) {
	e := recording.Entry{
		Kind: recording.Response, From: audit.Server, Transport: recording.HTTP, Session: x.session, Exchange: x.number,
		Status: r.StatusCode, Header: t.redactor.Header(r.Header),
	}
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		e.Session = t.redactor.Digest(id)
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Header.Get("Content-Encoding") != "":
		e.Unread = compressed
		t.add(e)
	case kind == "text/event-stream":
		t.add(e)
		into := &events{tap: t, client: r.Request.Context(), stream: r.Request.URL, entry: recording.Entry{Kind: recording.Event, From: audit.Server, Transport: recording.HTTP, Session: e.Session, Exchange: x.number}}
		r.Body = &tee{ReadCloser: r.Body, length: -1, into: into}
	default:
		r.Body = &tee{ReadCloser: r.Body, length: r.ContentLength, into: &document{tap: t, entry: e}}
	}
}

// tee is a body whose bytes also go to a writer, which is closed after the last one.
type tee struct {
	io.ReadCloser
	length int64 // -1 if unknown
	into   io.WriteCloser
	read   int64
	err    error // with which the body has ended
}

// Read does not read again from a body that has ended. net/http does so once it has sent a request, and by then may
// have closed the body of the client's request, because the response has begun; it would take that for a failure, and
// cut off the response (https://go.dev/issue/40747).
func (t *tee) Read(p []byte) (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	n, err := t.ReadCloser.Read(p)
	t.err = err
	t.read += int64(n)
	t.into.Write(p[:n])
	if err != nil || t.read == t.length {
		t.into.Close()
	}
	return n, err
}

func (t *tee) Close() error {
	t.into.Close()
	return t.ReadCloser.Close()
}

// document is a body that contains a message or a batch.
type document struct {
	tap   *Tap
	entry recording.Entry

	mu     sync.Mutex
	text   text
	closed bool
}

func (d *document) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.text.add(p)
	}
	return len(p), nil
}

// Close passes the body on to be checked, once.
func (d *document) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.closed = true
		d.tap.add(d.text.take(d.entry))
	}
	return nil
}

// events is a body of server-sent events with messages as data.
type events struct {
	tap    *Tap
	client context.Context // ends when the client disconnects
	stream *url.URL
	entry  recording.Entry

	line     []byte
	over     bool   // the event is too long to be checked
	data     []byte // splits the body into lines with their line ends
	kind, id string
	afterCR  bool
	closed   bool
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
			if e.line = e.line[:0]; cap(e.line) > 1<<20 {
				e.line = nil
			}
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

// Close discards an incomplete event.
func (e *events) Close() error {
	if !e.closed {
		e.closed = true
		end := e.entry
		end.Kind = recording.End
		if e.client.Err() != nil {
			end.From = audit.Client
		}
		e.tap.add(end)
	}
	return nil
}

// field handles a line of an event. An empty line ends the event.
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
		if e.over = e.over || len(e.data)+len(value) > maxMessage; e.over {
			e.data = nil
			return
		}
		e.data = append(append(e.data, value...), '\n')
	case "event":
		e.kind = value
	case "id":
		e.id = value
	}
}

func (e *events) dispatch() {
	one := e.entry
	one.Text, one.EventType, one.EventID = strings.TrimSuffix(string(e.data), "\n"), e.kind, e.id
	switch {
	case e.over:
		one.Text, one.Unread = "", tooLong
	case one.Text == "" && one.EventID == "":
		return
	case e.kind == "endpoint":
		uri, err := e.stream.Parse(one.Text)
		if err != nil {
			return
		}
		one.Text = e.tap.redactor.Path(uri)
	}
	e.tap.add(one)
}

package interop

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// proxy forwards between HTTP clients and a server. It records their messages and can cut event
// streams.
type proxy struct {
	*httptest.Server
	target *url.URL
	http   http.RoundTripper
	log    *transcript

	// cut, if not nil, returns whether to break the connection, given a POST's body and the
	// number of forwarded events.
	cut func(body string, events int) bool

	mu        sync.Mutex
	exchanges []exchange
}

// exchange is an HTTP request with its outcome.
type exchange struct {
	Method  string
	Session string // the session id of the request, or else of the response
	Last    string // Last-Event-ID
	Status  int
	Error   int64 // the JSON-RPC error code of a refusal, or 0
	Cut     bool
}

// newProxy starts a proxy for the server at a URL. Its own URL has the same path. cut may be
// nil.
func newProxy(t *testing.T, target string, cut func(body string, events int) bool) *proxy {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableCompression: true}
	p := &proxy{target: u, http: transport, log: new(transcript), cut: cut}
	p.Server = httptest.NewServer(p)
	p.URL += u.Path
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
		transport.CloseIdleConnections()
	})
	return p
}

// list returns the exchanges so far, in the order in which the server started to answer.
func (p *proxy) list() []exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exchanges[:len(p.exchanges):len(p.exchanges)]
}

func (p *proxy) note(e exchange) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exchanges = append(p.exchanges, e)
	return len(p.exchanges) - 1
}

func (p *proxy) noteCut(i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exchanges[i].Cut = true
}

// ServeHTTP implements http.Handler.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if len(body) > 0 {
		p.log.add(fromClient, string(body))
	}
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.Host, out.RequestURI = p.target.Scheme, p.target.Host, "", ""
	out.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := p.http.RoundTrip(out)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	e := exchange{Method: r.Method, Session: r.Header.Get("Mcp-Session-Id"), Last: r.Header.Get("Last-Event-ID"), Status: resp.StatusCode}
	if e.Session == "" {
		e.Session = resp.Header.Get("Mcp-Session-Id")
	}
	var text []byte
	streams := mediaType(resp) == "text/event-stream"
	if !streams {
		if text, err = io.ReadAll(resp.Body); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
	// A refusal whose error has no id is not a message of a session.
	switch {
	case mediaType(resp) != "application/json":
	case e.Status/100 == 2:
		p.log.add(fromServer, string(text))
	default:
		if m, err := jsonrpc.Parse(string(text)); m.Error != nil && err == nil {
			e.Error = m.Error.Code
			if !m.ID.IsZero() {
				p.log.add(fromServer, string(text))
			}
		}
	}
	i := p.note(e)
	for name, values := range resp.Header {
		switch name {
		case "Connection", "Keep-Alive", "Transfer-Encoding", "Content-Length":
		default:
			w.Header()[name] = values
		}
	}
	w.WriteHeader(resp.StatusCode)
	if !streams {
		w.Write(text)
		return
	}
	flush := http.NewResponseController(w).Flush
	flush()
	events := bufio.NewReader(resp.Body)
	for n := 0; ; n++ {
		if p.cut != nil && p.cut(string(body), n) {
			p.noteCut(i)
			panic(http.ErrAbortHandler)
		}
		event, err := readEvent(events)
		if text := event.message(); text != "" {
			p.log.add(fromServer, text)
		}
		io.WriteString(w, event.text)
		flush()
		if err != nil {
			return
		}
	}
}

func mediaType(resp *http.Response) string {
	media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return media
}

// event is an event of a stream, as sent.
type event struct{ text string }

func readEvent(r *bufio.Reader) (event, error) {
	var e event
	for {
		line, err := r.ReadString('\n')
		e.text += line
		if err != nil || strings.TrimRight(line, "\r\n") == "" {
			return e, err
		}
	}
}

// message returns the JSON-RPC message of an event, or "".
func (e event) message() string {
	kind, data := "message", []string(nil)
	for line := range strings.Lines(e.text) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			kind = value
		case "data":
			data = append(data, value)
		}
	}
	if kind != "message" {
		return ""
	}
	return strings.Join(data, "\n")
}

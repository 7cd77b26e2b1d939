//lint:file-ignore SA1019 a trace of each transport, also the replaced one

package traces

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// requests is a client that sends requests over HTTP.
type requests struct {
	t       *testing.T
	v       *variables
	sse     bool
	server  *httptest.Server
	handler interface {
		http.Handler
		Close()
	}
	responses []*response
	session   string // the id of the session
}

// response is the response to one request.
type response struct {
	name string
	stop context.CancelFunc
	done chan struct{}

	mu      sync.Mutex
	header  http.Header
	all     bytes.Buffer
	arrived bytes.Buffer // since the last time
}

func newStreamable(t *testing.T, u *subject, v *variables, s settings) peer {
	p := &requests{t: t, v: v, handler: streamable.NewHandler(u.Server, streamable.Options{Stateless: s.stateless, Disconnect: s.disconnect, StreamAfter: -1})}
	return p.serve()
}

func newSSE(t *testing.T, u *subject, v *variables, _ settings) peer {
	p := &requests{t: t, v: v, sse: true, handler: streamable.NewSSEHandler(u.Server, streamable.Options{})}
	return p.serve()
}

func (p *requests) serve() *requests {
	p.server = testkit.NewServer(p.handler)
	return p
}

func (p *requests) open(capabilities string) {
	if p.sse {
		p.do("GET", "stream", nil)
		synctest.Wait()
	}
	p.do("POST", "open", []byte(initialize(p.v.revision, capabilities)+"\n"))
	settle()
	if opened := p.responses[len(p.responses)-1].header; opened != nil && !p.sse {
		p.session = opened.Get("Mcp-Session-Id")
		p.v.nameOf("SESSION", p.session)
	}
	p.do("POST", "opened", []byte(initialized+"\n"))
}

var headerLine = regexp.MustCompile(`^[A-Za-z-]+:`)

// do sends a request, or ends a response.
func (p *requests) do(verb, name string, data []byte) bool {
	if verb == "cut" {
		for _, r := range p.responses {
			if r.name == name {
				r.stop()
				return true
			}
		}
		return false
	}
	if verb != strings.ToUpper(verb) || name == "" {
		return false
	}
	var fields string
	body := string(data)
	if headerLine.MatchString(body) {
		fields, body, _ = strings.Cut(body, "\n\n")
	}
	body = strings.TrimSuffix(body, "\n")
	header := p.usual(verb, body)
	for line := range strings.Lines(fields) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		header.Del(key)
		if value = strings.TrimSpace(value); value != "" {
			header[http.CanonicalHeaderKey(key)] = []string{value}
		}
	}
	ctx, stop := context.WithCancel(p.t.Context())
	request, err := http.NewRequestWithContext(ctx, verb, p.server.URL+p.path(verb), strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header = header
	r := &response{name: name, stop: stop, done: make(chan struct{})}
	p.responses = append(p.responses, r)
	go r.read(p.server.Client(), request)
	return true
}

// path returns where requests go.
func (p *requests) path(verb string) string {
	if !p.sse || verb != http.MethodPost {
		return "/"
	}
	for _, r := range p.responses {
		r.mu.Lock()
		defer r.mu.Unlock()
		if m := endpoint.FindSubmatch(r.all.Bytes()); m != nil {
			return string(m[1])
		}
	}
	return "/"
}

var endpoint = regexp.MustCompile(`event: endpoint\r?\ndata: (.*)\n`)

// usual returns the headers that a client of the revision sends.
func (p *requests) usual(verb, body string) http.Header {
	h := http.Header{}
	switch verb {
	case http.MethodPost:
		h.Set("Content-Type", "application/json")
		if !p.sse {
			h.Set("Accept", "application/json, text/event-stream")
		}
	case http.MethodGet:
		h.Set("Accept", "text/event-stream")
	}
	if p.sse {
		return h
	}
	if p.session != "" {
		h.Set("Mcp-Session-Id", p.session)
	}
	if p.session != "" && p.v.revision >= "2025-06-18" || p.v.revision >= "2026-07-28" {
		h.Set("Mcp-Protocol-Version", p.v.revision)
	}
	if p.v.revision < "2026-07-28" || verb != http.MethodPost {
		return h
	}
	var m struct {
		Method string
		Params struct{ Name, URI string }
	}
	_ = json.Unmarshal([]byte(body), &m) // a text that is no message has no such headers
	if m.Method != "" {
		h.Set("Mcp-Method", m.Method)
	}
	if name := m.Params.Name + m.Params.URI; name != "" {
		h.Set("Mcp-Name", name)
	}
	return h
}

// read keeps what arrives.
func (r *response) read(client *http.Client, request *http.Request) {
	defer close(r.done)
	res, err := client.Do(request)
	if err != nil {
		if request.Context().Err() == nil {
			r.add([]byte("(no response)\n"))
		}
		return
	}
	defer res.Body.Close()
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s\n", res.Status)
	for _, key := range slices.Sorted(maps.Keys(res.Header)) {
		if key != "Date" && key != "Content-Length" {
			fmt.Fprintf(&head, "%s: %s\n", key, strings.Join(res.Header[key], ", "))
		}
	}
	r.mu.Lock()
	r.header = res.Header
	r.mu.Unlock()
	r.add(head.Bytes())
	for first := true; ; first = false {
		part := make([]byte, 1<<16)
		n, err := res.Body.Read(part)
		if n > 0 && first {
			r.add([]byte("\n"))
		}
		r.add(part[:n])
		if err == nil {
			continue
		}
		if !bytes.HasSuffix(r.all.Bytes(), []byte("\n")) {
			r.add([]byte("\n"))
		}
		switch {
		case err != io.EOF && request.Context().Err() == nil:
			r.add([]byte("(broken)\n"))
		case err == io.EOF && res.Header.Get("Content-Type") == "text/event-stream":
			r.add([]byte("(end)\n"))
		}
		return
	}
}

func (r *response) add(text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.Write(text)
	r.arrived.Write(text)
}

func (p *requests) take() []section {
	var all []section
	for _, r := range p.responses {
		r.mu.Lock()
		all = append(all, section{r.name, r.arrived.String()})
		r.arrived.Reset()
		r.mu.Unlock()
	}
	return all
}

func (p *requests) shutdown() { p.handler.Close() }

func (p *requests) close() {
	for _, r := range p.responses {
		r.stop()
		<-r.done
	}
	p.handler.Close()
	p.server.Close()
}

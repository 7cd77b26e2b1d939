package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// listRows list few and many tools.
func listRows() []*Row {
	var handlers, inProcess []*Row
	for _, n := range []int{10, 100, 1000} {
		handlers = append(handlers, &Row{
			Name: fmt.Sprintf("list/handler/%d", n), Title: fmt.Sprintf("tools/list of %d tools through the HTTP handler", n),
			Counts: "the server's handler, no network",
			Subjects: subjects(
				func(context.Context, *Lab) (*Work, error) {
					answer, err := generatedList(n)
					if err != nil {
						return nil, err
					}
					return listed(newSink(reply(answer)), n)
				},
				func(_ context.Context, _ *Lab, l library) (*Work, error) {
					h, err := l.handler(n, false)
					if err != nil {
						return nil, err
					}
					s := newSink(h)
					if err := s.open(); err != nil {
						return nil, err
					}
					return listed(s, n)
				}),
		})
		inProcess = append(inProcess, &Row{
			Name: fmt.Sprintf("list/inprocess/%d", n), Title: fmt.Sprintf("tools/list of %d tools in process, decoded by the client", n),
			Counts: "client and server",
			Subjects: subjects(
				func(context.Context, *Lab) (*Work, error) {
					answer, err := generatedList(n)
					return hops(string(answer)), err
				},
				func(ctx context.Context, _ *Lab, l library) (*Work, error) {
					c, err := l.connect(ctx, n)
					if err != nil {
						return nil, err
					}
					return &Work{
						Do: func(times int) error {
							for range times {
								if err := c.tools(ctx, n); err != nil {
									return err
								}
							}
							return nil
						},
						Close: c.close,
					}, nil
				}),
		})
	}
	handlers[2].Targets = []Target{floorPlus(25_000)} // the list is copied once into the answer
	return append(handlers, inProcess...)
}

// generatedList returns mcpgen's answer to tools/list. The floor moves its bytes.
func generatedList(n int) ([]byte, error) {
	h, err := onMcpgen(revision).handler(n, false)
	if err != nil {
		return nil, err
	}
	s := newSink(h)
	if err := s.open(); err != nil {
		return nil, err
	}
	return s.list(n)
}

// sink is a client of an HTTP handler without a network, and the writer of its answers, which
// it copies.
type sink struct {
	handler http.Handler
	session string
	id      int

	header http.Header
	status int
	body   []byte
}

func newSink(h http.Handler) *sink { return &sink{handler: h, id: 1_000_000} }

func (s *sink) Header() http.Header { return s.header }
func (s *sink) WriteHeader(status int) {
	s.status = status
}
func (s *sink) Write(b []byte) (int, error) {
	s.body = append(s.body, b...)
	return len(b), nil
}
func (s *sink) Flush() {}

var endpoint = &url.URL{Scheme: "http", Host: "127.0.0.1", Path: "/mcp"}

// post passes a message to the handler.
func (s *sink) post(text string) error {
	s.header, s.status, s.body = http.Header{}, http.StatusOK, s.body[:0]
	r := &http.Request{
		Method: http.MethodPost, URL: endpoint, Host: endpoint.Host, RequestURI: endpoint.Path, RemoteAddr: "127.0.0.1:1",
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}},
		ContentLength: int64(len(text)), Body: io.NopCloser(strings.NewReader(text)),
	}
	if s.session != "" {
		r.Header["Mcp-Session-Id"] = []string{s.session}
		r.Header["Mcp-Protocol-Version"] = []string{revision}
	}
	s.handler.ServeHTTP(s, r)
	if s.status/100 != 2 {
		return fmt.Errorf("status %d: %s", s.status, s.body)
	}
	return nil
}

// open opens a session.
func (s *sink) open() error {
	s.session = ""
	if err := s.post(initializeText); err != nil {
		return err
	}
	s.session = s.header.Get("Mcp-Session-Id")
	if s.session == "" || !bytes.Contains(s.body, []byte(`"protocolVersion":"`+revision+`"`)) {
		return fmt.Errorf("the answer to initialize: %s", s.body)
	}
	return s.post(initializedText)
}

// listing returns a request for the tools, with a new id of constant length.
func (s *sink) listing() error {
	s.id++
	return s.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, s.id))
}

// list lists the tools and checks their number.
func (s *sink) list(want int) ([]byte, error) {
	if err := s.listing(); err != nil {
		return nil, err
	}
	var answer struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal(s.body, &answer); err != nil {
		return nil, err
	}
	if len(answer.Result.Tools) != want {
		return nil, fmt.Errorf("got %d tools, want %d", len(answer.Result.Tools), want)
	}
	return bytes.Clone(s.body), nil
}

// listed returns the work of listing tools repeatedly. Each answer must be as long as the
// first.
func listed(s *sink, tools int) (*Work, error) {
	first, err := s.list(tools)
	return &Work{Do: func(n int) error {
		for range n {
			if err := s.listing(); err != nil {
				return err
			}
			if len(s.body) != len(first) {
				return fmt.Errorf("got %d bytes, want %d", len(s.body), len(first))
			}
		}
		return nil
	}}, err
}

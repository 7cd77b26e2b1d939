package streamable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// server is an http.RoundTripper that answers without a network, for tests in a bubble of
// testing/synctest. It answers the handshake by itself.
type server struct {
	answer func(r *http.Request, body string) *http.Response // all but the handshake

	mu   sync.Mutex
	gets []time.Time // when they came
	sent []string    // bodies of all POSTs but the handshake's
}

// RoundTrip implements http.RoundTripper.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	var body string
	if r.Body != nil {
		text, _ := io.ReadAll(r.Body)
		body = string(text)
	}
	s.mu.Lock()
	switch {
	case strings.Contains(body, `"method":"initialize"`):
		s.mu.Unlock()
		resp := respond(200, "application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":%q,"capabilities":{},"serverInfo":{"name":"f","version":"1"}}}`, r03))
		resp.Header.Set("Mcp-Session-Id", "s1")
		return resp, nil
	case r.Method == "GET":
		s.gets = append(s.gets, time.Now())
	case strings.Contains(body, "notifications/initialized"):
		s.mu.Unlock()
		return respond(202, "", ""), nil
	case r.Method == "POST":
		s.sent = append(s.sent, body)
	}
	s.mu.Unlock()
	if r.Method == "DELETE" {
		return respond(200, "", ""), nil
	}
	resp := s.answer(r, body)
	if resp == nil {
		return nil, errors.New("connection refused")
	}
	if body, ok := resp.Body.(*endless); ok {
		context.AfterFunc(r.Context(), func() { body.Close() })
	}
	resp.Request = r
	return resp, nil
}

func (s *server) posts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.sent...)
}

// waits are the times between the GETs.
func (s *server) waits() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []time.Duration
	for i := 1; i < len(s.gets); i++ {
		all = append(all, s.gets[i].Sub(s.gets[i-1]))
	}
	return all
}

func respond(status int, media, body string) *http.Response {
	resp := &http.Response{StatusCode: status, Header: http.Header{}, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}
	if media != "" {
		resp.Header.Set("Content-Type", media)
	}
	return resp
}

// endless is a body that has no end after its beginning, until it is closed.
type endless struct {
	io.Reader
	once   sync.Once
	closed chan struct{}
}

func newEndless(beginning string) *endless {
	return &endless{Reader: strings.NewReader(beginning), closed: make(chan struct{})}
}

func (e *endless) Read(p []byte) (int, error) {
	if n, err := e.Reader.Read(p); err == nil {
		return n, nil
	}
	<-e.closed
	return 0, errors.New("read of a closed body")
}

func (e *endless) Close() error {
	e.once.Do(func() { close(e.closed) })
	return nil
}

// open returns a response whose body does not end.
func open(status int, media, beginning string) *http.Response {
	resp := respond(status, media, "")
	resp.ContentLength, resp.Body = -1, newEndless(beginning)
	return resp
}

// cut returns a response whose body ends too early.
func cut(media, body string) *http.Response {
	resp := respond(200, media, "")
	resp.ContentLength = int64(len(body) + 100)
	resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(body), failing{}))
	return resp
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// session opens a session with the server. With hide, the optional methods of
// the transport are hidden.
func (s *server) session(t *testing.T, hide bool, opts ClientOptions) *runtime.Session {
	t.Helper()
	opts.HTTPClient = &http.Client{Transport: s}
	transport, err := NewTransport("http://server.test/mcp", opts)
	if err != nil {
		t.Fatal(err)
	}
	var over runtime.Transport = transport
	if hide {
		over = wrapped{transport}
	}
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1", Limits: runtime.Limits{Timeout: time.Minute}}, mcptest.Handlers{}.Bind(r03, runtime.ToClient))
	session, err := client.Connect(t.Context(), over)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

const (
	asJSON   = "application/json"
	asStream = "text/event-stream"
)

// noAnswers are responses to a request, whose id is 2, that do not answer it.
var noAnswers = []struct {
	name string
	resp func() *http.Response
	want string // part of the error
}{
	{"an empty body", func() *http.Response { return respond(200, asJSON, "") }, `received ""`},
	{"an empty body without a type", func() *http.Response { return respond(200, "", "") }, `content type "" is not an answer`},
	{"white space", func() *http.Response { return respond(200, asJSON, " \r\n") }, `received " \r\n"`},
	{"the answer to another request", func() *http.Response { return respond(200, asJSON, `{"jsonrpc":"2.0","id":77,"result":{}}`) }, "id 77"},
	{"the id as a string", func() *http.Response { return respond(200, asJSON, `{"jsonrpc":"2.0","id":"2","result":{}}`) }, `\"id\":\"2\"`},
	{"a result without an id", func() *http.Response { return respond(200, asJSON, `{"jsonrpc":"2.0","result":{}}`) }, "without an id"},
	{"an error with the id null", func() *http.Response {
		return respond(200, asJSON, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"what?"}}`)
	}, "what?"},
	{"neither result nor error", func() *http.Response { return respond(200, asJSON, `{"jsonrpc":"2.0","id":2}`) }, "neither"},
	{"no version", func() *http.Response { return respond(200, asJSON, `{"id":2,"result":{}}`) }, "jsonrpc"},
	{"a request", func() *http.Response { return respond(200, asJSON, `{"jsonrpc":"2.0","id":2,"method":"ping"}`) }, "request"},
	{"a notification", func() *http.Response { return respond(200, asJSON, `{"jsonrpc":"2.0","method":"notifications/x"}`) }, "notification"},
	{"a batch without the answer", func() *http.Response { return respond(200, asJSON, `[{"jsonrpc":"2.0","id":7,"result":{}}]`) }, "batch"},
	{"an empty batch", func() *http.Response { return respond(200, asJSON, `[]`) }, "batch"},
	{"a string", func() *http.Response { return respond(200, asJSON, `"ok"`) }, "object"},
	{"null", func() *http.Response { return respond(200, asJSON, `null`) }, "object"},
	{"a result that is cut off", func() *http.Response { return respond(200, asJSON, `{"jsonrpc":"2.0","id":2,"result":{"a":`) }, "parse error"},
	{"a body that is cut off", func() *http.Response { return cut(asJSON, `{"jsonrpc":"2.0","id":2,`) }, `received "{\"jsonrpc`},
	{"a lone surrogate", func() *http.Response { return respond(200, asJSON, `{"jsonrpc":"2.0","id":2,"result":{"a":"\ud800"}}`) }, "parse error"},
	{"bad UTF-8", func() *http.Response {
		return respond(200, asJSON, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\xff\"}}")
	}, "parse error"},
	{"UTF-16", func() *http.Response { return respond(200, asJSON, "\xff\xfe{\x00}\x00") }, "parse error"},
	{"a repeated member", func() *http.Response { return respond(200, asJSON, `{"jsonrpc":"2.0","id":2,"result":{"a":1,"a":2}}`) }, "duplicate"},
	{"two messages", func() *http.Response {
		return respond(200, asJSON, `{"jsonrpc":"2.0","id":2,"result":{}}{"jsonrpc":"2.0","id":2,"result":{}}`)
	}, "parse error"},
	{"HTML", func() *http.Response { return respond(200, "text/html", "<html>hello") }, "<html>hello"},
	{"a page as JSON", func() *http.Response { return respond(200, asJSON, "<html>hello") }, "<html>hello"},
	{"a page without an end", func() *http.Response { return open(200, "text/html", "<html>hello") }, "text/html"},
	{"status 202", func() *http.Response { return respond(202, asJSON, `{"jsonrpc":"2.0","id":2,"result":{}}`) }, "status 202"},
	{"status 202 without an end", func() *http.Response { return open(202, "text/plain", "Accepted") }, "status 202"},
	{"status 204", func() *http.Response { return respond(204, "", "") }, "status 204"},
	{"an empty stream", func() *http.Response { return respond(200, asStream, "") }, "without an answer"},
	{"JSON as a stream", func() *http.Response {
		return respond(200, asStream, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	}, `received "{\"jsonrpc`},
	{"a stream of comments", func() *http.Response { return respond(200, asStream, ": hello\n\n") }, "hello"},
	{"an event that is cut off", func() *http.Response {
		return cut(asStream, `data: {"jsonrpc":"2.0","id":2,"result":{}}`)
	}, "without an answer"},
	{"an event that is no message", func() *http.Response { return open(200, asStream, "data: hello\n\n") }, `received "hello"`},
	{"an event with half an answer", func() *http.Response {
		return open(200, asStream, "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\n\n")
	}, "parse error"},
	{"an event with the answer to another request", func() *http.Response {
		return open(200, asStream, "data: {\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}\n\n")
	}, "id 77"},
	{"an event with a batch without the answer", func() *http.Response {
		return open(200, asStream, "data: [{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}]\n\n")
	}, "batch"},
	{"an event of another type", func() *http.Response {
		return respond(200, asStream, "event: done\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n")
	}, "without an answer"},
}

// TestNoAnswer checks that a successful response without an answer fails the call at once with an error
// that quotes it, that the server gets no error for it, and that the session goes on.
func TestNoAnswer(t *testing.T) {
	for _, c := range noAnswers {
		for _, hide := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, hidden %t", c.name, hide), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &server{answer: func(r *http.Request, body string) *http.Response {
						switch {
						case r.Method == "GET":
							return respond(405, "", "")
						case strings.Contains(body, `"id":2,`):
							return c.resp()
						}
						m, _ := jsonrpc.Parse(body)
						text, _ := (&jsonrpc.Message{Kind: jsonrpc.Response, ID: m.ID, Result: "{}"}).AppendJSON(nil)
						return respond(200, asJSON, string(text))
					}}
					session := s.session(t, hide, ClientOptions{})
					defer session.Close()
					start := time.Now()
					err := session.Call(t.Context(), "x", nil, nil)
					if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 1000 {
						t.Errorf("%v, want %s", err, c.want)
					}
					if d := time.Since(start); d > time.Second {
						t.Errorf("it took %v", d)
					}
					if e, ok := errors.AsType[*jsonrpc.Error](err); ok && c.want != e.Message {
						t.Errorf("an error of this side as one of the server's: %v", e)
					}
					if err := session.Ping(t.Context()); err != nil {
						t.Errorf("afterwards: %v", err)
					}
					synctest.Wait()
					for _, post := range s.posts() {
						if strings.Contains(post, `"error"`) {
							t.Errorf("sent: %s", post)
						}
					}
				})
			})
		}
	}
}

// TestByteOrderMark checks that an answer may begin with a byte order mark.
func TestByteOrderMark(t *testing.T) {
	for _, resp := range []func() *http.Response{
		func() *http.Response { return respond(200, asJSON, "\ufeff"+`{"jsonrpc":"2.0","id":2,"result":{}}`) },
		func() *http.Response {
			return respond(200, asStream, "\ufeff"+"data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n")
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{answer: func(r *http.Request, _ string) *http.Response {
				if r.Method == "GET" {
					return respond(405, "", "")
				}
				return resp()
			}}
			session := s.session(t, false, ClientOptions{})
			defer session.Close()
			if err := session.Call(t.Context(), "x", nil, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAnswerInBatch checks that an answer in a batch is accepted in the revision with batches, and that the
// stream is read until it comes.
func TestAnswerInBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{answer: func(r *http.Request, _ string) *http.Response {
			if r.Method == "GET" {
				return respond(405, "", "")
			}
			return open(200, asStream, `data: [{"jsonrpc":"2.0","method":"notifications/x"}]`+"\n\n"+
				`data: [{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":2,"result":{"a":1}}]`+"\n\n")
		}}
		session := s.session(t, false, ClientOptions{})
		defer session.Close()
		var result wire.Raw
		if err := session.Call(t.Context(), "x", nil, &result); err != nil || result != `{"a":1}` {
			t.Errorf("%s, %v", result, err)
		}
	})
}

// TestBadEvents checks that an event on the server's own stream that is not a message is not answered and
// does not end the stream.
func TestBadEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{answer: func(r *http.Request, _ string) *http.Response {
			if r.Method == "GET" {
				return open(200, asStream, "data: hello\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}\n\n"+
					"data: {\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\n\n")
			}
			return respond(202, "", "")
		}}
		session := s.session(t, false, ClientOptions{})
		defer session.Close()
		synctest.Wait()
		if posts := s.posts(); len(posts) != 1 || !strings.Contains(posts[0], `"id":9,"result"`) {
			t.Errorf("sent: %q", posts)
		}
	})
}

// TestBodyOfNothing checks that the client does not wait for the body of a response that says nothing: to
// a notification, an answer, and the end of the session.
func TestBodyOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan string, 1)
		s := &server{answer: func(r *http.Request, body string) *http.Response {
			if r.Method == "GET" {
				return open(200, asStream, "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\n\n")
			}
			if strings.Contains(body, `"result"`) {
				answers <- body
			}
			return open(202, "text/plain", "Accepted")
		}}
		start := time.Now()
		session := s.session(t, false, ClientOptions{})
		if err := session.Notify(t.Context(), "notifications/x", nil); err != nil {
			t.Error(err)
		}
		<-answers
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := session.Notify(ctx, "notifications/x", nil); err != nil {
			t.Error(err)
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("it took %v", d)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if d := time.Since(start); d > waits.Delete/2 {
			t.Errorf("the end took %v", d)
		}
	})
}

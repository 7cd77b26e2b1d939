package streamable

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// TestOwnStreamIsAskedForAgain checks that the first GET for the server's own stream is repeated
// while the server is busy or cannot be reached, with growing pauses, as long as the session
// lasts, but not if the server offers no such stream.
func TestOwnStreamIsAskedForAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		refuse func() *http.Response
		again  bool
	}{
		{"status 503", func() *http.Response { return respond(503, "", "") }, true},
		{"status 429", func() *http.Response { return respond(429, "", "") }, true},
		{"status 500", func() *http.Response { return respond(500, "text/html", "<html>") }, true},
		{"status 502 without an end", func() *http.Response { return open(502, "text/html", "<html>") }, true},
		{"no connection", func() *http.Response { return nil }, true},
		{"a stream that ends", func() *http.Response { return respond(200, asStream, "") }, true},
		{"a stream that is cut off", func() *http.Response { return cut(asStream, "data: x") }, true},
		{"status 405", func() *http.Response { return respond(405, "", "") }, false},
		{"status 404", func() *http.Response { return respond(404, "", "") }, false},
		{"status 401", func() *http.Response { return respond(401, "", "") }, false},
		{"status 501", func() *http.Response { return respond(501, "", "") }, false},
		{"JSON", func() *http.Response { return respond(200, asJSON, "{}") }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const refusals = 20
				n := 0
				s := &server{answer: func(r *http.Request, _ string) *http.Response {
					if r.Method == "POST" {
						return respond(202, "", "")
					}
					if n++; n <= refusals {
						return c.refuse()
					}
					return open(200, asStream, "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\n\n")
				}}
				session := s.session(t, false, ClientOptions{})
				defer session.Close()
				time.Sleep(20 * time.Minute)
				pauses := s.waits()
				if !c.again {
					if len(pauses) > 0 {
						t.Errorf("asked again after %v", pauses)
					}
					return
				}
				if len(pauses) != refusals || len(s.posts()) != 1 {
					t.Fatalf("asked again after %v, sent %q", pauses, s.posts())
				}
				for i, wait := range pauses {
					if wait < defaultRetry || wait > waits.RetryFailed*(jitter+1)/jitter+waits.ErrorBody {
						t.Errorf("wait %d is %v", i, wait)
					}
				}
				if pauses[8] < 2*pauses[0] {
					t.Errorf("the pauses do not grow: %v", pauses)
				}
			})
		})
	}
}

// TestRetryBounds checks that the server's retry field determines the pauses, within limits.
func TestRetryBounds(t *testing.T) {
	for _, c := range []struct {
		name      string
		stream    string
		least     time.Duration
		most      time.Duration // of the second wait
		perMinute int           // at most
	}{
		{"no wait, nothing new", "retry: 0\n\n", waits.RetryFirst, 2 * waits.RetryFirst, 30},
		{"no wait, with news", "retry: 0\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n", waits.RetryFirst, 2 * waits.RetryFirst, 600},
		{"no wait, with ids", "retry: 0\nid: 7\ndata:\n\n", waits.RetryFirst, 2 * waits.RetryFirst, 30},
		{"an hour", "retry: 3600000\n\n", waits.RetryTold, 2 * waits.RetryTold, 1},
		{"two seconds", "retry: 2000\n\n", 2 * time.Second, 3 * time.Second, 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{answer: func(r *http.Request, _ string) *http.Response { return respond(200, asStream, c.stream) }}
				session := s.session(t, false, ClientOptions{})
				defer session.Close()
				time.Sleep(time.Minute)
				if n := len(s.waits()); n > c.perMinute {
					t.Errorf("%d times in a minute", n)
				}
				time.Sleep(20 * time.Minute)
				for i, wait := range s.waits() {
					if wait < c.least || i == 0 && wait > c.most {
						t.Errorf("wait %d is %v", i, wait)
					}
				}
			})
		})
	}
}

// TestRetryAfter checks that Retry-After is obeyed, as a number and as a date, within limits.
func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		value       func() string
		least, most time.Duration
	}{
		{func() string { return "7" }, 7 * time.Second, 9 * time.Second},
		{func() string { return time.Now().Add(20 * time.Second).UTC().Format(http.TimeFormat) }, 19 * time.Second, 23 * time.Second},
		{func() string { return "99999999999999999999" }, defaultRetry, 3 * defaultRetry},
		{func() string { return "9999999999" }, waits.RetryTold, waits.RetryTold * 2},
		{func() string { return "soon" }, defaultRetry, 3 * defaultRetry},
		{func() string { return "-5" }, defaultRetry, 3 * defaultRetry},
		{func() string { return time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat) }, defaultRetry, 3 * defaultRetry},
	} {
		synctest.Test(t, func(t *testing.T) {
			value, first := c.value(), true
			s := &server{answer: func(r *http.Request, _ string) *http.Response {
				if !first {
					return open(200, asStream, "")
				}
				first = false
				resp := respond(503, "", "")
				resp.Header.Set("Retry-After", value)
				return resp
			}}
			session := s.session(t, false, ClientOptions{})
			defer session.Close()
			time.Sleep(time.Hour)
			if pauses := s.waits(); len(pauses) != 1 || pauses[0] < c.least || pauses[0] > c.most {
				t.Errorf("%s: %v, want %v to %v", value, pauses, c.least, c.most)
			}
		})
	}
}

// TestCallIsPolledFor checks that the client requests the stream of a call that the server ends again
// and again until it carries the answer, and gives up if the server refuses.
func TestCallIsPolledFor(t *testing.T) {
	for _, c := range []struct {
		name  string
		back  func(n int) *http.Response
		fails bool
		n     int // GETs
	}{
		{"the answer comes at the tenth time", func(n int) *http.Response {
			if n < 10 {
				return respond(200, asStream, "id: "+strconv.Itoa(n)+"\ndata:\n\n")
			}
			return respond(200, asStream, "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n")
		}, false, 10},
		{"the server is busy four times", func(n int) *http.Response {
			if n < 5 {
				return respond(503, "", "")
			}
			return respond(200, asStream, "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n")
		}, false, 5},
		{"the server is busy for ever", func(int) *http.Response { return respond(503, "", "") }, true, defaultMaxRetries + 1},
		{"the server does not know the stream", func(int) *http.Response { return respond(400, "", "") }, true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				s := &server{answer: func(r *http.Request, _ string) *http.Response {
					switch {
					case r.Method == "POST":
						return respond(200, asStream, "id: 0\nretry: 500\ndata:\n\n")
					case r.Header.Get("Last-Event-ID") == "":
						return respond(405, "", "")
					}
					n++
					return c.back(n)
				}}
				session := s.session(t, false, ClientOptions{})
				defer session.Close()
				start := time.Now()
				err := session.Call(t.Context(), "x", nil, nil)
				if (err != nil) != c.fails || n != c.n {
					t.Errorf("%v after %d GETs", err, n)
				}
				if d := time.Since(start); d > time.Duration(n)*waits.RetryFailed {
					t.Errorf("it took %v", d)
				}
				if pauses := s.waits(); len(pauses) > 1 && slices.Min(pauses[1:]) < 500*time.Millisecond {
					t.Errorf("asked after %v", pauses)
				}
			})
		})
	}
}

// TestAnswersAreSentAgain checks that the client sends its answer to a request of the server again if
// the server is busy.
func TestAnswersAreSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		s := &server{answer: func(r *http.Request, _ string) *http.Response {
			if r.Method == "GET" {
				return open(200, asStream, "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\n\n")
			}
			if n++; n < 3 {
				return respond(503, "", "")
			}
			return respond(202, "", "")
		}}
		session := s.session(t, false, ClientOptions{})
		defer session.Close()
		time.Sleep(time.Minute)
		if posts := s.posts(); len(posts) != 3 || posts[0] != posts[2] {
			t.Errorf("sent: %q", posts)
		}
	})
}

// TestNoResponse checks that the client does not wait for ever for the response to a notification, or to an answer.
func TestNoResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := false
		s := &server{answer: func(r *http.Request, _ string) *http.Response {
			if r.Method == "GET" && !asked {
				asked = true
				return open(200, asStream, "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\n\n")
			}
			<-r.Context().Done()
			return nil
		}}
		session := s.session(t, false, ClientOptions{})
		if err := session.Notify(t.Context(), "notifications/progress", nil); err == nil {
			t.Error("the server has not taken the notification")
		}
		session.Close()
	})
}

// TestLostWhileListening checks that a session ends when the server no longer knows it, although the client only
// listens.
func TestLostWhileListening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{answer: func(r *http.Request, _ string) *http.Response {
			if r.Header.Get(headerLast) == "" {
				return respond(200, asStream, "id: a_1\ndata:\n\n") // which ends
			}
			return respond(404, "", "")
		}}
		session := s.session(t, false, ClientOptions{})
		if err := session.Wait(); !errors.Is(err, ErrSessionLost) {
			t.Error(err)
		}
	})
}

// TestDeafSession checks that a session without a stream of the server's own works.
func TestDeafSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{answer: func(r *http.Request, _ string) *http.Response {
			if r.Method == "GET" {
				return respond(503, "", "")
			}
			return respond(200, asJSON, `{"jsonrpc":"2.0","id":2,"result":{}}`)
		}}
		session := s.session(t, false, ClientOptions{MaxRetries: -1})
		time.Sleep(time.Hour)
		if err := session.Call(t.Context(), "x", nil, nil); err != nil {
			t.Error(err)
		}
		if err := session.Close(); err != nil && err != runtime.ErrClosed {
			t.Error(err)
		}
		if n := len(s.waits()); n > 0 {
			t.Error(fmt.Sprint(n, " GETs more, and none is wanted"))
		}
	})
}

// taken is an http.RoundTripper that fails a number of requests after the server has got them, as net/http does with a
// response without a body if the next request on the connection is cancelled early. If it is early itself, it fails
// requests that have a connection, and the server does not get them.
type taken struct {
	http.RoundTripper
	failures int
	why      error // the cause of the end of the other request
	early    bool
}

func (f *taken) RoundTrip(r *http.Request) (*http.Response, error) {
	if f.failures--; f.failures >= 0 {
		if !f.early {
			_, _ = f.RoundTripper.RoundTrip(r)
		} else if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GotConn != nil {
			trace.GotConn(httptrace.GotConnInfo{})
		}
		return nil, f.why
	}
	return f.RoundTripper.RoundTrip(r)
}

// TestCancelledByAnother checks that a notification that fails because another request was cancelled is sent once more.
func TestCancelledByAnother(t *testing.T) {
	for failures, posts := range []int{1, 2, 2} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{answer: func(*http.Request, string) *http.Response { return respond(202, "", "") }}
			to, err := NewTransport("http://example.com", ClientOptions{HTTPClient: &http.Client{Transport: &taken{RoundTripper: s, failures: failures, why: context.Canceled}}})
			if err != nil {
				t.Fatal(err)
			}
			defer to.Close()
			err = to.Send(t.Context(), runtime.Outgoing{Kind: jsonrpc.Notification, Method: "n", Text: []byte(`{"jsonrpc":"2.0","method":"n"}`)})
			if got := len(s.posts()); got != posts || errors.Is(err, context.Canceled) != (failures == 2) {
				t.Errorf("%d failures: sent %d times: %v", failures, got, err)
			}
		})
	}
}

// TestCallCancelledByAnother checks that a call whose request was not written because another one was cancelled, such as
// one of a session that was closed, is sent once more. If the http.RoundTripper does not say what it writes, the call is
// not sent again, because the server may have got it.
func TestCallCancelledByAnother(t *testing.T) {
	for _, why := range []error{context.Canceled, runtime.ErrClosed} {
		for _, test := range []struct {
			early           bool
			failures, posts int
			ok              bool
		}{{true, 0, 1, true}, {true, 1, 1, true}, {true, 2, 0, false}, {false, 1, 1, false}} {
			synctest.Test(t, func(t *testing.T) {
				s := &server{answer: func(_ *http.Request, body string) *http.Response {
					m, _ := jsonrpc.Parse(body)
					return respond(200, "application/json", `{"jsonrpc":"2.0","id":`+m.ID.String()+`,"result":{}}`)
				}}
				over := &taken{RoundTripper: s, why: why, early: test.early}
				transport, err := NewTransport("http://server.test/mcp", ClientOptions{HTTPClient: &http.Client{Transport: over}})
				if err != nil {
					t.Fatal(err)
				}
				session, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, mcptest.Handlers{}.Bind(r03, runtime.ToClient)).Connect(t.Context(), transport)
				if err != nil {
					t.Fatal(err)
				}
				defer session.Close()
				before := len(s.posts())
				over.failures = test.failures
				err = session.Call(t.Context(), "x", nil, nil)
				if got := len(s.posts()) - before; got != test.posts || (err == nil) != test.ok {
					t.Errorf("%v, %+v: sent %d times: %v", why, test, got, err)
				}
			})
		}
	}
}

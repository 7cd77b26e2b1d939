package runtime_test

import (
	"errors"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"

	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// httpSite is an http.RoundTripper in place of a server.
type httpSite func(r *http.Request, m jsonrpc.Message) (status int, media, body string)

func (s httpSite) RoundTrip(r *http.Request) (*http.Response, error) {
	var m jsonrpc.Message
	if r.Body != nil {
		text, _ := io.ReadAll(r.Body)
		m, _ = jsonrpc.Parse(string(text))
	}
	status, media, body := s(r, m)
	if status == 0 {
		return nil, errors.New(body)
	}
	resp := &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {media}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: -1, Request: r}
	if text, ok := strings.CutSuffix(body, "CUT"); ok {
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(text), broken{}))
	}
	if m.Method == "initialize" {
		resp.Header.Set("Mcp-Session-Id", "s")
	}
	return resp, nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

const asJSON, asEvents = "application/json", "text/event-stream"

// over returns a transport over Streamable HTTP to a site.
func (s httpSite) over(t *testing.T) runtime.Transport {
	transport, err := streamable.NewTransport("https://a.example/mcp", streamable.ClientOptions{HTTPClient: &http.Client{Transport: s}, MaxRetries: -1})
	if err != nil {
		t.Fatal(err)
	}
	return transport
}

// always answers every request in the same way.
func always(status int, media, body string) httpSite {
	return func(*http.Request, jsonrpc.Message) (int, string, string) { return status, media, body }
}

// opens opens connections of both eras and answers other requests in the same way.
func opens(status int, media, body string) httpSite {
	return func(r *http.Request, m jsonrpc.Message) (int, string, string) {
		switch {
		case m.Method == "server/discover":
			return 200, asJSON, resultOf(m, discovered)[0]
		case m.Method == "initialize":
			return 200, asJSON, resultOf(m, greeted)[0]
		case m.Kind == jsonrpc.Notification:
			return 202, "", ""
		case r.Method != http.MethodPost:
			return 405, "", ""
		}
		return status, media, strings.ReplaceAll(body, "ID", m.ID.String())
	}
}

// ending is a transport to a server whose process fails.
type ending struct {
	line
	after string // the method of the last request that it gets
}

var exit = &stdio.ExitError{Status: "exit status 3", Code: 3, Stderr: "boom\n"}

func (e ending) Start(in runtime.Inbox, max int) { e.line.Start(exited{in}, max) }

// exited is an inbox that ends because the process has failed.
type exited struct{ runtime.Inbox }

func (e exited) End(error) { e.Inbox.End(exit) }

// TestErrorTexts checks the texts of the errors of connecting, of calls and of sessions: each begins with one
// prefix, or with none, and has no other one.
func TestErrorTexts(t *testing.T) {
	connect := func(transport func(t *testing.T) runtime.Transport, revisions ...string) func(t *testing.T) error {
		return func(t *testing.T) error {
			session, err := eraClient(t, runtime.ClientOptions{}, nil, revisions...).Connect(t.Context(), transport(t))
			if err == nil {
				session.Close()
			}
			return err
		}
	}
	call := func(transport func(t *testing.T) runtime.Transport, revision string) func(t *testing.T) error {
		return func(t *testing.T) error {
			session, err := eraClient(t, runtime.ClientOptions{}, nil, revision).Connect(t.Context(), transport(t))
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			return session.Call(t.Context(), "tools/call", &toolParams{Name: "a"}, new(toolParams))
		}
	}
	process := func(dies string) func(t *testing.T) runtime.Transport {
		return func(*testing.T) runtime.Transport { return ending{dying(dies).serve(), dies} }
	}
	either := func(t *testing.T) runtime.Transport {
		return streamable.URL("https://a.example/mcp", streamable.ClientOptions{HTTPClient: &http.Client{Transport: always(404, "", "")}})
	}
	older := func(answer func(r *http.Request, m jsonrpc.Message) (int, string, string)) func(t *testing.T) runtime.Transport {
		return func(t *testing.T) runtime.Transport {
			transport, err := streamable.DialSSE(t.Context(), "https://a.example/sse", streamable.ClientOptions{HTTPClient: &http.Client{Transport: httpSite(answer)}})
			if err != nil {
				t.Fatal(err)
			}
			return transport
		}
	}
	for _, c := range []struct {
		name string
		err  func(t *testing.T) error
		want string
	}{
		{"connect: no process", connect(func(*testing.T) runtime.Transport { return stdio.Command(exec.Command("/no/such")) }, r25),
			`runtime: connect: start: ` + exec.Command("/no/such").Start().Error()},
		{"connect: the process ends", connect(process("initialize"), r25),
			`runtime: connect: session closed: the server ended: exit status 3: boom`},
		{"connect: no answer", connect(func(*testing.T) runtime.Transport {
			return (&actor{answer: func(jsonrpc.Message) []string { return nil }}).serve()
		}, r25), `runtime: connect: no answer to initialize within 1m0s`},
		{"connect: refused", connect(func(*testing.T) runtime.Transport { return modern(nil).serve() }, r25),
			`runtime: connect: error -32022: no`},
		{"connect: another revision", connect(func(*testing.T) runtime.Transport {
			return (&actor{answer: func(m jsonrpc.Message) []string {
				return resultOf(m, strings.Replace(greeted, r25, "2023-01-01", 1))
			}}).serve()
		}, r25), `runtime: connect: the server answered protocol version "2023-01-01"; the client supports 2025-11-25`},
		{"connect: an older server", connect(func(*testing.T) runtime.Transport { return legacy(refusing(-32601, "")).serve() }, r26),
			`runtime: connect: the server does not seem to speak 2026-07-28, and an older revision needs a binding: server/discover: error -32601: no`},
		{"connect: a result that is none", connect(func(*testing.T) runtime.Transport {
			return (&actor{answer: func(m jsonrpc.Message) []string { return resultOf(m, `{"protocolVersion":7}`) }}).serve()
		}, r25), `runtime: connect: result of initialize: at /protocolVersion, byte 19: expected a string, found a number`},
		{"connect: no network", connect(always(0, "", "no route to host").over, r26, r25),
			`runtime: connect: Post "https://a.example/mcp": no route to host`},
		{"connect: an error of authorization", connect(always(0, "", "auth: the login was refused").over, r25),
			`runtime: connect: Post "https://a.example/mcp": the login was refused`},
		{"connect: a busy server", connect(always(503, "", "").over, r26, r25),
			`runtime: connect: HTTP status 503 Service Unavailable`},
		{"connect: a refusal with an error", connect(always(400, asJSON, `{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"no"}}`).over, r26, r25),
			`runtime: connect: HTTP status 400 Bad Request: error -32020: no`},
		{"connect: a page", connect(always(200, "text/html", "<html>").over, r26, r25),
			`runtime: connect: a response with status 200 and content type "text/html" is not an answer to a request; received "<html>"`},
		{"connect: neither transport", connect(either, r25),
			`runtime: connect: server accepts neither Streamable HTTP (HTTP status 404 Not Found) nor HTTP with SSE (connect: HTTP status 404 Not Found)`},
		{"connect: no URL", connect(func(*testing.T) runtime.Transport { return streamable.URL("ftp://a", streamable.ClientOptions{}) }, r25),
			`runtime: connect: not an HTTP URL: "ftp://a"`},

		{"call: the process ends", call(process("tools/call"), r26), `runtime: session closed: the server ended: exit status 3: boom`},
		{"call: an error", call(func(*testing.T) runtime.Transport {
			return modern(func(m jsonrpc.Message) []string { return failureOf(m, -32602, "") }).serve()
		}, r26), `jsonrpc: error -32602: no`},
		{"call: a bad result", call(opens(200, asJSON, `{"jsonrpc":"2.0","id":ID,"result":{"name":7}}`).over, r26),
			`runtime: result of tools/call: at /name, byte 8: expected a string, found a number`},
		{"call: a result that is no object", call(opens(200, asJSON, `{"jsonrpc":"2.0","id":ID,"result":7}`).over, r26),
			`runtime: result of tools/call: at byte 0: expected an object, found a number`},
		{"call: a bad response", call(opens(200, asJSON, `[]`).over, r26),
			`runtime: the response holds no answer to request 2: invalid request: empty batch; received "[]"`},
		{"call: an error without an id", call(opens(200, asJSON, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no"}}`).over, r26),
			`runtime: the response holds no answer to request 2: it is an error without an id: error -32603: no; received "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":\"no\"}}"`},
		{"call: cut off", call(opens(200, asJSON, `{CUT`).over, r26),
			`runtime: the answer was lost: the answer could not be read: unexpected EOF; received "{"`},
		{"call: a stream that ends", call(opens(200, asEvents, ": x\n\n").over, r25),
			`runtime: the answer was lost: the stream ended without an answer: EOF; received ": x\n\n"`},
		{"call: no network", call(opens(0, "", "no route to host").over, r26),
			`streamable: Post "https://a.example/mcp": no route to host`},
		{"call: a lost session", func(t *testing.T) error {
			err := call(opens(404, "", "").over, r25)(t)
			if errors.Is(err, runtime.ErrClosed) { // the end of the session came before that of the call
				err = streamable.ErrSessionLost
			}
			return err
		}, `streamable: the server has lost the session`},
		{"call: a refusal", call(opens(500, "", "").over, r26), `HTTP status 500 Internal Server Error`},
		{"call: after the loss of the session", func(t *testing.T) error {
			session, err := eraClient(t, runtime.ClientOptions{}, nil, r25).Connect(t.Context(), opens(404, "", "").over(t))
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			_ = session.Call(t.Context(), "tools/list", nil, nil)
			_ = session.Wait()
			return session.Call(t.Context(), "tools/list", nil, nil)
		}, `runtime: session closed: the server has lost the session`},
		{"call: no other connection", func(t *testing.T) error {
			made := 0
			session, err := eraClient(t, runtime.ClientOptions{Reconnect: true}, nil, r26).Connect(t.Context(), newFragile(&made, dying("tools/list")))
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			return session.Call(t.Context(), "tools/list", nil, nil)
		}, `runtime: session closed: no server`},
		{"call: lost with its connection", func(t *testing.T) error {
			made := 0
			session, err := eraClient(t, runtime.ClientOptions{Reconnect: true}, nil, r26).Connect(t.Context(), newFragile(&made, dying("tools/call")))
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			return session.Call(t.Context(), "tools/call", &toolParams{Name: "a"}, nil)
		}, `runtime: the answer was lost: session closed`},

		{"connect: SSE", func(t *testing.T) error {
			_, err := streamable.DialSSE(t.Context(), "https://a.example/sse", streamable.ClientOptions{HTTPClient: &http.Client{Transport: always(500, "", "")}})
			return err
		}, `streamable: connect: HTTP status 500 Internal Server Error`},
		{"connect: the stream of SSE ends", connect(older(func(r *http.Request, m jsonrpc.Message) (int, string, string) {
			if r.Method == http.MethodGet {
				return 200, asEvents, "event: endpoint\ndata: /m\n\nCUT"
			}
			return 202, "", ""
		}), r25), `runtime: connect: session closed: the stream was lost: unexpected EOF`},

		{"session: the process ends", func(t *testing.T) error {
			session, err := eraClient(t, runtime.ClientOptions{}, nil, r26).Connect(t.Context(), process("tools/call")(t))
			if err != nil {
				t.Fatal(err)
			}
			_ = session.Call(t.Context(), "tools/call", &toolParams{Name: "a"}, nil)
			return session.Wait()
		}, `stdio: the server ended: exit status 3: boom`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := c.err(t)
				if err == nil || err.Error() != c.want {
					t.Errorf("got  %v\nwant %s", err, c.want)
				}
				if err != nil && len(prefixes.FindAllString(err.Error(), -1)) > 1 {
					t.Errorf("stacked prefixes: %v", err)
				}
			})
		})
	}
}

var prefixes = regexp.MustCompile(`\b(auth|dial|engine|eventstream|jsonrpc|runtime|sse|stdio|streamable|web|wire): `)

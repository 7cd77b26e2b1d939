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

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const r26 = mcp20260728.Revision

// site is an http.RoundTripper in place of a server of a revision without sessions. It answers
// server/discover by itself.
type site struct {
	answer func(r *http.Request, m jsonrpc.Message) *http.Response

	mu  sync.Mutex
	got []visit
}

// visit is a request that a site has got.
type visit struct {
	*http.Request
	jsonrpc.Message
}

// RoundTrip implements http.RoundTripper.
func (s *site) RoundTrip(r *http.Request) (*http.Response, error) {
	var m jsonrpc.Message
	if r.Body != nil {
		text, _ := io.ReadAll(r.Body)
		m, _ = jsonrpc.Parse(string(text))
	}
	s.mu.Lock()
	s.got = append(s.got, visit{r, m})
	s.mu.Unlock()
	var resp *http.Response
	if s.answer != nil {
		resp = s.answer(r, m)
	}
	if resp == nil && m.Method == "server/discover" {
		resp = answered(m, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{},"resources":{}},"ttlMs":0,"cacheScope":"private"}`)
	}
	if resp == nil || resp == unreachable {
		return nil, errors.New("no route to host")
	}
	resp.Request = r
	return resp, nil
}

// unreachable stands for a request that reaches no server.
var unreachable = new(http.Response)

func withHeader(resp *http.Response, name, value string) *http.Response {
	resp.Header.Set(name, value)
	return resp
}

// sent returns the methods of the requests, in one line: that of JSON-RPC or else that of HTTP.
func (s *site) sent() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, v := range s.got {
		if v.Message.Method == "" {
			all = append(all, v.Request.Method)
		} else {
			all = append(all, v.Message.Method)
		}
	}
	return strings.Join(all, ", ")
}

// last returns the last request.
func (s *site) last() visit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got[len(s.got)-1]
}

func answered(m jsonrpc.Message, result string) *http.Response {
	return respond(200, asJSON, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID.String(), result))
}

func refused(status int, id string, code int, data string) *http.Response {
	if data != "" {
		data = `,"data":` + data
	}
	return respond(status, asJSON, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"%s}}`, id, code, data))
}

// connect opens a session of a client of both eras, or only of the newer one.
func (s *site) connect(t testing.TB, opts runtime.ClientOptions, both bool) (*runtime.Session, error) {
	transport, err := NewTransport("https://site.example/mcp", ClientOptions{HTTPClient: &http.Client{Transport: s}, Header: http.Header{"X-Own": {"1"}}})
	if err != nil {
		t.Fatal(err)
	}
	opts.Name, opts.Version = "test", "1"
	bindings := []runtime.Binding{runtime.Handlers{}.Bind(r26, mcp20260728.Methods)}
	if both {
		bindings = append(bindings, runtime.Handlers{}.Bind(r11, mcp20251125.Methods))
	}
	return runtime.NewClient(opts, bindings...).Connect(t.Context(), transport)
}

func (s *site) open(t testing.TB, opts runtime.ClientOptions) *runtime.Session {
	session, err := s.connect(t, opts, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// TestEraOverHTTP checks which era a client finds behind a URL.
func TestEraOverHTTP(t *testing.T) {
	const known = "server/discover, initialize, notifications/initialized, GET, DELETE"
	tries := strings.TrimSuffix(strings.Repeat("server/discover, ", 1+defaultMaxRetries), ", ")
	for _, c := range []struct {
		name   string
		answer func(m jsonrpc.Message) *http.Response // of server/discover
		want   string                                 // revision, or part of the error
		sent   string
	}{
		{"H57 V20 a server without sessions", func(jsonrpc.Message) *http.Response { return nil }, r26, "server/discover"},
		{"H58 V21 400 without a body", func(jsonrpc.Message) *http.Response { return respond(400, "", "") }, r11, known},
		{"H58 400 with a text", func(jsonrpc.Message) *http.Response {
			return respond(400, "text/plain", "Bad Request: no valid session ID")
		}, r11, known},
		{"H58 400 with an error of its own", func(jsonrpc.Message) *http.Response { return refused(400, "null", -32000, "") }, r11, known},
		{"H58 400 with an error of its own and the id", func(m jsonrpc.Message) *http.Response { return refused(400, m.ID.String(), -32600, "") }, r11, known},
		{"S21 200 with an error", func(m jsonrpc.Message) *http.Response { return refused(200, m.ID.String(), -32601, "") }, r11, known},
		{"404", func(jsonrpc.Message) *http.Response { return respond(404, "", "") }, r11, known},
		{"500", func(jsonrpc.Message) *http.Response { return respond(500, "text/html", "<html>") }, "HTTP status 500", tries},
		{"503 with an error", func(m jsonrpc.Message) *http.Response { return refused(503, m.ID.String(), -32000, "") }, "HTTP status 503", tries},
		{"501", func(jsonrpc.Message) *http.Response { return respond(501, "", "") }, "HTTP status 501", "server/discover"},
		{"429 for a day", func(jsonrpc.Message) *http.Response {
			return withHeader(respond(429, "", ""), "Retry-After", "86400")
		}, "HTTP status 429", "server/discover"},
		{"no connection", func(jsonrpc.Message) *http.Response { return unreachable }, "no route to host", "server/discover"},
		{"202", func(jsonrpc.Message) *http.Response { return respond(202, "", "") }, r11, known},
		{"a stream that ends", func(jsonrpc.Message) *http.Response { return respond(200, asStream, "") }, "ended without an answer", tries},
		{"a stream of notifications", func(jsonrpc.Message) *http.Response {
			return respond(200, asStream, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n")
		}, "ended without an answer", tries},
		{"a redirect", func(jsonrpc.Message) *http.Response {
			return withHeader(respond(307, "", ""), "Location", "https://other.example/")
		}, "redirect to another server", "server/discover"},
		{"H58 V14 another revision", func(m jsonrpc.Message) *http.Response {
			return refused(400, m.ID.String(), -32022, `{"supported":["2030-01-01"],"requested":"2026-07-28"}`)
		}, "2030-01-01", "server/discover"},
		{"H58 V14 another revision, without the id", func(jsonrpc.Message) *http.Response {
			return refused(400, "null", -32022, `{"supported":["2030-01-01"],"requested":"2026-07-28"}`)
		}, "2030-01-01", "server/discover"},
		{"H58 a missing capability", func(m jsonrpc.Message) *http.Response {
			return refused(400, m.ID.String(), -32021, `{"requiredCapabilities":{"sampling":{}}}`)
		}, "-32021", "server/discover"},
		{"H58 a header", func(m jsonrpc.Message) *http.Response { return refused(400, m.ID.String(), -32020, "") }, "-32020", "server/discover"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &site{answer: func(r *http.Request, m jsonrpc.Message) *http.Response {
					switch {
					case m.Method == "server/discover":
						return c.answer(m)
					case r.Header.Get("Mcp-Method") != "":
						t.Errorf("%s has a header of another era", m.Method)
					case m.Method == "initialize":
						if r.Header.Get("Mcp-Protocol-Version") != "" {
							t.Error("initialize names a revision")
						}
						resp := answered(m, `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}`)
						resp.Header.Set("Mcp-Session-Id", "s")
						return resp
					case r.Method == http.MethodGet:
						return respond(405, "", "")
					}
					return respond(202, "", "")
				}}
				session, err := s.connect(t, runtime.ClientOptions{}, true)
				got := fmt.Sprint(err)
				if err == nil {
					got = session.Revision()
					session.Close()
				}
				if !strings.Contains(got, c.want) || s.sent() != c.sent {
					t.Errorf("%s, sent %s", got, s.sent())
				}
			})
		})
	}
}

// TestBusyServerKeepsItsEra checks that neither a server that is busy for a while nor one that needs long for
// server/discover is taken for one with sessions.
func TestBusyServerKeepsItsEra(t *testing.T) {
	const twice = "server/discover, server/discover"
	for _, c := range []struct {
		name  string
		first func(m jsonrpc.Message) *http.Response // the answer to the first request
		sent  string
	}{
		{"503", func(jsonrpc.Message) *http.Response { return respond(503, "text/plain", "starting") }, twice},
		{"503 with an error", func(m jsonrpc.Message) *http.Response { return refused(503, m.ID.String(), 503, "") }, twice},
		{"429", func(jsonrpc.Message) *http.Response { return withHeader(respond(429, "", ""), "Retry-After", "2") }, twice},
		{"500", func(m jsonrpc.Message) *http.Response { return refused(500, m.ID.String(), -32603, "") }, twice},
		{"502", func(jsonrpc.Message) *http.Response { return respond(502, "text/html", "<html>") }, twice},
		{"a connection that breaks", func(jsonrpc.Message) *http.Response { return cut(asJSON, `{"jsonrpc":`) }, twice},
		{"20 seconds", func(jsonrpc.Message) *http.Response { time.Sleep(20 * time.Second); return nil }, "server/discover"},
	} {
		for _, both := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, both eras %t", c.name, both), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := 0
					s := &site{answer: func(_ *http.Request, m jsonrpc.Message) *http.Response {
						if n++; n == 1 {
							return c.first(m)
						}
						return nil
					}}
					session, err := s.connect(t, runtime.ClientOptions{}, both)
					if err != nil {
						t.Fatalf("%v, sent %s", err, s.sent())
					}
					defer session.Close()
					if session.Revision() != r26 || s.sent() != c.sent {
						t.Errorf("%s, sent %s", session.Revision(), s.sent())
					}
				})
			})
		}
	}
}

// TestBusyServerInTime checks that a client which has been told to wait for longer than its caller does not
// wait at all.
func TestBusyServerInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{answer: func(*http.Request, jsonrpc.Message) *http.Response {
			return withHeader(respond(503, "", ""), "Retry-After", "10")
		}}
		transport, err := NewTransport("https://site.example/mcp", ClientOptions{HTTPClient: &http.Client{Transport: s}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, runtime.Handlers{}.Bind(r26, mcp20260728.Methods), runtime.Handlers{}.Bind(r11, mcp20251125.Methods))
		_, err = client.Connect(ctx, transport)
		if failure, ok := errors.AsType[*StatusError](err); !ok || failure.Status != 503 || time.Since(start) > 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// TestEraOfOneFault checks that what a server does only once decides about no connection: not about a later
// one, and about its own only if the server accepts initialize.
func TestEraOfOneFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var eras runtime.Eras
		fail := respond(404, "text/plain", "no route")
		s := &site{}
		s.answer = func(_ *http.Request, m jsonrpc.Message) (resp *http.Response) {
			if m.Method == "initialize" {
				return refused(400, m.ID.String(), -32022, `{"supported":["2026-07-28"],"requested":"2025-11-25"}`)
			}
			resp, fail = fail, nil
			return resp
		}
		session, err := s.connect(t, runtime.ClientOptions{Eras: &eras}, true)
		if err != nil || session.Revision() != r26 || s.sent() != "server/discover, initialize, server/discover" {
			t.Fatalf("%v, sent %s", err, s.sent())
		}
		session.Close()
		eras.Set("https://site.example", r11)
		s = &site{answer: func(_ *http.Request, m jsonrpc.Message) *http.Response {
			if m.Method == "initialize" {
				return respond(400, "", "")
			}
			return nil
		}}
		session, err = s.connect(t, runtime.ClientOptions{Eras: &eras}, true)
		if err != nil || session.Revision() != r26 || eras.Get("https://site.example") != r26 || s.sent() != "initialize, server/discover" {
			t.Fatalf("%v, sent %s", err, s.sent())
		}
		session.Close()
		eras.Set("https://site.example", r11)
		s = &site{answer: func(*http.Request, jsonrpc.Message) *http.Response { return respond(503, "", "") }}
		_, err = s.connect(t, runtime.ClientOptions{Eras: &eras}, true)
		if err == nil || strings.Contains(s.sent(), "server/discover") || eras.Get("https://site.example") != r11 {
			t.Errorf("%v, sent %s", err, s.sent())
		}
	})
}

// TestEraIsKept checks that a client asks for the era of a server once, and again when that has changed.
func TestEraIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Log("V15")
		sessions := true
		answer := func(r *http.Request, m jsonrpc.Message) *http.Response {
			switch {
			case !sessions && m.Method == "initialize":
				return refused(400, m.ID.String(), -32022, `{"supported":["2026-07-28"]}`)
			case !sessions:
				return nil
			case m.Method == "server/discover":
				return respond(400, "", "")
			case m.Method == "initialize":
				return answered(m, `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}`)
			case r.Method == http.MethodGet:
				return respond(405, "", "")
			}
			return respond(202, "", "")
		}
		var eras runtime.Eras
		for _, c := range []struct {
			sessions bool
			want     string
		}{
			{true, "server/discover, initialize, notifications/initialized, GET"},
			{true, "initialize, notifications/initialized, GET"},
			{false, "initialize, server/discover"},
			{false, "server/discover"},
			{true, "server/discover, initialize, notifications/initialized, GET"},
		} {
			sessions = c.sessions
			s := &site{answer: answer}
			session, err := s.connect(t, runtime.ClientOptions{Eras: &eras}, true)
			if err != nil {
				t.Fatal(err)
			}
			session.Close()
			if s.sent() != c.want {
				t.Errorf("sessions %t: sent %s", c.sessions, s.sent())
			}
			if want := map[bool]string{true: r11, false: r26}[c.sessions]; eras.Get("https://site.example") != want {
				t.Errorf("kept %v", eras.Get("https://site.example"))
			}
		}
		stored := 0
		for range eras.All() {
			stored++
		}
		if stored != 1 {
			t.Errorf("%d servers", stored)
		}
	})
}

// TestStatelessHeaders checks the headers of requests.
//
// H7
func TestStatelessHeaders(t *testing.T) {
	const schema = `{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},
		"n":{"type":"integer","x-mcp-header":"N"},
		"on":{"type":"boolean","x-mcp-header":"On"},
		"deep":{"type":"object","properties":{"er":{"type":"string","x-mcp-header":"Deep-Er"}}}}}`
	for _, c := range []struct {
		name, method, params string
		want                 map[string]string
	}{
		{"H22 H27 a list", "tools/list", `{}`, map[string]string{}},
		{"H28 a tool", "tools/call", `{"name":"plain","arguments":{"region":"x"}}`, map[string]string{"Mcp-Name": "plain"}},
		{"H28 a prompt", "prompts/get", `{"name":"p"}`, map[string]string{"Mcp-Name": "p"}},
		{"H28 a resource", "resources/read", `{"uri":"file:///a b"}`, map[string]string{"Mcp-Name": "file:///a b"}},
		{"H29 a name that is not ASCII", "prompts/get", `{"name":"größe"}`, map[string]string{"Mcp-Name": "=?base64?Z3LDtsOfZQ==?="}},
		{"H30 H39 H43 arguments", "tools/call", `{"name":"far","arguments":{"region":"us-west","n":42,"on":false,"deep":{"er":"x"}}}`,
			map[string]string{"Mcp-Name": "far", "Mcp-Param-Region": "us-west", "Mcp-Param-N": "42", "Mcp-Param-On": "false", "Mcp-Param-Deep-Er": "x"}},
		{"H40 an argument with a space around it", "tools/call", `{"name":"far","arguments":{"region":" a"}}`, map[string]string{"Mcp-Name": "far", "Mcp-Param-Region": "=?base64?IGE=?="}},
		{"H41 an argument that looks encoded", "tools/call", `{"name":"far","arguments":{"region":"=?base64?YQ==?="}}`, map[string]string{"Mcp-Name": "far", "Mcp-Param-Region": "=?base64?PT9iYXNlNjQ/WVE9PT89?="}},
		{"H48 H36 null and absent arguments", "tools/call", `{"name":"far","arguments":{"region":null}}`, map[string]string{"Mcp-Name": "far"}},
		{"H48 no arguments", "tools/call", `{"name":"far"}`, map[string]string{"Mcp-Name": "far"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &site{answer: func(_ *http.Request, m jsonrpc.Message) *http.Response {
					switch m.Method {
					case "server/discover":
						return nil
					case "tools/list":
						return answered(m, `{"tools":[{"name":"far","inputSchema":`+schema+`},{"name":"plain","inputSchema":{"type":"object"}}]}`)
					}
					return answered(m, `{"content":[],"messages":[],"contents":[]}`)
				}}
				session := s.open(t, runtime.ClientOptions{})
				if err := session.Call(t.Context(), "tools/list", nil, nil); err != nil {
					t.Fatal(err)
				}
				if err := session.Call(t.Context(), c.method, wire.Raw(c.params), nil); err != nil {
					t.Fatal(err)
				}
				c.want["Mcp-Protocol-Version"], c.want["Mcp-Method"] = r26, c.method
				c.want["Accept"], c.want["Content-Type"], c.want["X-Own"] = "application/json, text/event-stream", asJSON, "1" // H6
				got := make(map[string]string)
				for name, values := range s.last().Header {
					got[name] = strings.Join(values, "|")
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
	t.Run("H39 an argument that no header can repeat", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &site{answer: func(_ *http.Request, m jsonrpc.Message) *http.Response {
				if m.Method == "tools/list" {
					return answered(m, `{"tools":[{"name":"far","inputSchema":`+schema+`}]}`)
				}
				return nil
			}}
			session := s.open(t, runtime.ClientOptions{})
			if err := session.Call(t.Context(), "tools/list", nil, nil); err != nil {
				t.Fatal(err)
			}
			err := session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"far","arguments":{"n":1.5}}`), nil)
			if err == nil || !strings.Contains(err.Error(), "/n") || s.sent() != "server/discover, tools/list" {
				t.Errorf("%v, sent %s", err, s.sent())
			}
		})
	})
}

// TestToolsWithBrokenHeaders checks that a tool that cannot be called is left out of the list, which the
// program is told.
func TestToolsWithBrokenHeaders(t *testing.T) {
	tool := func(name, property string) string {
		return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{"a":%s,"b":{"type":"string","x-mcp-header":"b"}}}}`, name, property)
	}
	synctest.Test(t, func(t *testing.T) {
		t.Log("H37 H38")
		s := &site{answer: func(_ *http.Request, m jsonrpc.Message) *http.Response {
			if m.Method != "tools/list" {
				return nil
			}
			return answered(m, `{"resultType":"complete","tools":[`+strings.Join([]string{
				tool("good", `{"type":"string","x-mcp-header":"A"}`),
				tool("empty", `{"type":"string","x-mcp-header":""}`),
				tool("number", `{"type":"number","x-mcp-header":"A"}`),
				tool("twice", `{"type":"string","x-mcp-header":"B"}`),
				tool("items", `{"type":"array","items":{"type":"string","x-mcp-header":"A"}}`),
				tool("token", `{"type":"string","x-mcp-header":"a b"}`),
				`{"name":"last","inputSchema":{"type":"object"}}`,
			}, ",")+`],"ttlMs":1,"cacheScope":"public"}`)
		}}
		var deviations []wire.Deviation
		session := s.open(t, runtime.ClientOptions{Deviated: func(_ context.Context, d *runtime.Deviations) { deviations = append(deviations, d.All...) }})
		list := new(mcp20260728.ListToolsResult)
		if err := session.Call(t.Context(), "tools/list", nil, list); err != nil {
			t.Fatal(err)
		}
		if len(list.Tools) != 2 || list.Tools[0].Name != "good" || list.Tools[1].Name != "last" || list.TTLMs != 1 {
			t.Errorf("%+v", list)
		}
		if len(deviations) != 5 || !deviations[0].LeftOut || deviations[0].Pointer != "/tools/1" || !strings.Contains(deviations[0].Problem, `"empty"`) {
			t.Errorf("%v", deviations)
		}
	})
}

// TestDisconnectCancels checks that the end of a call ends its HTTP request, at once and without another
// one.
func TestDisconnectCancels(t *testing.T) {
	for name, begin := range map[string]func() *http.Response{
		"P40 before the response": nil,
		"P40 within a stream":     func() *http.Response { return open(200, asStream, ": \n\n") },
		"P40 within a text":       func() *http.Response { return open(200, asJSON, "{") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var after time.Duration
				start := time.Now()
				s := &site{answer: func(r *http.Request, m jsonrpc.Message) *http.Response {
					if m.Method == "server/discover" {
						return nil
					}
					if begin == nil {
						<-r.Context().Done()
						after = time.Since(start)
						return nil
					}
					context.AfterFunc(r.Context(), func() { after = time.Since(start) })
					resp := begin()
					context.AfterFunc(r.Context(), func() { resp.Body.Close() })
					return resp
				}}
				session := s.open(t, runtime.ClientOptions{})
				start = time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := session.Call(ctx, "tools/call", wire.Raw(`{"name":"a"}`), nil); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v", err)
				}
				synctest.Wait()
				if after != time.Second || s.sent() != "server/discover, tools/call" {
					t.Errorf("the request ended after %v, sent %s", after, s.sent())
				}
			})
		})
	}
}

// TestPingEnds checks that a ping which is not waited for any more ends its HTTP request.
func TestPingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{}
		session := s.open(t, runtime.ClientOptions{})
		ended := false
		s.answer = func(r *http.Request, _ jsonrpc.Message) *http.Response {
			<-r.Context().Done()
			ended = true
			return nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := session.Ping(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if synctest.Wait(); !ended {
			t.Error("the request goes on")
		}
	})
}

// TestStatelessStreams checks that a client takes an answer in each form, and that a stream which is cut
// off is not resumed: a request that only reads is sent again, any other fails.
func TestStatelessStreams(t *testing.T) {
	stream := func(m jsonrpc.Message, events ...string) string {
		return strings.ReplaceAll(strings.Join(events, "\n\n")+"\n\n", "ID", m.ID.String())
	}
	const answer = `data: {"jsonrpc":"2.0","id":ID,"result":{"tools":[],"content":[]}}`
	for _, c := range []struct {
		name, method string
		respond      func(n int, m jsonrpc.Message) *http.Response
		sent         int
		lost         bool
	}{
		{"H11 JSON", "tools/call", func(_ int, m jsonrpc.Message) *http.Response { return answered(m, `{"content":[]}`) }, 1, false},
		{"H11 H17 a stream with comments", "tools/call", func(_ int, m jsonrpc.Message) *http.Response {
			return respond(200, asStream, stream(m, ": ping", `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`, ": ping", answer))
		}, 1, false},
		{"H19 a list that is cut off", "tools/list", func(n int, m jsonrpc.Message) *http.Response {
			if n < 3 {
				return cut(asStream, "id: 7\ndata:\n\n")
			}
			return respond(200, asStream, stream(m, answer))
		}, 3, false},
		{"H19 a list whose text is cut off", "tools/list", func(n int, m jsonrpc.Message) *http.Response {
			if n < 2 {
				return cut(asJSON, "{")
			}
			return answered(m, `{"tools":[]}`)
		}, 2, false},
		{"H19 a list that is always cut off", "tools/list", func(int, jsonrpc.Message) *http.Response { return cut(asStream, "") }, 4, true},
		{"H18 H19 a call that is cut off", "tools/call", func(int, jsonrpc.Message) *http.Response { return cut(asStream, "id: 7\ndata:\n\n") }, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				ids := make(map[string]bool)
				s := &site{answer: func(r *http.Request, m jsonrpc.Message) *http.Response {
					if m.Method == "server/discover" {
						return nil
					}
					if r.Method != http.MethodPost || r.Header.Get("Last-Event-ID") != "" {
						t.Errorf("%s %v", r.Method, r.Header)
					}
					n++
					ids[m.ID.String()] = true
					return c.respond(n, m)
				}}
				session := s.open(t, runtime.ClientOptions{})
				err := session.Call(t.Context(), c.method, nil, nil)
				_, lost := errors.AsType[*runtime.LostError](err)
				if (err != nil) != c.lost || lost != c.lost || n != c.sent || len(ids) != n {
					t.Errorf("%v after %d requests with %d ids", err, n, len(ids))
				}
			})
		})
	}
}

// TestNothingElseOverHTTP checks that a client without a session sends nothing but requests.
func TestNothingElseOverHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Log("H5 H8 S5")
		s := &site{answer: func(_ *http.Request, m jsonrpc.Message) *http.Response {
			if m.Method == "server/discover" {
				return nil
			}
			return respond(200, asStream, `data: {"jsonrpc":"2.0","id":9,"method":"ping"}`+"\n\n"+`data: {"jsonrpc":"2.0","id":`+m.ID.String()+`,"result":{"content":[]}}`+"\n\n")
		}}
		session := s.open(t, runtime.ClientOptions{})
		if err := session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"a"}`), nil); err != nil {
			t.Error(err)
		}
		session.Close()
		synctest.Wait()
		if s.sent() != "server/discover, tools/call" {
			t.Errorf("sent %s", s.sent())
		}
	})
}

// TestStatelessStatus checks that the error in the body of a refusal is the answer.
func TestStatelessStatus(t *testing.T) {
	for _, c := range []struct{ status, code int }{{404, -32601}, {400, -32602}, {400, -32021}, {200, -32603}, {400, -32002}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &site{answer: func(_ *http.Request, m jsonrpc.Message) *http.Response {
					if m.Method == "server/discover" {
						return nil
					}
					return refused(c.status, m.ID.String(), c.code, "")
				}}
				err := s.open(t, runtime.ClientOptions{}).Call(t.Context(), "resources/read", wire.Raw(`{"uri":"a:b"}`), nil)
				if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || int(e.Code) != c.code {
					t.Errorf("B14: %v", err)
				}
			})
		})
	}
}

// TestExpiredSession checks that a client opens another session when the server has forgotten the one it
// has, and sends the refused request again.
func TestExpiredSession(t *testing.T) {
	for _, method := range []string{"tools/list", "tools/call"} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sessions := 0
				s := &site{answer: func(r *http.Request, m jsonrpc.Message) *http.Response {
					switch {
					case m.Method == "server/discover":
						return respond(400, "", "")
					case m.Method == "initialize":
						sessions++
						resp := answered(m, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}`)
						resp.Header.Set("Mcp-Session-Id", fmt.Sprint(sessions))
						return resp
					case r.Method == http.MethodGet:
						return respond(405, "", "")
					case m.Method == method && r.Header.Get("Mcp-Session-Id") == "1":
						return respond(404, "", "")
					case m.Kind == jsonrpc.Request:
						return answered(m, `{"tools":[],"content":[]}`)
					}
					return respond(202, "", "")
				}}
				session, err := s.connect(t, runtime.ClientOptions{Reconnect: true}, true)
				if err != nil {
					t.Fatal(err)
				}
				defer session.Close()
				err = session.Call(t.Context(), method, wire.Raw(`{"name":"a"}`), nil)
				if _, lost := errors.AsType[*runtime.LostError](err); err != nil && !lost {
					t.Errorf("error %v", err)
				}
				if err := session.Call(t.Context(), method, wire.Raw(`{"name":"a"}`), nil); err != nil || sessions != 2 {
					t.Errorf("%v, %d sessions", err, sessions)
				}
			})
		})
	}
}

// TestListenToEndingStreams checks that a client does not connect all the time to a server that acknowledges a
// subscription and then ends the stream.
func TestListenToEndingStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{answer: func(_ *http.Request, m jsonrpc.Message) *http.Response {
			if m.Method != "subscriptions/listen" {
				return nil
			}
			return respond(200, asStream, fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"notifications\":{},\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%s}}}\n\n", m.ID.String()))
		}}
		session := s.open(t, runtime.ClientOptions{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		acknowledged := 0
		for _, err := range session.Listen(ctx, nil) {
			if err != nil {
				t.Fatal(err)
			}
			acknowledged++
		}
		// The pauses of 0.1, 0.2, 0.4 seconds and so on are shorter by up to a half.
		if sent := strings.Count(s.sent(), "subscriptions/listen"); sent != acknowledged || sent < 9 || sent > 12 {
			t.Errorf("%d requests in a minute, %d acknowledged", sent, acknowledged)
		}
	})
}
